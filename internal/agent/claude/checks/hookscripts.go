// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook script is good when the runtime could start it,
// its bytes are those of this version, and the program that it calls is
// there. Anything else is named for what it is.

package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// checkScripts asks for each hook script whether it is there and can run.
// framework is a checkout whose scripts are as good as ours, or "".
func checkScripts(_ context.Context, r host.Reader, framework string) report.Finding {
	f := report.Finding{Status: report.Pass}
	bad, there := map[string][]string{}, 0
	var whats []string
	for _, name := range scripts.Hooks {
		path := filepath.Join(r.Places().Scripts(), name)
		if (Claude{}).Idle(r, path) {
			f.Evidence = append(f.Evidence, report.FileEvidence(path, "missing, and nothing calls it"))
			continue
		}
		there++
		status, what, evidence := Claude{}.Copy(r, path, framework, true)
		f.Evidence = append(f.Evidence, evidence...)
		f.Status = report.Worse(f.Status, status)
		if status != report.Pass {
			if bad[what] == nil {
				whats = append(whats, what)
			}
			bad[what] = append(bad[what], name)
		}
	}
	f.Summary = report.Counted(there, "1 hook script is in place", "%d hook scripts are in place")
	for i, what := range whats {
		who := strings.Join(bad[what], ", ")
		if n := len(bad[what]); n > 1 {
			who = fmt.Sprintf("each of %d hook scripts", n)
		}
		whats[i] = who + " " + what
	}
	if whats != nil {
		f.Summary = strings.Join(whats, "; ")
		f.Remedies = []report.Remedy{verify.Again()}
	}
	return f
}

// Idle says whether path is a status line that is not there and that
// the user's settings do not name: there are two of them, and one is shown.
func (Claude) Idle(r host.Reader, path string) bool {
	script := filepath.Base(path)
	if script != wiring.StatusLine && script != wiring.StatusLineRich {
		return false
	}
	if _, err := r.Lstat(path); !errors.Is(err, iofs.ErrNotExist) {
		return false
	}
	doc, err := document(r, r.Places().UserSettings())
	if err != nil {
		return false
	}
	command, _ := doc.Get(claude.KeyStatusLine...).Command()
	return command == nil || !strings.Contains(command.Text, script)
}

// Copy judges the copy of a script of ours at path: what completes a sentence
// that begins with its name. starts says that it has to be executable.
func (Claude) Copy(r host.Reader, path, framework string, starts bool) (status report.Status, what string,
	seen []report.Evidence) {
	answer := func(s report.Status, what, seen string) (report.Status, string, []report.Evidence) {
		return s, what, []report.Evidence{report.FileEvidence(path, seen)}
	}
	link, err := r.Readlink(path)
	linked := err == nil
	info, err := r.Stat(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist) && linked:
		return answer(report.Fail, "is a broken symlink", "a symlink to "+pathname.Gone(link))
	case errors.Is(err, iofs.ErrNotExist):
		return answer(report.Fail, "is missing", "no such file")
	case err != nil:
		return answer(report.Unknown, "cannot be inspected", err.Error())
	case !info.Mode().IsRegular():
		return answer(report.Fail, "is not a file", info.Mode().Type().String())
	case starts && info.Mode().Perm()&0o100 == 0:
		return answer(report.Fail, "is not executable", fmt.Sprintf("mode %04o", info.Mode().Perm()))
	}
	b, err := r.Read(path)
	if err != nil {
		return answer(report.Unknown, "cannot be read", err.Error())
	}
	var how string
	if script, ours := scripts.Recognize(b); ours {
		status, what, how = judgeScript(r, path, b, script)
	} else {
		status, what, how = judgeForeign(r, path, b, framework)
	}
	seen = []report.Evidence{report.FileEvidence(path, how)}
	if linked {
		if real, err := r.Resolve(path); err == nil {
			link = real
		}
		seen = append(seen, report.FileEvidence(path, "a symlink to "+link))
	}
	return status, what, seen
}

// judgeForeign judges a file without our marker: the framework has scripts of
// the same names.
func judgeForeign(r host.Reader, path string, b []byte, framework string) (status report.Status, what, seen string) {
	name := filepath.Base(path)
	if framework != "" {
		theirs, err := r.ReadIn(framework, filepath.Join(pins.FrameworkDir, name))
		if err == nil && bytes.Equal(theirs, b) {
			return report.Pass, "is the framework's", "the framework's, byte for byte as in " + framework
		}
	}
	if scripts.OfFramework(b, name) {
		return report.Warn, "is a script of the framework",
			"by its first lines a script of the framework; --framework DIR compares it with a checkout"
	}
	return report.Warn, "was " + scripts.Foreign, scripts.NoMarker
}

// judgeScript judges a file of ours by its version and by the program that it
// calls.
func judgeScript(r host.Reader, path string, b []byte, s scripts.Script) (status report.Status, what, seen string) {
	if s.Binary != "" {
		info, err := r.Stat(s.Binary)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
			return report.Fail, "calls a program that does not exist", "calls " + pathname.Gone(s.Binary)
		case err != nil:
			return report.Unknown, "calls a program that cannot be inspected", err.Error()
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 || info.Size() == 0:
			return report.Fail, "calls a file that is not a program",
				fmt.Sprintf("calls %s, %s, %d bytes", s.Binary, info.Mode(), info.Size())
		}
	}
	switch {
	case s.Name != filepath.Base(path):
		return report.Warn, "is another script of steward-setup", "its marker names " + s.Name
	case !s.Current:
		what, seen = writtenAs(r, path, b)
		return report.Warn, what, seen
	}
	return report.Pass, "is current", "current, calls " + s.Binary
}

// writtenAs says of a file of ours that this version would write otherwise,
// whether it is as an earlier version wrote it or was changed since.
func writtenAs(r host.Reader, path string, b []byte) (what, seen string) {
	const earlier = "is from an earlier version"
	if v, known := scripts.Written(b); known {
		return earlier, "byte for byte the version of " + v.Day
	}
	receipts, err := engine.Applier{State: r.Places().State}.History()
	real, resolved := r.Resolve(path)
	if err == nil && resolved == nil {
		for _, receipt := range engine.Unaltered(receipts) {
			for _, c := range receipt.Changes {
				if !receipt.Finished || c.Target != real && c.Path != path {
					continue
				}
				day := receipt.StartedAt.Format(time.DateOnly)
				if c.After == report.DigestOf(b) {
					return earlier, "as steward-setup " + receipt.ToolVersion + " wrote it on " + day
				}
				return "was edited", "not as steward-setup wrote it on " + day + " (receipt " + receipt.ID + ")"
			}
		}
	}
	return "is from another version, or was edited", "differs from what this version writes"
}
