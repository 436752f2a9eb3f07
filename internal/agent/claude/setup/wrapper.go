// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the wrapper is a file of ours and is written; the rc file
// is the user's and is only read: its line is printed. A claude-iso that the
// user has already is kept unless the user gives it up.

package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/launchword"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/steps/install"
)

var (
	wrapperQuestion = report.Question{
		ID: "wrapper", Section: "wrapper", Kind: report.Choice,
		Title: "Where does claude-iso come from?",
		Help: "A copy goes to the runtime's own directory and calls this program. With --framework it can be sourced from " +
			"that checkout instead: it changes when the checkout does.",
		Options: []report.Option{
			{Value: "copy", Label: "copy", Note: "a file of ours, in the runtime's directory"},
			{Value: "framework", Label: "framework", Note: "sourced from the checkout that --framework names"},
			{Value: "keep", Label: keepIt, Note: "a claude-iso of your own"},
		},
		Default: []string{"copy"},
	}
	aliasQuestion = report.Question{
		ID: "alias", Section: "wrapper", Kind: report.Confirm, Ask: true,
		Title: "Alias claude to claude-iso?",
		Help: "claude-iso starts Claude Code without the tokens and keys of your shell. Yes prints a line for your " +
			"shell's rc file; \"command claude\" still starts it as before.",
		Price:   "a credential that a session needs must be listed in CLAUDE_ISO_ALLOW",
		Default: []string{"no"},
	}
)

func (p *proposer) wrapper(context.Context) (report.Section, error) {
	s := report.Section{ID: "wrapper", Title: "Clean-env wrapper",
		Why: "claude-iso starts the agent with only the listed environment variables, so that it cannot read the " +
			"tokens and keys in your shell. It is a shell function, defined in a file that a line in your rc file sources. " +
			"You add that line; rc files are never written.",
		Exposes: []string{"plain claude, an editor's or a desktop's own start of it still has your whole environment"}}
	sh := launchword.ReadShell(p.r)
	switch {
	case sh.Kind == "":
		s.Note(noWrapper(sh))
		if w, known := ownWords[filepath.Base(sh.Program)]; known {
			s.Items = append(s.Items, optional(checks.Defining(w.line, w.where)))
		}
		return s, nil
	case sh.Wrapper == "":
		return s, p.isoAlias(&s, sh)
	}
	target, defined, err := p.wrapperFile(&s, sh)
	if err != nil {
		return s, err
	}
	if target != "" {
		if err := p.rcLines(&s, sh, target); err != nil {
			return s, err
		}
	}
	p.ask(aliasFor(sh, defined))
	p.aliasLine(&s, sh, defined)
	return s, nil
}

// noWrapper says what is right where no rc file can define claude-iso.
func noWrapper(sh launchword.Shell) report.Finding {
	f := report.Finding{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Warn,
		Summary: "no claude-iso for " + filepath.Base(sh.Program) + ": start the agent with steward-setup iso, or define a " +
			"word that does", Evidence: []report.Evidence{report.EnvEvidence("SHELL", sh.Program)}}
	switch {
	case sh.Program == "":
		f.Status, f.Summary = report.Unknown, "claude-iso is left out: SHELL is not set, so no rc file can be named"
		f.Remedies = checks.NameShell()
		f.Evidence = []report.Evidence{report.EnvEvidence("SHELL", "not set")}
	case sh.NoLogin:
		f.Status = report.Pass
		f.Summary = "the login shell " + sh.Program + " has no prompt: start the agent with steward-setup iso"
	}
	return f
}

// ownWords are the lines that define claude-iso in shells whose files are not
// read, and where they belong.
var ownWords = map[string]struct{ line, where string }{
	"nu":     {"alias claude-iso = ^steward-setup iso", "~/.config/nushell/config.nu"},
	"elvish": {"fn claude-iso {|@a| e:steward-setup iso $@a }", "~/.config/elvish/rc.elv"},
	"xonsh":  {"aliases['claude-iso'] = ['steward-setup', 'iso']", "~/.xonshrc"},
}

// optional is a command that may be left out: "steward-setup iso" does without it.
func optional(c report.Command) report.Command {
	c.Optional = true
	return c
}

// isoAlias prints the alias that defines claude-iso in a shell that has no
// function of that name, and the one for plain claude if it is wanted.
func (p *proposer) isoAlias(s *report.Section, sh launchword.Shell) error {
	s.Why = "claude-iso starts the agent with only the listed environment variables, so that it cannot read the " +
		"tokens and keys in your shell. In " + filepath.Base(sh.Program) + " it is an alias. You add its line to an rc " +
		"file; rc files are never written."
	defined := slices.ContainsFunc(sh.Iso[:sh.IsoInteractive], func(d shellrc.Def) bool {
		return launchword.StartsIso(d, p.r.Places().Home) != ""
	})
	if !defined && p.program.Path == "" {
		s.Note(leftOut(noProgram))
		return nil
	}
	where := p.shown(sh.RC)
	switch {
	case defined:
		s.Note(report.Finding{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Pass,
			Summary:  "the rc file defines claude-iso already",
			Evidence: []report.Evidence{report.FileEvidence(sh.Iso[0].Where(), sh.Iso[0].Value)}})
	default:
		line, err := scripts.IsoAliasLine(sh.Kind, p.program.Path)
		if err != nil {
			return err
		}
		if profile := filepath.Join(p.r.Places().Home, ".profile"); sh.Kind == shellrc.POSIX && sh.RC == profile {
			s.Items = append(s.Items, report.Command{ID: "wrapper/rc-env", Line: `export ENV="$HOME/.shrc"`,
				Where: p.shown(profile), Optional: true, Why: "let every interactive shell read ~/.shrc"})
			where = p.shown(filepath.Join(p.r.Places().Home, ".shrc"))
		}
		s.Items = append(s.Items, optional(checks.Defining(line, where)))
	}
	p.ask(aliasFor(sh, true))
	sh.RC = where
	p.aliasLine(s, sh, true)
	return nil
}

func aliasFor(sh launchword.Shell, defined bool) report.Question {
	switch {
	case len(sh.Aliased) > 0:
		return aliasQuestion.DecidedBy("claude is an alias of claude-iso already", "yes")
	case !defined:
		return aliasQuestion.DecidedBy("there is no claude-iso to call", "no")
	}
	return aliasQuestion
}

// wrapperFile proposes the file that defines claude-iso and returns the path
// that the rc file should source, "" if it need not; defined says whether
// there will be a claude-iso, ours or the user's own.
func (p *proposer) wrapperFile(s *report.Section, sh launchword.Shell) (source string, defined bool, err error) {
	own := filepath.Join(p.r.Places().Isolation(), sh.Wrapper)
	if !p.places.Guard(s, "clean-env", "claude-iso's file", own) {
		return "", false, nil
	}
	f, err := p.draft.Open(own, "")
	if err != nil {
		return "", false, err
	}
	framework := p.frameworkWrapper(s, sh)
	q := wrapperQuestion
	foreign, text := p.foreignWrapper(sh, f, framework)
	ours := slices.ContainsFunc(sh.Sourced.Found, func(ref shellrc.Ref) bool { return p.same(ref.Path, own) })
	switch {
	case foreign != "":
		q = q.WithDefault(foreign, "keep")
	case framework != "" && !ours:
		q = q.WithDefault("--framework", "framework")
	case framework == "":
		q = q.DecidedBy("no --framework, and no claude-iso of your own", "copy")
	}
	q.Options = slices.DeleteFunc(slices.Clone(q.Options), func(o report.Option) bool {
		return o.Value == "framework" && framework == "" || o.Value == "keep" && foreign == ""
	})
	p.ask(q)
	finding := report.Finding{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Warn}
	switch choice := p.answers.Of(q)[0]; {
	case choice == "keep" && foreign != "":
		_, answered := p.answers[q.ID]
		finding.Decide, finding.Summary = !answered, "a claude-iso of your own is kept; it does not start the agent "+
			"through steward-setup"
		finding.Evidence = []report.Evidence{report.FileEvidence(foreign, text)}
		finding.Remedies = []report.Remedy{report.Own("install --wrapper copy",
			report.Command{ID: "wrapper/replace", Optional: true, Why: "replace it with the setup's"})}
		s.Note(finding)
		if foreign == f.Path {
			return own, true, nil
		}
		return "", true, nil
	case choice == "keep":
		s.Note(leftOut("no claude-iso is wanted"))
		return "", false, nil
	case choice == "framework" && framework != "":
		return framework, true, nil
	case choice == "framework":
		finding.Decide, finding.Summary = true, "there is no wrapper to source from a framework checkout"
		finding.Evidence = []report.Evidence{report.EnvEvidence("--framework",
			fmt.Sprintf("%q, for %s", p.opts.Framework, sh.Kind))}
		s.Note(finding)
		return "", false, nil
	case p.program.Path == "":
		s.Note(leftOut(noProgram))
		return "", false, nil
	}
	b, err := scripts.Render(sh.Wrapper, p.program.Path)
	if err != nil {
		return "", false, err
	}
	p.draft.Write(s, report.ID("wrapper/"+sh.Wrapper), "defines claude-iso for "+string(sh.Kind), f, b,
		scripts.WrapperMode)
	return own, true, nil
}

// frameworkWrapper is the wrapper of the framework checkout if it can be
// sourced: it runs outside the sandbox, so the agent must not be able to
// write it. The framework has none for fish.
func (p *proposer) frameworkWrapper(s *report.Section, sh launchword.Shell) string {
	if p.opts.Framework == "" {
		return ""
	}
	names := []string{sh.Wrapper}
	if sh.Kind == shellrc.Bash || sh.Kind == shellrc.Zsh {
		names = []string{scripts.FrameworkWrapper, sh.Wrapper}
	}
	path := ""
	for _, name := range names {
		rel := filepath.Join(pins.FrameworkDir, name)
		if _, err := p.r.ReadIn(p.opts.Framework, rel); err == nil {
			path = filepath.Join(p.opts.Framework, rel)
			break
		}
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	if why, bad := p.places.Writable(path); bad {
		s.Note(report.Finding{Check: "clean-env", Status: report.Warn,
			Summary:  "the framework's wrapper is not sourced: the agent could change it",
			Evidence: []report.Evidence{report.FileEvidence(path, why)}})
		return ""
	}
	return path
}

// foreignWrapper says where a claude-iso is that is neither ours nor the
// framework's: at our file's place, or sourced by the rc file from elsewhere.
func (p *proposer) foreignWrapper(sh launchword.Shell, f install.File, framework string) (where, text string) {
	if f.Bytes != nil && !scripts.Ours(f.Bytes) && !p.fromFramework(sh.Wrapper, f.Bytes) {
		return f.Path, scripts.NoMarker
	}
	for _, ref := range sh.Sourced.Found {
		if !p.same(ref.Path, f.Path) && !p.same(ref.Path, framework) {
			return ref.Where(), "sources " + ref.Text
		}
	}
	return "", ""
}

func (p *proposer) same(a, b string) bool {
	ra, errA := p.r.Resolve(a)
	rb, errB := p.r.Resolve(b)
	return a == b || errA == nil && errB == nil && ra == rb
}

// fromFramework says whether b is what the framework checkout holds under
// that name.
func (p *proposer) fromFramework(name string, b []byte) bool {
	if p.opts.Framework == "" {
		return false
	}
	theirs, err := p.r.ReadIn(p.opts.Framework, filepath.Join(pins.FrameworkDir, name))
	return err == nil && string(theirs) == string(b)
}

// rcLines prints the line that sources target, for each rc file that needs
// it.
func (p *proposer) rcLines(s *report.Section, sh launchword.Shell, target string) error {
	line, err := scripts.SourceLine(sh.Kind, p.r.Places().Home, target)
	if err != nil {
		return err
	}
	finding := report.Finding{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Pass}
	command := checks.Defining(line, p.shown(sh.RC))
	ref, maybe := p.sourcing(sh.Sourced.Found, target), p.sourcing(sh.Sourced.Maybe, target)
	if other := sh.Sourced.Found; ref == nil && len(other) > 0 {
		command.Why += "; the line belongs in place of " + other[0].Where()
	}
	switch {
	case ref != nil:
		finding.Summary = "the rc file sources claude-iso already"
		finding.Evidence = []report.Evidence{report.FileEvidence(ref.Where(), ref.Text)}
	case len(sh.Sourced.Doubts) > 0:
		finding.Status = report.Unknown
		finding.Summary = "not all of the rc file could be read: it may source claude-iso already"
		for _, doubt := range sh.Sourced.Doubts {
			finding.Evidence = append(finding.Evidence, report.FileEvidence(sh.RC, doubt))
		}
		command.Optional, command.Why = true, command.Why+", unless the rc file does so in a way that could not be read"
		if maybe != nil {
			finding.Evidence = append(finding.Evidence, report.FileEvidence(maybe.Where(), "this line may source it"))
			break
		}
		s.Items = append(s.Items, command)
	default:
		s.Items = append(s.Items, command)
	}
	if finding.Summary != "" {
		s.Note(finding)
	}
	p.loginLine(s, sh, line, p.sourcing(sh.SourcedByLogin.Found, target) != nil)
	return nil
}

// sourcing is the first place that sources target, or nil.
func (p *proposer) sourcing(refs []shellrc.Ref, target string) *shellrc.Ref {
	for i := range refs {
		if p.same(refs[i].Path, target) {
			return &refs[i]
		}
	}
	return nil
}

// loginLine prints the line for bash's login file, where that does not read
// the rc file: a login shell (ssh, tmux, a terminal on macOS) would not know
// claude-iso.
func (p *proposer) loginLine(s *report.Section, sh launchword.Shell, line string, sourced bool) {
	if sh.Kind != shellrc.Bash || sourced || sh.LoginReadsRC || len(sh.SourcedByLogin.Doubts) > 0 {
		return
	}
	darwin, where := p.r.System().GOOS == "darwin", sh.LoginFile
	if where == "" {
		if !darwin {
			return
		}
		where = filepath.Join(p.r.Places().Home, ".bash_profile")
	}
	s.Items = append(s.Items, report.Command{ID: "wrapper/rc-login", Line: line, Where: p.shown(where), Optional: !darwin,
		Why: "define it for login shells, too: they read this file and not " + p.shown(sh.RC)})
}

// aliasLine prints the alias if it is wanted and not there, says what then still has
// the whole environment, and names a claude of the user's own.
func (p *proposer) aliasLine(s *report.Section, sh launchword.Shell, defined bool) {
	for _, d := range sh.Own {
		s.Note(report.Finding{Check: "clean-env", Status: report.Warn,
			Summary:  "claude is a definition of your own already; it is not touched, and it does not clean the environment",
			Evidence: []report.Evidence{report.FileEvidence(d.Where(), checks.Definition(d))}})
	}
	wanted := defined && p.answers.Yes(aliasQuestion)
	if len(sh.Aliased) > 0 || wanted {
		s.Exposes = []string{"claude in a script, an editor's or a desktop's own start of it still has your whole " +
			"environment"}
	}
	if len(sh.Aliased) > 0 {
		d := sh.Aliased[0]
		s.Note(report.Finding{Check: "clean-env", Status: report.Pass, Summary: "plain claude already starts claude-iso",
			Evidence: []report.Evidence{report.FileEvidence(d.Where(), checks.Definition(d))}})
		return
	}
	if wanted {
		s.Items = append(s.Items, report.Command{ID: "wrapper/alias", Line: scripts.AliasLine(sh.Kind, claude.Program),
			Where: p.shown(sh.RC),
			Why:   "make plain claude of an interactive shell start claude-iso; this belongs below the line that defines it"})
	}
}
