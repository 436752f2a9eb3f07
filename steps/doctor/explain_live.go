// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is tried is tried on a stage, with a canary in the
// place of what is asked about, under the policy and without it; what the
// second run did not show either is unknown.

package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/access"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/stage"
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
	tries []tryout
}

// tryout is one call, and the ruling that it tries.
type tryout struct {
	who, does string
	call      model.Call
	turn      int
	through   probe.Through
	// alone: it is decided before it runs, and what it does is not looked
	// at.
	alone bool
}

// try settles the rulings of every start by sessions of the runtime. What it
// returns is to be known beside them.
func try(ctx context.Context, r host.Reader, root string, subject access.Subject, starts []*ruled) []report.Note {
	note := func(err error) []report.Note { return []report.Note{{Text: "not tested: " + access.Sentence(err)}} }
	theatre, facts, err := verify.Theatre(ctx, r, verify.Options{Project: root})
	if err != nil {
		return note(err)
	}
	nonce := func(what string) string { return stage.Nonce(facts.Run, what) }
	st, err := theatre.Layout(rehearsal.Session{Dir: facts.Root, Mode: rehearsal.Policy})
	if err != nil {
		return note(err)
	}
	a, err := enact(subject, st, r, nonce)
	if err != nil {
		return note(err)
	}
	theatre.Names, theatre.Paths = append(theatre.Names, a.names...), append(theatre.Paths, a.paths...)
	theatre.Programs = append(theatre.Programs, programs...)
	played := map[report.Launch]*take{}
	var playing sync.WaitGroup
	slots := make(chan struct{}, rehearsal.AtOnce(r))
	play := func(key report.Launch, mode rehearsal.Mode, launch report.Launch) {
		t := a.take(facts, mode, launch, nonce("works"))
		played[key] = t
		playing.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if t.raw, t.err = theatre.Play(ctx, t.session); t.err == nil {
				t.err = t.raw.Complete()
			}
		})
	}
	const twin report.Launch = "twin"
	play(twin, rehearsal.Twin, report.Plain)
	for _, s := range starts {
		if !s.Missing {
			play(s.Launch, rehearsal.Policy, s.Launch)
		}
	}
	playing.Wait()
	var notes []report.Note
	for _, s := range starts {
		t := played[s.Launch]
		switch {
		case t == nil:
		case t.err != nil:
			notes = append(notes, report.Note{Text: s.Name() + ": not tested: " + access.Sentence(t.err)})
		case played[twin].err != nil:
			return note(fmt.Errorf("the run without a policy failed: %w", played[twin].err))
		default:
			for i := range s.rulings {
				if seen, ok := t.saw(played[twin], s.rulings[i]); ok {
					s.rulings[i].Settle(seen)
				}
			}
		}
	}
	return notes
}

// take is one session of an enactment.
type take struct {
	session rehearsal.Session
	tries   []tryout
	at      [][2]int
	raw     rehearsal.Raw
	err     error
	works   string
}

// take plans a session. Its first call is a control that must work.
func (a enactment) take(facts probe.Inputs, mode rehearsal.Mode, launch report.Launch, works string) *take {
	t := &take{tries: a.tries, at: make([][2]int, len(a.tries)), works: works,
		session: rehearsal.Session{Name: "explain, " + string(launch) + ", " + string(mode),
			Launch: launch, Mode: mode, Dir: facts.Root, Env: a.env, Files: a.files, Over: a.over,
			Turns: []model.Turn{{model.Bash("echo " + works)}}}}
	for turn := 0; turn < 4; turn++ {
		var calls model.Turn
		for i, try := range a.tries {
			if try.turn == turn {
				t.at[i] = [2]int{len(t.session.Turns), len(calls)}
				calls = append(calls, try.call)
			}
			if f := try.through.File; f != "" && !slices.Contains(t.session.Watch, f) {
				t.session.Watch = append(t.session.Watch, f)
			}
		}
		if calls != nil {
			t.session.Turns = append(t.session.Turns, calls)
		}
	}
	return t
}

// saw says what the session shows about a ruling; ok is false where it tries
// something else.
func (t *take) saw(twin *take, r report.Ruling) (seen report.Tried, ok bool) {
	i := slices.IndexFunc(t.tries, func(x tryout) bool { return x.who == r.Who && x.does == r.Does })
	if i < 0 {
		return seen, false
	}
	x, at := t.tries[i], t.at[i]
	c := t.raw.Call(at[0], at[1])
	second := twin.raw.Call(at[0], at[1])
	alsoThrough := second.Decision != rehearsal.NotMade && x.through.Seen(twin.raw, second.Text)
	through := c.Decision == rehearsal.Ran && x.through.Seen(t.raw, c.Text)
	said := spoken(c.Text)
	switch {
	case c.Decision == rehearsal.NotMade:
		return report.Tried{Answer: report.Unclear, Said: "the session did not reach this call"}, true
	case c.Decision == rehearsal.Rule:
		return report.Tried{Answer: report.Denied, Said: "refused by a rule: " + said}, true
	case c.Decision == rehearsal.Asked, c.Decision == rehearsal.ByHook:
		return report.Tried{Answer: report.Asks, Said: "it would have asked: " + said}, true
	case x.alone:
		return report.Tried{Answer: report.Allowed, Said: "it was started: " + said}, true
	case through && r.Open:
		return report.Tried{Answer: report.Allowed, Said: "it succeeds once it is approved"}, true
	case through:
		return report.Tried{Answer: report.Allowed, Said: "it succeeded"}, true
	case t.raw.Call(0, 0).Decision != rehearsal.Ran:
		return report.Tried{Answer: report.Unclear, Said: "no command works in this session: " +
			spoken(t.raw.Call(0, 0).Text)}, true
	case !alsoThrough:
		return report.Tried{Answer: report.Unclear,
			Said: "without the sandbox it failed in the test too: " + spoken(second.Text)}, true
	}
	return report.Tried{Answer: report.Denied,
		Said: "blocked; the call said “" + said + "”, and the same call without the sandbox succeeded"}, true
}

// maxSpoken bounds what is shown of a reply, in bytes.
const maxSpoken = 300

// spoken is the line of a reply that says what happened, without the
// runtime's own marks.
func spoken(reply string) string {
	reply = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(reply)
	for line := range strings.Lines(reply) {
		if line = strings.Trim(line, " \t\r\n()"); line != "" && !strings.HasPrefix(line, "Exit code ") {
			return strings.ToValidUTF8(line[:min(len(line), maxSpoken)], "")
		}
	}
	return "without output"
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
		return enactment{tries: []tryout{{who: access.WhoBash, does: access.DoesRun, call: bash(x.Text), alone: true}}}, nil
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
	read := tryout{who: access.WhoCommand, does: access.DoesRead, call: tool(rehearsal.ToolRead, at),
		through: probe.Through{Reply: before}}
	named := tryout{who: access.WhoNamed, does: access.DoesRead, call: bash("cat " + scripts.Quote(at)),
		through: read.through}
	byTool := tryout{who: access.WhoRead, does: access.DoesRead,
		call: model.Call{Tool: "Read", Input: map[string]any{"file_path": at}}, through: read.through}
	edit := tryout{who: access.WhoWrite, does: access.WriteIt, turn: 1, through: probe.Through{File: at, Text: edited},
		call: model.Call{Tool: "Edit", Input: map[string]any{"file_path": at, "old_string": before, "new_string": edited}}}
	write := tryout{who: access.WhoCommand, does: access.DoesWrite, turn: 2, call: tool(rehearsal.ToolWrite, at, added),
		through: probe.Through{File: at, Text: added}}
	laid := slices.IndexFunc(st.Files, func(l fs.Laid) bool { return l.Path == at })
	canary := slices.ContainsFunc(st.Canaries, func(c stage.Canary) bool { return c.Path == at })
	info, err := r.Lstat(at)
	switch {
	case laid >= 0 && !canary: // it decides, or a session needs it: it stays as it is
		text, _, _ := strings.Cut(string(st.Files[laid].Data), "\n")
		if text = text[:min(len(text), 40)]; len(text) < 8 {
			return a, fmt.Errorf("%s is a file that the session itself needs", at)
		}
		for _, t := range []*tryout{&read, &named} {
			t.through.Reply = text
		}
		a.tries = []tryout{read, named, write}
	case canary, pathname.Within(at, st.Home):
		a.paths = []string{at}
		a.tries = []tryout{read, named, byTool, edit, write}
	case st.Hidden(at):
		a.files = []fs.Laid{{Path: at, Mode: 0o644, Data: []byte("secret = " + before + "\n")}}
		a.tries = []tryout{read, named, byTool, edit, write}
	case err == nil && info.Mode().IsRegular(): // the runtime's own tools do not take what stands over a file
		a.over = []fs.Laid{{Path: at, Mode: 0o644, Data: []byte("secret = " + before + "\n")}}
		a.tries = []tryout{read, named}
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
	get, past := tool(rehearsal.ToolGet, url(proxied)), bash("http_proxy= HTTP_PROXY= "+
		rehearsal.Tool(rehearsal.ToolGet, url(direct)))
	through := probe.Through{Hit: proxied}
	return enactment{names: []string{h.Name}, tries: []tryout{
		{who: access.WhoCommand, does: access.ViaProxy, call: get, through: through},
		{who: access.WhoCommand, does: access.PastProxy, call: past, through: probe.Through{Hit: direct}},
		{who: access.WhoCommand, does: access.DoesReach, call: get, through: through},
	}}, nil
}

// enactVariable plants a variable.
func enactVariable(v access.Variable, nonce func(string) string) (enactment, error) {
	if slices.Contains(access.OwnVariables, string(v)) || slices.Contains([]string{"HOME", "PATH", "CLAUDE_CONFIG_DIR"},
		string(v)) {
		return enactment{}, fmt.Errorf("a session on the stage needs %s itself", v)
	}
	value := nonce("value")
	return enactment{env: []string{string(v) + "=" + value}, tries: []tryout{
		{who: access.WhoCommand, does: access.DoesSee, call: tool(rehearsal.ToolEnv, string(v)),
			through: probe.Through{Reply: value}},
	}}, nil
}
