// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the two files that a person can read say the same thing,
// and nothing in them is without a reason.

package policy

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/templates"
)

func load(t testing.TB) *Policy {
	t.Helper()
	return Embedded()
}

func base(t testing.TB) Base {
	t.Helper()
	return load(t).Base()
}

func ids(entries []Entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.ID())
	}
	return list
}

// Every value of settings.json has a reason, every reason has a value, and
// both files have the same order.
func TestSettingsAndPolicyCoverEachOther(t *testing.T) {
	if diff := cmp.Diff(ids(load(t).entries), ids(base(t).entries)); diff != "" {
		t.Errorf("- policy.toml, + settings.json:\n%s", diff)
	}
	if got := string(render(load(t).entries)); got != string(templates.Settings) {
		t.Errorf("policy.toml makes another settings.json:\n%s", cmp.Diff(string(templates.Settings), got))
	}
}

// all lists every entry: of the base, the groups and the questions.
func (p *Policy) all() []Entry {
	all := append([]Entry(nil), p.entries...)
	for _, g := range p.groups {
		all = append(all, g.Entries...)
	}
	for _, q := range p.questions {
		all = append(all, q.Entries...)
	}
	return all
}

func TestEveryEntryHasItsReason(t *testing.T) {
	p := load(t)
	seen := map[string]bool{}
	for _, e := range p.all() {
		id := e.ID()
		if _, ok := shapes[e.Key]; !ok {
			t.Errorf("%s is not a key that install writes", e.Key)
		}
		if !strings.HasSuffix(e.Why, ".") {
			t.Errorf("%s: no sentence says why: %q", id, e.Why)
		}
		for _, s := range []string{e.Deviation, e.Exposes} {
			if s != "" && !strings.HasSuffix(s, ".") {
				t.Errorf("%s: not a sentence: %q", id, s)
			}
		}
		if !slices.Contains([]report.Layer{report.LayerSandbox, report.LayerPermissions, report.LayerConfirmation}, e.Layer) {
			t.Errorf("%s: layer %q", id, e.Layer)
		}
		if e.Unless != "" && !slices.ContainsFunc(p.questions, func(q question) bool { return q.ID == e.Unless }) {
			t.Errorf("%s: no question %q", id, e.Unless)
		}
		if seen[id] {
			t.Errorf("%s stands there twice", id)
		}
		seen[id] = true
	}
	for _, g := range p.groups {
		if g.Title == "" || !strings.HasSuffix(g.Why, ".") || len(g.Entries) == 0 || g.Kind != "domains" &&
			g.Kind != "caches" {
			t.Errorf("group %s is not complete: %+v", g.ID, g)
		}
		for _, e := range g.Entries {
			if strings.HasSuffix(e.Key, "allowWrite") && (e.Exposes == "" || len(g.Detect)+len(g.Remotes)+len(g.Home) > 0) {
				t.Errorf("group %s writes %s: it needs a price and may be no default", g.ID, e.ID())
			}
		}
	}
	for _, q := range p.questions {
		if q.Title == "" || !strings.HasSuffix(q.Help, ".") {
			t.Errorf("question %s does not explain itself", q.ID)
		}
	}
}

// sourceEntries are the values of the source document's settings block, with
// <project> for the name of its own project.
func sourceEntries(t *testing.T) []string {
	t.Helper()
	doc, err := os.ReadFile("testdata/source-settings.json")
	if err != nil {
		t.Fatal(err)
	}
	ls, err := leaves(doc, "source-settings.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, l := range ls {
		list = append(list, strings.ReplaceAll(l.ID(), "apache-steward", "<project>"))
	}
	return list
}

// A value that the source document has and we do not, or the other way round,
// is explained: in its own entry, or on the page.
func TestEveryDeviationIsExplained(t *testing.T) {
	p, source := load(t), sourceEntries(t)
	page, err := os.ReadFile("../../../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	ours := ids(p.all())
	for _, id := range source {
		_, value, _ := strings.Cut(id, ":")
		if !slices.Contains(ours, id) && !strings.Contains(string(page), "| `"+value+"` |") {
			t.Errorf("docs/policy.md does not say what became of %s", id)
		}
	}
	explained := map[string]bool{}
	for _, g := range p.groups {
		explained[g.ID] = true
		if g.Kind == "domains" {
			continue // the hosts of other ecosystems are the answer to a question
		}
		for _, e := range g.Entries {
			if e.Deviation == "" && !slices.Contains(source, e.ID()) {
				t.Errorf("%s is not in the source document and does not say so", e.ID())
			}
		}
	}
	for _, e := range p.entries {
		if e.Deviation == "" && !e.empty() && !slices.Contains(source, e.ID()) {
			t.Errorf("%s is not in the source document and does not say so", e.ID())
		}
		if strings.HasPrefix(e.Deviation, "Absent in the source document") && slices.Contains(source, e.ID()) {
			t.Errorf("%s is in the source document", e.ID())
		}
	}
}

// The names that scripts use.
func TestEntriesHaveStableNames(t *testing.T) {
	for _, c := range []struct {
		entry Entry
		want  string
	}{
		{Entry{Key: "sandbox.enabled", Value: value(t, true)}, "sandbox.enabled"},
		{Entry{Key: "permissions.disableBypassPermissionsMode", Value: value(t, "disable")},
			"permissions.disableBypassPermissionsMode"},
		{Entry{Key: "permissions.deny", Value: value(t, "Bash(curl *)")}, "permissions.deny:Bash(curl *)"},
		{Entry{Key: "sandbox.credentials.files", Value: value(t, map[string]any{"path": "~/.aws/", "mode": "deny"})},
			"sandbox.credentials.files:~/.aws/"},
		{Entry{Key: "sandbox.credentials.envVars", Value: value(t, map[string]any{"name": "GH_TOKEN", "mode": "deny"})},
			"sandbox.credentials.envVars:GH_TOKEN"},
		{Entry{Key: "sandbox.network.allowedDomains", Value: value(t, []any{})}, "sandbox.network.allowedDomains"},
	} {
		if got := c.entry.ID(); got != c.want {
			t.Errorf("%v: %s, want %s", c.entry.Value, got, c.want)
		}
	}
}

func TestAMisspeltKeyIsRefused(t *testing.T) {
	for _, bad := range []string{"[[entry]]\nkey='sandbox.enabled'\nvalue=true\nwhyy='x.'", "["} {
		if _, err := decode([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// decoded is what stands in a document.
func decoded(t testing.TB, doc []byte) *settings.Value {
	t.Helper()
	return testenv.Must(settings.Parse("settings.json", doc))(t).Root
}

// value is a value of a document, by what encoding/json makes it of.
func value(t testing.TB, v any) *settings.Value {
	t.Helper()
	return decoded(t, testenv.Must(json.Marshal(map[string]any{"v": v}))(t)).Get("v")
}

// The sandbox does not bind the agent's own tools: each credential that it
// hides has a Read rule, and no policy is whole without it.
func TestEveryCredentialIsRuled(t *testing.T) {
	p := load(t)
	for _, e := range p.entries {
		if e.Key != "sandbox.credentials.files" {
			continue
		}
		path := textOf(e.Value.Get("path"))
		ruled := slices.ContainsFunc(p.entries, func(r Entry) bool {
			return r.Required && r.Key == "permissions.deny" && covers(r.Value.Text, "Read("+path+")", home)
		})
		if !ruled {
			t.Errorf("%s has no required Read rule", path)
		}
	}
}

func TestRuled(t *testing.T) {
	p := load(t)
	const no, optional, required = "", "optional", "required"
	for path, want := range map[string]string{
		home + "/.kube/config": required, home + "/.docker/config.json": required, home + "/.netrc": required,
		"/p/.env": required, "/p/sub/.env.local": required, "/p/.env.production.local": required,
		home + "/.password-store/secret": optional, home + "/.bash_history": optional,
		"/p/.env.staging": no, "/other/.env": no, home + "/.kubeconfig": no, home + "/notes": no, "/p/.kube/config": no,
		"/.netrc": no,
	} {
		got := no
		switch ruled, needed := p.Ruled(path, home, "/p"); {
		case needed:
			got = required
		case ruled:
			got = optional
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestTheNamesOfDotenvFiles are those of the policy itself, for commands and for the
// Read tool, and each names the files that Dotenv says.
func TestTheNamesOfDotenvFiles(t *testing.T) {
	var files, rules []string
	for _, id := range load(t).EntryIDs() {
		if name, ok := strings.CutPrefix(id, "sandbox.credentials.files:**/.env"); ok {
			files = append(files, ".env"+name)
		}
		if name, ok := strings.CutPrefix(id, "permissions.deny:Read(**/.env"); ok {
			rules = append(rules, ".env"+strings.TrimSuffix(name, ")"))
		}
	}
	if !slices.Equal(files, DotenvNames()) || !slices.Equal(rules, DotenvNames()) {
		t.Errorf("the policy names %q and %q, DotenvNames %q", files, rules, DotenvNames())
	}
	for name, want := range map[string]bool{".env": true, ".env.local": true, ".env.test.local": true,
		".env.a.b.local": true,
		".ENV":           false, ".env.test": false, ".envrc": false, "x.env": false, ".env.localx": false} {
		if Dotenv(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
