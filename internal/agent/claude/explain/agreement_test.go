// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who is asked the same question gives the same answer, and
// it is the runtime's. Each row goes to every function that answers it; what
// they say otherwise is printed side by side.

package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// answers are those to one question, by who gives them.
type answers map[string]bool

// agree fails where not all answers to a question are the same.
func (a answers) agree(t *testing.T, question string) {
	t.Helper()
	yes := 0
	for _, answer := range a {
		if answer {
			yes++
		}
	}
	if yes > 0 && yes < len(a) {
		t.Errorf("%s %v", question, a)
	}
}

// inProject are files of a project: what the runtime keeps read-only, what lies
// below it, and names beside it.
func inProject() []string {
	files := strings.Fields(`.claude/x.md .claude/CLAUDE.md .claude/settings.jsonx .claude/scripts/x .claude/rules/x.md .git/info/exclude .git/x
		CLAUDE.md .envrc Makefile .vscode.bak/x .ideas/x .bashrc.d/x .bash_aliases .bash_logout .zshenv .zlogin .inputrc .mcp.jsonx .gitattributes .gitignore .husky/x src/x`)
	dirs := strings.Fields(".claude/skills .claude/agents .claude/commands .claude/hooks .claude/output-styles " +
		".claude/routines .claude/workflows .git/hooks .vscode .idea")
	for _, name := range claude.Protected {
		if slices.Contains(dirs, name) {
			name += "/x"
		}
		files = append(files, name)
	}
	return files
}

// writing are the answers whether a sandboxed command changes files of a
// project; verify's is that about a hook of the user's own that runs one.
func writing(t *testing.T, l *lab, files []string) map[string]answers {
	list := map[string]answers{}
	s := l.start()
	var hooks []any
	for _, name := range files {
		path := l.path("p/" + name)
		q, err := access.OfPath(l.reader(), path)
		if err != nil {
			t.Fatal(err)
		}
		rulings, _ := q.Rule(s)
		_, kept := claude.ProtectedAt(path, l.project, "")
		list[name] = answers{"doctor": ruling(t, rulings, access.WhoCommand, access.DoesWrite).Answer == report.Allowed,
			"claude": !kept}
		hooks = append(hooks, map[string]any{"matcher": "",
			"hooks": []any{map[string]any{"type": "command", "command": path}}})
	}
	before := l.reader()
	l.settings("h/settings.json", map[string]any{"hooks": map[string]any{"PreToolUse": hooks}})
	opens, err := checks.WouldOpen(t.Context(), before, l.project)(func(r host.Reader) host.Reader {
		own := host.Planned{Bytes: read(t, l.path("h/settings.json"))}
		return host.With(r, map[string]host.Planned{l.path(".claude/settings.json"): own})
	})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.NewReplacer(". ", " ", ".\n", " ", "\n", " ").Replace(strings.Join(opens, "\n") + "\n")
	for _, name := range files {
		list[name]["verify"] = strings.Contains(said, l.path("p/"+name)+" ")
	}
	return list
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// protecting is a lab with a project of files.
func protecting(t *testing.T, files []string) *lab {
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true}})
	for _, name := range files {
		if name != ".claude/settings.json" {
			l.put("p/"+name, "")
		}
	}
	return l
}

func TestTheAnswersAgreeOnProtectedFiles(t *testing.T) {
	files := inProject()
	for name, a := range writing(t, protecting(t, files), files) {
		a.agree(t, "a command writes "+name+":")
	}
}

func TestTheAnswersAgreeWithTheSandbox(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "python3")
	files := inProject()
	l := protecting(t, files)
	list := writing(t, l, files)
	var paths []string
	for _, name := range files {
		paths = append(paths, "p/"+name)
	}
	for i, tried := range l.try(nil, paths) {
		a := list[files[i]]
		a["the runtime"] = tried.through
		a.agree(t, "a command writes "+files[i]+":")
	}
}

// TestTheAnswersAgreeOnHosts: the explanation of a host, what verify asks of an
// entry, and what install takes for named already. What the proxy does for these
// spellings is shown by TestEntriesNameWhatTheProxyOpens.
func TestTheAnswersAgreeOnHosts(t *testing.T) {
	entries := []string{"github.com", "GitHub.com", "github.com:443", "*github.com", "github.com.", "*.github.com",
		"https://github.com", "127.0.0.1", "127.1", "::1", "[::1]", "bücher.example", "*"}
	for _, entry := range entries {
		l := newLab(t)
		l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
			"network": map[string]any{"allowedDomains": []string{entry}}}})
		s := l.start()
		for _, host := range []string{"github.com", "api.github.com", "xgithub.com", "127.0.0.1", "xn--bcher-kva.example"} {
			q, err := access.OfHost(host)
			if err != nil {
				t.Fatal(err)
			}
			rulings, _ := q.Rule(s)
			a := answers{"doctor": ruling(t, rulings, access.WhoCommand, access.ViaProxy).Answer == report.Allowed,
				"policy": policy.HostNamed(entry, host)}
			if !strings.Contains(entry, ":443") { // it does not name all ports of a host
				a["install"] = policy.HostCovered([]string{entry}, host)
			}
			a.agree(t, fmt.Sprintf("%q names %s:", entry, host))
		}
	}
}

// TestTheAnswersAgreeOnContainment: text, pattern, policy and the way through
// symlinks, where there is no symlink.
func TestTheAnswersAgreeOnContainment(t *testing.T) {
	home := testenv.Home(t)
	l := &lab{t: t, home: home, project: home}
	for _, name := range []string{"a", "ab", "a/b", "..a", "a/..b/c"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := l.reader()
	places := []string{home, home + "/a", home + "/ab", home + "/a/b", home + "/..a", home + "/a/..b/c", "/",
		filepath.Dir(home)}
	for _, dir := range places {
		for _, path := range places {
			a := answers{"pathname": pathname.Within(path, dir), "host": r.Through(path, []string{dir})}
			if dir != "/" {
				a["rules"] = settings.RuleCovers("/"+dir, settings.Project, settings.Dirs{}, path)
			}
			a.agree(t, path+" lies in "+dir+":")
		}
	}
}
