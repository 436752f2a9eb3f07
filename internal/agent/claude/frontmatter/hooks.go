// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is read with all that says which calls it answers.

package frontmatter

import "go.yaml.in/yaml/v3"

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
	n = deref(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		event, blocks := n.Content[i].Value, n.Content[i+1]
		for _, block := range deref(blocks).Content {
			matcher := text(pair(block, "matcher"))
			hooks := pair(block, "hooks")
			if hooks == nil {
				continue
			}
			for _, entry := range deref(hooks).Content {
				h := Hook{Line: before + entry.Line, Event: event, Matcher: matcher, If: text(pair(entry, "if")),
					Type: text(pair(entry, "type")), Command: text(pair(entry, "command")),
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
	n = deref(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// text is the value of a scalar, "" of anything else.
func text(n *yaml.Node) string {
	if n == nil || deref(n).Kind != yaml.ScalarNode {
		return ""
	}
	return deref(n).Value
}
