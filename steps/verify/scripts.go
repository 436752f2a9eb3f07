// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook script is good when the runtime could start it,
// its bytes are those of this version, and the program that it calls is
// there. Anything else is named for what it is.

package verify

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// hookScripts asks for each hook script whether it is there and can run.
func hookScripts() engine.Check {
	return engine.Check{ID: "hook-scripts", Title: "Hook scripts are in place", Layer: report.LayerVisibility,
		Run: func(_ context.Context, r host.Reader) report.Finding { return checkScripts(r) }}
}

func checkScripts(r host.Reader) report.Finding {
	f := report.Finding{Status: report.Pass, Summary: fmt.Sprintf("%d hook scripts are in place", len(scripts.Hooks))}
	var bad []string
	for _, name := range scripts.Hooks {
		status, what, evidence := hookScript(r, filepath.Join(r.Places().Scripts(), name))
		f.Evidence = append(f.Evidence, evidence...)
		f.Status = worse(f.Status, status)
		if status != report.Pass {
			bad = append(bad, name+" "+what)
		}
	}
	if bad != nil {
		f.Summary = strings.Join(bad, "; ")
		f.Remedies = []report.Remedy{Again()}
	}
	return f
}

// hookScript judges the script at path.
func hookScript(r host.Reader, path string) (report.Status, string, []report.Evidence) {
	answer := func(s report.Status, what, seen string) (report.Status, string, []report.Evidence) {
		return s, what, []report.Evidence{report.FileEvidence(path, seen)}
	}
	link, err := r.Readlink(path)
	linked := err == nil
	info, err := r.Stat(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist) && linked:
		return answer(report.Fail, "is a link that leads nowhere", "a link to "+link+", where there is no file")
	case errors.Is(err, iofs.ErrNotExist):
		return answer(report.Fail, "is missing", "no such file")
	case err != nil:
		return answer(report.Unknown, "cannot be looked at", err.Error())
	case !info.Mode().IsRegular():
		return answer(report.Fail, "is not a file", info.Mode().Type().String())
	case info.Mode().Perm()&0o100 == 0:
		return answer(report.Fail, "is not executable", fmt.Sprintf("mode %04o", info.Mode().Perm()))
	}
	b, err := r.Read(path)
	if err != nil {
		return answer(report.Unknown, "cannot be read", err.Error())
	}
	script, ours := scripts.Recognize(b)
	if !ours {
		return answer(report.Warn, "is a variant that steward-setup did not write", "no marker of steward-setup in its first lines")
	}
	status, what, seen := judgeScript(r, path, script)
	evidence := []report.Evidence{seen}
	if linked {
		evidence = append(evidence, report.FileEvidence(path, "a link to "+link))
	}
	return status, what, evidence
}

// judgeScript judges a file of ours by its version and by the program that it
// calls.
func judgeScript(r host.Reader, path string, s scripts.Script) (report.Status, string, report.Evidence) {
	if s.Binary != "" {
		info, err := r.Stat(s.Binary)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
			return report.Fail, "calls a program that is not there", report.FileEvidence(path, "calls "+s.Binary+", which does not exist")
		case err != nil:
			return report.Unknown, "calls a program that cannot be looked at", report.FileEvidence(path, err.Error())
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 || info.Size() == 0:
			return report.Fail, "calls a file that is no program", report.FileEvidence(path, fmt.Sprintf("calls %s, %s, %d bytes", s.Binary, info.Mode(), info.Size()))
		}
	}
	switch {
	case s.Name != filepath.Base(path):
		return report.Warn, "is another script of steward-setup", report.FileEvidence(path, "its marker names "+s.Name)
	case !s.Current:
		return report.Warn, "is of another version, or was edited", report.FileEvidence(path, "differs from what this version writes")
	}
	return report.Pass, "is current", report.FileEvidence(path, "current, calls "+s.Binary)
}
