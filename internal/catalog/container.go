// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a program in a container or on another machine printed is
// not the sandbox's, whatever its words.

package catalog

import (
	"regexp"
	"strings"
	"sync"
)

// steps are the marks of what a build in a container prints: BuildKit's log, the
// block of the step that failed, and the step of the builder before it.
var steps = sync.OnceValue(func() (m struct{ log, block, step, end *regexp.Regexp }) {
	m.log = regexp.MustCompile(`^\s*#\d+ (\d+\.\d+ |sha256:)`)
	m.block = regexp.MustCompile(`^\s*> \[[^\]]*\d+/\d+\] |^\s*> \[\w+ [^\]]*\] (RUN|COPY|ADD) `)
	m.step = regexp.MustCompile(`^\s*(Step|STEP) \d+/\d+ ?: (RUN|COPY|ADD) `)
	m.end = regexp.MustCompile(`^\s*(-{4,}|The command '|Error: building at STEP|(Step|STEP) \d+/\d+ ?: |ERROR: |` +
		`error: |[\w.@~-]*[:\w/~.-]*[$#] )`)
	return m
})

// abroad are the beginnings of commands that start a program in a container, or on
// another machine.
var abroad = sync.OnceValue(func() (m struct{ container, machine *regexp.Regexp }) {
	const first = `(?i)(^|[$#%>❯] |bash\(|&& |; |\|\| )\s*(sudo )?`
	m.container = regexp.MustCompile(first + `(docker|podman|nerdctl)([ -]compose)?( [^|;&]*?)? (exec|run) `)
	m.machine = regexp.MustCompile(first + `((kubectl|oc|lxc|incus)( [^|;&]*?)? exec |vagrant ssh -c |docker-machine ssh |` +
		`ssh( -\S+( \d+)?)* [\w.@-]+ [^|;&-])`)
	return m
})

// foreign says of a symptom whether the program that printed its line ran in a
// container, or on another machine than the sandbox: in a step of a build, or by
// the last command above it. The client's own errors are not meant. What a daemon
// answers it says of its own machine; only a directory that it is to mount may be one
// that a command made where the sandbox discards it.
func foreign(text string) func(e Entry, line string) bool {
	inside := map[string]bool{} // the lines of steps of a build
	under := map[string]string{}
	m, command, building := steps(), "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		key := strings.TrimSpace(line)
		if t := typed(line); t != "" {
			command, building = t, false
		}
		switch {
		case m.block.MatchString(line) || m.step.MatchString(line):
			building = true
		case building && m.end.MatchString(line):
			building = false
		}
		inside[key] = inside[key] || building || m.log.MatchString(line)
		under[key] = command
	}
	return func(e Entry, lines string) bool {
		first, _, _ := strings.Cut(strings.TrimSpace(lines), "\n")
		first = strings.TrimSpace(first)
		command := under[first]
		daemon := strings.Contains(first, "Error response from daemon: ") && !strings.Contains(first, "bind source path") ||
			strings.Contains(first, "failed to solve: ")
		switch e.Topic {
		case "files", "programs":
			return daemon || inside[first] || abroad().container.MatchString(command) || abroad().machine.MatchString(command)
		case "network":
			return daemon || inside[first] || abroad().container.MatchString(command)
		}
		return inside[first] && e.ID != stepFailed
	}
}

// stepFailed is the entry of an error that a step of a container's build left.
const stepFailed = "container-step"
