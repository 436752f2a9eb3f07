// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an environment variable does what its row says, and one
// without a row is Unknown. A test reads the names out of the real runtime and
// fails when it reads one that nobody has looked at.

package claude

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// StayVariable puts the agent's working directory back after every command.
// Hooks run in that directory: left where a command changed to, they would run
// what a repository configures that the command made there (measured with
// 2.1.329; the binaries of 2.1.141 and 2.1.324 name it).
const StayVariable = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"

// CoworkVariable has the runtime read CoworkFile in the place of the user's
// SettingsFile, if the environment or "env" of the user's settings or of its state
// switches it on. That "env" of other settings switches it off again helps only
// against some of them (measured with 2.1.330 and 2.1.324).
const (
	CoworkVariable = "CLAUDE_CODE_USE_COWORK_PLUGINS"
	CoworkFile     = "cowork_settings.json"
)

// RulesVariable holds permission rules and directories, which count where
// SessionKindVariable is "bg" (measured with 2.1.330 and 2.1.324).
const (
	RulesVariable       = "CLAUDE_BG_SESSION_PERMISSION_RULES"
	SessionKindVariable = "CLAUDE_CODE_SESSION_KIND"
)

// Background says whether a value of SessionKindVariable makes the rules count.
func Background(kind string) bool { return strings.TrimSpace(kind) == "bg" }

// sandboxedVariable lets root skip permission prompts if it is "1"; others may
// without it (measured with 2.1.330).
const sandboxedVariable = "IS_SANDBOX"

// Variable is an environment variable.
type Variable struct {
	Name  string
	Class Class
	// Effect says what it does, as a predicate without a subject.
	Effect string
	// From is User where the runtime takes it from no file of a project.
	From Origin
	// Runtime says that the runtime reads it for itself.
	Runtime bool
	Traits
}

// Traits say whom a variable concerns.
type Traits struct {
	// First: it runs code in front of the sandbox, in the shell that starts
	// it too.
	First bool
	// Indirect: it matters where a hook, a server or a helper is a program
	// that reads it; a session by itself starts none.
	Indirect bool
	// Tool: it is read by tools that a server or a hook may start.
	Tool bool
	// Named: its name says no more than that a program finds its
	// configuration by it.
	Named bool
	// Repository: git takes a repository, or a part of one, from there.
	Repository bool
	// Data: the files there are data for git.
	Data bool
	// Personal: in the user's own settings it is the user's own choice.
	Personal bool
	// Replaces: the session has other settings or rules than the files hold that
	// are judged.
	Replaces bool
}

// variableRow is what several variables have in common.
type variableRow struct {
	class  Class
	effect string
	// names are separated by spaces; with a star they are patterns.
	names  string
	traits Traits
}

// VariableOf is the row of a variable. What is harmless counts as it is
// written. Everything else counts in small letters too; of patterns the first
// counts.
func VariableOf(name string) Variable {
	v := Variable{Name: name}
	// The other settings of the user are chosen before a project's are read, without a
	// word about it (2.1.330 and 2.1.324).
	if name == CoworkVariable || slices.Contains(NotOfProjects(), strings.ToUpper(name)) {
		v.From = User
	}
	row, ok := variableTable().names[name]
	if !ok {
		row, ok = variableTable().names[strings.ToUpper(name)]
		ok = ok && row.class != Harmless && row.class != Protects
	}
	if !ok && strings.HasPrefix(strings.ToUpper(name), "CLAUDE_") {
		return v
	}
	if !ok {
		i := slices.IndexFunc(variableTable().patterns, func(p variablePattern) bool {
			known, _ := path.Match(p.pattern, strings.ToUpper(name))
			return known && (p.row.class != Harmless || name == strings.ToUpper(name))
		})
		if i < 0 {
			return v
		}
		row = variableTable().patterns[i].row
	}
	v.Class, v.Effect, v.Traits = row.class, row.effect, row.traits
	v.Runtime = variableTable().own[name]
	return v
}

// NotOfProjects lists the variables that the runtime takes from no file of a
// project.
var NotOfProjects = sync.OnceValue(func() []string { return strings.Fields(notOfProjects) })

// VariableSet is VariableOf for a variable with its value, in a session that root
// starts or another user.
func VariableSet(name, value string, root bool) Variable {
	v := VariableOf(name)
	if name == CoworkVariable && !SwitchedOn(value) || name == SessionKindVariable && !Background(value) ||
		name == sandboxedVariable && (value != "1" || !root) {
		v.Class, v.Effect, v.Traits = Harmless, "is switched off", Traits{}
	}
	if name == "NODE_OPTIONS" && !slices.ContainsFunc(strings.Fields(value), func(o string) bool {
		return !plainOptions().MatchString(o)
	}) {
		v.Class, v.Effect, v.Traits = Harmless, "sets sizes and warnings of Node programs", Traits{}
	}
	return v
}

// plainOptions are options of Node that load nothing.
var plainOptions = lazy.Regexp(`^(--max[-_]old[-_]space[-_]size=[0-9]+|--no-warnings|--no-deprecation)$`)

// Safe says whether a variable is known to take nothing away.
func (v Variable) Safe() bool { return v.Class == Harmless || v.Class == Protects }

// Acts says whether it is known to do more than that.
func (v Variable) Acts() bool { return v.Class == Opens || v.Class == Redirects || v.Class == Runs }

// Loads says whether a program that has it takes code from there, or a
// repository, whose configuration names programs.
func (v Variable) Loads() bool { return v.Class == Runs || v.Repository }

//go:embed undocumented.txt
var undocumented string

// Foreign says whether it is another program's: no runtime up to Newest reads it, and
// its name does not begin as theirs do.
func (v Variable) Foreign() bool {
	return v.Class == Unknown && !strings.HasPrefix(v.Name, "CLAUDE_CODE_") &&
		!strings.Contains("\n"+undocumented, "\n"+v.Name+"\n")
}

// Own says whether only the runtime can mean it.
func (v Variable) Own() bool {
	return strings.HasPrefix(v.Name, "CLAUDE_") || strings.HasPrefix(v.Name, "ANTHROPIC_")
}

// table is what the rows say, to look names up.
type table struct {
	names    map[string]variableRow
	patterns []variablePattern
	// own are the names among the runtime's own.
	own map[string]bool
}

type variablePattern struct {
	pattern string
	row     variableRow
}

var variableTable = sync.OnceValue(func() table {
	t := table{names: map[string]variableRow{}, own: map[string]bool{}}
	for _, row := range ownVariables {
		for name := range strings.FieldsSeq(row.names) {
			t.own[name] = true
		}
	}
	for _, row := range variableRows() {
		for _, name := range strings.Fields(row.names) {
			if strings.Contains(name, "*") {
				t.patterns = append(t.patterns, variablePattern{name, row})
			} else {
				t.names[name] = row
			}
		}
	}
	return t
})

// variableRows lists the table.
func variableRows() []variableRow { return slices.Concat(ownVariables, otherVariables) }
