// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package statusline makes the line under the prompt: whether the sandbox is
// in force in this session, and, in the rich form, where the session is.
//
// Contract: one line without a newline, whatever stands in the payload, in a
// file or in a name; no secret and no control character but colours of our
// own. What cannot be read is never shown as protection. Plain starts no
// process; Rich starts git once, for 150 ms at most. The payload is what
// Claude Code 2.1.329 writes to a status line.
package statusline

import (
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strconv"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// payload is what of the runtime's status is used.
type payload struct {
	lost    bool
	Session string `json:"session_id"`
	Cwd     string `json:"cwd"`
	Version string `json:"version"`
	Model   struct {
		Name string `json:"display_name"`
	} `json:"model"`
	Workspace struct {
		Current string `json:"current_dir"`
		Start   string `json:"project_dir"`
	} `json:"workspace"`
}

// read takes what can be understood; the directories fall back on the
// environment that the runtime gives, then on the working directory.
func read(h host.Reader, b []byte) (p payload) {
	// A field of another type is left out; what is no JSON says nothing of
	// the session.
	var another *json.UnmarshalTypeError
	if err := json.Unmarshal(b, &p); err != nil && !errors.As(err, &another) {
		p.lost = true
	}
	sys := h.System()
	p.Workspace.Start = directory(p.Workspace.Start, sys.Get(claude.ProjectDirVariable), p.Cwd, sys.Cwd)
	p.Workspace.Start = host.Resolved(h, p.Workspace.Start)
	p.Workspace.Current = directory(p.Workspace.Current, p.Cwd, p.Workspace.Start)
	return p
}

// directory returns the first that is an absolute path.
func directory(candidates ...string) string {
	for _, c := range candidates {
		if filepath.IsAbs(c) {
			return filepath.Clean(c)
		}
	}
	return "/"
}

// Plain returns the line of status-line for a payload.
func Plain(h host.Reader, b []byte) string {
	p := read(h, b)
	return p.status(h).paint(h)
}

// status is the part that both lines begin with.
func (p payload) status(h host.Reader) parts {
	state := inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: p.Workspace.Start, Args: runtimeArgs(h),
		Version: p.Version}))
	name := redact.Short(p.Model.Name, maxModel)
	if name == "" {
		name = "claude"
	}
	if p.lost {
		return parts{{name, ""}, {"[sandbox state unknown: the input is not understood]", boldRed}}
	}
	bypasses, err := p.bypasses(h)
	if err != nil && state.Mode != inforce.Off {
		return parts{{name, ""}, {"[sandbox: the journal of bypasses cannot be read]", boldRed}}
	}
	return parts{{name, ""}, sign(state, bypasses)}
}

// sign is the judgement in brackets.
func sign(s inforce.State, bypasses int) part {
	switch {
	case len(s.Broken) > 0 && s.Mode == inforce.Off:
		return part{"[NO SANDBOX: " + redact.Short(s.Broken[0].Short, maxReason) + "]", boldRed}
	case s.Mode == inforce.Off:
		return part{"[NO SANDBOX]", boldRed}
	case len(s.Broken) > 0:
		return part{"[sandbox: " + redact.Short(s.Broken[0].Short, maxReason) + "]", boldRed}
	case bypasses == 1:
		return part{"[sandbox: 1 call asked to leave it]", boldRed}
	case bypasses > 1:
		return part{fmt.Sprintf("[sandbox: %d calls asked to leave it]", bypasses), boldRed}
	case s.Mode == inforce.OnAutoAllow:
		return part{"[sandbox-auto]", yellow}
	}
	return part{"[sandbox]", green}
}

// runtimeArgs returns the arguments that the runtime above this process was
// started with: --settings and --setting-sources decide what is in force, and
// stand in no payload. CLAUDE_PID names the runtime (2.1.329); where it is not
// set, the nearest process of that name is taken.
func runtimeArgs(h host.Reader) []string {
	pid, _ := strconv.Atoi(h.System().Get(claude.PIDVariable))
	for p := range proc.Parents(maxParents) {
		if pid > 0 && int(p) != pid {
			continue
		}
		if args := p.Args(); len(args) > 0 && (pid > 0 || filepath.Base(args[0]) == claude.Program) {
			return args[1:]
		}
	}
	return nil
}

// maxParents is how far above the runtime may be: a shell and a script stand
// between.
const maxParents = 6

// bypasses counts the calls of this session that asked to run outside the
// sandbox, as the journal has them. Whether they did is not in it. All of it
// is looked at: a bypass must not be pushed out of sight by other records.
func (p payload) bypasses(h host.Reader) (int, error) {
	if p.Session == "" {
		return 0, nil
	}
	count := 0
	for _, path := range journal.Generations(h.Places().State) {
		b, err := fs.ReadTail(path, journal.MaxFile)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return 0, err
		}
		count += journal.Bypasses(b, p.Session)
	}
	return count, nil
}

// How long the parts may be, in characters.
const (
	maxModel  = 40
	maxReason = 60
	maxName   = 40
	maxTitle  = 60
)
