// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestReplica(t *testing.T) {
	testenv.AsUser(t)
	claude := testenv.Claude(t)
	l := newLab(t)
	tmp, err := os.MkdirTemp("/tmp", "r") // short: sockets are made below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	t.Setenv("TMPDIR", tmp)
	stale := filepath.Join(tmp, "steward-setup-replica-4194304000-1") // above every pid_max: nobody's
	foreign := filepath.Join(tmp, "steward-setup-replica-x")
	for _, dir := range []string{stale, foreign} {
		testenv.Mkdir(t, filepath.Join(dir, "home"))
	}
	l.put(".aws/credentials", secret, 0o600)
	p := &Replica{*l.theatre(claude)}
	before := fingerprint(t, l.home)

	aws, rc := filepath.Join(l.home, ".aws/credentials"), filepath.Join(l.home, ".bashrc")
	turns := calls("cat README.md", Tool(ToolRead, aws), Tool(ToolGet, "http://denied.example:8480/path"),
		Tool(ToolWrite, rc, "written"),
		"git commit -q --allow-empty -m x && git log --oneline | wc -l", Tool(ToolEnv, "AWS_SECRET_ACCESS_KEY"),
		"cat ~/unlisted.txt", Tool(ToolRead, filepath.Join(l.project, ".env")),
		Tool(ToolReach, "tcp", fmt.Sprintf("%s:%d", proc.StageAddress, Port), "/direct"))
	s := Session{Turns: turns, Env: []string{"AWS_SECRET_ACCESS_KEY=planted"}, Watch: []string{rc}}

	s.Mode = Policy
	raw := l.play(p, s)
	wantReply(t, raw, 0, "hello")
	wantReply(t, raw, 4, "2")
	for i, never := range map[int]string{1: canary(aws), 2: "/path", 5: "planted",
		7: canary(filepath.Join(l.project, ".env")), 8: "/direct"} {
		rejectReply(t, raw, i, never)
	}
	if len(raw.Hits) > 0 || strings.Contains(raw.Files[rc], "written") {
		t.Errorf("the sandbox let through: %v %q", raw.Hits, raw.Files)
	}
	if text := string(Save([]Raw{raw})); strings.Contains(text, "/home/code/p") || !strings.Contains(text, l.project) {
		t.Error("what is reported speaks of the replica's paths")
	}
	s.Mode = Twin
	twin := l.play(p, s)
	for i, want := range []string{"hello", canary(aws), "/path", "written", "2", "planted", "No such file",
		canary(filepath.Join(l.project, ".env")), "/direct"} {
		wantReply(t, twin, i, want)
	}
	if len(twin.Hits) != 2 || !strings.Contains(twin.Files[rc], "written") {
		t.Errorf("the twin did not get through: %v %q", twin.Hits, twin.Files)
	}

	s.Mode, s.Launch = Policy, report.Iso
	clean := l.play(p, s)
	wantReply(t, clean, 0, "hello")
	rejectReply(t, clean, 1, canary(aws))

	runtimes := filepath.Join("/tmp", fmt.Sprintf("claude-%d", os.Getuid()))
	if found, _ := filepath.Glob(filepath.Join(runtimes, "*"+filepath.Base(tmp)+"*")); len(found) > 0 {
		t.Errorf("the runtime left %q", found)
	}

	unchanged(t, before, fingerprint(t, l.home))
	entries, err := os.ReadDir(tmp)
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(foreign) {
		t.Errorf("left in the directory for temporary files: %v (%v), want only %s", entries, err, foreign)
	}
	if left := running(tmp); len(left) > 0 {
		t.Errorf("processes after the sessions: %q", left)
	}
}

func TestRewrite(t *testing.T) {
	w := rewrite{{"/home/me/code", "/r/outside"}, {"/home/me", "/r/home"}}
	for from, want := range map[string]string{
		"/home/me":                          "/r/home",
		"cat /home/me/.aws/credentials":     "cat /r/home/.aws/credentials",
		"Read(//home/me/.ssh/**)":           "Read(//r/home/.ssh/**)",
		`{"a":["/home/me/","/home/me2/x"]}`: `{"a":["/r/home/","/home/me2/x"]}`,
		"/home/me/code/p:/home/me/codes":    "/r/outside/p:/r/home/codes",
		"/data/home/me/x /home/me.old":      "/data/home/me/x /home/me.old",
		"":                                  "",
	} {
		if got := w.text(from); got != want {
			t.Errorf("%q becomes %q, want %q", from, got, want)
		}
	}
	for _, path := range []string{"/home/o'neil", `/a"b`, "/a\nb"} {
		if (rewrite{{path, "/r"}}).plain() == nil {
			t.Errorf("%q is rewritten in command lines that quote it", path)
		}
	}
}

func TestAReplicaRefusesManagedCode(t *testing.T) {
	for text, refused := range map[string]bool{
		`{"sandbox":{"enabled":true},"permissions":{"deny":["Bash(x)"]}}`: false,
		`{"env":{"ANTHROPIC_BASE_URL":"http://x"}}`:                       true,
		`{"hooks":{}}`: true,
		`{"apiKeyHelper":"x","sandbox":{"enabled":true}}`: true,
	} {
		l := newLab(t)
		root := testenv.Home(t)
		l.put(filepath.Join(root, "etc/claude-code/managed-settings.json"), text, 0o644)
		p := &Replica{*l.theatre("/bin/true")}
		p.Host = l.rooted(root)
		_, err := p.Play(t.Context(), Session{Name: "s", Launch: report.Plain, Mode: Policy, Dir: l.project})
		if got := err != nil && strings.Contains(err.Error(), "holds more than a policy"); got != refused {
			t.Errorf("%s: %v", text, err)
		}
	}
}
