// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every command that a key of front matter may start is
// found, however deep it stands. What is called a command counts as one.

package frontmatter

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// Command is a command that front matter names.
type Command struct {
	Line    int
	Command string
	// Event is that of a hook, else the key that it stands under.
	Event string
	// Args are those of a program that is started without a shell; Exec says
	// that this one is.
	Args []string
	Exec bool
	// Env are the variables that it is started with.
	Env []Var
}

// Var is a variable that front matter sets for a command.
type Var struct {
	Line        int
	Name, Value string
}

// startsPlainly says whether the commands below a key are started without a
// shell: those of servers are, those of hooks and monitors only with args.
func startsPlainly(key string) bool { return strings.HasSuffix(claude.Folded(key), "servers") }

// commandsIn lists the commands of the mappings in a value of this key; event is that
// of the hooks in it, before how many lines stand in front of the front matter.
func commandsIn(n *yaml.Node, key, event string, before int) (list []Command) {
	if n.Kind != yaml.MappingNode {
		for _, item := range n.Content {
			list = append(list, commandsIn(item, key, event, before)...)
		}
		return list
	}
	command := Command{Exec: startsPlainly(key), Event: cmp.Or(event, key)}
	for name, value := range members(n) {
		switch texts := scalars(value); {
		case name.Value == "command" && len(texts) == 1:
			command.Command, command.Line = texts[0], before+value.Line
		case name.Value == "args":
			command.Args, command.Exec = texts, true
		case name.Value == claude.HeadersHelper && len(texts) == 1:
			list = append(list, Command{Command: texts[0], Line: before + value.Line})
		default:
			if name.Value == "env" {
				for set, to := range members(value) {
					if texts := scalars(to); len(texts) == 1 {
						command.Env = append(command.Env, Var{Line: before + to.Line, Name: set.Value, Value: texts[0]})
					}
				}
			}
			inside := event
			if event == "" && value.Kind == yaml.SequenceNode {
				inside = name.Value
			}
			list = append(list, commandsIn(value, key, inside, before)...)
		}
	}
	if command.Command != "" {
		list = append(list, command)
	}
	return list
}

// Hook is a hook by its event and the calls that it is asked about.
type Hook struct {
	Line                     int
	Event, Matcher, If, Type string
	Command                  string
	Args                     []string
	// Exec says that there is no shell, Async that its answer is not waited for.
	Exec, Async bool
}

// hooksIn lists the hooks in the value of a key: events, each with blocks; before
// is how many lines stand in front of the front matter.
func hooksIn(n *yaml.Node, before int) (list []Hook) {
	for event, blocks := range members(n) {
		for _, block := range blocks.Content {
			hooks := pair(block, "hooks")
			if hooks == nil {
				continue
			}
			for _, entry := range hooks.Content {
				h := Hook{Line: before + entry.Line, Event: event.Value, Matcher: text(pair(block, "matcher")),
					If: text(pair(entry, "if")), Type: text(pair(entry, "type")), Command: text(pair(entry, "command")),
					Async: text(pair(entry, "async")) == "true" || text(pair(entry, "asyncRewake")) == "true"}
				if at := pair(entry, "command"); at != nil {
					h.Line = before + at.Line
				}
				if args := pair(entry, "args"); args != nil {
					h.Args, h.Exec = scalars(args), true
				}
				list = append(list, h)
			}
		}
	}
	return list
}

// pair is a member of a mapping, nil if it has none of that name.
func pair(n *yaml.Node, name string) *yaml.Node {
	for key, value := range members(n) {
		if key.Value == name {
			return value
		}
	}
	return nil
}

// text is the value of a scalar, "" of anything else.
func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}
