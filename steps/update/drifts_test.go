// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/update"
)

var drifts = slices.Concat(scriptDrifts, settingsDrifts, denialDrifts, toolDrifts, versionDrifts, frameworkDrifts)

const (
	hint     = ".claude/scripts/sandbox-error-hint.sh"
	settings = "code/tracker/.claude/settings.json"
)

var scriptDrifts = []drift{
	{name: "a script of an earlier version", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) {
			b := testenv.Read(m.t, "testdata/sandbox-error-hint-2026-11-20.sh")
			m.put(hint, strings.ReplaceAll(b, "@BINARY@", "'"+m.at("safe/steward-setup")+"'"), 0o755)
		}},
	{name: "a script edited by hand", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) { m.edit(hint, "exit 0", "exit 1") }},
	{name: "a script that is gone", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) { m.remove(hint) }},
	{name: "a script that is not executable", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) { m.put(hint, m.get(hint), 0o644) }},
	{name: "a script of somebody else", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) { m.put(hint, "#!/bin/sh\nexit 0\n", 0o755) }},
	{name: "another script of ours under that name", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.put(hint, m.get(".claude/scripts/sandbox-bypass-warn.sh"), 0o755)
		}},
	{name: "an edited script in the sync repository that a symlink leads to", check: update.Scripts,
		want: report.Warn, exit: 1, says: "a symlink to ", do: func(m *machine) {
			m.put(".claude-config/scripts/sandbox-error-hint.sh", m.get(hint)+"# mine\n", 0o755)
			m.git("init", "-q", m.at(".claude-config"))
			m.remove(hint)
			m.symlink(m.at(".claude-config/scripts/sandbox-error-hint.sh"), hint)
		}, also: map[report.ID]report.Status{update.Settings: report.Warn}}, // no rule closes that repository
	{name: "a symlink that leads nowhere", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.remove(hint)
			m.symlink("/nowhere/x.sh", hint)
		}},
	{name: "an edited wrapper", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.put(".claude/agent-isolation/claude-iso.sh", m.get(".claude/agent-isolation/claude-iso.sh")+"# mine\n", 0o644)
		}},
	{name: "the scripts call another copy of this program", check: update.Scripts, want: report.Warn, exit: 1,
		says: "it differs from ", do: func(m *machine) {
			m.put("newer/steward-setup", "#!/bin/sh\ntrue\n", 0o755)
			m.executable = m.at("newer/steward-setup")
			m.keep()
		}},
	{name: "the same program in another place", check: update.Scripts, want: report.Pass,
		do: func(m *machine) {
			m.put("newer/steward-setup", m.get("safe/steward-setup"), 0o755)
			m.executable = m.at("newer/steward-setup")
		}},
	{name: "every script and the wrapper are gone", check: update.Scripts, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.remove(".claude/scripts")
			m.remove(".claude/agent-isolation")
		}},
}

var settingsDrifts = []drift{
	{name: "a rule of the template is not there", check: update.Settings, want: report.Warn, exit: 1,
		do: func(m *machine) { m.edit(settings, `"Bash(git push *)",`, "") }},
	{name: "a rule that the template has corrected", check: update.Settings, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.edit(settings, `"Read(**/.env)"`, `"Read(//**/.env)"`)
		}},
	{name: "a rule of the template is not in a policy of the user's settings", check: update.Settings,
		want: report.Warn, exit: 1, do: func(m *machine) {
			m.install("floor", "yes")
			m.keep()
			m.edit(".claude/settings.json", `"Bash(git push *)",`, "")
		}},
	{name: "what a policy of the user's settings closes below the project is not there", check: update.Settings,
		want: report.Warn, exit: 1, do: func(m *machine) {
			m.install("floor", "yes")
			m.edit(".claude/settings.json", `"Read(/`+m.at("code/tracker")+`/**/.env)",`, "")
			m.keep()
		}},
	{name: "a policy in the user's settings, too", check: update.Settings, want: report.Pass, exit: 0,
		do: func(m *machine) {
			m.install("floor", "yes")
			m.keep()
		}},
	{name: "a policy in the user's settings alone", check: update.Settings, want: report.Pass, exit: 0,
		do: func(m *machine) {
			m.install("floor", "yes")
			m.remove(settings)
			m.keep()
		}},
	{name: "a policy in the user's settings alone lacks a rule", check: update.Settings, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.install("floor", "yes")
			m.remove(settings)
			m.edit(".claude/settings.json", `"Bash(git push *)",`, "")
			m.keep()
		}},
	{name: "a policy in the user's settings lacks a rule, seen in the home", check: update.Settings, want: report.Warn,
		exit: 1, says: "lacks permissions.ask:", do: func(m *machine) {
			m.install("floor", "yes")
			m.project, m.opts.Project = m.home, m.home
			m.edit(".claude/settings.json", `"Bash(git push *)",`, "")
			m.keep()
		}, also: forgeable},
	{name: "a policy in the user's settings that closes a directory above the project", check: update.Settings,
		want: report.Pass, exit: 0, do: func(m *machine) {
			m.install("floor", "yes")
			s := m.get(".claude/settings.json")
			m.put(".claude/settings.json", strings.ReplaceAll(s, "code/tracker/**/.env", "code/**/.env"), 0o600)
			m.keep()
		}},
	{name: "what an earlier version did not write into the user's settings is not there", check: update.Settings,
		want: report.Warn, exit: 1, says: "/rewind", do: func(m *machine) {
			m.edit(".claude/settings.json", `"CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING"`, `"OTHER"`)
			m.keep()
		}},
	{name: "the user's settings decide otherwise", check: update.Settings, want: report.Pass, exit: 0,
		do: func(m *machine) {
			m.edit(".claude/settings.json", `"CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING": "1"`,
				`"CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING": "0"`)
			m.keep()
		}},
	{name: "a value that differs", check: update.Settings, want: report.Warn, exit: 1,
		do: func(m *machine) { m.edit(settings, `"failIfUnavailable": true`, `"failIfUnavailable": false`) }},
	{name: "a rule of the user's own", check: update.Settings, want: report.Pass, exit: 0,
		do: func(m *machine) {
			m.edit(settings, `"Bash(git push *)",`, `"Bash(git push *)", "Bash(make release *)",`)
		}},
	{name: "a settings file with a trailing comma", check: update.Settings, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.edit(settings, "{", "{,") }, also: forgeable},
	{name: "no policy", check: update.Settings, want: report.Warn, exit: 1,
		do: func(m *machine) { m.remove(settings) }, also: forgeable},
}

// forgeable is what the denials are without a policy that hides what kept
// rehearsals are signed with.
var forgeable = map[report.ID]report.Status{update.Denials: report.Unknown}

var denialDrifts = []drift{
	{name: "a forbidden action succeeds", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Through)
		}, also: newer},
	{name: "a prompt alone where a rule blocked", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.played.Answers[0].Layer = trial.Rule
			m.keep()
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Prompted)
		}, also: newer},
	{name: "a forbidden action that verify saw succeed", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Through)
			m.keep()
		}, also: newer},
	{name: "a forbidden action that succeeds since two versions", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Through)
			m.keep()
			m.put("bin/claude", "#!/bin/sh\necho '"+pinned.ClaudeSays(pinned.Later(2))+"'\n", 0o755)
			m.played = rehearsal(pinned.Later(2), regress.Through)
		}, also: newer},
	{name: "an action that should be blocked and never was", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.remove(".cache")
			m.played = rehearsal(pinned.Claude(), regress.Through)
		}},
	{name: "an action that should be blocked and never was, and nothing changed", check: update.Denials, want: report.Fail,
		exit: 2, do: func(m *machine) {
			m.remove(".cache")
			m.played = rehearsal(pinned.Claude(), regress.Through)
			m.keep()
		}},
	{name: "a prompt where a rule should block, in every rehearsal", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.remove(".cache")
			m.played = rehearsal(pinned.Claude(), regress.Prompted)
			m.keep()
		}},
	{name: "an action that your settings now allow", check: update.Denials, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Exposed)
		}, also: newer},
	{name: "an action that succeeded is blocked", check: update.Denials, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.played = rehearsal(pinned.Claude(), regress.Through)
			m.keep()
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Held)
		}, also: newer},
	{name: "a call that was not tested before", check: update.Denials, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.upgrade()
			m.played = rehearsal(pinned.Later(1), regress.Held)
			m.played.Answers = append(m.played.Answers, regress.Answer{Session: "claude", Call: "new", Title: "reads ~/.netrc",
				Result: regress.Held, Layer: trial.Filesystem})
		}, also: newer},
	{name: "the policy is gone, and a forbidden action succeeds", check: update.Denials, want: report.Fail, exit: 2,
		do: func(m *machine) {
			m.remove(settings)
			m.played = rehearsal(pinned.Claude(), regress.Through)
		}, also: map[report.ID]report.Status{update.Settings: report.Warn}},
	{name: "no rehearsal is possible", check: update.Denials, want: report.Unknown, exit: 1,
		do: func(m *machine) {
			m.upgrade()
			m.refused = errors.New("no runtime")
		}, also: newer},
	{name: "a rehearsal in which no session played to its end", check: update.Denials, want: report.Unknown,
		exit: 1, do: func(m *machine) {
			m.upgrade()
			m.played = regress.Record{Runtime: pinned.Later(1), Failed: map[string]string{"claude": "it hung"}}
		}, also: newer},
	{name: "no rehearsal was kept", check: update.Denials, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.remove(".cache") }},
	{name: "a kept rehearsal that somebody has changed", check: update.Denials, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.forge() }},
}

// newer is what an upgrade past the pin does to the check of the tools.
var newer = map[report.ID]report.Status{update.Tools: report.Warn}

var versionDrifts = []drift{
	{name: "another version of this program than the one that installed", check: update.Framework, want: report.Warn,
		exit: 1, do: func(m *machine) { m.opts.Version = "1.3.0" }},
	{name: "another version of this program, which writes a script and the policy differently", check: update.Framework,
		want: report.Warn, exit: 1, says: "lacks permissions.ask:Bash(git push *)",
		also: map[report.ID]report.Status{update.Scripts: report.Warn, update.Settings: report.Warn},
		do: func(m *machine) {
			m.opts.Version = "1.3.0"
			m.put(hint, m.get(hint)+"# of 1.2.3\n", 0o755)
			m.edit(settings, `"Bash(git push *)",`, "")
		}},
	{name: "the receipt of the install was altered", check: update.Framework, want: report.Warn, exit: 1,
		do: func(m *machine) {
			list, err := filepath.Glob(m.at(".local/state/steward-setup/receipts/*/receipt.json"))
			if err != nil || len(list) != 1 {
				m.t.Fatalf("%q: %v", list, err)
			}
			b, err := os.ReadFile(list[0])
			if err = errors.Join(err, os.WriteFile(list[0], append(b, '\n'), 0o600)); err != nil {
				m.t.Fatal(err)
			}
		}},
	{name: "no receipts", check: update.Framework, want: report.Skip, exit: 0,
		do: func(m *machine) { m.remove(".local/state/steward-setup/receipts") }},
	{name: "an uninstall, and another command since", check: update.Framework, want: report.Skip, exit: 0,
		do: func(m *machine) {
			applier := engine.Applier{State: filepath.Join(m.home, ".local", "state", "steward-setup")}
			receipts, err := applier.History()
			if err != nil || len(receipts) != 1 {
				m.t.Fatalf("%v: %v", receipts, err)
			}
			ran := func(id, command string, undoes []string) {
				m.put(".local/state/steward-setup/receipts/"+id+"/receipt.json", string(testenv.Sealed(m.t, applier.State,
					fmt.Appendf(nil, `{"schema_version":1,"id":%q,"command":%q,"tool_version":"1.2.3",`+
						`"started_at":"2026-11-20T12:00:00Z","finished":true,"undoes_all":["%s"],"changes":[],"seal": ""}`,
						id, command, strings.Join(undoes, `","`)))), 0o600)
			}
			ran("20261120-120000.000-aaaa", "uninstall", []string{receipts[0].ID})
			ran("20261120-120001.000-bbbb", "sync init", nil)
		}},
}

// upgrade makes the runtime another one.
func (m *machine) upgrade() {
	m.now = m.now.Add(time.Minute)
	m.put("bin/claude", "#!/bin/sh\necho '"+pinned.ClaudeSays(pinned.Later(1))+"'\n", 0o755)
}

func (m *machine) symlink(to, rel string) {
	m.t.Helper()
	testenv.Link(m.t, to, m.at(rel))
}

// forge changes a byte of every kept rehearsal.
func (m *machine) forge() {
	m.t.Helper()
	dirs, err := os.ReadDir(m.at(".cache/steward-setup"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, d := range dirs {
		if !strings.HasPrefix(d.Name(), "history-") {
			continue
		}
		files, _ := os.ReadDir(m.at(".cache/steward-setup/" + d.Name()))
		for _, f := range files {
			m.edit(".cache/steward-setup/"+d.Name()+"/"+f.Name(), "held", "work")
		}
	}
}

// readWhole counts how often files are read whatever their size.
type readWhole struct {
	host.Reader
	times atomic.Int32
}

func (r *readWhole) ReadAll(path string) ([]byte, error) {
	r.times.Add(1)
	return r.Reader.ReadAll(path)
}

// TestAProgramThatManyScriptsCallIsReadOnce, and the one that reports beside it.
func TestAProgramThatManyScriptsCallIsReadOnce(t *testing.T) {
	testenv.AsUser(t)
	m := newMachine(t)
	m.put("newer/steward-setup", m.get("safe/steward-setup"), 0o755)
	m.executable = m.at("newer/steward-setup")
	r := &readWhole{Reader: m.reader()}
	for _, check := range update.Checks(m.opts) {
		if check.ID == update.Scripts && check.Run(t.Context(), r).Status != report.Pass {
			t.Error("another copy of the same program has drifted")
		}
	}
	if n := r.times.Load(); n != 2 {
		t.Errorf("%d programs were read", n)
	}
}
