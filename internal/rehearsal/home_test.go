// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"encoding/json"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestTrustIsTheUsersOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.theatre("/bin/true")
	for _, c := range []struct{ state, want string }{
		{"", `{}`},
		{"not JSON", `{}`},
		{`{"projects":{"PROJ":{"hasTrustDialogAccepted":true,"allowedTools":["Bash(ls)"],"history":["` + secret +
			`"]},"/other":{"hasTrustDialogAccepted":true}},
			"primaryApiKey":"` + secret + `","oauthAccount":{"x":"` + secret + `"}}`,
			`{"PROJ":{"hasTrustDialogAccepted":true,"allowedTools":["Bash(ls)"]}}`},
		{`{"projects":{"HOME":{"hasTrustDialogAccepted":true},"PROJ":{"hasTrustDialogAccepted":false},"PROJ/sub":7}}`,
			`{"HOME":{"hasTrustDialogAccepted":true},"PROJ":{"hasTrustDialogAccepted":false}}`},
	} {
		fill := strings.NewReplacer("PROJ", l.project, "HOME", l.home)
		if c.state != "" {
			l.put(".claude.json", fill.Replace(c.state), 0o600)
		}
		b, err := th.trust(Session{Dir: filepath.Join(l.project, "sub")})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Projects map[string]json.RawMessage }
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(got.Projects)
		var a, w any
		if json.Unmarshal(text, &a) != nil || json.Unmarshal([]byte(fill.Replace(c.want)), &w) != nil {
			t.Fatal(string(text))
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(w)
		if string(x) != string(y) || strings.Contains(string(b), secret) {
			t.Errorf("%s\nbecomes %s\nwant %s", c.state, b, y)
		}
	}
}

func TestReducedSettings(t *testing.T) {
	const all = `{"sandbox":{"enabled":true,"bwrapPath":"/x","ripgrep":{"command":"/x"}},"permissions":{"deny":["Read(x)"],"defaultMode":"plan"},
		"hooks":{"Stop":[]},"disableAllHooks":true,"env":{"PATH":"/x","CLAUDE_CODE_DISABLE_FILE_MENTIONS":"1"},"apiKeyHelper":"x","enabledPlugins":{"a":true},"a key of tomorrow":1}`
	for _, c := range []struct {
		mode Mode
		own  bool
		want []string
		not  []string
	}{
		{Policy, true, []string{"enabled", "deny", "defaultMode", "bwrapPath",
			`"env":{"CLAUDE_CODE_DISABLE_FILE_MENTIONS":"1"}`}, []string{"hooks", "Hooks", `"PATH"`, "Helper", "Plugins",
			"tomorrow"}},
		{Policy, false, []string{"enabled", "deny"}, []string{"hooks", "Hooks", `"PATH"`, "Helper", "bwrapPath", "ripgrep",
			"Plugins", "tomorrow"}},
		{Hooks, true, []string{"enabled", `"hooks"`, "disableAllHooks"}, []string{`"PATH"`, "Helper", "Plugins", "tomorrow"}},
		{Hooks, false, []string{"enabled", "disableAllHooks"}, []string{`"hooks"`, `"PATH"`, "Helper", "bwrapPath"}},
	} {
		got := string(reduced("f", []byte(all), c.mode, c.own))
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s, own %v: no %s in %s", c.mode, c.own, w, got)
			}
		}
		for _, n := range c.not {
			if strings.Contains(got, n) {
				t.Errorf("%s, own %v: %s in %s", c.mode, c.own, n, got)
			}
		}
	}
	for _, broken := range []string{"// x\n{}", `{"sandbox":{"enabled":"true"},"env":{}}`, "[]",
		`{"hooks":{"PreToolUse":"x"},"env":{"PATH":"/x"}}`} {
		if got := string(reduced("f", []byte(broken), Policy, false)); got != dropped {
			t.Errorf("%q, which the runtime drops, becomes %q", broken, got)
		}
	}
	if got := string(reduced("f", nil, Policy, false)); got != "{}" {
		t.Errorf("an empty file becomes %q", got)
	}
}

// TestPlanModeIsPlayedAsWhatFollowsIt: the default mode takes the place of plan
// mode alone, in whichever file, and nothing else changes.
func TestPlanModeIsPlayedAsWhatFollowsIt(t *testing.T) {
	for before, after := range map[string]string{
		`{"permissions":{"defaultMode":"plan","deny":["Read(x)"]},"sandbox":{"enabled":true}}`: `{"permissions":{"defaultMode":"default","deny":["Read(x)"]},"sandbox":{"enabled":true}}`,
		`{"permissions":{"defaultMode":"dontAsk"}}`:                                            `{"permissions":{"defaultMode":"dontAsk"}}`,
		`{"permissions":{"deny":["plan"]}}`:                                                    `{"permissions":{"deny":["plan"]}}`,
		dropped:                                                                                dropped,
	} {
		got := string(afterThePlan([]fs.Laid{{Path: "f", Data: []byte(before)}})[0].Data)
		if got != after {
			t.Errorf("%s becomes %s", before, got)
		}
	}
}

func FuzzReduced(f *testing.F) {
	f.Add([]byte(`{"sandbox":{"ripgrep":1},"env":{"A":"b"}}`))
	f.Add([]byte("\ufeff{\"sandbox\":null}"))
	f.Add([]byte(`{"env":{"PATH":"/x","CLAUDE_CODE_DISABLE_FILE_MENTIONS":"1"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := reduced("f", b, Policy, false)
		var keys map[string]json.RawMessage
		if string(got) != dropped && json.Unmarshal(got, &keys) != nil {
			t.Fatalf("%q becomes %q", b, got)
		}
		for key := range keys {
			var variables map[string]json.RawMessage
			if key == "env" && json.Unmarshal(keys[key], &variables) == nil && len(variables) == 1 &&
				variables["CLAUDE_CODE_DISABLE_FILE_MENTIONS"] != nil {
				continue
			}
			if key != "sandbox" && key != "permissions" {
				t.Fatalf("%q keeps %q", b, key)
			}
		}
	})
}

// without is a machine whose kernel switches are these.
type without struct {
	host.Reader
	files map[string]string
}

func (w without) Read(path string) ([]byte, error) {
	if text, ok := w.files[path]; ok {
		return []byte(text), nil
	}
	return nil, iofs.ErrNotExist
}

func TestWhyThereIsNoStage(t *testing.T) {
	l := newLab(t)
	failed := func(said string) proc.Result { return proc.Result{Code: 1, Stderr: []byte("noise\n" + said + "\n")} }
	for _, c := range []struct {
		res   proc.Result
		files map[string]string
		want  string
	}{
		{failed("bwrap: setting up uid map: Permission denied"),
			map[string]string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "AppArmor"},
		{failed("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"),
			map[string]string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "AppArmor"},
		{failed("bwrap: No permissions to creating new namespace, likely because the kernel does not allow non-privileged " +
			"user namespaces."),
			map[string]string{"/proc/sys/kernel/unprivileged_userns_clone": "0\n"}, "unprivileged_userns_clone = 0"},
		{failed("bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)"),
			map[string]string{"/proc/sys/user/max_user_namespaces": "0\n"}, "max_user_namespaces = 0"},
		{failed("bwrap: Creating new namespace failed: Operation not permitted"), nil, "the container"},
		{failed("bwrap: Can't mount proc on /newroot/proc: Operation not permitted"), nil, "container whose /proc is masked"},
		{failed("bwrap: Can't find source path /x: No such file or directory"), nil, "nothing can be tested"},
		{proc.Result{Code: -1, Err: iofs.ErrNotExist}, nil, "bwrap is not installed"},
		{proc.Result{Code: -1, Err: errors.New("bwrap did not answer within 1m0s")}, nil, "did not end"},
	} {
		var e *report.Error
		if err := blocked(without{l.host(), c.files}, c.res); !errors.As(err, &e) ||
			!strings.Contains(e.What+" "+e.Why, c.want) || e.Next == "" {
			t.Errorf("%s%v: %+v, want %q", c.res.Stderr, c.res.Err, e, c.want)
		}
	}
}

// TestTheApprovedProjectAroundIsOnTheStage: claude-iso takes its policy from
// there, also in a repository within it.
func TestTheApprovedProjectAroundIsOnTheStage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	inner := filepath.Join(l.project, "inner")
	l.put(strings.TrimPrefix(inner, l.home+"/")+"/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	th := l.theatre("/bin/true")
	set := approval.Set{SchemaVersion: 1}.WithPolicy(l.project, "sha256:1").WithRoot(l.project, l.project)
	l.put(strings.TrimPrefix(approval.Path(th.Host.Places().State), l.home+"/"), string(set.Bytes()), 0o600)
	th.Trees = []host.Tree{host.FindTree(th.Host, inner)}
	if got := th.starts(Session{Dir: inner, Launch: report.Iso}); !slices.Equal(got, []string{inner, l.project}) {
		t.Errorf("claude-iso: the settings of %q", got)
	}
	if got := th.starts(Session{Dir: inner, Launch: report.Plain}); !slices.Equal(got, []string{inner}) {
		t.Errorf("plain: the settings of %q", got)
	}
}
