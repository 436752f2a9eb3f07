// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: after the engine has written, the files are looked at on
// disk, and a second proposal proposes nothing.

package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

const bypassWarn = ".claude/scripts/sandbox-bypass-warn.sh"

// wantScripts asserts that every script is there, executable and current, and
// that nothing is left to propose.
func (d *dwelling) wantScripts() {
	d.t.Helper()
	for _, name := range scripts.Hooks {
		info, err := os.Stat(d.path(".claude/scripts/" + name))
		if err != nil || info.Mode().Perm()&0o100 == 0 {
			d.t.Errorf("%s: %v, %v", name, info, err)
			continue
		}
		want, _ := scripts.Render(name, d.path(".local/bin/steward-setup"))
		if got := d.read(".claude/scripts/" + name); got != string(want) {
			d.t.Errorf("%s holds:\n%s", name, got)
		}
	}
	if got := gist(d.hooks()); got != "pass" {
		d.t.Errorf("a second time: %s", got)
	}
}

func TestHookScriptsAreWritten(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	if d.proposer().scriptsThere() {
		t.Error("they are not there yet")
	}
	s := d.hooks()
	if len(s.Items) != len(scripts.Hooks) {
		t.Fatal(gist(s))
	}
	d.apply(s)
	d.wantScripts()
	if !d.proposer().scriptsThere() {
		t.Error("they are there")
	}
}

func TestHookScriptsAreMended(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	d.apply(d.hooks())
	old, err := scripts.Render("sandbox-error-hint.sh", "/old/place/steward-setup")
	if err != nil {
		t.Fatal(err)
	}
	d.put(".claude/scripts/sandbox-error-hint.sh", string(old), 0o600)
	if err := os.Chmod(d.path(bypassWarn), 0o640); err != nil {
		t.Fatal(err)
	}
	s := d.hooks()
	if got := gist(s); got != "hooks/sandbox-bypass-warn.sh hooks/sandbox-error-hint.sh" {
		t.Fatal(got)
	}
	if diff := preview.Diff(s.Items[0].(report.Change)); !strings.Contains(diff, "mode 0640 -> 0750") {
		t.Errorf("the loss of a mode is not shown: %q", diff)
	}
	d.apply(s)
	if info, err := os.Stat(d.path(bypassWarn)); err != nil || info.Mode().Perm() != 0o750 {
		t.Error(info, err)
	}
	d.wantScripts()
}

func TestForeignHookScriptsAreKept(t *testing.T) {
	const mine = "#!/bin/bash\necho mine\n"
	d := newDwelling(t, "/bin/bash")
	d.put(bypassWarn, mine, 0o755)
	s := d.hooks()
	if got := gist(s); strings.Contains(got, "bypass-warn") || !strings.HasSuffix(got, " warn!") {
		t.Error(got)
	}
	d.apply(s)
	if d.read(bypassWarn) != mine {
		t.Error("it was overwritten")
	}
	if p := d.proposer(); !p.scriptsThere() {
		t.Error("a script of the user's own is there to be wired")
	}
	d.answers = report.Answers{"replace-scripts": {"no"}}
	if got := gist(d.hooks()); got != "warn" {
		t.Errorf("kept on purpose: %s", got)
	}
	d.answers = report.Answers{"replace-scripts": {"yes"}}
	s = d.hooks()
	if len(s.Items) != 1 || !strings.Contains(preview.Diff(s.Items[0].(report.Change)), "-echo mine") {
		t.Fatal(gist(s))
	}
	d.apply(s)
	d.wantScripts()
}

// With the private sync repository the file lies there and a link leads to
// it. Undo puts back whatever was there.
func TestHookScriptsInTheSyncRepository(t *testing.T) {
	testenv.AsUser(t)
	const mine = "#!/bin/bash\necho mine\n"
	const inRepo = ".claude-config/scripts/sandbox-bypass-warn.sh"
	yes := report.Answers{"replace-scripts": {"yes"}}
	ours, err := scripts.Render(filepath.Base(bypassWarn), "/old/steward-setup")
	if err != nil {
		t.Fatal(err)
	}
	ownLink := func(d *dwelling) {
		d.put("fw/x.sh", mine, 0o755)
		d.link(d.path("fw/x.sh"), bypassWarn)
	}
	for _, tt := range []struct {
		name    string
		arrange func(d *dwelling)
		answers report.Answers
		items   string // those of bypass-warn
		finding string // the statuses
		real    string // where the path leads afterwards
	}{
		{"nothing there", func(*dwelling) {}, nil, "file link", "", inRepo},
		{"the link is there", func(d *dwelling) { d.link("../../"+inRepo, bypassWarn) }, nil, "file", "", inRepo},
		{"a link to nowhere", func(d *dwelling) { d.link("/nowhere/x.sh", bypassWarn) }, nil, "file link", "", inRepo},
		{"a link of their own", ownLink, nil, "", "warn!", "fw/x.sh"},
		{"a link given up", ownLink, yes, "file link", "", inRepo},
		{"our file in the link's place", func(d *dwelling) { d.put(bypassWarn, string(ours), 0o755) }, nil, "file", "warn",
			bypassWarn},
		{"a foreign file there", func(d *dwelling) { d.put(bypassWarn, mine, 0o755) }, nil, "", "warn!", bypassWarn},
		{"a foreign file given up", func(d *dwelling) { d.put(bypassWarn, mine, 0o755) }, yes, "file", "warn", bypassWarn},
		{"our file in the repository", func(d *dwelling) { d.put(inRepo, string(ours), 0o755) }, nil, "file link", "",
			inRepo},
		{"a foreign file in the repository", func(d *dwelling) { d.put(inRepo, mine, 0o755) }, nil, "", "warn!", ""},
		{"the whole directory is a link", func(d *dwelling) { d.link(d.path(".claude-config/scripts"), ".claude/scripts") },
			nil, "file", "", inRepo},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDwelling(t, "/bin/bash")
			d.answers = tt.answers
			d.put(".claude-config/.git/HEAD", "ref: refs/heads/main\n", 0o644)
			d.put(".claude-config/scripts/.keep", "", 0o644)
			d.put("fw/.keep", "", 0o644)
			d.put(".claude/.keep", "", 0o644)
			tt.arrange(d)
			before := snapshot(t, d.path(".claude"), d.path(".claude-config"), d.path("fw"))
			s := d.hooks()
			var items []string
			for _, it := range s.Items {
				switch rest, ours := strings.CutPrefix(keyOf(it), "hooks/sandbox-bypass-warn.sh"); {
				case ours && rest == "":
					items = append(items, "file")
				case ours:
					items = append(items, rest[1:])
				}
			}
			if got := strings.Join(items, " "); got != tt.items || gist(report.Section{Findings: s.Findings}) != tt.finding {
				t.Fatalf("%q of %s", got, gist(s))
			}
			d.apply(s)
			if got, _ := filepath.EvalSymlinks(d.path(bypassWarn)); tt.real != "" && got != d.path(tt.real) {
				t.Error(got)
			}
			if second := d.hooks(); len(second.Items) > 0 {
				t.Errorf("a second time: %s", gist(second))
			}
			d.undo()
			if after := snapshot(t, d.path(".claude"), d.path(".claude-config"), d.path("fw")); after != before {
				t.Errorf("undo left\n%s\nwhere there was\n%s", after, before)
			}
		})
	}
}

func (d *dwelling) undo() {
	d.t.Helper()
	a := engine.Applier{State: d.path(".local/state/steward-setup"), Now: time.Now}
	history, err := a.History()
	if err != nil || len(history) != 1 {
		d.t.Fatal(history, err)
	}
	receipt, plan, err := a.UndoPlan(d.proposer().r, history[0].ID)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := a.Undo(context.Background(), receipt, plan, plan.ID, func(engine.Event) {}); err != nil {
		d.t.Fatal(err)
	}
}

// snapshot is every file and link below the directories.
func snapshot(t *testing.T, dirs ...string) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			if link, err := os.Readlink(path); err == nil {
				all.WriteString(path + " -> " + link + "\n")
				return nil
			}
			b, err := os.ReadFile(path)
			info, _ := e.Info()
			all.WriteString(path + " " + info.Mode().String() + " " + string(report.DigestOf(b)) + "\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

func TestADirectoryOfThatNameIsNoSyncRepository(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	d.put(".claude-config/scripts/.keep", "", 0o644)
	d.apply(d.hooks())
	d.wantScripts()
	if _, err := os.Lstat(d.path(".claude-config/scripts/sandbox-bypass-warn.sh")); err == nil {
		t.Error("written into a directory that is no repository")
	}
}

func TestHookScriptsFromAFramework(t *testing.T) {
	const theirs = "#!/bin/bash\n# theirs\n"
	d := newDwelling(t, "/bin/bash")
	d.framework = d.path("fw")
	d.put("fw/tools/agent-isolation/sandbox-bypass-warn.sh", theirs, 0o644)
	d.apply(d.hooks())
	if got := d.read(bypassWarn); got != theirs {
		t.Error(got)
	}
	if !d.proposer().scriptsThere() || gist(d.hooks()) != "pass" {
		t.Errorf("a second time: %s", gist(d.hooks()))
	}
}

// TestSkillsThatApproveReadingAreLeftOut: what you decided about one of them stays.
func TestSkillsThatApproveReadingAreLeftOut(t *testing.T) {
	for own, want := range map[string]string{
		`{}`: "debug=off statusline=off update-config=off",
		`{"skillOverrides":{"debug":"on","update-config":"user-invocable-only"}}`: "debug=on statusline=off " +
			"update-config=user-invocable-only",
	} {
		d := newDwelling(t, "/bin/bash")
		d.put(".claude/settings.json", own, 0o644)
		p := d.inProject()
		if _, err := p.wiring(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, after := d.planned(p)
		var have []string
		for _, name := range []string{"debug", "statusline", "update-config"} {
			have = append(have, name+"="+after.Get("skillOverrides", name).Text)
		}
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%s: %s, want %s", own, got, want)
		}
	}
}

// TestLinksDoNotStartThePlainRuntime: what you decided about them stays.
func TestLinksDoNotStartThePlainRuntime(t *testing.T) {
	for own, want := range map[string]string{`{}`: "disable", `{"disableDeepLinkRegistration":null}`: "null",
		`{"disableDeepLinkRegistration":"disable"}`: "disable"} {
		d := newDwelling(t, "/bin/bash")
		d.put(".claude/settings.json", own, 0o644)
		p := d.inProject()
		if _, err := p.wiring(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, after := d.planned(p)
		if got := settings.Shown(after.Get("disableDeepLinkRegistration")); got != want {
			t.Errorf("%s: it is %s then, want %s", own, got, want)
		}
	}
}
