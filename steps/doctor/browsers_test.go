// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the browsers are the real ones of Debian, also where a tool
// keeps them in the hidden home.

package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// browsers puts Debian's Chromium and its headless shell on the machine. They are
// scripts: the real ones look for their parts beside themselves.
func (m *machine) browsers(names ...string) {
	m.t.Helper()
	testenv.Need(m.t, names...)
	for _, name := range names {
		m.program(name, debianBrowser(m, name))
	}
}

// playwright puts the headless shell where Playwright keeps it.
func (m *machine) playwright() {
	m.t.Helper()
	testenv.Need(m.t, headlessShell)
	const at = "home/.cache/ms-playwright/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell"
	m.write(at, "#!/bin/sh\n"+debianBrowser(m, headlessShell)+"\n", 0o755)
	m.mkdir(filepath.Dir(filepath.Dir(at)) + "-older")
}

const headlessShell = "chromium-headless-shell"

func debianBrowser(m *machine, name string) string {
	return "PATH=/usr/bin:/bin exec '" + look(m.t, name) + "' \"$@\""
}

// TestABrowserWithoutItsOwnSandboxIsInTheAgents: a page of a credential is not
// found, nor one of a host that is not allowed, where a page of the project is
// rendered; without the agent's sandbox both are.
func TestABrowserWithoutItsOwnSandboxIsInTheAgents(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := newMachine(t)
	m.browsers(headlessShell)
	theatre, inputs, err := verify.Theatre(t.Context(), sessions.Counted(t, m.host()),
		verify.Options{Agent: checks.Claude{}, Project: m.project})
	if err != nil {
		t.Fatal(err)
	}
	theatre.Programs = append(theatre.Programs, headlessShell)
	theatre.Names = append(theatre.Names, "elsewhere.example")
	var turns []model.Turn
	for _, page := range []string{"README.md", "file://" + m.path("home/.aws/credentials"),
		"http://elsewhere.example:8480/steward-elsewhere"} {
		turns = append(turns, model.Turn{model.Bash(headlessShell + " --headless --no-sandbox --dump-dom " + page)})
	}
	for mode, shown := range map[rehearsal.Mode]bool{rehearsal.Policy: false, rehearsal.Twin: true} {
		raw, err := theatre.Play(t.Context(), rehearsal.Session{Name: t.Name(), Launch: report.Plain, Mode: mode,
			Dir: inputs.Root, Turns: turns})
		if err != nil {
			t.Fatal(err)
		}
		if text := raw.Call(0, 0).Text; !strings.Contains(text, "A project") {
			t.Fatalf("%s: a page of the project is not rendered: %s", mode, text)
		}
		if text := raw.Call(1, 0).Text; (stage.Nonces(text) != nil) != shown {
			t.Errorf("%s: want the credential shown: %v: %s", mode, shown, text)
		}
		if text := raw.Call(2, 0).Text; strings.Contains(text, ">/steward-elsewhere") != shown {
			t.Errorf("%s: want the host's page shown: %v: %s", mode, shown, text)
		}
	}
}
