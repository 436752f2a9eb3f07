// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the judgement is compared with what the real runtime says
// of itself ("claude sandbox status", 2.1.329), situation by situation; the
// sign on the door must not say more than what stands behind it.

package inforce_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

const (
	on     = `{"sandbox":{"enabled":true}}`
	off    = `{"sandbox":{"enabled":false}}`
	auto   = `{"sandbox":{"enabled":true,"autoAllowBashIfSandboxed":true}}`
	broken = `{"sandbox":{"enabled":true},}`
)

// The places of a machine that the situations speak of: files below the home
// H (a repository p with a linked worktree w and a subdirectory in each, a
// directory d that is no repository), and managed settings below E.
var places = strings.NewReplacer("USER", "H/.claude/settings.json", "PROJ", "H/p/.claude/settings.json", "LOCAL",
	"H/p/.claude/settings.local.json",
	"MANAGED", "E/managed-settings.json")

type situation struct {
	name  string
	files map[string]string
	start string // below the home; "p" if not given
	args  []string
	path  []string // programs of the sandbox on PATH; both if nil
	// short is the beginning of the first reason, "" if nothing is broken.
	short string
	mode  inforce.Mode
}

var situations = []situation{
	{name: "nothing"},
	{name: "user", files: map[string]string{"USER": on}, mode: inforce.On},
	{name: "user, in a directory of no repository", files: map[string]string{"USER": on}, start: "d", mode: inforce.On},
	{name: "project", files: map[string]string{"PROJ": on}, mode: inforce.On},
	{name: "project, approving by itself", files: map[string]string{"PROJ": auto}, mode: inforce.OnAutoAllow},
	{name: "approving alone is no sandbox",
		files: map[string]string{"PROJ": `{"sandbox":{"autoAllowBashIfSandboxed":true}}`}},
	{name: "local", files: map[string]string{"LOCAL": on}, mode: inforce.On},
	{name: "a local file of the home is no scope", files: map[string]string{"H/.claude/settings.local.json": on}},
	{name: "but it is one in the home itself", files: map[string]string{"H/.claude/settings.local.json": on}, start: ".",
		mode: inforce.On},
	{name: "project against user", files: map[string]string{"USER": on, "PROJ": off}, short: "off by project settings"},
	{name: "local against project", files: map[string]string{"PROJ": on, "LOCAL": off}, short: "off by local settings"},
	{name: "local against user off", files: map[string]string{"USER": off, "LOCAL": on}, mode: inforce.On},
	{name: "project, below it", files: map[string]string{"PROJ": on}, start: "p/sub", short: "started below the project"},
	{name: "user and project, below it", files: map[string]string{"USER": on, "PROJ": on}, start: "p/sub",
		short: "started below the project", mode: inforce.On},
	{name: "local, below it", files: map[string]string{"LOCAL": on}, start: "p/sub", mode: inforce.On},
	{name: "the main checkout's local is the stronger, below it",
		files: map[string]string{"LOCAL": off, "H/p/sub/.claude/settings.local.json": on}, start: "p/sub",
		short: "off by local settings"},
	{name: "worktree: main's project settings", files: map[string]string{"PROJ": on}, start: "w"},
	{name: "worktree: main's local", files: map[string]string{"LOCAL": on}, start: "w", mode: inforce.On},
	{name: "worktree: main's local is the stronger", files: map[string]string{"LOCAL": off,
		"H/w/.claude/settings.local.json": on}, start: "w", short: "off by local settings"},
	{name: "worktree: main's local, below it", files: map[string]string{"LOCAL": on}, start: "w/sub", mode: inforce.On},
	{name: "worktree: its own local, below it", files: map[string]string{"H/w/.claude/settings.local.json": on},
		start: "w/sub"},
	{name: "a worktree that main does not know", files: map[string]string{"LOCAL": on,
		"H/d/.git": "gitdir: H/p/.git/worktrees/w\n"}, start: "d"},
	{name: "a repository of its own below", files: map[string]string{"LOCAL": on, "H/p/sub/.git/x": ""}, start: "p/sub"},
	{name: "a comma too many", files: map[string]string{"PROJ": broken}, short: "settings.json:1 is dropped"},
	{name: "a wrong type", files: map[string]string{"PROJ": `{"sandbox":{"enabled":"true"}}`},
		short: "settings.json:1 is dropped"},
	{name: "a wrong type elsewhere", files: map[string]string{"PROJ": `{"sandbox":{"enabled":true},` + "\n" +
		`"statusLine":"x"}`}, short: "settings.json:2 is dropped"},
	{name: "project dropped, user on", files: map[string]string{"USER": on, "PROJ": broken},
		short: "settings.json:1 is dropped", mode: inforce.On},
	{name: "bwrap missing", files: map[string]string{"USER": on}, path: []string{"socat"}, short: "bwrap is missing"},
	{name: "socat missing", files: map[string]string{"PROJ": on}, path: []string{"bwrap"}, short: "socat is missing"},
	{name: "both missing, none wanted", path: []string{}},
	{name: "files open by the user", files: map[string]string{"USER": `{"sandbox":{"enabled":true,"filesystem":{"disabled":true}}}`}, short: "files are open", mode: inforce.On},
	{name: "files open by the project", files: map[string]string{"PROJ": `{"sandbox":{"enabled":true,"filesystem":{"disabled":true}}}`}, mode: inforce.On},
	{name: "the project sets PATH", files: map[string]string{"PROJ": `{"sandbox":{"enabled":true},"env":{"PATH":"/nowhere"}}`}, short: "the project sets PATH", mode: inforce.On},
	{name: "--settings", args: []string{"--settings", on}, start: "p/sub", mode: inforce.On},
	{name: "--settings against project", files: map[string]string{"PROJ": off}, args: []string{"--settings=" + on},
		mode: inforce.On},
	{name: "--settings with a file", files: map[string]string{"H/flag.json": on},
		args: []string{"--settings", "../flag.json"}, mode: inforce.On},
	{name: "of two --settings the last", args: []string{"--settings", on, "--settings", "{}"}},
	{name: "--setting-sources without project", files: map[string]string{"PROJ": on},
		args: []string{"--setting-sources", "user"}},
	{name: "--setting-sources with user", files: map[string]string{"USER": on, "PROJ": off},
		args: []string{"--setting-sources=user"}, mode: inforce.On},
	{name: "--setting-sources with local", files: map[string]string{"LOCAL": on},
		args: []string{"--setting-sources=user,local"}, mode: inforce.On},
	{name: "managed", files: map[string]string{"MANAGED": on, "PROJ": off, "LOCAL": off}, mode: inforce.On},
	{name: "managed off", files: map[string]string{"MANAGED": off, "PROJ": on}, short: "off by managed settings"},
	{name: "managed.d overrules managed", files: map[string]string{"MANAGED": on, "E/managed-settings.d/10.json": off,
		"E/managed-settings.d/20.txt": on}, short: "off by managed settings"},
	{name: "the last of managed.d counts", files: map[string]string{"E/managed-settings.d/10.json": off,
		"E/managed-settings.d/20.json": on, "E/managed-settings.d/.30.json": off}, mode: inforce.On},
	{name: "managed for other platforms", files: map[string]string{"MANAGED": `{"sandbox":{"enabledPlatforms":["macos"]}}`,
		"PROJ": on}, short: "not for this platform"},
	{name: "platforms are managed's to say",
		files: map[string]string{"PROJ": `{"sandbox":{"enabled":true,"enabledPlatforms":["macos"]}}`}, mode: inforce.On},
	{name: "managed bwrapPath", files: map[string]string{"MANAGED": `{"sandbox":{"enabled":true,"bwrapPath":"/nowhere"}}`},
		short: "bwrap is missing"},
	{name: "bwrapPath is managed's to say",
		files: map[string]string{"PROJ": `{"sandbox":{"enabled":true,"bwrapPath":"/nowhere"}}`}, mode: inforce.On},
}

// machine is a throwaway home and system for one situation.
type machine struct{ home, etc, path string }

func (s situation) build(t *testing.T) machine {
	home := testenv.Home(t)
	m := machine{home: home, etc: filepath.Join(t.TempDir(), "etc", "claude-code"), path: t.TempDir()}
	git := func(args ...string) {
		t.Helper()
		testenv.Git(t, testenv.Env(t, home), home, args...)
	}
	git("init", "-q", "p")
	git("-C", "p", "commit", "-q", "--allow-empty", "-m", "x")
	git("-C", "p", "worktree", "add", "-q", "../w")
	for _, dir := range []string{"p/sub", "w/sub", "d"} {
		testenv.Mkdir(t, filepath.Join(home, dir))
	}
	for name, text := range s.files {
		path := places.Replace(name)
		if rest, ok := strings.CutPrefix(path, "E/"); ok {
			path = filepath.Join(m.etc, rest)
		} else {
			path = filepath.Join(home, strings.TrimPrefix(path, "H/"))
		}
		put(t, path, strings.ReplaceAll(text, "H/", home+"/"))
	}
	programs := s.path
	if programs == nil {
		programs = []string{"bwrap", "socat"}
	}
	for _, name := range append([]string{"git", "sh", "bash", "uname"}, programs...) {
		real, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(real, filepath.Join(m.path, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func put(t *testing.T, path, text string) {
	t.Helper()
	testenv.Write(t, path, text, 0o644)
}

func (m machine) environ() []string {
	return []string{"HOME=" + m.home, "PATH=" + m.path, "TERM=xterm", "USER=t", "SHELL=/bin/sh", "LANG=C.UTF-8",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "ANTHROPIC_BASE_URL=http://127.0.0.1:9"}
}

// judge asks the package.
func (m machine) judge(t *testing.T, s situation) inforce.State {
	t.Helper()
	h, err := host.New(env.System{Env: env.New(m.environ()), GOOS: "linux", Root: filepath.Dir(filepath.Dir(m.etc)),
		Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return inforce.Judge(inforce.Gather(h, inforce.Invocation{Start: m.start(s), Args: s.args, Version: "2.1.329"}))
}

func (m machine) start(s situation) string {
	if s.start == "" {
		s.start = "p"
	}
	return filepath.Join(m.home, s.start)
}

// TestJudgement holds the table itself.
func TestJudgement(t *testing.T) {
	testenv.Need(t, "git", "bwrap", "socat")
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			state := s.build(t).judge(t, s)
			short := ""
			if len(state.Broken) > 0 {
				short = state.Broken[0].Short
				if state.Broken[0].What == "" || state.Broken[0].Where == "" || state.Broken[0].Next+state.Broken[0].Run == "" {
					t.Errorf("a reason without its evidence or way out: %+v", state.Broken[0])
				}
			}
			if state.Mode != s.mode || !strings.HasPrefix(short, s.short) || (short == "") != (s.short == "") {
				t.Errorf("mode %d, reason %q; want %d, %q", state.Mode, short, s.mode, s.short)
			}
		})
	}
}

// TestTheRuntimeAgrees asks the real runtime about every situation of the
// table.
func TestTheRuntimeAgrees(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "git", "bwrap", "socat")
	runtime := testenv.Claude(t)
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			m := s.build(t)
			state := m.judge(t, s)
			var status struct{ Enabled, AutoAllowBashIfSandboxed bool }
			out := m.status(t, runtime, s)
			if err := json.Unmarshal([]byte(out), &status); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := state.Mode != inforce.Off; got != status.Enabled {
				t.Errorf("judged %v, the runtime says %s", got, out)
			}
			if got := state.Mode == inforce.OnAutoAllow; got != (status.Enabled && status.AutoAllowBashIfSandboxed) {
				t.Errorf("judged auto %v, the runtime says %s", got, out)
			}
		})
	}
}

// status is what the pinned runtime says of the situation.
func (m machine) status(t *testing.T, runtime string, s situation) string {
	t.Helper()
	return testenv.RecordedAt(t, fmt.Sprintf("%s %q in %q", claude.Newest, s.args, s.start),
		func() string { return m.asked(t, runtime, s) }, m.home, filepath.Dir(filepath.Dir(m.etc)), m.path)
}

// asked runs "claude sandbox status" with the situation's managed settings
// in place of the machine's own and without a network.
func (m machine) asked(t *testing.T, claude string, s situation) string {
	t.Helper()
	args := []string{"--dev-bind", "/", "/", "--unshare-net", "--tmpfs", "/etc"}
	entries, err := os.ReadDir("/etc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "claude-code" && e.Type().IsRegular() || e.IsDir() {
			path := filepath.Join("/etc", e.Name())
			args = append(args, "--ro-bind-try", path, path)
		}
	}
	if _, err := os.Stat(m.etc); err == nil {
		args = append(args, "--ro-bind", m.etc, "/etc/claude-code")
	}
	args = append(args, "--chdir", m.start(s), "--", claude)
	args = append(args, append(s.args, "sandbox", "status")...)
	cmd := exec.Command("bwrap", args...)
	cmd.Env = m.environ()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("claude sandbox status: %v\n%s%s", err, out, stderr.String())
	}
	return string(out)
}
