// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the user's own policy holds what every directory may have,
// is proposed once, and says per project what it costs, without a word of the
// commands that it looked at.

package setup

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

const ownSettings = ".claude/settings.json"

// floorOf is the section over projects of the home, and the document that it
// leaves.
func (d *dwelling) floorOf(projects ...string) (report.Section, *settings.Doc) {
	d.t.Helper()
	p := d.proposer()
	for i, rel := range projects {
		projects[i] = d.path(rel)
	}
	s, _, err := Settings{}.Floor(context.Background(), install.NewDraft(p.r), "", d.answers, projects, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	var after []byte
	for _, item := range s.Items {
		c, ok := item.(report.Change)
		if !ok || c.Path != d.path(ownSettings) {
			d.t.Fatalf("it changes %v", item)
		}
		after = c.After
	}
	if after == nil {
		after = []byte(d.read(ownSettings))
	}
	doc, err := settings.Check(d.path(ownSettings), after)
	if err != nil {
		d.t.Fatal(err)
	}
	return s, doc
}

// planned are the user's own settings as the proposals so far leave them.
func (d *dwelling) planned(p *proposer) (install.File, *settings.Doc) {
	d.t.Helper()
	f, err := p.draft.Open(p.r.Places().UserSettings(), "")
	if err != nil {
		d.t.Fatal(err)
	}
	doc, err := settings.Check(f.Path, f.Bytes)
	if err != nil {
		d.t.Fatal(err)
	}
	return f, doc
}

func texts(v *settings.Value) (list []string) {
	if v != nil {
		for _, item := range v.Items {
			list = append(list, item.Text)
		}
	}
	return list
}

func TestTheFloorHasNothingOfOneProject(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for name, before := range map[string]string{"no settings": "",
		"settings of the user's own": "{\n  \"model\": \"opus\",\n  \"sandbox\": {\"network\": {\"allowedDomains\": " +
			"[\"mine.example.org\"]}}\n}\n"} {
		d := newDwelling(t, "/bin/bash")
		d.inProject()
		d.put("p/.mypy_cache/x", "", 0o644)
		d.answers["floor-host"] = []string{"docs.example.org"}
		if before != "" {
			d.put(ownSettings, before, 0o600)
		}
		_, doc := d.floorOf("p")
		for _, key := range []string{"sandbox.enabled", "sandbox.failIfUnavailable", "sandbox.network.strictAllowlist"} {
			if !doc.Get(strings.Split(key, ".")...).True() {
				t.Errorf("%s: %s is not true", name, key)
			}
		}
		if got := texts(doc.Get("sandbox", "filesystem", "allowRead")); slices.Contains(got, ".") ||
			!slices.Contains(got, "~/.gitconfig") {
			t.Errorf("%s: allowRead is %q", name, got)
		}
		for _, list := range []string{"allowRead", "denyRead"} {
			for _, entry := range texts(doc.Get("sandbox", "filesystem", list)) {
				if !strings.HasPrefix(entry, "~/") && !strings.HasPrefix(entry, "/") {
					t.Errorf("%s: %s has %q, which is not absolute", name, list, entry)
				}
			}
		}
		if v := doc.Get("sandbox", "filesystem", "allowWrite"); v != nil && len(v.Items) > 0 {
			t.Errorf("%s: every project may write %q", name, texts(v))
		}
		var files []string
		for _, v := range doc.Get("sandbox", "credentials", "files").Items {
			files = append(files, v.Get("path").Text)
		}
		if slices.Contains(files, "**/.env") || !slices.Contains(files, "~/p/**/.env") ||
			!slices.Contains(texts(doc.Get("permissions", "deny")), "Read(/"+d.path("p")+"/**/.env)") {
			t.Errorf("%s: .env files are not denied by absolute paths: %q", name, files)
		}
		want := []string{"docs.example.org"}
		if before != "" {
			want = []string{"mine.example.org", "docs.example.org"}
		}
		if got := texts(doc.Get("sandbox", "network", "allowedDomains")); !slices.Equal(got, want) {
			t.Errorf("%s: hosts %q, want %q", name, got, want)
		}
		if before != "" && doc.Get("model").Text != "opus" {
			t.Errorf("%s: the model is lost", name)
		}
		d.put(ownSettings, string(doc.Bytes()), 0o600)
		if again, _ := d.floorOf("p"); len(again.Items) != 0 {
			t.Errorf("%s: it is proposed twice: %v", name, again.Items)
		}
	}
}

func TestWhatEveryProjectMayWriteIsRefused(t *testing.T) {
	testenv.AsRoot(t)
	d := newDwelling(t, "/bin/bash")
	for flag, value := range map[report.ID]string{"floor-caches": "go-build", "floor-domains": "nothing",
		"floor-host": "https://x"} {
		_, _, err := Settings{}.Floor(context.Background(), install.NewDraft(d.proposer().r), "",
			report.Answers{flag: {value}}, nil, nil)
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitUsage {
			t.Errorf("--%s=%s: %v", flag, value, err)
		}
	}
}

func TestTheFloorSaysWhatItCostsAProject(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	const secret = "hunter2hunter2"
	call := func(command string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"` + command +
			`"}}]}}` + "\n"
	}
	d := newDwelling(t, "/bin/bash")
	d.inProject()
	d.put("p/.claude/settings.json", `{"sandbox":{"network":{"allowedDomains":["b.example.org"]}},"permissions":{"allow":["Bash(git push *)","Bash(ls *)"]}}`, 0o644)
	d.put("off/.claude/settings.json", `{"sandbox":{"enabled":false}}`, 0o644)
	p := d.proposer()
	record := strings.TrimPrefix(p.records(d.path("p")), d.home+"/") + "/1.jsonl"
	d.put(record, `{"type":"user","message":{"content":"Bash"}}`+"\n"+
		call("cd x && git push https://u:"+secret+"@h/r")+call("ls")+call("git push")+"not json \"Bash\"\n", 0o600)
	s, _ := d.floorOf("p", "off", "calm")
	said := map[string]string{}
	for _, f := range s.Findings {
		if f.Check != "floor" {
			continue
		}
		name, rest, _ := strings.Cut(f.Summary, ": ")
		for _, e := range f.Evidence {
			rest += "\n" + strings.TrimPrefix(e.Where, d.home+"/") + ": " + e.Text
		}
		for _, r := range f.Remedies {
			rest += "\nnext: " + r.(report.DocLink).Target
		}
		said[name] = string(f.Status) + " " + rest
	}
	for name, wants := range map[string][]string{
		"~/p": {"warn its commands become sandboxed; 1 host of its list is blocked; 1 allow rule of it is overridden; 2 of " +
			"3 recent commands would ask or be denied",
			"b.example.org no longer counts", "\nnext: --floor-host=b.example.org", "Bash(git push *) is overridden by",
			"2 commands of recent sessions would be asked about by Bash(git push *)", "3 commands of recent sessions checked"},
		"~/off": {"warn stays unprotected: its own settings switch the sandbox off",
			"off/.claude/settings.json:1:23: sandbox.enabled is not true in project scope"},
		"~/calm": {"warn its commands become sandboxed", "no session of it is recorded"},
	} {
		for _, want := range wants {
			if !strings.Contains(said[name], want) {
				t.Errorf("%s: %q is not in\n%s", name, want, said[name])
			}
		}
		if strings.Contains(said[name], secret) {
			t.Errorf("%s: a word of a command is shown:\n%s", name, said[name])
		}
	}
	d.put(ownSettings, `{"sandbox":{"enabled":false}}`, 0o600)
	kept, doc := d.floorOf()
	if !slices.ContainsFunc(kept.Findings, func(f report.Finding) bool { return f.Status == report.Fail && f.Decide }) ||
		doc.Get("sandbox", "enabled").True() {
		t.Errorf("a value of the user's own is taken away, or kept in silence: %v", kept.Findings)
	}
}

// TestInstallPutsTheFloorBesideThePolicy: both files are changed, the user's by
// the floor before the wiring, and hosts of the project are not opened for all.
func TestInstallPutsTheFloorBesideThePolicy(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	d := newDwelling(t, "/bin/bash")
	d.answers["floor"], d.answers["allow-host"] = []string{"yes"}, []string{"a.example.org"}
	p := d.inProject()
	for _, step := range []func(context.Context) (report.Section, error){p.policy, p.floor, p.wiring} {
		if _, err := step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	f, doc := d.planned(p)
	if !doc.Get("sandbox", "enabled").True() || doc.Get("statusLine") == nil ||
		len(texts(doc.Get("sandbox", "network", "allowedDomains"))) != 0 {
		t.Errorf("%s", f.Bytes)
	}
	// The next install keeps it, for another project too, and opens no host of
	// that one for all.
	d.put(ownSettings, string(f.Bytes), 0o600)
	delete(d.answers, "floor")
	d.answers["allow-host"] = []string{"b.example.org"}
	p = d.inProject()
	for _, step := range []func(context.Context) (report.Section, error){p.policy, p.floor, p.wiring} {
		if _, err := step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := p.draft.Open(p.r.Places().UserSettings(), ""); err != nil || string(again.Bytes) != string(f.Bytes) {
		t.Errorf("the next install changes it: %v\n%s", err, again.Bytes)
	}
	d.answers["policy-to"] = []string{"user"}
	p = d.inProject()
	if _, err := p.policy(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s, err := p.floor(context.Background()); err != nil || s.ID != "" ||
		slices.ContainsFunc(p.questions, func(q report.Question) bool { return q.ID == "floor" }) {
		t.Errorf("a second policy is offered: %v %v", s, err)
	}
}

// TestAnswersForNoFloorAreNamed: who gives one learns that it does nothing, and what would.
func TestAnswersForNoFloorAreNamed(t *testing.T) {
	testenv.AsRoot(t)
	for want, answers := range map[string]report.Answers{
		"--floor-host has no effect without --floor: add --floor": {"floor-host": {"a.example.org"}},
		"--floor-domains and --floor-caches have no effect with --policy-to=user: use --domains, --allow-host and --caches": {
			"floor-domains": {"go"}, "floor-caches": {"go"}, "policy-to": {"user"}},
		"": {"floor": {"no"}, "floor-host": nil},
	} {
		d := newDwelling(t, "/bin/bash")
		maps.Copy(d.answers, answers)
		p := d.inProject()
		if _, err := p.policy(context.Background()); err != nil {
			t.Fatal(err)
		}
		s, err := p.floor(context.Background())
		said := ""
		if len(s.Findings) > 0 {
			said = s.Findings[0].Summary
		}
		if err != nil || said != want || len(s.Items) > 0 {
			t.Errorf("%v: %v, %q, want %q", answers, err, said, want)
		}
	}
}

// TestHostsOfFoundProjectsAreSuggested: no project opens a host for all others.
func TestHostsOfFoundProjectsAreSuggested(t *testing.T) {
	testenv.AsRoot(t)
	d := newDwelling(t, "/bin/bash")
	d.inProject()
	d.put("p/go.mod", "module x\n", 0o644)
	cmd := exec.Command("git", "-C", d.path("p"), "add", "go.mod")
	cmd.Env = testenv.Env(t, d.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, doc := d.floorOf("p")
	if got := texts(doc.Get("sandbox", "network", "allowedDomains")); len(got) != 0 {
		t.Errorf("every project may reach %q", got)
	}
	if !slices.ContainsFunc(s.Findings, func(f report.Finding) bool {
		return f.Check == "floor-domains" && f.Evidence[0].Where == "--floor-domains=go" &&
			strings.Contains(f.Summary, f.Evidence[0].Where)
	}) {
		t.Errorf("nothing is suggested: %v", s.Findings)
	}
}
