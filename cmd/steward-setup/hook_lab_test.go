// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a throwaway home in which the real runtime is started, with
// the hook scripts and the settings that install writes, and without.

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// dialer is a program on PATH that connects to a unix socket as the docker
// client does, which is written in Go too: both print the same error.
const dialer = "dial-socket"

func dial() {
	c, err := net.Dial("unix", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c.Close()
	fmt.Println("connected")
}

// hooked is a throwaway home with a project ~/p, in which the runtime is
// started.
type hooked struct {
	t             *testing.T
	claude        string
	home, project string
	vars          []string // added to the environment
}

func newHooked(t *testing.T, claude string) *hooked {
	t.Helper()
	testenv.Need(t, "bwrap", "socat")
	home := testenv.Home(t)
	h := &hooked{t: t, claude: claude, home: home, project: filepath.Join(home, "p")}
	h.put("p/README.md", "README\n")
	h.put("secret.txt", "SECRET\n")
	h.put(".claude.json", `{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":["sk-fake-000"]},
		"projects":{"`+h.project+`":{"hasTrustDialogAccepted":true}}}`)
	// What has just come into being is no file that the sandbox hid.
	old := time.Now().Add(-time.Hour)
	testenv.OK(t, os.Chtimes(filepath.Join(home, "secret.txt"), old, old))
	return h
}

func (h *hooked) put(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.home, name)
	testenv.Write(h.t, path, text, 0o755)
}

// user writes the user's settings, with the hooks of a setup if wired.
func (h *hooked) user(text string, wired bool) {
	h.t.Helper()
	doc := testenv.Must(settings.Parse("settings.json", []byte(text)))(h.t)
	program := testenv.Must(exec.LookPath("steward-setup"))(h.t)
	var edits []settings.Edit
	for _, w := range wiring.Wires {
		b := testenv.Must(scripts.Render(w.Script, program))(h.t)
		h.put(".claude/scripts/"+w.Script, string(b))
		edits = append(edits, settings.WireHook(doc, w.Event, "Bash", "~/.claude/scripts/"+w.Script)...)
	}
	if !wired {
		edits = nil
	}
	b := testenv.Must(settings.Splice(doc, edits))(h.t)
	h.put(".claude/settings.json", string(b))
}

// command is the runtime with a scripted model behind it, which makes one call.
func (h *hooked) command(call model.Call, args ...string) (*exec.Cmd, *model.Server) {
	h.t.Helper()
	sessions.Count(h.t)
	server := testenv.Must(play.Serve(model.Turn{call}))(h.t)
	h.t.Cleanup(server.Close)
	cmd := exec.Command(h.claude, append([]string{"--model", "claude-sonnet-4-5"}, args...)...)
	cmd.Dir = h.project
	cmd.Env = testenv.Env(h.t, h.home, append(append(sessions.Environ(server.URL()), "SHELL=/bin/bash"), h.vars...)...)
	return cmd, server
}

// session makes the calls without a person, one after the other; a call that
// was not made fails the test. out is what the runtime printed.
func (h *hooked) session(calls []model.Call, args ...string) (s *model.Server, out string) {
	h.t.Helper()
	var script []model.Turn
	for _, c := range calls {
		script = append(script, model.Turn{c})
	}
	p := sessions.Play(h.t, sessions.Session{Claude: h.claude, Home: h.home, Dir: "p",
		Vars: append([]string{"SHELL=/bin/bash"}, h.vars...), Script: script,
		Args: append([]string{"--output-format", "stream-json", "--verbose"}, args...)})
	return p.Server, p.Out
}
