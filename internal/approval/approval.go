// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package approval is the user's standing approvals: what may be written, or
// started, later without asking again.
//
// Contract: pure bytes in, bytes out. The file lies in the state directory,
// which no policy of ours lets the agent write. What is not in it is not
// approved, and a file that is not understood approves nothing.
package approval

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Path is the approvals' file below the state directory.
func Path(state string) string { return filepath.Join(state, "approvals.json") }

// Set is the standing approvals of one user.
type Set struct {
	SchemaVersion int `json:"schema_version"`
	// ProjectRoots are the common git directories of the repositories in
	// which a worktree's own path may be added to its own ignored
	// settings.local.json (DESIGN, law 2).
	ProjectRoots []string `json:"project_roots,omitempty"`
}

// Parse reads the approvals; nil bytes are none. The error is a *report.Error
// with exit code 65.
func Parse(path string, b []byte) (Set, error) {
	s := Set{SchemaVersion: 1}
	if b == nil {
		return s, nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil || s.SchemaVersion != 1 {
		return Set{}, &report.Error{Code: report.ExitMalformed, Where: path, What: "the standing approvals cannot be read",
			Why: "what is not understood is not approved", Next: "remove the file and run steward-setup install to approve again", Err: err}
	}
	return s, nil
}

// Bytes is the file's content: stable, so that the same approvals are the
// same bytes.
func (s Set) Bytes() []byte {
	slices.Sort(s.ProjectRoots)
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return append(b, '\n')
}

// RootsIn says whether roots may be added in the repository with this common
// git directory.
func (s Set) RootsIn(commonDir string) bool { return slices.Contains(s.ProjectRoots, commonDir) }
