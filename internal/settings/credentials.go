// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry of sandbox.credentials is read in one way; what
// its mode means for a command is said by who asks.

package settings

import "github.com/steward-setup/steward-setup/internal/agent/claude"

// Credential is an entry of sandbox.credentials in a document: a file or a
// variable, and its mode, claude.Deny or claude.Mask, "" if it has none.
type Credential struct {
	Candidate
	Name, Mode string
}

// CredentialFiles lists the files of all scopes, as they are written, the
// ignored ones among them. Entries that name none are left out.
func (e *Effective) CredentialFiles() []Credential { return e.credentials(claude.KeyCredentialFiles) }

// CredentialVariables lists the variables in the same way.
func (e *Effective) CredentialVariables() []Credential {
	return e.credentials(claude.KeyCredentialVariables)
}

func (e *Effective) credentials(key claude.KeyPath) (list []Credential) {
	for _, c := range e.List(key...) {
		name, mode := c.Value.Get(identities[key.String()]), c.Value.Get("mode")
		if name == nil || name.Kind != Str {
			continue
		}
		entry := Credential{Candidate: c, Name: name.Text}
		if mode != nil {
			entry.Mode = mode.Text
		}
		list = append(list, entry)
	}
	return list
}

// CredentialFile is the entry that keeps commands from a file.
func CredentialFile(path string) *Value {
	return Dict(Pair(identities[claude.KeyCredentialFiles.String()], String(path)), Pair("mode", String(claude.Deny)))
}
