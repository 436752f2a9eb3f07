// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own shells say of the word claude and of
// their environment is judged as what their start files say: by the same
// functions, and beside it.

package checks

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/launchword"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/openpaths"
	"github.com/steward-setup/steward-setup/internal/agent/claude/outsiders"
	"github.com/steward-setup/steward-setup/internal/agent/claude/rcfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/ownshell"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// ownShells are the user's shells, which are asked once.
type ownShells struct {
	done    chan struct{}
	answers []ownshell.Answer
	unable  error
}

// ask asks them in the background, in the home and in dir.
func (o *ownShells) ask(ctx context.Context, r host.Reader, dir string) {
	go func() {
		defer close(o.done)
		if o.unable = ownshell.Unable(r); o.unable == nil {
			o.answers = ownshell.Ask(ctx, r, ownshell.Starts(r, claude.Program, session.StartAt(r, dir)))
		}
	}()
}

// inOwnShells adds to clean-env what the user's shells are like at their
// prompts. A nil shells were not asked.
func inOwnShells(c engine.Check, dir string, shells *ownShells) engine.Check {
	look := c.Run
	c.Run = func(ctx context.Context, r host.Reader) report.Finding {
		f := look(ctx, r)
		notAsked := func(why string) report.Finding {
			f.Evidence = append(f.Evidence, report.EnvEvidence("your shells", "not started, only their start files were read: "+
				why))
			return f
		}
		if shells == nil {
			return notAsked("no rehearsal")
		}
		<-shells.done
		if shells.unable != nil {
			return notAsked(shells.unable.Error())
		}
		s := session.At(r, dir)
		start := s.Dirs.Start
		j := ownShellJudge{r: r, start: start, session: s, shell: launchword.ReadShell(r),
			runtime: launchword.NewJudge(r, start), known: append(ofEnvironment(r, s), rcfiles.Openings(r, s)...)}
		for _, a := range shells.answers {
			if a.NotStarted {
				return notAsked(a.Why)
			}
			f = j.add(f, a)
		}
		return f
	}
	return c
}

// ownShellJudge judges the answers of shells.
type ownShellJudge struct {
	r       host.Reader
	start   string
	session session.Settings
	shell   launchword.Shell
	runtime launchword.Judge
	// known is what is found without asking a shell.
	known []opening.Opening
}

// ofEnvironment lists what is open by the variables that a session is started with.
func ofEnvironment(r host.Reader, s session.Settings) []opening.Opening {
	return slices.Concat(dotfiles.VariableOpenings(r, s), outsiders.PathOpenings(r, s), openpaths.MemoryOpenings(r, s))
}

// inShell is the machine as a session sees it that is started in a shell.
type inShell struct {
	host.Reader
	env env.Env
}

func (i inShell) System() env.System {
	sys := i.Reader.System()
	sys.Env = i.env
	return sys
}

// add judges one answer. Of a shell that is not the login shell nothing is
// worse than a warning: whether the user ever starts it is unknown.
func (j ownShellJudge) add(f report.Finding, a ownshell.Answer) report.Finding {
	put := func(plain, hard launchword.Between) {
		for _, b := range []*launchword.Between{&plain, &hard} {
			if b.Status == "" || b.Status == report.Pass {
				continue
			}
			if b.Where == "" || b.Where == ":0" {
				b.Where, b.By = "", a.String()
			}
			if !a.Own {
				b.Status, b.Voids = report.Warn, false
			}
		}
		f = launchword.Stands(f, plain, hard)
	}
	if a.Why != "" {
		put(launchword.Between{Status: report.Unknown,
			Summary: "what `claude` starts in a new " + string(a.Shell) + ": not verified: " + a.Why}, launchword.Between{})
		return f
	}
	r := inShell{j.r, a.Env}
	plain, hard := j.word(launchword.NewJudge(r, j.start), a)
	put(plain, hard)
	for _, name := range []string{claude.ConfigDirVariable, "HOME"} {
		if value := a.Env.Get(name); value != "" && value != j.r.System().Get(name) {
			b := launchword.Between{}.Unknown(name + " differs in a new " + string(a.Shell))
			put(b, b)
		}
	}
	for _, o := range ofEnvironment(r, j.session) {
		if o.Path != nil || j.knows(o) {
			continue
		}
		b := launchword.Between{Status: o.Status, Voids: o.Voids, Summary: strings.TrimSuffix(o.Opens, ".")}
		if o.Plain {
			put(b, launchword.Between{})
		} else {
			put(b, b)
		}
	}
	if found, _ := rcfiles.Allowed(j.r); found == nil && a.Own {
		f = passesOn(f, r)
	}
	f.Evidence = append(f.Evidence, report.CommandEvidence(a.String(), "at its prompt "+j.meaning(a)))
	return f
}

// word judges what the word claude starts in a shell.
func (j ownShellJudge) word(w launchword.Judge, a ownshell.Answer) (plain, hard launchword.Between) {
	if w.Runtime.Path != "" {
		plain, hard = w.Judge(nil)
		if j.runtime.Runtime.Path != "" && w.Runtime.Real != j.runtime.Runtime.Real {
			b := launchword.Between{}.Unknown("`claude` on PATH is " + w.Runtime.Path + " in a new " + a.String() +
				opening.OtherRuntime)
			plain, hard = launchword.WorseOf(plain, b), launchword.WorseOf(hard, b)
		}
	}
	w.Runtime = j.runtime.Runtime // what was tested
	for _, m := range a.Meanings {
		d := j.placed(m.Def)
		if d.Value == "" && d.Body == "" { // dash prints no function: that of the start files counts
			for _, own := range j.shell.Own {
				if own.Value == "" && own.Body != "" {
					d = own
				}
			}
		}
		b := w.Def(d, m.What)
		if d.File == "" {
			b.Where = ""
		}
		if plain = launchword.WorseOf(plain, b); b.Iso {
			hard = launchword.WorseOf(hard, b)
		}
	}
	return plain, hard
}

// placed is a definition with the place at which a start file holds it, if one
// does, or else with that which the shell names.
func (j ownShellJudge) placed(d shellrc.Def) shellrc.Def {
	for _, have := range slices.Concat(j.shell.Words, j.shell.Own, j.shell.Aliased) {
		if d.Value != "" && d.Value == have.Value || d.Body != "" && bare(d.Body) == bare(have.Body) {
			d.File, d.Line = have.File, have.Line
			return d
		}
	}
	if info, err := j.r.Stat(d.File); err != nil || !info.Mode().IsRegular() { // /dev/fd/63, main, zsh's (eval)
		d.File, d.Line = "", 0
	}
	return d
}

// bare is the text of a function without what a shell changes when it prints
// it.
func bare(body string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\n", "", ";", "", "{", "", "}", "").Replace(body)
}

// knows says whether an opening is found without asking a shell.
func (j ownShellJudge) knows(o opening.Opening) bool {
	return slices.ContainsFunc(j.known, func(have opening.Opening) bool {
		return have.What == o.What && (have.Where == o.Where || o.Where == o.What) || o.What != "PATH" &&
			strings.HasPrefix(have.Opens, o.What+" leads to "+o.Where+",") || o.What == "PATH" && have.What == o.Where
	})
}

// meaning says what the word is in a shell, for the reader of the evidence.
func (j ownShellJudge) meaning(a ownshell.Answer) string {
	at := launchword.NewJudge(inShell{j.r, a.Env}, j.start).Runtime.Path
	said := "claude is " + at
	if at == "" {
		said = iso.NotOnPath
	}
	if a.Went != a.Shell {
		said = "(" + string(a.Went) + " by now) " + said
	}
	for _, m := range a.Meanings {
		said += ", and " + m.What
		if m.Value != "" {
			said += ": " + redact.Command(m.Value)
		}
	}
	return said
}
