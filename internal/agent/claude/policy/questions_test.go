// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the default that a user meets is the one that the
// repository, or the document that is there, calls for.

package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
)

func asked(t *testing.T, f Found, id report.ID) report.Question {
	t.Helper()
	qs := load(t).Questions(f)
	i := slices.IndexFunc(qs, func(q report.Question) bool { return q.ID == id })
	if i < 0 {
		t.Fatalf("no question %s", id)
	}
	return qs[i]
}

func TestQuestionsAreTheFlags(t *testing.T) {
	var got []string
	for _, q := range load(t).Questions(Found{}) {
		got = append(got, string(q.ID)+" "+string(q.Kind))
		if q.Section != Section || len(q.Default) > 0 && q.Default[0] != "no" {
			t.Errorf("%s: without facts the default is the closed one, not %q", q.ID, q.Default)
		}
		if q.Kind == report.Confirm && q.Price == "" {
			t.Errorf("%s has no price", q.ID)
		}
	}
	want := []string{"project-name text", "project-config confirm", "domains multi", "allow-host list", "caches multi",
		"ask list",
		"gh-config confirm", "gnupg confirm", "sandbox-only confirm", "project-reads confirm", "omit list"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultsFollowTheRepository(t *testing.T) {
	tools := []string{"~/.local/bin", "~/.local/share/uv", "~/go/pkg/mod", "~/.cargo/bin", "~/.cache/pre-commit"}
	for _, c := range []struct {
		name            string
		facts           Found
		domains, caches []string
	}{
		{"nothing", Found{}, nil, nil},
		{"go", Found{Files: []string{"main.go", "go.mod"}, Home: tools}, []string{"go"}, nil},
		{"go in a subdirectory", Found{Files: []string{"tools/x/go.mod"}}, []string{"go"}, nil},
		{"python, no tools", Found{Files: []string{"requirements-dev.txt"}}, []string{"python"}, nil},
		{"python with tools", Found{Files: []string{"pyproject.toml", ".pre-commit-config.yaml"}, Home: tools},
			[]string{"python"}, []string{"local-bin", "uv-tools"}},
		{"rust", Found{Files: []string{"Cargo.toml"}, Home: tools}, []string{"rust"}, []string{"rust-toolchain"}},
		{"debian", Found{Files: []string{"debian/control"}}, []string{"debian"}, nil},
		{"not debian", Found{Files: []string{"docs/debian/control.md", "x/debian/control"}}, nil, nil},
		{"workflows", Found{Files: []string{".github/workflows/ci.yml"}}, []string{"github"}, nil},
		{"not workflows", Found{Files: []string{"docs/.github/x", ".githubx"}}, nil, nil},
		{"ssh remote", Found{Remotes: []string{"git@github.com:apache/airflow.git"}}, []string{"github", "apache"}, nil},
		{"https remote", Found{Remotes: []string{"https://user:token@GitHub.com:443/me/x"}}, []string{"github"}, nil},
		{"ssh url", Found{Remotes: []string{"ssh://git@gitbox.apache.org/repos/x"}}, []string{"apache"}, nil},
		{"another host", Found{Remotes: []string{"https://notgithub.com/apache/x", "https://evil.org/github.com/apache",
			"/srv/github.com"}}, nil, nil},
		{"a namesake", Found{Remotes: []string{"https://github.com/apachex/y"}}, []string{"github"}, nil},
		{"node and gitlab", Found{Files: []string{"web/package.json"}, Remotes: []string{"git@gitlab.com:a/b"}},
			[]string{"node", "gitlab"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for id, want := range map[report.ID][]string{"domains": c.domains, "caches": c.caches} {
				q := asked(t, c.facts, id)
				if diff := cmp.Diff(want, q.Default); diff != "" {
					t.Errorf("%s:\n%s", id, diff)
				}
				if (q.DefaultFrom == "") != (len(want) == 0) {
					t.Errorf("%s: from %q", id, q.DefaultFrom)
				}
			}
		})
	}
}

func TestProjectName(t *testing.T) {
	opened := decoded(t, []byte(`{"sandbox": {"filesystem": {
		"allowRead": ["~/.config/git/config", "~/.config/gh/", "~/.config/steward/"]}}}`))
	denied := decoded(t, []byte(`{"permissions": {"deny": ["Read(~/.config/gh/**)", "Read(~/.config/mine/**)"]}}`))
	for _, c := range []struct {
		name  string
		facts Found
		want  []string
		open  string
	}{
		{"no such directory", Found{Repo: "tracker"}, nil, "no"},
		{"a directory of that name", Found{Repo: "tracker", Home: []string{"~/.config/tracker"}}, []string{"tracker"}, "no"},
		{"a name that is no name", Found{Repo: "gh", Home: []string{"~/.config/gh"}}, nil, "no"},
		{"opened already", Found{Repo: "tracker", Existing: opened}, []string{"steward"}, "yes"},
		{"denied already", Found{Repo: "tracker", Existing: denied}, []string{"mine"}, "no"},
	} {
		if got := asked(t, c.facts, "project-name").Default; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := asked(t, c.facts, "project-config").Default; !slices.Equal(got, []string{c.open}) {
			t.Errorf("%s: open %q, want %q", c.name, got, c.open)
		}
	}
	for _, bad := range []string{"", "..", "a/b", "gh"} {
		if got := load(t).HomePaths(bad); slices.Contains(got, "~/.config/"+bad) {
			t.Errorf("%q is looked for", bad)
		}
	}
	if got := load(t).HomePaths("tracker"); got[0] != "~/.config/tracker" || !slices.Contains(got, "~/.local/share/uv") {
		t.Errorf("%q", got)
	}
}

// A rule that would approve runs outside the sandbox makes the closed answer
// the default, and says which rule it is.
func TestSandboxOnlyFollowsAllowRules(t *testing.T) {
	doc := func(rules ...string) (f Found) {
		for _, r := range rules {
			f.Allow = append(f.Allow, AllowRule{r, "~/.claude/settings.json"})
		}
		return f
	}
	q := asked(t, doc("Read(x)", "Bash(gh api graphql *)"), "sandbox-only")
	if q.Default[0] != "yes" || !strings.Contains(q.DefaultFrom, "Bash(gh api graphql *) in ~/.claude/settings.json") {
		t.Errorf("%q from %q", q.Default, q.DefaultFrom)
	}
	if q := asked(t, doc("Bash", "Edit"), "sandbox-only"); q.Default[0] != "no" {
		t.Errorf("%q from %q", q.Default, q.DefaultFrom)
	}
}

func TestHostPathOfARemote(t *testing.T) {
	for remote, want := range map[string]string{
		"git@github.com:a/b.git": "github.com/a/b.git", "https://github.com/a/b": "github.com/a/b",
		"ssh://git@host:22/a": "host/a",
		"/srv/git/x":          "", "": "", "file:///srv/x": "", "https://x@y@host/z": "host/z",
		"git@[::1]:a/b": "::1/a/b", "github.com/a/b": "", "-x:a/b": "",
	} {
		if got := hostPath(remote); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
}
