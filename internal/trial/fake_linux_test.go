// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another agent, with other files, rules, requests and evidence,
// is played on a real stage and judged like the first one.

package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
)

// On a stage this binary is the program, and the fake agent.
func TestMain(m *testing.M) { os.Exit(fakeagent.Tests(m)) }

// fakeRules hide and forbid what is denied, but for .netrc, which nobody thought of,
// and .npmrc, about which somebody would be asked.
func fakeRules(canaries []string) string {
	text := "wall\nstart /bin/false\ndrop GH_TOKEN\nnever save " + filepath.Join(".fake", "rules") + "\n"
	for _, path := range canaries {
		if !strings.HasSuffix(path, ".netrc") {
			text += "hide " + path + "\n"
		}
		switch {
		case strings.HasSuffix(path, ".netrc"):
		case strings.HasSuffix(path, ".npmrc"):
			text += "ask open " + path + "\n"
		default:
			text += "never open " + path + "\n"
		}
	}
	return text
}

func TestAnotherAgentIsPlayedAndJudged(t *testing.T) {
	testenv.Need(t, "bwrap", "git")
	home := testenv.Home(t)
	project := filepath.Join(home, "p")
	testenv.Write(t, filepath.Join(project, "README.md"), "hello\n", 0o644)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", UID: os.Getuid(), GID: os.Getgid(),
		Cwd: project, Executable: exe, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	theatre := &rehearsal.Theatre{Host: h, Agent: fakeagent.Agent{}, Run: "run", Runtime: exe,
		Trees: []host.Tree{{Root: project}}, Names: []string{Denied}}
	session := rehearsal.Session{Name: "fake", Launch: report.Plain, Mode: rehearsal.Policy, Dir: project}
	st, err := theatre.Layout(session)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range st.Canaries {
		paths = append(paths, c.Path)
	}
	testenv.Write(t, filepath.Join(project, ".fake", "rules"), fakeRules(paths), 0o644)

	of := theatre.Agent.Layout(h.Places())
	f := Inputs{Runtime: theatre.Agent, Layout: of, Root: project, Home: h.Places().Home, Elsewhere: "/var/tmp",
		Run:      "run",
		Canaries: st.Canaries, Withheld: []string{"GH_TOKEN"}, Other: "OTHER",
		Exposed: func(string) string { return "" }, Ruled: func(string) (bool, bool) { return false, false }}
	nowhere := Probe{ID: "nowhere", Title: "reads what is not there", Below: Filesystem, Neighbour: ControlCommand,
		Call: model.Bash(rehearsal.Tool(rehearsal.ToolRead, "/nowhere")), Through: Through{Reply: "yes /nowhere"}}
	probes := f.Can(append(append(append(f.Controls(), f.Full()...), f.ByTools()...), nowhere, f.PlantedHook(project)))
	sample, content := f.Sample()
	session.Env = f.Planted()
	session.Files = append(f.Unnamed(), fs.Laid{Path: sample, Mode: 0o644, Data: []byte(content)},
		fs.Laid{Path: f.StartFile(), Mode: 0o644, Data: []byte("# nothing\n")})
	twin := session
	twin.Name, twin.Mode = "twin", rehearsal.Twin
	policy, without := New(session, probes), New(twin, probes)
	NewSlots(h).Play(t.Context(), theatre, nil, policy, without)
	for _, s := range []*Trial{policy, without} {
		if s.Err != nil {
			t.Fatalf("%s: %v\n%s\n%s", s.Session.Name, s.Err, s.Raw.Stderr, s.Raw.Stream)
		}
	}
	if policy.Raw.Sandbox == "" || without.Raw.Sandbox != "" || policy.Raw.Agent != "fake" {
		t.Errorf("the first request: %q, in the twin %q, of %s", policy.Raw.Sandbox, without.Raw.Sandbox, policy.Raw.Agent)
	}
	got := map[string]Outcome{}
	for _, o := range policy.Judge(without) {
		got[o.ID] = o
	}
	for id, want := range map[string]struct {
		status report.Status
		layer  Decider
	}{
		ControlCommand: {report.Pass, Allowed}, ControlRead: {report.Pass, Allowed}, ControlWrite: {report.Pass, Allowed},
		"read:~/.aws/credentials":      {report.Pass, Filesystem},
		"read:~/.fake/login":           {report.Pass, Filesystem},
		"tool-read:~/.aws/credentials": {report.Pass, Rule},
		"tool-read:~/.npmrc":           {report.Pass, Confirmation},
		"read:~/.netrc":                {report.Fail, Allowed},
		"tool-read:~/.netrc":           {report.Fail, Allowed},
		"unix-socket":                  {report.Fail, Allowed},
		"host":                         {report.Pass, Network},
		"host:direct":                  {report.Pass, Network},
		"env:GH_TOKEN":                 {report.Pass, Environment},
		"write:~/.bashrc":              {report.Pass, Filesystem},
		"write:settings":               {report.Pass, Filesystem},
		"tool-write:settings":          {report.Pass, Rule},
		"nowhere":                      {report.Unknown, Filesystem},
	} {
		if o, there := got[id]; !there || o.Status != want.status || o.Status != report.Unknown && o.Layer != want.layer {
			t.Errorf("%s: %s by %q (%s), want %s by %q", id, o.Status, o.Layer, o.Why, want.status, want.layer)
		}
	}
	for _, id := range []string{"tool-edit:~/.aws/credentials", "ask:fetch", "ask:message", "planted-hook"} {
		if _, asked := got[id]; asked {
			t.Errorf("%s is asked of an agent that has no tool for it", id)
		}
	}
	for id, want := range map[string]agent.Decision{"tool-read:~/.npmrc": agent.Asked,
		"tool-read:~/.aws/credentials": agent.Rule, "cat:~/.aws/credentials": agent.Ran} {
		if told := policy.Of(id).Told; told.Decision != want || told.Words {
			t.Errorf("%s: %+v", id, told)
		}
	}
}
