// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sandbox is on or off for a session that starts in one
// place on one machine; whoever has a say in that is named.

package checks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// approve approves the policy of ~/p for claude-iso.
func (h household) approve(r host.Reader) {
	h.t.Helper()
	l, err := iso.Survey(r, filepath.Join(h.home, "p"))
	if err != nil {
		h.t.Fatal(err)
	}
	plan, err := l.Approval(r, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range plan.Changes() {
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(c.Path, c.After, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

// programs makes a PATH directory with the programs of the sandbox.
func (h household) programs(names ...string) string {
	h.t.Helper()
	git, err := filepath.EvalSymlinks("/usr/bin/git")
	if err != nil {
		h.t.Skip("git is not in /usr/bin")
	}
	h.put("bin/README", "", 0o644)
	h.link(git, "bin/git")
	for _, name := range names {
		h.put("bin/"+name, "#!/bin/sh\n", 0o755)
	}
	return "PATH=" + filepath.Join(h.home, "bin")
}

func TestEffectiveSandbox(t *testing.T) {
	testenv.AsUser(t)
	says := held(t, "effective-sandbox")
	for _, tt := range []struct {
		name       string
		files      map[string]string
		without    string // program that is missing
		start      string
		plain, iso report.Status
		voids      bool
	}{
		{"as installed", nil, "", "p", report.Pass, report.Pass, false},
		{"off for this checkout", map[string]string{localFile: `{"sandbox":{"enabled":false}}`}, "", "p", report.Fail,
			report.Warn, true},
		{"off by the user, on by the project", map[string]string{usersFile: `{"sandbox":{"enabled":false}}`}, "", "p",
			report.Pass, report.Pass, false},
		{"nowhere on", map[string]string{ownFile: `{}`}, "", "p", report.Fail, report.Warn, true},
		{"dropped whole", map[string]string{ownFile: "{\n\"sandbox\": {\"enabled\": true},}"}, "", "p", report.Fail,
			report.Warn, true},
		{"bwrap missing", nil, "bwrap", "p", report.Fail, report.Fail, true},
		{"socat missing", nil, "socat", "p", report.Fail, report.Fail, true},
		{"does not restrict files", map[string]string{usersFile: `{"sandbox":{"filesystem":{"disabled":true}}}`}, "", "p",
			report.Fail, report.Fail, true},
		{"a project opens files", map[string]string{localFile: `{"sandbox":{"filesystem":{"disabled":true}}}`}, "", "p",
			report.Pass, report.Pass, false},
		{"PATH of the project", map[string]string{localFile: `{"env":{"PATH":"./bin"}}`}, "", "p", report.Fail, report.Pass,
			false},
		{"may start without", map[string]string{localFile: `{"sandbox":{"failIfUnavailable":false}}`}, "", "p", report.Warn,
			report.Pass, false},
		{"bypassing", map[string]string{usersFile: `{"permissions":{"defaultMode":"bypassPermissions"}}`}, "", "p",
			report.Warn, report.Warn, false},
		{"closed by the policy", map[string]string{usersFile: `{"permissions":{"defaultMode":"bypassPermissions"}}`}, "", "p",
			report.Pass, report.Pass, false},
		{"bypassing, with the list held", map[string]string{usersFile: `{"permissions":{"defaultMode":"bypassPermissions"},"sandbox":{"network":{"strictAllowlist":true}}}`}, "", "p", report.Pass, report.Pass, false},
		{"bypassing, the list held by a project counts for nothing",
			map[string]string{usersFile: `{"permissions":{"defaultMode":"bypassPermissions"}}`,
				localFile: `{"sandbox":{"network":{"strictAllowlist":true}}}`}, "", "p", report.Warn, report.Pass, false},
		{"a .git made below the project", map[string]string{"p/sub/.git/x": ""}, "", "p/sub", report.Fail, report.Pass, true},
		{"a fresh clone", map[string]string{"clone/.git/HEAD": ""}, "", "clone", report.Fail, report.Warn, true},
		{"on by the user alone", map[string]string{ownFile: `{}`,
			usersFile: `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`}, "", "p", report.Warn, report.Pass, false},
		{"on by the user, off in a subdirectory", map[string]string{ownFile: `{}`,
			usersFile:                     `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`,
			"p/a/b/.claude/settings.json": `{"sandbox":{"enabled":false}}`}, "", "p", report.Warn, report.Pass, false},
		{"below the project, with a policy of the user's", map[string]string{"p/sub/x": "",
			usersFile: `{"sandbox":{"enabled":true,"failIfUnavailable":true,"filesystem":{"denyRead":["~/"]}},"permissions":{"deny":["Read(~/.ssh/**)"]}}`}, "", "p/sub", report.Warn, report.Pass, false},
		{"below the project", map[string]string{"p/sub/x": ""}, "", "p/sub", report.Fail, report.Pass, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			h.project(tt.files)
			if strings.HasPrefix(tt.name, "bypassing") {
				b, err := os.ReadFile(filepath.Join(h.home, ownFile))
				if err != nil {
					t.Fatal(err)
				}
				h.put(ownFile, strings.Replace(string(b), `"disableBypassPermissionsMode": "disable",`, "", 1), 0o644)
			}
			var there []string
			for _, name := range []string{"bwrap", "socat"} {
				if name != tt.without {
					there = append(there, name)
				}
			}
			r := h.reader(h.programs(there...))
			if tt.name != "dropped whole" {
				h.approve(r)
			}
			f := checkEffective(context.Background(), r, filepath.Join(h.home, tt.start), nil)
			want := tt.plain
			if report.Worse(tt.plain, tt.iso) != want {
				want = tt.iso
			}
			wantFinding(t, f, want)
			got := said(f)
			says(h, tt.name, f)
			if p, i := of(f, report.Plain), of(f, report.Iso); p.Status != tt.plain || i.Status != tt.iso ||
				(p.Voids || i.Voids) != tt.voids || f.Voids != tt.voids || p.Voids && p.Status != report.Fail {
				t.Errorf("launches %+v, voids %v\n%s", f.Launches, f.Voids, got)
			}
			if (f.Remedies == nil) != (f.Status == report.Pass) {
				t.Errorf("%s with remedies %v", f.Status, f.Remedies)
			}
		})
	}
}

func TestEffectiveSandboxIsNotApprovedYet(t *testing.T) {
	h := newHousehold(t)
	h.project(nil)
	r := h.reader(h.programs("bwrap", "socat"))
	f := checkEffective(context.Background(), r, filepath.Join(h.home, "p"), nil)
	wantFinding(t, f, report.Warn, "claude-iso would not start here: its policy is not approved yet", ownFile)
	h.approve(r)
	wantFinding(t, checkEffective(context.Background(), r, filepath.Join(h.home, "p"), nil), report.Pass)
	h.put(localFile, `{"permissions":{"deny":["Bash(nc *)"]}}`, 0o600)
	wantFinding(t, checkEffective(context.Background(), r, filepath.Join(h.home, "p"), nil), report.Warn,
		"has changed since you approved it")
}

func TestTheRuntimesWordCounts(t *testing.T) {
	testenv.AsUser(t)
	h := newHousehold(t)
	h.project(map[string]string{localFile: `{"sandbox":{"allowUnsandboxedCommands":false}}`})
	on := h.reader(h.programs("bwrap", "socat"))
	h.approve(on)
	off := h.reader("PATH=/nowhere")
	for _, tt := range []struct {
		name   string
		r      host.Reader
		says   string
		status report.Status
		voids  bool
		word   string
	}{
		{"agrees", on, `{"statusVersion":3,"enabled":true,"enabledSource":"settings","unavailableReason":null,"strictMode":true,"filesystemPolicy":"strict"}`, report.Pass, false, "the sandbox is on"},
		{"says off", on, `{"statusVersion":3,"enabled":false,"enabledSource":"settings","unavailableReason":"socat not installed","strictMode":true,"filesystemPolicy":"strict"}`,
			report.Fail, true, "the runtime says that the sandbox is off: socat not installed"},
		{"lets commands out", on, `{"statusVersion":3,"enabled":true,"strictMode":false,"filesystemPolicy":"strict"}`,
			report.Fail, false, "lets commands ask to run unsandboxed"},
		{"files open", on, `{"statusVersion":3,"enabled":true,"strictMode":true,"filesystemPolicy":"relaxed"}`, report.Fail,
			true, "files are not restricted"},
		{"both off", off, `{"statusVersion":3,"enabled":false,"enabledSource":"off","strictMode":false,"filesystemPolicy":"strict"}`, report.Fail, true, "is not on PATH"},
		{"says on", off, `{"statusVersion":3,"enabled":true,"enabledSource":"policy","strictMode":false,"filesystemPolicy":"strict"}`, report.Unknown, false, "the runtime says that the sandbox is on (policy)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			says, err := starts.ParseRuntimeSays([]byte(tt.says + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			f := checkEffective(context.Background(), tt.r, filepath.Join(h.home, "p"),
				func(context.Context, string) (starts.RuntimeSays, bool) { return says, true })
			p := of(f, report.Plain)
			if p.Status != tt.status || p.Voids != tt.voids || !strings.Contains(p.Summary, tt.word) ||
				!strings.Contains(said(f), "claude sandbox status: "+says.String()) || strings.Contains(said(f), "statusVersion") {
				t.Errorf("%+v\n%s", p, said(f))
			}
		})
	}
	f := checkEffective(context.Background(), on, filepath.Join(h.home, "p"),
		func(context.Context, string) (starts.RuntimeSays, bool) { return starts.RuntimeSays{}, false })
	wantFinding(t, f, report.Pass)
}

// The settings and the machine are judged as the runtime judges them.
func TestTheRuntimeSaysTheSame(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat")
	for name, files := range map[string]map[string]string{
		"as installed": nil,
		"off":          {localFile: `{"sandbox":{"enabled":false}}`},
		"sealed":       {localFile: `{"sandbox":{"allowUnsandboxedCommands":false}}`},
		"files open":   {usersFile: `{"sandbox":{"filesystem":{"disabled":true}}}`},
	} {
		h := newHousehold(t)
		r := h.project(files)
		dir := filepath.Join(h.home, "p")
		ask := func(context.Context, string) (starts.RuntimeSays, bool) {
			says, err := starts.ParseRuntimeSays(status(t, claude, h.home, dir))
			if err != nil {
				t.Error(err)
			}
			return says, err == nil
		}
		f := checkEffective(context.Background(), r, dir, ask)
		if strings.Contains(said(f), "differs from what the settings say") ||
			!strings.Contains(said(f), "claude sandbox status: enabled ") {
			t.Errorf("%s: %s", name, said(f))
		}
	}
}
