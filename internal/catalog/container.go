// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a program in a container or on another machine printed is
// not the sandbox's, whatever its words.

package catalog

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Marks of what a build in a container prints: BuildKit's log, the block of the step
// that failed, and the step of the builder before it.
var (
	buildLog   = lazy.Regexp(`^\s*#\d+ (\d+\.\d+ |sha256:)`)
	buildBlock = lazy.Regexp(`^\s*> \[[^\]]*\d+/\d+\] |^\s*> \[\w+ [^\]]*\] (RUN|COPY|ADD) `)
	buildStep  = lazy.Regexp(`^\s*(Step|STEP) \d+/\d+ ?: (RUN|COPY|ADD) `)
	buildEnd   = lazy.Regexp(`^\s*(-{4,}|The command '|Error: building at STEP|(Step|STEP) \d+/\d+ ?: |ERROR: |` +
		`error: |[\w.@~-]*[:\w/~.-]*[$#] )`)
)

// abroad begins a command that starts a program in a container, or on another machine.
const abroad = `(?i)(^|[$#%>❯] |bash\(|&& |; |\|\| )\s*(sudo )?`

var (
	inContainer = lazy.Regexp(abroad + `(docker|podman|nerdctl)([ -]compose)?( [^|;&]*?)? (exec|run) `)
	onMachine   = lazy.Regexp(abroad + `((kubectl|oc|lxc|incus)( [^|;&]*?)? exec |vagrant ssh -c |docker-machine ssh |` +
		`ssh( -\S+( \d+)?)* [\w.@-]+ [^|;&-])`)
)

// foreign says of a symptom whether the program that printed its line ran in a
// container, or on another machine than the sandbox: in a step of a build, or by
// the last command above it. The client's own errors are not meant. What a daemon
// answers it says of its own machine; only a directory that it is to mount may be one
// that a command made where the sandbox discards it.
func foreign(text string) func(e Entry, line string) bool {
	inside := map[string]bool{} // the lines of steps of a build
	under := map[string]string{}
	command, building := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		key := strings.TrimSpace(line)
		if t := typed(line); t != "" {
			command, building = t, false
		}
		switch {
		case buildBlock().MatchString(line) || buildStep().MatchString(line):
			building = true
		case building && buildEnd().MatchString(line):
			building = false
		}
		inside[key] = inside[key] || building || buildLog().MatchString(line)
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
			return daemon || inside[first] || inContainer().MatchString(command) || onMachine().MatchString(command)
		case "network":
			return daemon || inside[first] || inContainer().MatchString(command)
		}
		return inside[first] && e.ID != stepFailed
	}
}

// stepFailed is the entry of an error that a step of a container's build left.
const stepFailed = "container-step"
