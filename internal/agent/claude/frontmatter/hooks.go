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
