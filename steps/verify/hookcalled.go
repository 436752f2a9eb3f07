// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a hook that is meant to be ours, it is said whether the
// runtime would start it, and if not, where exactly it goes wrong: the runtime
// passes over a hook that fails, silently.

package verify

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// judgeWire says whether a document wires the wire: the hook that does is the
// evidence, or else what is wrong with the one that is meant to.
func judgeWire(r host.Reader, d *settings.Doc, w Wire) (wired bool, e report.Evidence) {
	meant := false
	for _, h := range d.HooksOn(w.Event) {
		leads, at, wrong := leadsTo(r, h.Entry, w.Script)
		switch {
		case !leads:
			continue
		case wrong == "" && !matchesBash(h.Matcher()):
			at, wrong = h.Matcher(), "the matcher "+text(h.Matcher())+" does not match Bash"
		case wrong == "" && h.Entry.Get("if") != nil:
			at, wrong = h.Entry.Get("if"), "it runs only where "+text(h.Entry.Get("if"))+" matches"
		case wrong == "" && h.Entry.Get("async").True() && w.Event == claude.PreToolUse:
			at, wrong = h.Entry.Get("async"), "it is not waited for, so the call is decided before it answers"
		}
		if wrong == "" {
			return true, report.FileEvidence(d.Where(h.Entry), w.Event+" calls "+w.Script)
		}
		if !meant {
			meant, e = true, report.FileEvidence(d.Where(at), w.Event+" does not call "+w.Script+": "+wrong)
		}
	}
	if !meant {
		at := d.Path
		if blocks := d.Get(claude.KeyHooks.Below(w.Event)...); blocks != nil {
			at = d.Where(blocks)
		}
		e = report.FileEvidence(at, w.Event+" does not call "+w.Script)
	}
	return false, e
}

// leadsTo says whether a hook, or a status line, is meant to run our script or
// the program's own hook of that name, and at which value it goes wrong, ""
// if it does not.
func leadsTo(r host.Reader, entry *settings.Value, script string) (leads bool, at *settings.Value, wrong string) {
	command, _ := entry.Command()
	words := startWords(entry, r.Places().Home)
	if len(words) == 0 {
		return false, nil, ""
	}
	program := slices.Contains([]string{"steward-setup", filepath.Base(r.System().Executable)}, filepath.Base(words[0])) &&
		len(words) >= 3 && words[1] == "hook" && words[2] == hookName(script)
	if !program && filepath.Base(words[0]) != script {
		return false, nil, ""
	}
	if kind := entry.Get("type"); kind == nil || kind.Text != "command" {
		return true, entry, "its type is not command"
	}
	return true, command, wrongWith(r, words[0], script, program)
}

// wrongWith says why a path cannot be started as our script or program, "" if
// it can.
func wrongWith(r host.Reader, path, script string, program bool) string {
	if program && !strings.Contains(path, "/") {
		found, err := r.Look(path)
		if err != nil {
			return path + notOnPath
		}
		path = found
	}
	switch {
	case strings.HasPrefix(path, "~"):
		return "~ is not expanded there (in quotes, or with args)"
	case !filepath.IsAbs(path):
		return path + " is a relative path"
	case filepath.Clean(path) == filepath.Join(r.Places().Scripts(), script):
		return "" // hook-scripts says what becomes of it
	}
	info, err := r.Stat(path)
	switch {
	case err != nil:
		return "there is no " + path
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return path + " cannot be started"
	case program:
		return ""
	}
	b, err := r.Read(path)
	if s, ours := scripts.Recognize(b); err != nil || !ours && !frameworks(b, script) || ours && s.Name != script {
		return path + " is a script that steward-setup did not write"
	}
	return ""
}
