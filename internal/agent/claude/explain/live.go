// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is tried is tried on a stage, with a canary in the
// place of what is asked about, under the policy and without it; what the
// second run did not show either is unknown.

package explain

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// enactment is the part of a session that tries it out.
type enactment struct {
	env []string
	// paths are where the stage has canaries beside the usual ones, files
	// are laid on it, over stand in the place of the host's.
	paths []string
	files []fs.Laid
	over  []fs.Laid
	names []string
	// tries are the calls, each with the name of the ruling that it tries.
	tries []trial.Probe
}

// rulingID names the call that tries a ruling.
func rulingID(who, does string) string { return who + " " + does }

// try settles the rulings of every start by sessions of the runtime. What it
// returns is to be known beside them.
func try(ctx context.Context, r host.Reader, root string, subject access.Subject, starts []*ruled) []report.Note {
	note := func(err error) []report.Note { return []report.Note{{Text: "not tested: " + access.Sentence(err)}} }
	theatre, inputs, err := verify.Theatre(ctx, r, verify.Options{Agent: checks.Claude{}, Project: root})
	if err != nil {
		return note(err)
	}
	nonce := func(what string) string { return stage.Nonce(inputs.Run, what) }
	st, err := theatre.Layout(rehearsal.Session{Dir: inputs.Root, Mode: rehearsal.Policy})
	if err != nil {
		return note(err)
	}
	a, err := enact(subject, st, r, nonce)
	if err != nil {
		return note(err)
	}
	theatre.Names, theatre.Paths = append(theatre.Names, a.names...), append(theatre.Paths, a.paths...)
	theatre.Programs = append(theatre.Programs, doctor.Programs...)
	probes := inputs.Controls()[:1]
	for _, p := range a.tries {
		p.Turn++ // the control comes first
		probes = append(probes, p)
	}
	plan := func(mode rehearsal.Mode, launch report.Launch) *trial.Trial {
		return trial.New(rehearsal.Session{Name: "explain, " + string(launch) + ", " + string(mode), Launch: launch,
			Mode: mode, Dir: inputs.Root, Env: a.env, Files: a.files, Over: a.over}, probes)
	}
	twin := plan(rehearsal.Twin, report.Plain)
	list := []*trial.Trial{twin}
	played := map[report.Launch]*trial.Trial{}
	for _, s := range starts {
		if !s.Missing {
			played[s.Launch] = plan(rehearsal.Policy, s.Launch)
			list = append(list, played[s.Launch])
		}
	}
	trial.NewSlots(r).Play(ctx, theatre, nil, list...)
	var notes []report.Note
	for _, s := range starts {
		t := played[s.Launch]
		switch {
		case t == nil:
		case t.Err != nil:
			notes = append(notes, report.Note{Text: s.Name() + ": not tested: " + access.Sentence(t.Err)})
		case twin.Err != nil:
			return note(fmt.Errorf("the run without a policy failed: %w", twin.Err))
		default:
			outcomes := t.Judge(twin)
			for i := range s.rulings {
				if seen, ok := saw(outcomes, s.rulings[i]); ok {
					s.rulings[i].Settle(seen)
				}
			}
		}
	}
	return notes
}

// saw says what a session shows about a ruling, by its outcomes, of which the
// first is that of the control; ok is false where it tries something else.
func saw(outcomes []trial.Outcome, r report.Ruling) (seen report.Tried, ok bool) {
	i := slices.IndexFunc(outcomes, func(o trial.Outcome) bool { return o.ID == rulingID(r.Who, r.Does) })
	if i < 0 {
		return seen, false
	}
	control, o := outcomes[0], outcomes[i]
	switch {
	case o.Layer == trial.Rule:
		seen = report.Tried{Answer: report.Denied, Said: "refused by a rule: " + o.Reply}
	case o.Layer == trial.Confirmation, o.Layer == trial.Hook:
		seen = report.Tried{Answer: report.Asks, Said: "it would have asked: " + o.Reply}
	case o.Layer == trial.Allowed && o.Through == (trial.Through{}):
		seen = report.Tried{Answer: report.Allowed, Said: "it was started: " + o.Reply}
	case o.Layer == trial.Allowed && r.Open:
		seen = report.Tried{Answer: report.Allowed, Said: "it succeeds once it is approved"}
	case o.Layer == trial.Allowed:
		seen = report.Tried{Answer: report.Allowed, Said: "it succeeded"}
	case o.Seen.Decision != agent.NotMade && control.Status != report.Pass:
		seen = report.Tried{Answer: report.Unclear, Said: "no command works in this session: " + control.Reply}
	case o.Status == report.Pass:
		seen = report.Tried{Answer: report.Denied,
			Said: "blocked; the call said “" + o.Reply + "”, and the same call without the sandbox succeeded"}
	case o.Seen.Decision == agent.Ran && !o.Twin.Through:
		seen = report.Tried{Answer: report.Unclear,
			Said: "without the sandbox it failed in the test too: " + trial.Line(o.Twin.Text)}
	default:
		seen = report.Tried{Answer: report.Unclear, Said: o.Why}
	}
	return seen, true
}

// enact works out how a subject is tried out. nonce gives a word of this run for
// a purpose; the error says why nothing can be tried.
func enact(subject access.Subject, st *stage.Stage, r host.Reader, nonce func(string) string) (enactment, error) {
	switch x := subject.(type) {
	case access.File:
		return enactFile(x, st, r, nonce)
	case access.Host:
		return enactHost(x, nonce)
	case access.Line: // the call itself
		return enactment{tries: []trial.Probe{{ID: rulingID(access.WhoBash, access.DoesRun), Call: model.Bash(x.Text)}}}, nil
	case access.Variable:
		return enactVariable(x, nonce)
	}
	return enactment{}, fmt.Errorf("a %T cannot be tried", subject)
}

// enactFile lays a canary in the place of a file.
func enactFile(f access.File, st *stage.Stage, r host.Reader, nonce func(string) string) (enactment, error) {
	at := f.Real
	if f.Dir {
		at = filepath.Join(at, "steward-canary")
	}
	var a enactment
	before, edited, added := nonce(at), nonce("edited"), nonce("added")
	secret, changed := trial.Through{Reply: before}, trial.Through{File: at, Text: edited}
	read := trial.Probe{ID: rulingID(access.WhoCommand, access.DoesRead), Through: secret,
		Call: model.Bash(rehearsal.Tool(rehearsal.ToolRead, at))}
	named := trial.Probe{ID: rulingID(access.WhoNamed, access.DoesRead), Through: secret,
		Call: model.Bash("cat " + scripts.Literal(at))}
	byTool := trial.Probe{ID: rulingID(access.WhoRead, access.DoesRead), Through: secret,
		Call: model.Do(model.Read, "file_path", at)}
	edit := trial.Probe{ID: rulingID(access.WhoWrite, access.WriteIt), Turn: 1, Through: changed,
		Call: model.Do(model.Edit, "file_path", at, "old_string", before, "new_string", edited)}
	write := trial.Probe{ID: rulingID(access.WhoCommand, access.DoesWrite), Turn: 2,
		Through: trial.Through{File: at, Text: added}, Call: model.Bash(rehearsal.Tool(rehearsal.ToolWrite, at, added))}
	laid := slices.IndexFunc(st.Files, func(l fs.Laid) bool { return l.Path == at })
	canary := slices.ContainsFunc(st.Canaries, func(c stage.Canary) bool { return c.Path == at })
	info, err := r.Lstat(at)
	switch {
	case laid >= 0 && !canary: // it decides, or a session needs it: it stays as it is
		text, _, _ := strings.Cut(string(st.Files[laid].Data), "\n")
		if text = text[:min(len(text), 40)]; len(text) < 8 {
			return a, fmt.Errorf("%s is a file that the session itself needs", at)
		}
		for _, t := range []*trial.Probe{&read, &named} {
			t.Through.Reply = text
		}
		a.tries = []trial.Probe{read, named, write}
	case canary, pathname.Within(at, st.Home):
		a.paths = []string{at}
		a.tries = []trial.Probe{read, named, byTool, edit, write}
	case st.Hidden(at):
		a.files = []fs.Laid{{Path: at, Mode: 0o644, Data: []byte("secret = " + before + "\n")}}
		a.tries = []trial.Probe{read, named, byTool, edit, write}
	case err == nil && info.Mode().IsRegular(): // the runtime's own tools do not take what stands over a file
		a.over = []fs.Laid{{Path: at, Mode: 0o644, Data: []byte("secret = " + before + "\n")}}
		a.tries = []trial.Probe{read, named}
	default:
		return a, fmt.Errorf("no test file can be placed at %s without changing the host", at)
	}
	return a, nil
}

// enactHost leads the name of a host to a listener on the stage.
func enactHost(h access.Host, nonce func(string) string) (enactment, error) {
	if h.Addr.IsValid() || h.Name == "localhost" {
		return enactment{}, fmt.Errorf("in a test only host names can be redirected, and %s is an address", h.Name)
	}
	proxied, direct := "/"+nonce("proxied"), "/"+nonce("direct")
	url := func(path string) string { return fmt.Sprintf("http://%s:%d%s", h.Name, rehearsal.Port, path) }
	get, past := model.Bash(rehearsal.Tool(rehearsal.ToolGet, url(proxied))), model.Bash("http_proxy= HTTP_PROXY= "+
		rehearsal.Tool(rehearsal.ToolGet, url(direct)))
	through := trial.Through{Hit: proxied}
	return enactment{names: []string{h.Name}, tries: []trial.Probe{
		{ID: rulingID(access.WhoCommand, access.ViaProxy), Call: get, Through: through},
		{ID: rulingID(access.WhoCommand, access.PastProxy), Call: past, Through: trial.Through{Hit: direct}},
		{ID: rulingID(access.WhoCommand, access.DoesReach), Call: get, Through: through},
	}}, nil
}

// enactVariable plants a variable.
func enactVariable(v access.Variable, nonce func(string) string) (enactment, error) {
	if slices.Contains(access.OwnVariables, string(v)) ||
		slices.Contains([]string{"HOME", "PATH", claude.ConfigDirVariable}, string(v)) {
		return enactment{}, fmt.Errorf("a session on the stage needs %s itself", v)
	}
	value := nonce("value")
	return enactment{env: []string{string(v) + "=" + value}, tries: []trial.Probe{
		{ID: rulingID(access.WhoCommand, access.DoesSee), Call: model.Bash(rehearsal.Tool(rehearsal.ToolEnv, string(v))),
			Through: trial.Through{Reply: value}},
	}}, nil
}
