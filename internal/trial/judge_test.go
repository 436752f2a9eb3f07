// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// played is a trial in which each call got this reply; meta is the runtime's
// word about the call, as one line of its stream.
func played(probes []Probe, replies map[string]string, meta map[string]string) *Trial {
	s := New(rehearsal.Session{}, probes)
	raw := rehearsal.Raw{Results: map[string]model.Result{}, Files: map[string]string{}}
	for t, turn := range s.Session.Turns {
		for i, c := range turn {
			command, _ := c.Input["command"].(string)
			reply, made := replies[command]
			if !made {
				continue
			}
			raw.Results[model.ID(t, i)] = model.Result{Text: reply}
			if m := meta[command]; m != "" {
				raw.Stream += `{"type":"user","tool_result_meta":[` + strings.ReplaceAll(m, "ID", model.ID(t, i)) + "]}\n"
			}
		}
	}
	s.Raw = raw
	return s
}

// What the runtime says of a call (2.1.329).
const (
	accepted = `{"id":"ID","permission_decision":{"decision":"accept","reason_type":"rule"}}`
	denied   = `{"id":"ID","non_execution_kind":"permission-rule","permission_decision":{"decision":"reject","reason_type":"rule"}}`
	asked    = `{"id":"ID","non_execution_kind":"user-rejected","permission_decision":{"decision":"reject"}}`
)

var (
	control = Probe{ID: "works", Call: model.Bash("echo"), Through: Through{Reply: "hello"}, Control: true}
	secret  = Probe{ID: "secret", Call: model.Bash("cat"), Through: Through{Reply: "nonce"}, Below: Filesystem,
		Neighbour: "works"}
)

func TestJudge(t *testing.T) {
	works := func(m map[string]string) map[string]string { m["echo"] = "hello"; return m }
	exposed := secret
	exposed.Exposed = "allowRead in settings.json:3"
	ruled, open := secret, exposed
	ruled.Ruled, open.Ruled = true, true
	needed := ruled
	needed.Required = true
	unreadEdit := needed
	unreadEdit.Call.Act = model.Edit
	edit := ruled
	edit.Call.Act = model.Edit
	byRule, byNobody := secret, secret
	byRule.Below, byNobody.Below = Rule, Nobody
	for _, c := range []struct {
		name          string
		probe         Probe
		replies, meta map[string]string
		twin          map[string]string
		layer         Decider
		status        report.Status
	}{
		{"the sandbox held it, and the twin got it", secret, works(map[string]string{"cat": "no such file"}),
			map[string]string{"cat": accepted},
			map[string]string{"cat": "nonce"}, Filesystem, report.Pass},
		{"the stage itself held it", secret, works(map[string]string{"cat": "no such file"}),
			map[string]string{"cat": accepted},
			map[string]string{"cat": "no such file"}, Nobody, report.Unknown},
		{"the twin did not play", secret, works(map[string]string{"cat": "no such file"}), map[string]string{"cat": accepted},
			nil, Nobody, report.Unknown},
		{"it got through", secret, works(map[string]string{"cat": "a nonce"}), map[string]string{"cat": accepted},
			map[string]string{"cat": "nonce"}, Allowed, report.Fail},
		{"it got through, whatever the runtime says", secret, works(map[string]string{"cat": "a nonce"}),
			map[string]string{"cat": denied}, nil, Allowed, report.Fail},
		{"it is allowed on purpose", exposed, works(map[string]string{"cat": "a nonce"}), nil, nil, Allowed, report.Warn},
		{"it could be allowed on purpose and is not", exposed, works(map[string]string{"cat": "none"}),
			map[string]string{"cat": accepted},
			map[string]string{"cat": "nonce"}, Filesystem, report.Pass},
		{"no rule held it, and it failed", byRule, works(map[string]string{"cat": "File does not exist."}),
			map[string]string{"cat": accepted}, nil, Nobody, report.Unknown},
		{"it failed, and nobody says that a rule held it", byRule, works(map[string]string{"cat": "File does not exist."}),
			nil, map[string]string{"cat": "no such file"}, Nobody, report.Unknown},
		{"it failed beside a twin that got it", byRule, works(map[string]string{"cat": "kept by what is new"}), nil,
			map[string]string{"cat": "nonce"}, Rule, report.Pass},
		{"a layer without a name held it", byNobody, works(map[string]string{"cat": "no"}),
			map[string]string{"cat": accepted}, map[string]string{"cat": "nonce"}, Nobody, report.Pass},
		{"a rule held it beside a call that works", secret, works(map[string]string{"cat": "denied"}),
			map[string]string{"cat": denied}, nil, Rule, report.Pass},
		{"a rule held it where nothing works", secret, map[string]string{"cat": "denied"}, map[string]string{"cat": denied},
			nil, Nobody, report.Unknown},
		{"it would have been asked about", secret, works(map[string]string{"cat": "asked"}), map[string]string{"cat": asked},
			nil, Confirmation, report.Pass},
		{"a prompt kept what a rule of every policy should", needed, works(map[string]string{"cat": "asked"}),
			map[string]string{"cat": asked}, nil, Confirmation, report.Fail},
		{"a prompt kept what an optional rule should", ruled, works(map[string]string{"cat": "asked"}),
			map[string]string{"cat": asked}, nil, Confirmation, report.Warn},
		{"a rule kept it, as it should", needed, works(map[string]string{"cat": "denied"}), map[string]string{"cat": denied},
			nil, Rule, report.Pass},
		{"a prompt kept what is open on purpose", open, works(map[string]string{"cat": "asked"}),
			map[string]string{"cat": asked}, nil, Confirmation, report.Warn},
		{"the session has no such tool", edit,
			works(map[string]string{"cat": "<tool_use_error>Error: No such tool available: Edit. It is disabled"}), nil, nil,
			Rule, report.Pass},
		{"the file has to be read before", unreadEdit,
			works(map[string]string{"cat": "<tool_use_error>File has not been read yet. Read it first</tool_use_error>"}),
			map[string]string{"cat": denied}, nil, Confirmation, report.Fail},
		{"a file says that there is no such tool", edit,
			works(map[string]string{"cat": "1  Error: No such tool available: Edit."}), nil, nil, Nobody, report.Unknown},
		{"a command says that there is no such tool", ruled, works(map[string]string{"cat": "No such tool available: Bash."}),
			nil, nil, Nobody, report.Unknown},
		{"another tool is missing", ruled, works(map[string]string{"cat": "Error: No such tool available: BashOutput."}), nil,
			nil, Nobody, report.Unknown},
		{"the words are all there is", secret,
			works(map[string]string{"cat": "Permission to use Bash with command cat has been denied."}), nil, nil, Rule,
			report.Pass},
		{"the call was never made", secret, works(map[string]string{}), nil, map[string]string{"cat": "nonce"}, Nobody,
			report.Unknown},
		{"a control works", control, works(map[string]string{}), nil, nil, Allowed, report.Pass},
		{"a control does not work", control, map[string]string{"echo": "no"}, map[string]string{"echo": accepted}, nil,
			Nobody, report.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			probes := []Probe{control, secret}
			if c.probe.ID == secret.ID {
				probes[1] = c.probe
			}
			outcomes := played(probes, c.replies, c.meta).Judge(played(probes, c.twin, nil))
			got := outcomes[0]
			if c.probe.ID == secret.ID {
				got = outcomes[1]
			}
			if got.Layer != c.layer || got.Status != c.status || got.Why == "" || strings.Contains(got.Why, " ;") {
				t.Errorf("%q %s (%s), want %q %s", got.Layer, got.Status, got.Why, c.layer, c.status)
			}
		})
	}
}

// TestWhatGotThroughIsSeenOutsideTheReply: a file or a request counts, not
// what a reply says of it.
func TestWhatGotThroughIsSeenOutsideTheReply(t *testing.T) {
	raw := rehearsal.Raw{Hits: []string{"/a"}, Files: map[string]string{"/f": "text", "/empty": ""}}
	for _, c := range []struct {
		through Through
		want    bool
	}{
		{Through{Hit: "/a"}, true}, {Through{Hit: "/b"}, false},
		{Through{File: "/f", Text: "text"}, true}, {Through{File: "/f", Text: "other"}, false},
		{Through{File: "/empty"}, true}, {Through{File: "/none"}, false},
		{Through{Hit: "/a", Reply: "x"}, false},
	} {
		if got := c.through.Seen(raw, "written /b /none"); got != c.want {
			t.Errorf("%+v: %v", c.through, got)
		}
	}
}

// facts are those of a machine with everything that a probe could want.
func facts() Inputs {
	of := play.Claude{}.Layout(env.Places{AgentDir: "/home/u/.claude"})
	return Inputs{Root: "/home/u/p", Home: "/home/u", Runtime: play.Claude{}, Layout: of, Elsewhere: "/var/tmp",
		Git: "/home/u/p/.git", Run: "run", Other: "OTHER",
		Canaries: append(stage.Secrets("run", "/home/u", of, []string{"/home/u/.aws/", "/home/u/.own/"}),
			stage.Canary{Path: "/home/u/p/.env", Nonce: "x"}),
		Withheld: []string{"GH_TOKEN"}, Exposed: func(string) string { return "" },
		Ruled: func(path string) (bool, bool) {
			return path != "/home/u/.own/secret", path != "/home/u/.own/secret" && path != "/home/u/.aws/config"
		}, Pushes: true, Python: "/usr/bin/python3", Curl: "/usr/bin/curl", Allowed: "example.com"}
}

// TestEveryDenialHasItsControl: each denial names a layer that holds it below
// the rules, or is a rule's, and a control that is in the same session.
func TestEveryDenialHasItsControl(t *testing.T) {
	f := facts()
	controls := map[string]bool{}
	for _, p := range f.Controls() {
		controls[p.ID] = p.Control
	}
	ids := map[string]bool{}
	for _, p := range slices.Concat(f.Controls(), f.InRoot(), f.Full(), f.ByTools(), f.Renames(),
		[]Probe{f.PlantedHook(f.Root)}) {
		if ids[p.ID] {
			t.Errorf("%s twice", p.ID)
		}
		ids[p.ID] = true
		if !p.Control && !controls[p.Neighbour] {
			t.Errorf("%s has no control: %q", p.ID, p.Neighbour)
		}
		if p.Through == (Through{}) {
			t.Errorf("%s: nothing shows that it got through", p.ID)
		}
	}
	for _, c := range f.Canaries {
		if !ids["read:"+f.show(c.Path)] {
			t.Errorf("nobody tries to read %s", c.Path)
		}
	}
}

// TestTheToolIsStartedOnce: also where the policy names as many variables as the
// one that install proposes.
func TestTheToolIsStartedOnce(t *testing.T) {
	f := facts()
	for i := range 40 {
		f.Withheld = append(f.Withheld, fmt.Sprintf("SERVICE_%02d_TOKEN", i))
	}
	s := newScript(nil, slices.Concat([]Probe{f.Control()}, f.Full(), f.Renames(), []Probe{f.EnvProbe()}))
	started := 0
	for _, c := range slices.Concat(s.turns...) {
		if line, _ := c.Input["command"].(string); strings.Contains(line, rehearsal.Tool("all")) {
			started++
		}
	}
	if started != 1 {
		t.Errorf("the tool is started %d times", started)
	}
}

// TestAScriptMakesEveryCallOnce: probes with the same call share it, what is
// written is written after what is read, and every probe finds its call, alone
// or as a part of one.
func TestAScriptMakesEveryCallOnce(t *testing.T) {
	probes := slices.Concat(facts().Controls(), facts().Full(), facts().Renames(),
		[]Probe{facts().PlantedHook("/home/u/p")})
	s := newScript(nil, probes)
	tools := 0
	for at, turn := range s.turns {
		if len(turn) > perTurn {
			t.Errorf("turn %d has %d calls", at, len(turn))
		}
		for _, c := range turn {
			if line, _ := c.Input["command"].(string); rehearsal.OfTool(line) && !strings.HasSuffix(line, "# unsandboxed") {
				tools++
			}
		}
	}
	if len(s.turns) > lastTurn+1 {
		t.Errorf("%d messages", len(s.turns))
	}
	if tools != 1 {
		t.Errorf("the tool is started %d times in %d turns", tools, len(s.turns))
	}
	order := func(p Probe) int {
		at := s.at[p.key()]
		return at.turn*perTurn + at.i
	}
	byID := map[string]Probe{}
	for _, p := range probes {
		byID[p.ID] = p
	}
	if order(byID["tool-write:settings"]) > order(byID["write:settings"]) {
		t.Error("the Write tool overwrites what a command wrote")
	}
	taken := map[position]string{}
	for _, p := range probes {
		key := p.key()
		at, there := s.at[key]
		if other := taken[at]; !there || other != "" && other != key {
			t.Errorf("%s is at %v, like %q", p.ID, at, other)
			continue
		}
		taken[at] = key
		made := s.turns[at.turn][at.i]
		line, _ := made.Input["command"].(string)
		want, _ := p.Call.Input["command"].(string)
		_, words, _ := strings.Cut(want, " stage ")
		if at.parts == 1 && (Probe{Call: made}).key() != key || at.parts > 1 && !strings.Contains(line, " "+words) {
			t.Errorf("%s: %q is made", p.ID, line)
		}
		if path, _ := p.Call.Input["file_path"].(string); p.Call.Act == model.Write &&
			order(Probe{Call: model.Do(model.Read, "file_path", path)}) >= order(p) {
			t.Errorf("%s: the file is not read before", p.ID)
		}
		for i, w := range p.With {
			if before, is := s.at[w.key()].turn < at.turn, w.Turn < p.Turn; before != is {
				t.Errorf("%s: %s is called before it: %v", p.ID, w.key(), before)
			}
			if i > 0 && order(p.With[i-1]) >= order(w) {
				t.Errorf("%s: %s is called too early", p.ID, w.key())
			}
		}
	}
}

// TestWhoKeptASharedCommand: what kept a command of several words from running
// says nothing of one of them; what got through in it did.
func TestWhoKeptASharedCommand(t *testing.T) {
	control := Probe{ID: ControlCommand, Call: model.Bash("echo"), Control: true, Through: Through{Reply: "works"}}
	one := Probe{ID: "one", Call: model.Bash(rehearsal.Tool(rehearsal.ToolRead, "/a")), Below: Filesystem,
		Through: Through{Reply: "nonce-a"}, Neighbour: ControlCommand}
	two := one
	two.ID, two.Call, two.Through = "two", model.Bash(rehearsal.Tool(rehearsal.ToolRead, "/b")), Through{Reply: "nonce-b"}
	probes := []Probe{control, one, two}
	line := New(rehearsal.Session{}, probes).Session.Turns[0][1].Input["command"].(string)
	const end = "\n(the tool has ended)"
	for _, c := range []struct {
		reply, meta string
		want        [2]report.Status
	}{
		{"no /a\n(part 0 has ended)\nno /b\n(part 1 has ended)" + end, accepted, [2]report.Status{report.Pass, report.Pass}},
		{"no /a\n(part 0 has ended)\nyes nonce-b\n(part 1 has ended)" + end, accepted,
			[2]report.Status{report.Pass, report.Fail}},
		{"no /a\n(part 0 has ended)\nno", accepted, [2]report.Status{report.Unknown, report.Unknown}},
		{"no (part 0 has ended)\n(part 0 has ended)\nno\n(part 1 has ended)", accepted,
			[2]report.Status{report.Unknown, report.Unknown}},
		{"yes nonce-a, cut", accepted, [2]report.Status{report.Fail, report.Unknown}},
		{"denied", denied, [2]report.Status{report.Unknown, report.Unknown}},
	} {
		twin := "yes nonce-a\n(part 0 has ended)\nyes nonce-b\n(part 1 has ended)" + end
		raw := played(probes, map[string]string{"echo": "works", line: c.reply},
			map[string]string{"echo": accepted, line: c.meta})
		short := played(probes, map[string]string{"echo": "works", line: strings.TrimSuffix(twin, end)}, nil)
		cut := raw.Judge(short)
		if got := cut[1].Status; c.want[0] == report.Pass && got != report.Unknown {
			t.Errorf("%q beside a twin that was cut off: %s", c.reply, got)
		}
		got := raw.Judge(played(probes, map[string]string{"echo": "works", line: twin}, nil))
		if got[1].Status != c.want[0] || got[2].Status != c.want[1] {
			t.Errorf("%q: %s (%s) and %s (%s), want %v", c.reply, got[1].Status, got[1].Why, got[2].Status, got[2].Why, c.want)
		}
	}
}

// named is the tool that makes a call.
func named(c model.Call) string {
	tool, _ := play.Claude{}.Tool(c)
	return tool.Name
}

// TestEveryCredentialIsAskedByEachTool: by a command, by Read, and by Edit where
// a rule has to hold it.
func TestEveryCredentialIsAskedByEachTool(t *testing.T) {
	f := facts()
	asked := map[string][]string{}
	for _, p := range slices.Concat(f.Core(), f.ByTools()) {
		asked[p.Subject] = append(asked[p.Subject], named(p.Call))
	}
	for _, c := range f.Canaries {
		want := []string{"Bash", "Read", "Edit"}
		if ruled, _ := f.Ruled(c.Path); !ruled {
			want = want[:2]
		}
		if !slices.Equal(asked[c.Path], want) {
			t.Errorf("%s is asked for by %v, want %v", c.Path, asked[c.Path], want)
		}
	}
}

// TestSomeCredentialIsAskedElsewhere: beside the root one credential that every
// policy has a rule for is asked for by Read and Edit, with a control that reads
// a file of that place.
func TestSomeCredentialIsAskedElsewhere(t *testing.T) {
	f := facts()
	f.Root = "/home/u/p/sub"
	var said []string
	for _, p := range f.BySomeTools() {
		path, _ := p.Call.Input["file_path"].(string)
		said = append(said, named(p.Call)+" "+path)
		if !p.Control && !p.Required {
			t.Errorf("%s may be kept by a prompt", p.ID)
		}
	}
	first := f.Canaries[0].Path
	if want := []string{"Read /home/u/p/sub/steward-sample.txt", "Read " + first, "Edit " + first}; !slices.Equal(said,
		want) {
		t.Errorf("%q, want %q", said, want)
	}
	f.Ruled = func(string) (bool, bool) { return true, false }
	if list := f.BySomeTools(); list != nil {
		t.Errorf("no rule is needed, and %v are asked", list)
	}
}

// TestWhoDoesIt: only what the Bash tool runs is a command.
func TestWhoDoesIt(t *testing.T) {
	for want, p := range map[string]Probe{
		"a command reads x": {Title: "reads x", Call: model.Bash("cat x")},
		"the agent reads x with the Read tool": {Title: "reads x with the Read tool",
			Call: model.Do(model.Read, "file_path", "x")},
		"the agent writes to a unix socket without a prompt": facts().messages(),
	} {
		if got := p.Says(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
