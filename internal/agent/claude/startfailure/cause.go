// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an agent that does not start has no sandbox and no hooks;
// of what it prints, the line that names the cause is shown, not the first
// one.

// Package startfailure says why the agent does not start, and gives the line that mends it.
//
// Contract: of what a program prints, the line that names the cause is shown; the line that mends
// it loses nothing of what was there.
package startfailure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// What node prints of a program that it cannot run (measured with 12.22, 18.19
// and 20.19). Up to 16 it does not say its own version there.
var (
	nodeError   = lazy.Regexp(`(?m)^(\w*Error(?: \[\w+\])?: .*)$`)
	nodeVersion = lazy.Regexp(`(?m)^Node\.js (v(\d+)\.\d+\.\d+)`)
	nodeMissing = lazy.Regexp(`env: \S*node\S*: No such file|env: can't execute '?node|node: (command )?not found`)
	nodeTooOld  = []string{"SyntaxError: ", "Cannot use import statement", "Cannot find module 'node:",
		"ERR_UNKNOWN_BUILTIN_MODULE", "ERR_REQUIRE_ESM", "requires Node"}
)

// oldestNode is the oldest major version that the runtime asks for (engines in
// the package.json of 2.1.330; 1.0.100 asked for 18).
const oldestNode = 22

// endedBy is why a program ended with an error, by what it printed.
func endedBy(r host.Reader, res proc.Result) string {
	said := string(res.Stderr) + "\n" + string(res.Stdout)
	line := res.Text()
	if m := nodeError().FindString(said); m != "" {
		line = m
	}
	why := fmt.Sprintf("exit code %d: %s", res.Code, redact.Line(line, 200))
	switch {
	case nodeMissing().MatchString(said):
		return "it is a script for node, and node is not on PATH"
	case strings.Contains(said, "\n    at ") || nodeVersion().MatchString(said) || strings.Contains(said, "requires Node"):
		if slices.ContainsFunc(nodeTooOld, func(s string) bool { return strings.Contains(said, s) }) {
			node, is := "node", " is too old for it ("
			if m := nodeVersion().FindStringSubmatch(said); m != nil {
				node += " " + m[1]
				if major, _ := strconv.Atoi(m[2]); major >= oldestNode {
					is = " cannot run it ("
				}
			}
			return node + is + redact.Line(line, 160) + ")"
		}
	}
	manager := commandline.ManagerOf(r, onPath(r))
	if manager != "" && res.Line == proc.Version(claude.Name).String() {
		return "it is the shim of " + manager + ", which starts nothing: " + why
	}
	return why
}

// startsItself says whether claude gave no answer because it is a script that
// starts the word claude again, which leads to the script.
func startsItself(r host.Reader, res proc.Result) bool {
	if !errors.Is(res.Err, context.DeadlineExceeded) || res.Line != proc.Version(claude.Name).String() {
		return false
	}
	text, err := r.Script(onPath(r))
	if err != nil || !shell.IsScript(text) {
		return false
	}
	l, _, ok := shell.StartOf(string(text), r.Places().Home)
	return ok && (l.Words[0] == claude.Program || l.Words[0] == onPath(r))
}

// onPath is the file that the word claude leads to, "" if there is none.
func onPath(r host.Reader) string {
	path, err := r.Look(claude.Program)
	if err != nil {
		return ""
	}
	return path
}

// otherAgents are the copies of the agent that the word claude does not lead to,
// each with how it is reached.
func otherAgents(r host.Reader) (list []iso.Found) {
	real, _ := r.Resolve(onPath(r))
	for _, f := range iso.FindRuntime(r, r.System().Get("PATH"), r.System().Cwd) {
		if f.Real != real || real == "" {
			list = append(list, f)
		}
	}
	return list
}

// StartsWith is what mends a tool that is missing or does not start, if one line
// does. Of the agent it also says where other copies are, and adds words about
// them to the summary.
func StartsWith(ctx context.Context, r host.Reader, pin pins.Pin, res proc.Result) (words string,
	seen []report.Evidence, first report.Remedy) {
	absent := res.Absent()
	if !absent && NotStarting(r, res) == "" {
		return "", nil, nil
	}
	c, ok := mendTool(ctx, r, pin)
	if absent {
		c.Why = "install " + pin.Tool
	}
	if ok {
		first = c
	}
	if pin.Tool != claude.Name {
		return "", nil, first
	}
	for _, f := range otherAgents(r) {
		switch {
		case strings.HasPrefix(f.From, "the extension"):
			seen = append(seen, report.FileEvidence(f.Path, "a copy of "+f.From+", which only the editor starts"))
			words = cmp.Or(words, ": only "+f.From+" has a copy")
		case f.From == "PATH":
			seen = append(seen, report.FileEvidence(f.Path, "a second claude, further back on PATH"))
		default:
			seen = append(seen, report.FileEvidence(f.Path, "a claude that is not on PATH ("+f.From+")"))
			if absent { // the one that is there is enough
				words = ": " + pathname.Tilde(f.Path, r.Places().Home) + opening.NotOnPath
				first = report.Command{ID: report.MendAgent, Line: "export PATH=" + scripts.Quote(filepath.Dir(f.Path)) +
					`:"$PATH"`,
					Why: "put the claude that is there on PATH; add the line to the rc file of your shell, too"}
			}
		}
	}
	if !absent {
		words = ""
	}
	return words, seen, first
}

// NotStarting says why a program that is on PATH did not start when it was
// asked for its version; "" where it did, is missing, or did not answer in time.
// A claude that succeeds and prints no version is another program.
func NotStarting(r host.Reader, res proc.Result) string {
	var not *proc.NotStarted
	switch {
	case errors.As(res.Err, &not):
		if b, err := r.Read(not.Path); err == nil && placeholder(string(b)) {
			return withoutBinary
		}
		return not.Why
	case res.OK() && res.Line == proc.Version(claude.Name).String() && !versionIn.Match(res.Stdout):
		return "it prints no version (" + redact.Line(res.Text(), 80) + ")"
	case startsItself(r, res):
		return "it is a script that starts itself"
	case res.Err != nil || res.Code == 0:
		return ""
	case placeholder(string(res.Stdout) + string(res.Stderr)):
		return withoutBinary
	case res.Code < 0:
		return "it was ended by a signal"
	}
	if len(bytes.TrimSpace(res.Stdout))+len(bytes.TrimSpace(res.Stderr)) == 0 {
		return res.Text()
	}
	return endedBy(r, res)
}

// versionIn is what any version of the runtime prints one of.
var versionIn = regexp.MustCompile(`\d+\.\d+\.\d+`)

const withoutBinary = "it is npm's placeholder, without the native binary"

// placeholder says whether a text is what npm's package has in the place of the
// runtime until its postinstall script ran, or what its wrapper then prints
// (bin/claude.exe and cli-wrapper.cjs of 2.1.329).
func placeholder(text string) bool { return strings.Contains(text, "native binary not installed") }

// Agent is NotStarting for the runtime.
func Agent(ctx context.Context, r host.Reader) (why string, seen report.Evidence) {
	res := r.Run(ctx, proc.Version(claude.Name))
	if why = NotStarting(r, res); why == "" {
		return "", seen
	}
	return "claude does not start: " + why, report.CommandEvidence(res.Line, res.Text())
}
