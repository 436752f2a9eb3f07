// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: claude-iso is there when an interactive shell would define
// it and the program behind it could start. A file that could not be read
// through leaves the answer open.

package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/launchword"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/rcfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// cleanEnv asks whether the login shell defines claude-iso, what the word
// claude starts in dir, and, where plain and iso are not nil, what arrives in
// either launch. That plain claude has the whole environment is said, and is
// no fault of the setup.
func cleanEnv(dir string, plain, iso verify.Arrivals) engine.Check {
	return engine.CheckOf("clean-env", func(ctx context.Context, r host.Reader) report.Finding {
		f, sh := checkWrapper(r)
		w := launchword.NewJudge(r, session.StartAt(r, dir))
		before, hard := w.Judge(sh.Words)
		f = launchword.LaterWords(launchword.Stands(launches(ctx, f, sh, plain, iso), before, hard), w, sh.Later)
		return passesOn(launchword.OtherWords(f, w, sh.Others), r)
	})
}

func checkWrapper(r host.Reader) (report.Finding, launchword.Shell) {
	sh := launchword.ReadShell(r)
	program := report.EnvEvidence("SHELL", sh.Program)
	switch {
	case sh.Program == "":
		return report.Finding{Status: report.Unknown, Summary: "SHELL is not set: the login shell is unknown",
			Evidence: []report.Evidence{report.EnvEvidence("SHELL", "not set")}, Remedies: NameShell()}, sh
	case sh.NoLogin:
		return report.Finding{Status: report.Pass, Summary: "the login shell " + sh.Program + " has no prompt: start the " +
			"agent with steward-setup iso", Evidence: []report.Evidence{program}}, sh
	case sh.Kind == "":
		return otherShell(sh), sh
	}
	judge := judgeSourced
	if sh.Wrapper == "" {
		judge = judgeAlias
	}
	f := judge(r, sh)
	for _, d := range sh.Aliased {
		f.Evidence = append(f.Evidence,
			report.FileEvidence(d.Where(), "an alias: plain claude starts "+redact.Command(d.Value)))
	}
	if len(sh.Aliased) == 0 {
		f.Evidence = append(f.Evidence,
			report.FileEvidence(sh.RC, "plain claude is not aliased to claude-iso: its environment is not cleaned"))
	}
	for _, d := range sh.Own {
		f.Evidence = append(f.Evidence, report.FileEvidence(d.Where(), "claude is "+Definition(d)))
	}
	return f, sh
}

// otherShell is said of a login shell that cannot be asked what claude is.
func otherShell(sh launchword.Shell) report.Finding {
	name := filepath.Base(sh.Program)
	return report.Finding{Status: report.Unknown,
		Summary: "not verified: what `claude` starts in " + name + ", which this program cannot ask",
		Evidence: []report.Evidence{report.EnvEvidence("SHELL", sh.Program+": only bash, zsh, fish, sh, dash, ksh, mksh and "+
			"tcsh can be asked")}, Remedies: []report.Remedy{report.Own("iso", report.Command{ID: "wrapper/shell",
			Why: "start the agent with this: no alias or function called claude changes it"})}}
}

// judgeAlias judges the alias that defines claude-iso in a shell that has no
// function of that name. Without one there is still "steward-setup iso".
func judgeAlias(r host.Reader, sh launchword.Shell) report.Finding {
	name := filepath.Base(sh.Program)
	f := report.Finding{Status: report.Warn, Summary: opening.NotDefined + "no rc file of " + name + " defines it",
		Evidence: []report.Evidence{report.FileEvidence(sh.RC, "no alias claude-iso")},
		Remedies: []report.Remedy{verify.Again()}}
	for i, d := range slices.Concat(sh.Iso[:sh.IsoInteractive], sh.Aliased, sh.Iso[sh.IsoInteractive:]) {
		program := launchword.StartsIso(d, r.Places().Home)
		if program == "" {
			continue
		}
		f.Evidence = []report.Evidence{report.FileEvidence(d.Where(), d.Name+" is "+redact.Command(d.Value))}
		if wrong := wiring.WrongWith(r, program, "", true); wrong != "" {
			f.Status, f.Summary = report.Fail, "claude-iso is an alias that does not start: "+wrong
			continue
		}
		f.Status, f.Summary, f.Remedies = report.Pass, "claude-iso is defined in "+name, nil
		if i >= sh.IsoInteractive+len(sh.Aliased) {
			f.Status, f.Summary = report.Warn, "claude-iso is defined in login shells only"
			f.Remedies = []report.Remedy{verify.Again()}
		}
		return f
	}
	for _, d := range sh.Instead {
		if launchword.StartsIso(d, r.Places().Home) != "" {
			continue
		}
		f.Status, f.Summary = report.Warn, opening.OwnAlias
		if d.Value == "" {
			f.Summary = opening.OwnFunction
		}
		f.Evidence = []report.Evidence{report.FileEvidence(d.Where(), f.Summary)}
	}
	if len(sh.Iso) == 0 && len(sh.Instead) == 0 {
		for _, doubt := range sh.Sourced.Doubts {
			f.Status, f.Summary = report.Unknown, "not verified: whether the rc files define claude-iso"
			f.Evidence = append(f.Evidence, report.FileEvidence(sh.RC, doubt))
		}
	}
	return f
}

// NameShell is what to do where SHELL is not set: install leaves claude-iso out
// then, since no rc file can be named.
func NameShell() []report.Remedy {
	return []report.Remedy{report.Own("install", report.Command{ID: "wrapper/shell", Before: "export SHELL=/bin/bash",
		Why: "add claude-iso to the rc file of your login shell, if that is bash: neither SHELL nor /etc/passwd says it"})}
}

// launches says of either launch whether its environment is clean, as far as
// it was tried.
func launches(ctx context.Context, f report.Finding, sh launchword.Shell, plain, iso verify.Arrivals) report.Finding {
	hard := report.LaunchStatus{Launch: report.Iso, Status: f.Status, Summary: f.Summary}
	if iso != nil {
		arrived, planted, ok, why := iso(ctx)
		switch {
		case !ok:
			hard.Status = report.Worse(f.Status, report.Unknown)
			hard.Summary = "not verified: whether planted variables reach the session through claude-iso: " + why
			f.Evidence = append(f.Evidence, report.CommandEvidence("claude-iso", "not tested: "+why))
		case len(arrived) > 0:
			hard.Status, hard.Voids = report.Fail, true
			hard.Summary = fmt.Sprintf("%d of %d planted credentials reach the session through claude-iso: %s",
				len(arrived), planted, report.Few(arrived))
			f.Evidence = append(f.Evidence,
				report.CommandEvidence("claude-iso", "reached its commands: "+strings.Join(arrived, ", ")))
			if c, ok := verify.Explained(trial.Probe{Below: trial.Environment, Subject: arrived[0]}); ok {
				f.Remedies = append(f.Remedies, c)
			}
		default:
			f.Evidence = append(f.Evidence, report.CommandEvidence("claude-iso",
				fmt.Sprintf("0 of %d planted variables reached the session", planted)))
		}
		if f.Status != hard.Status || hard.Voids {
			f.Status, f.Summary, f.Voids = hard.Status, hard.Summary, hard.Voids
		} else if f.Status == report.Pass {
			f.Summary += fmt.Sprintf("; 0 of %d planted credentials reached the session", planted)
			hard.Summary = f.Summary
		}
	}
	open := report.LaunchStatus{Launch: report.Plain, Status: report.Warn, Summary: "environment not cleaned"}
	if len(sh.Aliased) > 0 && hard.Status == report.Pass {
		open.Status, open.Summary = report.Pass, "starts claude-iso in your shells"
	}
	if plain != nil {
		arrived, planted, ok, why := plain(ctx)
		said := fmt.Sprintf("%d of %d planted variables reached commands; the policy removes the rest",
			len(arrived), planted)
		switch {
		case !ok:
			said = "not tested: " + why
		case len(arrived) == 0:
			said = fmt.Sprintf("0 of %d planted variables reached commands: the policy removes them", planted)
		default:
			said += ": " + strings.Join(arrived, ", ")
		}
		f.Evidence = append(f.Evidence, report.CommandEvidence("claude", said))
	}
	f.Launches = []report.LaunchStatus{open, hard}
	return f
}

// Definition says what a user's own claude is, without arguments that may be
// secrets.
func Definition(d shellrc.Def) string {
	if d.Value == "" {
		return "a function of your own"
	}
	return "an alias of your own: " + redact.Command(d.Value)
}

// judgeSourced judges the places where the wrapper is sourced; the last one
// defines the function that counts.
func judgeSourced(r host.Reader, sh launchword.Shell) report.Finding {
	found := sh.Sourced.Found
	if len(found) == 0 {
		return notSourced(r, sh)
	}
	ref := found[len(found)-1]
	f := report.Finding{Evidence: []report.Evidence{report.FileEvidence(ref.Where(), "sources "+ref.Text)}}
	b, err := r.Read(ref.Path)
	script, ours := scripts.Recognize(b)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		f.Status, f.Summary = report.Fail, "the rc file sources a missing wrapper"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, "no such file"))
	case err != nil:
		f.Status, f.Summary = report.Unknown, "the wrapper cannot be read"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, err.Error()))
	case !ours && scripts.OfFramework(b, filepath.Base(ref.Path)):
		f.Status, f.Summary = report.Warn, "claude-iso is the framework's, which cleans the environment but does not "+
			"approve policies"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, "by its first lines a script of the framework"))
	case !ours:
		f.Status, f.Summary = report.Warn, "claude-iso was not written by steward-setup"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, scripts.NoMarker))
	default:
		var seen string
		f.Status, f.Summary, seen = judgeScript(r, ref.Path, b, script)
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Path, seen))
		f.Summary = filepath.Base(ref.Path) + " " + f.Summary
		if f.Status == report.Pass {
			f.Summary = fmt.Sprintf("claude-iso is defined in %s", sh.Kind)
		}
	}
	if f.Status != report.Pass {
		f.Remedies = []report.Remedy{verify.Again()}
	} else {
		launchword.Overridden(&f, sh, r.Places().Home)
	}
	if login := sh.SourcedByLogin; sh.Kind == shellrc.Bash && len(login.Found)+len(login.Doubts) == 0 {
		f.Evidence = append(f.Evidence,
			report.FileEvidence(cmp.Or(sh.LoginFile, sh.RC), "login shells do not read this file"))
		if f.Status == report.Pass && r.System().GOOS == "darwin" { // where a terminal opens login shells
			f.Status, f.Summary = report.Warn, "claude-iso is not defined in login shells, which terminals open on macOS"
		}
	}
	return f
}

// notSourced says that claude-iso is missing, what stands in its place, or why
// that is not certain.
func notSourced(r host.Reader, sh launchword.Shell) report.Finding {
	f := report.Finding{Status: report.Fail, Summary: "claude-iso is not defined: no rc file sources it",
		Evidence: []report.Evidence{report.FileEvidence(sh.RC, "no line sources "+sh.Wrapper)},
		Remedies: []report.Remedy{rcLine(r, sh)}}
	for _, ref := range sh.Sourced.Maybe {
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Where(), "this line may source "+ref.Path))
	}
	for _, doubt := range sh.Sourced.Doubts {
		f.Status, f.Summary, f.Remedies = report.Unknown, "not verified: whether the rc files define claude-iso",
			[]report.Remedy{verify.Again()}
		f.Evidence = append(f.Evidence, report.FileEvidence(sh.RC, doubt))
	}
	for _, ref := range sh.SourcedByLogin.Found {
		f.Status, f.Summary = report.Warn, "claude-iso is defined in login shells only"
		f.Evidence = append(f.Evidence, report.FileEvidence(ref.Where(), "sources "+ref.Text+
			", which only login shells read"))
	}
	for _, d := range slices.Concat(sh.Instead, sh.Aliased) {
		program := launchword.StartsIso(d, r.Places().Home)
		wrong := ""
		if program != "" {
			wrong = wiring.WrongWith(r, program, "", true)
		}
		switch {
		case program != "" && wrong == "":
			f.Status, f.Summary = report.Warn, "the wrapper is not sourced; an alias starts steward-setup iso in its place"
		case d.Name == "claude-iso" && d.Value == "":
			f.Status, f.Summary = report.Warn, opening.OwnFunction
		case d.Name == "claude-iso" && wrong == "":
			f.Status, f.Summary = report.Warn, opening.OwnAlias
		default:
			if f.Status == report.Fail {
				f.Summary = opening.NotDefined + "an alias calls it, but no rc file sources it"
			}
			continue
		}
		what := "an alias: " + d.Name + " is " + redact.Command(d.Value)
		if d.Value == "" {
			what = d.Name + " is a function of your own"
		}
		f.Evidence, f.Remedies = append(f.Evidence, report.FileEvidence(d.Where(), what)), []report.Remedy{verify.Again()}
	}
	return f
}

// Defining is the line that an rc file needs.
func Defining(line, rc string) report.Command {
	return report.Command{ID: "wrapper/rc", Line: line, Where: rc, Why: "define claude-iso in every new shell"}
}

// rcLine is what defines claude-iso: the line for the rc file, where the
// wrapper is there to be sourced, else install.
func rcLine(r host.Reader, sh launchword.Shell) report.Command {
	p := r.Places()
	wrapper := filepath.Join(p.Isolation(), sh.Wrapper)
	line, err := scripts.SourceLine(sh.Kind, p.Home, wrapper)
	if _, gone := r.Stat(wrapper); err != nil || gone != nil {
		return verify.Again()
	}
	return Defining(line, pathname.Tilde(sh.RC, p.Home))
}

// passesOn adds to a finding with its launches what claude-iso passes on in
// every launch.
func passesOn(f report.Finding, r host.Reader) report.Finding {
	found, names := rcfiles.Allowed(r)
	if found == nil {
		return f
	}
	summary := "claude-iso passes " + report.Few(names) + " in every launch"
	f.Evidence = append(f.Evidence, found...)
	f.Remedies = append(f.Remedies, report.DocLink{Title: "remove it, and name a variable for one launch: " +
		iso.AllowVariable + "=NAME claude-iso", Target: found[0].Where})
	f.Launches[1].Worsen(report.Warn, false, summary) // in the order of launches
	f.Worsen(report.Warn, false, summary)
	return f
}
