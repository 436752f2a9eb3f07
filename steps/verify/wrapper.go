// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: claude-iso is there when an interactive shell would
// define it and the program behind it could start. A file that could not be
// read through leaves the answer open.

package verify

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// cleanEnv asks whether the login shell defines claude-iso.
func cleanEnv() engine.Check {
	return engine.Check{ID: "clean-env", Title: "claude-iso is defined in your shell", Layer: report.LayerCleanEnv,
		Run: func(_ context.Context, r host.Reader) report.Finding { return checkWrapper(r) }}
}

func checkWrapper(r host.Reader) report.Finding {
	sh := ReadShell(r)
	program := report.EnvEvidence("SHELL", sh.Program)
	switch {
	case sh.Program == "":
		return report.Finding{Status: report.Unknown, Summary: "SHELL is not set: the login shell is not known",
			Evidence: []report.Evidence{report.EnvEvidence("SHELL", "not set")}}
	case sh.Kind == "":
		return report.Finding{Status: report.Unknown, Summary: "the rc files of this login shell are not understood",
			Evidence: []report.Evidence{program}}
	case sh.Wrapper == "":
		return report.Finding{Status: report.Warn, Summary: "there is no claude-iso for this login shell: start the agent with steward-setup iso",
			Evidence: []report.Evidence{program}}
	}
	f := judgeSourced(r, sh)
	for _, d := range sh.Aliased {
		f.Evidence = append(f.Evidence, report.FileEvidence(d.Where(), "a plain claude goes through claude-iso"))
	}
	if len(sh.Aliased) == 0 {
		f.Evidence = append(f.Evidence, report.FileEvidence(sh.RC, "no alias sends a plain claude through claude-iso: its environment is not cleaned"))
	}
	for _, d := range sh.Own {
		if f.Status == report.Pass {
			f.Status, f.Summary = report.Warn, f.Summary+"; claude itself is a definition of your own"
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(d.Where(), "claude is "+Definition(d)))
	}
	return f
}

// Definition says what a user's own claude is.
func Definition(d shellrc.Def) string {
	if d.Value == "" {
		return "a function of your own"
	}
	return "an alias of your own: " + d.Value
}

// judgeSourced judges the places where the wrapper is sourced; the last one
// defines the function that counts.
func judgeSourced(r host.Reader, sh Shell) report.Finding {
	found := sh.Sourced.Found
	if len(found) == 0 {
		return notSourced(sh)
	}
	ref := found[len(found)-1]
	f := report.Finding{Evidence: []report.Evidence{report.FileEvidence(ref.Where(), "sources "+ref.Text)}}
	b, err := r.Read(ref.Path)
	script, ours := scripts.Recognize(b)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		f.Status, f.Summary = report.Fail, "the rc file sources a wrapper that is not there"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, "no such file"))
	case err != nil:
		f.Status, f.Summary = report.Unknown, "the wrapper cannot be read"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, err.Error()))
	case !ours:
		f.Status, f.Summary = report.Warn, "claude-iso is a variant that steward-setup did not write"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, "no marker of steward-setup in its first lines"))
	default:
		var e report.Evidence
		f.Status, f.Summary, e = judgeScript(r, ref.Path, script)
		f.Evidence = append(f.Evidence, e)
		if f.Status == report.Pass {
			f.Summary = fmt.Sprintf("claude-iso is defined in %s", sh.Kind)
		}
	}
	if f.Status != report.Pass {
		f.Remedies = []report.Remedy{Again()}
	}
	return f
}

// notSourced says that claude-iso is missing, or why that is not certain.
func notSourced(sh Shell) report.Finding {
	f := report.Finding{Status: report.Fail, Summary: "claude-iso is not defined: no rc file sources it",
		Evidence: []report.Evidence{report.FileEvidence(sh.RC, "no line sources "+sh.Wrapper)},
		Remedies: []report.Remedy{Again()}}
	for _, ref := range sh.Sourced.Maybe {
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Where(), "this line may source "+ref.Path))
	}
	for _, doubt := range sh.Sourced.Doubts {
		f.Status, f.Summary = report.Unknown, "whether claude-iso is defined could not be read from the rc files"
		f.Evidence = append(f.Evidence, report.FileEvidence(sh.RC, doubt))
	}
	return f
}
