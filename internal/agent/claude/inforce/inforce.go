// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package inforce judges whether the policy that settings ask for can be in
// force in a session that is started in a given directory on this machine.
//
// Contract: Gather reads, Judge is pure. Both are cheap enough for a footer:
// no process is started, only the few files are read that the runtime reads,
// and directories are searched upwards only. What is said of the runtime was
// measured with Claude Code 2.1.329 on Linux, by its own "sandbox status"
// (docs/iso.md); where a later one may do otherwise, the worse is assumed.
package inforce

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Mode is what the runtime makes of the settings.
type Mode uint8

// The modes. In OnAutoAllow sandboxed commands run without being asked about.
const (
	Off Mode = iota
	On
	OnAutoAllow
)

// State is the judgement. Mode alone says whether commands are sandboxed;
// Broken says what of the settings is not in force all the same, the weightiest
// first. A session is as it should be only if Mode is not Off and Broken is
// empty.
type State struct {
	Mode   Mode
	Broken []Reason
}

// Reason is why something is not in force.
type Reason struct {
	// Short fits into a footer; What is a sentence.
	Short, What string
	// Where is the evidence, "path:line:col" or a path; Next the way out, where that is
	// no line of this program, and Run the words of the line (report.Own) where it is.
	Where, Next, Run string
	// File says that the way out is to mend the file at Where.
	File bool
	// Kept says that the runtime has the file in force, whatever a reader
	// makes of it.
	Kept bool
}

// Install is the way out where a program of the sandbox is missing (Reason.Run), FixFile
// where a settings file is dropped.
const Install, FixFile = "install", "fix the file"

// FilesOpen is said by those who look closer, too.
const FilesOpen = "the sandbox does not restrict files"
const removeKey = "remove that key, or start with claude-iso"

// askAdmin is the way out where managed settings stand in the way.
const askAdmin = "ask whoever manages this machine"

// Trial is what came of starting the sandbox for a command that does nothing.
type Trial struct {
	// Line is the call, Failed why it did not work ("" if it did).
	Line, Failed string
}

// Judge says what is in force.
func Judge(in Input) State {
	e := settings.Combine(in.Layers, in.Dirs)
	enabled := e.Scalar(claude.KeySandboxEnabled...)
	wanted := enabled.Value.True()
	var s State
	if wanted {
		s.Broken = append(s.Broken, in.cannotStart(e)...)
	}
	if wanted && len(s.Broken) == 0 {
		s.Mode = On
		auto := e.Scalar(claude.KeyAutoAllowBashIfSandboxed...).Value
		if auto.True() || auto == nil && autoByDefault(in.Version) {
			s.Mode = OnAutoAllow
		}
	}
	if s.Mode != Off && in.Trial.Failed != "" {
		s.Broken = append(s.Broken, Reason{Short: "bwrap fails", What: proc.NoStart + in.Trial.Failed, Where: in.Trial.Line,
			Run: "doctor userns"})
	}
	s.Broken = append(s.Broken, in.instead...)
	s.Broken = append(s.Broken, in.Unread...)
	for _, d := range e.Dropped {
		at := settings.Source{Scope: d.Scope, Path: d.Doc.Path, Line: d.Problem.Line, Col: d.Problem.Col}
		s.Broken = append(s.Broken, dropped(at.Where(), fmt.Sprintf("%s:%d", filepath.Base(d.Doc.Path), d.Problem.Line),
			d.Problem.What()))
	}
	if !wanted {
		s.Broken = append(s.Broken, switchedOff(enabled)...)
	}
	s.Broken = append(s.Broken, in.notLoaded()...)
	if s.Mode != Off {
		s.Broken = append(s.Broken, in.undermined(e)...)
	}
	s.Broken = append(s.Broken, in.Doubts...)
	return s
}

// dropped is the reason for a file that the runtime throws away whole.
func dropped(where, short, what string) Reason {
	return Reason{Short: short + " is dropped", Where: where,
		What: what + "; the runtime silently ignores the whole file", Next: FixFile, File: true}
}

// unjudged is the reason for a file that the runtime has in force and that can
// be read in more than one way.
func unjudged(where, short, what string) Reason {
	return Reason{Short: short + " is ambiguous", Where: where, What: "cannot be judged: " + what,
		Next: FixFile, File: true, Kept: true}
}

// cannotStart says why a sandbox that is asked for would not be there. The
// runtime then runs every command unsandboxed, or, with failIfUnavailable,
// does not start.
func (in Input) cannotStart(e *settings.Effective) (reasons []Reason) {
	if managed := e.Scalar(claude.KeyEnabledPlatforms...); managed.Value != nil && managed.Scope == settings.Managed &&
		!holds(managed.Value, map[string]string{"darwin": "macos"}[in.OS], in.OS) {
		reasons = append(reasons, Reason{Short: "not for this platform", What: "managed settings switch the sandbox on for " +
			"other platforms only", Where: managed.Where(), Next: askAdmin})
	}
	for _, p := range in.programs {
		if p.path == "" {
			reasons = append(reasons, Reason{Short: p.name + " is missing", What: p.name +
				" is not on PATH: the sandbox cannot start", Where: "PATH", Run: Install})
		}
	}
	return reasons
}

func holds(v *settings.Value, names ...string) bool {
	return slices.ContainsFunc(settings.TextsOf(v), func(text string) bool {
		return text != "" && slices.Contains(names, text)
	})
}

// switchedOff says who overrules a sandbox that a weaker scope has on.
func switchedOff(enabled settings.Setting) []Reason {
	if enabled.Value == nil {
		return nil
	}
	for _, o := range enabled.Others {
		if o.Value.True() {
			return []Reason{{Short: "off by " + enabled.Scope.String() + " settings",
				What:  "the " + enabled.Scope.String() + " settings switch off the sandbox that " + o.Where() + " switches on",
				Where: enabled.Where(), Next: removeKey}}
		}
	}
	return nil
}

// notLoaded says that a policy stands above the start directory, where the
// runtime does not look.
func (in Input) notLoaded() []Reason {
	if in.above == nil || !policy(in.above) {
		return nil
	}
	for _, l := range in.Layers {
		if l.Scope == settings.Project && policy(l.Doc) || Floor(l.Doc) {
			return nil
		}
	}
	return []Reason{{Short: "started below the project", Where: in.above.Path,
		What: "the project's settings are read only by a session that starts in their directory",
		Next: "start in " + filepath.Dir(filepath.Dir(in.above.Path)) + ", or with claude-iso"}}
}

func policy(d *settings.Doc) bool {
	return d.Get(claude.KeySandboxEnabled...).True() || len(settings.ItemsOf(d.Get(claude.KeyDeny...))) > 0
}

// Floor says whether a document is a policy that needs no other: it switches
// the sandbox on, hides the home and denies something. In user, local or
// managed scope it holds below the project as well.
func Floor(d *settings.Doc) bool {
	return d.Get(claude.KeySandboxEnabled...).True() && hidesHome(d.Get(claude.KeyDenyRead...)) &&
		len(settings.ItemsOf(d.Get(claude.KeyDeny...))) > 0
}

func hidesHome(list *settings.Value) bool {
	return slices.ContainsFunc(settings.ItemsOf(list), func(v *settings.Value) bool {
		return v.Kind == settings.Str && strings.TrimRight(v.Text, "/") == "~"
	})
}

// undermined says what takes the worth from a sandbox that is on.
func (in Input) undermined(e *settings.Effective) (reasons []Reason) {
	// The runtime looks bwrap up with the environment that settings make: a
	// project's PATH decides what runs as the sandbox.
	if path := e.Scalar(claude.KeyEnv.Below("PATH")...); path.Value != nil && (path.Scope == settings.Project ||
		path.Scope == settings.Local) {
		reasons = append(reasons, Reason{Short: "the project sets PATH", What: "PATH from the project's settings decides " +
			"which program sandboxes commands", Where: path.Where(), Next: removeKey})
	}
	for _, p := range in.programs {
		if p.own {
			reasons = append(reasons, Reason{Short: p.name + " lies in the project", What: "the first " + p.name +
				" on PATH lies in the project, where commands in the sandbox may write",
				Where: p.path, Next: "remove that directory from PATH"})
		}
	}
	// Managed settings that count no rules but their own, and deny nothing, leave the
	// agent's own tools without a policy.
	if at, alone := e.OnlyManagedRules(); alone && len(e.RulesIn(claude.Deny)) == 0 {
		reasons = append(reasons, Reason{Short: "no rules in force", Where: at.Where(), What: "managed settings count no " +
			"permission rules but their own, and deny nothing: the agent's own tools read what the policy denies",
			Next: askAdmin})
	}
	if open := e.Scalar(claude.KeyFilesystemDisabled...); open.Value.True() {
		reasons = append(reasons, Reason{Short: "files are open", What: FilesOpen, Where: open.Where(),
			Next: "remove that key"})
	}
	return reasons
}

// autoByDefault says whether a runtime approves sandboxed commands by itself
// where no setting says so: 2.1.141 does, 2.1.329 does not. Of those between
// the worse is assumed; an unknown version is taken for a new one.
func autoByDefault(version string) bool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n != 3 {
		return false
	}
	return major < 2 || major == 2 && (minor < 1 || minor == 1 && patch < 329)
}
