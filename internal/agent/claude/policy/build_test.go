// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user gets from an answer is in the document, and
// what nobody asked for is not.

package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/templates"
)

func build(t testing.TB, f Found, a report.Answers) Wanted {
	t.Helper()
	w, err := base(t).Build(f, a)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func entryKeys(w Wanted, state string) []string {
	var keys []string
	for _, e := range w.Entries {
		if e.State == state {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func TestWithoutFactsOrAnswersItIsTheTemplate(t *testing.T) {
	if got := string(build(t, Found{}, nil).Document); got != string(templates.Settings) {
		t.Error(cmp.Diff(string(templates.Settings), got))
	}
}

// added is what an answer adds to the document, in document order.
func added(t *testing.T, a report.Answers) []string {
	t.Helper()
	without := entryKeys(build(t, Found{}, nil), "new")
	return slices.DeleteFunc(entryKeys(build(t, Found{}, a), "new"), func(k string) bool {
		return slices.Contains(without, k)
	})
}

func TestAnswersAdd(t *testing.T) {
	for _, c := range []struct {
		name string
		a    report.Answers
		want []string
	}{
		{"hosts of a group", report.Answers{"domains": {"python", "cve"}}, []string{
			"sandbox.network.allowedDomains:pypi.org", "sandbox.network.allowedDomains:files.pythonhosted.org",
			"sandbox.network.allowedDomains:cve.org", "sandbox.network.allowedDomains:www.cve.org"}},
		{"a host, once", report.Answers{"domains": {"cve"}, "allow-host": {"cve.org", "docs.example.org"}}, []string{
			"sandbox.network.allowedDomains:cve.org", "sandbox.network.allowedDomains:www.cve.org",
			"sandbox.network.allowedDomains:docs.example.org"}},
		{"a cache that is read", report.Answers{"caches": {"go-modules"}},
			[]string{"sandbox.filesystem.allowRead:~/go/pkg/mod/"}},
		{"a cache that is written", report.Answers{"caches": {"go-build"}}, []string{
			"sandbox.filesystem.allowRead:~/.cache/go-build/", "sandbox.filesystem.allowWrite:~/.cache/go-build/"}},
		{"a command to ask for", report.Answers{"ask": {"svn commit", "Bash(git tag *)"}}, []string{
			"permissions.ask:Bash(svn commit *)", "permissions.ask:Bash(git tag *)"}},
		{"a project's directory stays closed", report.Answers{"project-name": {"tracker"}}, []string{
			"sandbox.credentials.files:~/.config/tracker/", "permissions.deny:Read(~/.config/tracker/**)"}},
		{"unless it is opened", report.Answers{"project-name": {"tracker"}, "project-config": {"yes"}}, []string{
			"permissions.deny:Read(~/.config/tracker/**)", "sandbox.filesystem.allowRead:~/.config/tracker/"}},
		{"opening nothing in particular", report.Answers{"project-config": {"yes"}}, nil},
		{"gh", report.Answers{"gh-config": {"yes"}}, []string{"sandbox.filesystem.allowRead:~/.config/gh/"}},
		{"gnupg", report.Answers{"gnupg": {"yes"}}, []string{"sandbox.filesystem.allowRead:~/.gnupg/"}},
		{"nothing outside", report.Answers{"sandbox-only": {"yes"}}, []string{"sandbox.allowUnsandboxedCommands"}},
		{"no reads outside", report.Answers{"project-reads": {"yes"}},
			[]string{"permissions.blockReadsOutsideWorkingDirectories"}},
		{"no", report.Answers{"gh-config": {"no"}, "domains": {}, "caches": nil}, nil},
		{"an answer to somebody else", report.Answers{"rc-file": {"x"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := added(t, c.a)
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Error(cmp.Diff(c.want, got))
			}
		})
	}
}

// Opening a directory takes its credential entry away, which would hold
// against it; the rule for the Read tool stays.
func TestOpeningADirectoryIsNotUndoneByItsDenial(t *testing.T) {
	w := build(t, Found{}, report.Answers{"gh-config": {"yes"}, "gnupg": {"yes"}})
	keys := entryKeys(w, "new")
	for _, gone := range []string{"sandbox.credentials.files:~/.config/gh/", "sandbox.credentials.files:~/.gnupg/"} {
		if slices.Contains(keys, gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, stays := range []string{"permissions.deny:Read(~/.config/gh/**)", "permissions.deny:Read(~/.gnupg/**)"} {
		if !slices.Contains(keys, stays) {
			t.Errorf("%s is gone", stays)
		}
	}
	if len(w.Exposes) != 2 {
		t.Errorf("prices: %q", w.Exposes)
	}
}

func TestAnEntryCanBeLeftOut(t *testing.T) {
	w := build(t, Found{}, report.Answers{"omit": {"permissions.deny:Bash(curl *)",
		"sandbox.credentials.envVars:GH_TOKEN"}})
	if got := entryKeys(w, "omitted"); len(got) != 2 {
		t.Errorf("left out: %q", got)
	}
	if s := string(w.Document); strings.Contains(s, "curl") || strings.Contains(s, `"GH_TOKEN"`) {
		t.Error("the document still has what was left out")
	}
}

// A price says of what it is the price, also where the value alone is a word
// such as false.
func TestAPriceNamesItsEntry(t *testing.T) {
	got := build(t, Found{}, report.Answers{"sandbox-only": {"yes"}}).Exposes
	if want := "sandbox.allowUnsandboxedCommands is false: Work that needs the outside stops"; len(got) != 1 ||
		!strings.HasPrefix(got[0], want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPricesAreNamedOnce(t *testing.T) {
	got := build(t, Found{}, report.Answers{"domains": {"github"}, "allow-host": {"*.example.org"}}).Exposes
	want := []string{
		"github.com: Serves what anyone uploads, and takes what anyone with a token sends.",
		"api.github.com: Takes what anyone with a token sends: a gist or a comment carries data out.",
		"raw.githubusercontent.com, objects.githubusercontent.com, release-assets.githubusercontent.com, " +
			"codeload.github.com: Serves what anyone uploads.",
		"uploads.github.com: Takes what anyone with a token sends.",
		"*.example.org: Every host below example.org, including those that serve what anyone uploads.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// everything answers every question with as much as it takes.
func everything(t testing.TB) report.Answers {
	a := report.Answers{"project-name": {"tracker"}, "allow-host": {"docs.example.org"}, "ask": {"svn commit"}}
	for _, q := range load(t).Questions(Found{}) {
		switch q.Kind {
		case report.Confirm:
			a[q.ID] = []string{"yes"}
		case report.Multi:
			for _, o := range q.Options {
				a[q.ID] = append(a[q.ID], o.Value)
			}
		}
	}
	return a
}

// Whatever is answered: nothing is allowed by a rule, what is writable is
// readable, and credentials are open only where a question asked for them.
func TestLawsHoldUnderEveryAnswer(t *testing.T) {
	all := everything(t)
	for _, a := range []report.Answers{nil, all} {
		doc := decoded(t, build(t, Found{}, a).Document)
		if rules := at(doc, "permissions.allow"); rules != nil {
			t.Errorf("permissions.allow is written: %v", rules)
		}
		for _, p := range texts(doc, "sandbox.filesystem.allowWrite") {
			if !slices.Contains(texts(doc, "sandbox.filesystem.allowRead"), p) {
				t.Errorf("%s is writable and not readable", p)
			}
		}
		if missing := load(t).Missing(doc, "/home/me"); len(missing) > 0 {
			t.Errorf("missing: %q", ids(missing))
		}
		for _, w := range Weakenings(Document{Content: doc, Scope: Project, Home: "/home/me"}) {
			asked := slices.Contains([]string{"~/.config/gh/", "~/.gnupg/"}, w.Text) ||
				w.Kind == "writable-outside" && slices.Contains(texts(doc, "sandbox.filesystem.allowWrite"), w.Text)
			if a == nil || !asked {
				t.Errorf("%s: %s", w.Text, w.Opens)
			}
		}
	}
}

// The second run on a finished setup proposes no change, whatever the first
// was told.
func TestASecondRunHasNothingToAdd(t *testing.T) {
	for name, first := range map[string]report.Answers{
		"defaults": nil, "everything": everything(t),
		"little": {"domains": {"node"}, "caches": {}, "sandbox-only": {"yes"}},
	} {
		repo := Found{Repo: "tracker", Files: []string{"go.mod"}, Home: []string{"~/go/pkg/mod"}}
		repo.Existing, repo.Where = decoded(t, build(t, repo, first).Document), ".claude/settings.json"
		w := build(t, repo, nil)
		if got := slices.Concat(entryKeys(w, "new"), entryKeys(w, "conflict")); len(got) > 0 {
			t.Errorf("%s: proposed again: %q", name, got)
		}
		if len(w.Findings) > 0 {
			t.Errorf("%s: %v", name, w.Findings)
		}
	}
}

func TestStatesAndContradictionsAreNamed(t *testing.T) {
	f := Found{Where: "x/settings.json", Existing: decoded(t, []byte(`{"sandbox": {"enabled": true, "failIfUnavailable": false,
		"credentials": {"files": [{"path": "~/.config/gh/", "mode": "deny"}]}}}`))}
	w := build(t, f, report.Answers{"gh-config": {"yes"}})
	if !slices.Contains(entryKeys(w, "present"), "sandbox.enabled") ||
		!slices.Contains(entryKeys(w, "conflict"), "sandbox.failIfUnavailable") {
		t.Errorf("states: %+v", w.Entries[:2])
	}
	if len(w.Findings) != 1 || !w.Findings[0].Decide || w.Findings[0].Evidence[0].Where != "x/settings.json" {
		t.Errorf("a denial in the existing file makes the answer void, and nobody says so: %+v", w.Findings)
	}
}

func TestWrongAnswersNameTheirFlag(t *testing.T) {
	for flag, bad := range map[report.ID][]string{
		"domains": {"nowhere"}, "caches": {"github"}, "allow-host": {"*"}, "ask": {"Bash("},
		"omit":         {"permissions.deny:Bash(nothing)"},
		"project-name": {"../x"}, "gh-config": {"maybe"}, "gnupg": {}, "sandbox-only": {"yes", "no"},
	} {
		_, err := base(t).Build(Found{}, report.Answers{flag: bad})
		e, ok := errors.AsType[*report.Error](err)
		if !ok || e.Code != report.ExitUsage || e.Where != "--"+string(flag) {
			t.Errorf("--%s %q: %v", flag, bad, err)
		}
	}
}
