// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which entries of an array speak of the same thing. Two
// that do would contradict each other or run twice, so a merge never adds the
// second.

package settings

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// identities name the key by which the entries of an array are told apart.
var identities = map[string]string{
	claude.KeyCredentialFiles.String():     "path",
	claude.KeyCredentialVariables.String(): "name",
}

// identical says whether a and b, elements of the array at path, are entries
// for the same thing.
func identical(path []string, a, b *Value) bool {
	key, ok := identities[strings.Join(path, ".")]
	if !ok {
		return false
	}
	name := a.Get(key)
	return name != nil && name.Kind == Str && b.Get(key).isText(name.Text)
}

// indivisible says whether the object at path is one decision: an entry with
// an identity, or the status line, half of which would be nobody's.
func indivisible(path []string) bool {
	switch n := len(path); {
	case n == 1:
		return path[0] == claude.KeyStatusLine.Leaf()
	case n == 5:
		return path[0] == claude.KeyHooks.Leaf() && path[3] == BlockHooks
	case n == 0:
		return false
	default:
		return identities[strings.Join(path[:n-1], ".")] != ""
	}
}

func differs(a, b *Value) bool {
	return slices.ContainsFunc(b.Members, func(m Member) bool {
		v := a.member(m.Key)
		return v != nil && !v.Equal(m.Value)
	})
}

// Credential is an entry of sandbox.credentials in a document: a file or a
// variable, and its mode, claude.Deny or claude.Mask, "" if it has none.
type Credential struct {
	Candidate
	Name, Mode string
}

// Credentials lists the files or the variables of all scopes (claude.KeyCredentialFiles,
// claude.KeyCredentialVariables), as they are written, the ignored ones among them.
// Entries that name none are left out.
func (e *Effective) Credentials(key claude.KeyPath) (list []Credential) {
	for _, c := range e.List(key...) {
		name, mode := c.Value.Get(identities[key.String()]), c.Value.Get("mode")
		if name == nil || name.Kind != Str {
			continue
		}
		list = append(list, Credential{Candidate: c, Name: name.Text, Mode: TextOf(mode)})
	}
	return list
}

// CredentialFile is the entry that keeps commands from a file.
func CredentialFile(path string) *Value {
	return Dict(Pair(identities[claude.KeyCredentialFiles.String()], String(path)), Pair("mode", String(claude.Deny)))
}
