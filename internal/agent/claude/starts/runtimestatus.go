// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime says of its sandbox is taken only in the
// form that was measured; other words say nothing.

package starts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// RuntimeSays is what the runtime itself says of the sandbox in a directory:
// what "claude sandbox status" printed (2.1.329, statusVersion 3; an older
// runtime takes the words for a prompt and must not be asked).
type RuntimeSays struct {
	// Enabled says that commands would be sandboxed. It is true also
	// where bwrap is there but cannot make namespaces (measured).
	Enabled bool
	// Source is where the runtime has that from: "settings", "policy"
	// (managed settings or --settings) or "off". Reason says why a sandbox
	// that is asked for is not available, "" if it is.
	Source, Reason string
	// StrictMode says that no command may ask to leave the sandbox
	// (allowUnsandboxedCommands is false).
	StrictMode bool
	// FilesystemPolicy is "strict", or "relaxed" with filesystem.disabled.
	FilesystemPolicy string
}

// String is what decides of it, for evidence: the line that was printed has
// more, of which some is about other systems.
func (s RuntimeSays) String() string {
	return fmt.Sprintf("enabled %t, enabledSource %s, strictMode %t, filesystemPolicy %s", s.Enabled,
		cmp.Or(s.Source, "not given"), s.StrictMode, s.FilesystemPolicy)
}

// AskRuntime asks the runtime about a start directory; ok is false if it could
// not be asked there.
type AskRuntime func(ctx context.Context, start string) (says RuntimeSays, ok bool)

// maxSaid bounds what is read of the answer, in bytes: the real one has some
// 400.
const maxSaid = 64 << 10

// ParseRuntimeSays reads the output of "claude sandbox status": one line of
// JSON, perhaps with other lines around it. The error says what is missing in
// it.
func ParseRuntimeSays(out []byte) (RuntimeSays, error) {
	if len(out) > maxSaid {
		return RuntimeSays{}, fmt.Errorf("the answer is longer than %d bytes", maxSaid)
	}
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSpace(line); !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var v struct {
			StatusVersion     int    `json:"statusVersion"`
			Enabled           *bool  `json:"enabled"`
			EnabledSource     string `json:"enabledSource"`
			UnavailableReason string `json:"unavailableReason"`
			StrictMode        *bool  `json:"strictMode"`
			FilesystemPolicy  string `json:"filesystemPolicy"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			return RuntimeSays{}, fmt.Errorf("the answer is no JSON of the known form: %w", err)
		}
		if v.StatusVersion < 1 || v.Enabled == nil || v.StrictMode == nil || v.FilesystemPolicy == "" {
			return RuntimeSays{}, errors.New("the answer lacks statusVersion, enabled, strictMode or filesystemPolicy")
		}
		return RuntimeSays{Enabled: *v.Enabled, Source: v.EnabledSource, Reason: v.UnavailableReason,
			StrictMode: *v.StrictMode, FilesystemPolicy: v.FilesystemPolicy}, nil
	}
	return RuntimeSays{}, errors.New("the answer holds no JSON")
}
