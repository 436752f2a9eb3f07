// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// TestOutputIsBounded: what is printed beyond the limit is not kept, the program
// is not stopped for it, and the answer is none.
func TestOutputIsBounded(t *testing.T) {
	r := Runner{Env: env.New([]string{"PATH=" + os.Getenv("PATH")})}
	for name, c := range map[string]struct {
		script         string
		most, out, err int
		cut            bool
	}{
		"as much as is kept":    {"head -c 1000 /dev/zero", 1000, 1000, 0, false},
		"one byte more":         {"head -c 1001 /dev/zero", 1000, 1000, 0, true},
		"much more":             {"head -c 99000000 /dev/zero", 0, maxOutput, 0, true},
		"complaints alone":      {"head -c 9000000 /dev/zero >&2", 0, 0, maxSaid, false},
		"one byte after a wait": {"head -c 1000 /dev/zero; sleep 0.1; echo", 1000, 1000, 0, true},
	} {
		res := r.Run(t.Context(), Spec{name: "sh", args: []string{"-c", c.script}, most: c.most, timeout: time.Minute})
		if len(res.Stdout) != c.out || len(res.Stderr) != c.err || res.Code != 0 {
			t.Errorf("%s: kept %d and %d bytes, exit code %d", name, len(res.Stdout), len(res.Stderr), res.Code)
		}
		if errors.Is(res.Err, ErrCut) != c.cut || res.OK() == c.cut {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}
