// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where a document stands decides how strong it is and what
// its relative paths mean. Paths are worked out from text alone; no disk is
// asked.

package settings

import (
	"fmt"
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Scope is where a document applies, the weakest first (measured): a scalar
// of a stronger scope wins, arrays are united over all of them.
type Scope uint8

// The scopes. Flag is the document of --settings. <HOME>/.claude has no
// settings.local.json: the runtime does not read one there (measured).
const (
	User Scope = iota + 1
	Project
	Local
	Flag
	Managed
)

// String is the scope's name for people.
func (s Scope) String() string {
	return [...]string{"?", "user", "project", "local", "--settings", "managed"}[s]
}

// OfProject says whether whoever writes to the repository can write it: the
// runtime guards some keys against these two scopes.
func (s Scope) OfProject() bool { return s == Project || s == Local }

// ScopedDoc is one document in its scope.
type ScopedDoc struct {
	Scope Scope
	Doc   *Doc
}

// Source is the place of a value among the scopes.
type Source struct {
	Scope     Scope
	Path      string
	Line, Col int
}

// Where is "path:line:col".
func (s Source) Where() string { return fmt.Sprintf("%s:%d:%d", s.Path, s.Line, s.Col) }

// Dirs are the directories that the paths of settings start from; absolute.
type Dirs struct {
	Home string
	// Agent is the runtime's own directory: CLAUDE_CONFIG_DIR or ~/.claude.
	Agent string
	// Start is where the session starts.
	Start string
	// Flag is the directory of the file given with --settings; "" for
	// settings given as text.
	Flag string
}

// IsRelative says whether a path in a sandbox setting counts from the directory of its
// scope (see Resolve).
func IsRelative(p string) bool { return Dirs{Home: "/"}.Resolve(p, Project) == "" }

// Resolve returns the absolute path that p means in a sandbox setting of
// scope s, as the runtime resolves it at the start of a session (measured):
// "~" and "~/x" in the home, "/x" and "//x" at the root, anything else, also
// "", "~user" and "$VAR", as a name below the directory of the scope. That is
// the start directory for project, local and managed settings, and the
// runtime's own directory for user settings: a "." there opens the
// credentials in it. In settings given as text it is a temporary directory
// that nobody can name: then the result is "".
func (d Dirs) Resolve(p string, s Scope) string {
	p = strings.TrimSpace(p)
	base := d.Start
	switch at, home := pathname.Expand(p, d.Home); {
	case home:
		return at
	case strings.HasPrefix(p, "/"):
		return path.Clean(p)
	case s == User:
		base = d.Agent
	case s == Flag:
		base = d.Flag
	}
	if base == "" {
		return ""
	}
	return path.Join(base, p)
}
