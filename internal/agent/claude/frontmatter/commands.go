// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every command that a key of front matter may start is
// found, however deep it stands. What is called a command counts as one.

package frontmatter

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// Command is a command that front matter names.
type Command struct {
	Line    int
	Command string
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

// commandsIn lists the commands of the mappings in a value of this key; before
// is how many lines stand in front of the front matter.
func commandsIn(n *yaml.Node, key string, before, depth int) []Command {
	if n = deref(n); depth > maxMerges {
		return nil
	}
	var list []Command
	if n.Kind != yaml.MappingNode {
		for _, item := range n.Content {
			list = append(list, commandsIn(item, key, before, depth+1)...)
		}
		return list
	}
	command := Command{Exec: startsPlainly(key)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, n.Content[i+1]
		switch texts := scalars(value); {
		case name == "command" && len(texts) == 1:
			command.Command, command.Line = texts[0], before+value.Line
		case name == "args":
			command.Args, command.Exec = texts, true
		case name == "env" && deref(value).Kind == yaml.MappingNode:
			for j := 0; j+1 < len(deref(value).Content); j += 2 {
				set, to := deref(value).Content[j], deref(value).Content[j+1]
				if texts := scalars(to); len(texts) == 1 {
					command.Env = append(command.Env, Var{Line: before + to.Line, Name: set.Value, Value: texts[0]})
				}
			}
			list = append(list, commandsIn(value, key, before, depth+1)...)
		case name == claude.HeadersHelper && len(texts) == 1:
			list = append(list, Command{Command: texts[0], Line: before + value.Line})
		default:
			list = append(list, commandsIn(value, key, before, depth+1)...)
		}
	}
	if command.Command != "" {
		list = append(list, command)
	}
	return list
}

// deref is what an alias stands for.
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
