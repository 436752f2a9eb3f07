// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package statusline

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// asHook makes this binary answer as the hook status-line.
const asHook = "STEWARD_TEST_STATUS_LINE"

func TestMain(m *testing.M) {
	if os.Getenv(asHook) == "" {
		os.Exit(testenv.Offline(m))
	}
	h, err := host.New(env.System{Env: env.New(os.Environ()), GOOS: "linux", Now: time.Now})
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(Plain(h, b) + "\n")
}

func TestTheRuntimeShowsIt(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	claude := testenv.Claude(t)
	self := testenv.Must(os.Executable())(t)
	const session = "11111111-2222-4333-8444-555555555555"
	auto := `{"sandbox":{"enabled":true,"autoAllowBashIfSandboxed":true}}`
	for _, c := range []struct {
		name, want string
		project    string // .claude/settings.json of the project
		user       string // sandbox of the user's settings
		dir        string
		args       []string
		journal    string
		without    string // a program that is not on PATH
	}{
		{name: "no sandbox", want: "[NO SANDBOX]"},
		{name: "on in the project", project: on, want: "[sandbox]"},
		{name: "approving by itself", project: auto, want: "[sandbox-auto]"},
		{name: "started below the project", project: on, dir: "sub", want: "[NO SANDBOX: started below the project]"},
		{name: "the user's, switched off by the project", user: `{"enabled":true}`, project: `{"sandbox":{"enabled":false}}`,
			want: "[NO SANDBOX: off by project settings]"},
		{name: "bwrap missing", project: on, without: "bwrap", want: "[NO SANDBOX: bwrap is missing]"},
		{name: "a launch of iso below the project", project: `{"sandbox":{"enabled":false}}`, dir: "sub", want: "[sandbox]",
			args: []string{"--setting-sources=user", "--settings=" + on}},
		{name: "a bypass in this session", project: on, want: "[sandbox: 1 call asked to leave it]",
			args:    []string{"--session-id", session},
			journal: string(journal.Record{Time: noon, Session: session, Kind: journal.Bypass}.Line()) + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFooter(t)
			server := testenv.Must(play.Serve())(t)
			t.Cleanup(server.Close)
			dir := filepath.Join(f.project, c.dir)
			f.put(filepath.Join("p", c.dir, "x"), "")
			if c.project != "" {
				f.put("p/.claude/settings.json", c.project)
			}
			f.put(".local/state/steward-setup/journal.jsonl", c.journal)
			sandbox := c.user
			if sandbox == "" {
				sandbox = "{}"
			}
			f.put(".claude/settings.json", `{"sandbox":`+sandbox+`,"statusLine":{"type":"command","command":"`+asHook+`=1 '`+
				self+`'"}}`)
			trust := testenv.Must(json.Marshal(map[string]any{"hasCompletedOnboarding": true,
				"customApiKeyResponses": map[string]any{"approved": []string{"sk-fake-000"}},
				"projects": map[string]any{f.project: map[string]any{"hasTrustDialogAccepted": true},
					dir: map[string]any{"hasTrustDialogAccepted": true}}}))(t)
			f.put(".claude.json", string(trust))

			cmd := exec.Command(claude, c.args...)
			cmd.Args[0], cmd.Dir = "claude", dir
			sessions.Count(t)
			cmd.Env = testenv.Env(t, f.home, append(sessions.Environ(server.URL()), "PATH="+pathWithout(t, c.without))...)
			term := testenv.NewTerminal(t, cmd, 120, 36)
			term.Sees(c.want)
			if strings.Contains(term.Screen(), "[sandbox]") && c.want != "[sandbox]" {
				t.Errorf("it also says [sandbox]:\n%s", term.Screen())
			}
		})
	}
}

// pathWithout is a PATH of the programs that the runtime needs, but for one.
func pathWithout(t *testing.T, without string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "bash", "git", "bwrap", "socat"} {
		real, err := exec.LookPath(name)
		if err == nil && name != without {
			err = os.Symlink(real, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
