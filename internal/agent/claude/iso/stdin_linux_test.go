// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package iso_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAStreamOfTheProject: a session that reads its messages from a file of the project is
// refused, since a line there switches the sandbox off; one that a program writes is the user's.
func TestAStreamOfTheProject(t *testing.T) {
	testenv.AsUser(t)
	l := launching(t)
	l.put("p/in.jsonl", "{}\n")
	l.put("in.jsonl", "{}\n")
	before, err := syscall.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Dup3(before, 0, 0); _ = syscall.Close(before) })
	for _, c := range []struct {
		file    string
		args    []string
		refused bool
	}{
		{"p/in.jsonl", []string{"-p", "--input-format", "stream-json"}, true},
		{"p/in.jsonl", []string{"-p", "--input-format=stream-json", "--verbose"}, true},
		{"p/in.jsonl", []string{"-p", "--input-format", "text"}, false},
		{"p/in.jsonl", []string{"-p"}, false},
		{"in.jsonl", []string{"-p", "--input-format", "stream-json"}, false},
		{"", []string{"-p", "--input-format", "stream-json"}, false},
		{"", []string{"-p", "--managed-settings-in-initialize"}, true},
		{"", []string{"--deep-link-origin", "--deep-link-cwd-b64", "L2hvbWU="}, true},
	} {
		in, w, err := os.Pipe()
		if c.file != "" {
			in, err = os.Open(filepath.Join(l.home, c.file))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(in.Fd()), 0, 0); err != nil {
			t.Fatal(err)
		}
		_, err = l.prepare("p", iso.Options{Args: c.args})
		if e := (*report.Error)(nil); errors.As(err, &e) != c.refused || c.refused && e.Code != report.ExitUsage {
			t.Errorf("%q with %q: %v", c.args, c.file, err)
		}
		_, _ = in.Close(), w.Close()
	}
}
