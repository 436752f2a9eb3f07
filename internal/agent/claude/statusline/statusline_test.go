// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package statusline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type footer struct {
	t             *testing.T
	home, project string
	vars          []string
	executable    string
}

func newFooter(t *testing.T) *footer {
	t.Helper()
	testenv.Need(t, "git", "bwrap", "socat")
	home := testenv.Home(t)
	f := &footer{t: t, home: home, project: filepath.Join(home, "p")}
	f.git(home, "init", "-q", "p")
	f.put("p/a.txt", "a\n")
	f.git(f.project, "add", "-A")
	f.git(f.project, "commit", "-q", "-m", "x")
	return f
}

func (f *footer) put(name, text string) {
	f.t.Helper()
	testenv.Write(f.t, filepath.Join(f.home, name), text, 0o755)
}

func (f *footer) git(dir string, args ...string) {
	f.t.Helper()
	testenv.Git(f.t, testenv.Env(f.t, f.home), dir, args...)
}

func (f *footer) host() host.Reader {
	f.t.Helper()
	h := testenv.Must(host.New(env.System{Env: env.New(testenv.Env(f.t, f.home, f.vars...)), GOOS: "linux",
		Executable: f.executable,
		Now:        func() time.Time { return noon }}))(f.t)
	return h
}

// event is what the runtime writes for a session in dir.
func event(dir string) string {
	b, err := json.Marshal(map[string]any{"session_id": "s1", "version": "2.1.329",
		"model": map[string]any{"display_name": "Opus 5"},
		"cwd":   dir, "workspace": map[string]any{"current_dir": dir, "project_dir": dir}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

const on = `{"sandbox":{"enabled":true}}`

// floor is a policy that needs no project's.
const floor = `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"]}},"permissions":{"deny":["Read(~/.ssh/**)"]}}`

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		dir   string
		vars  []string
		want  string
	}{
		{name: "nothing", want: "Opus 5 \x1b[1;31m[NO SANDBOX]\x1b[0m"},
		{name: "on", files: map[string]string{"p/.claude/settings.json": on}, want: "Opus 5 \x1b[32m[sandbox]\x1b[0m"},
		{name: "auto", files: map[string]string{".claude/settings.json": `{"sandbox":{"enabled":true,"autoAllowBashIfSandboxed":true}}`},
			want: "Opus 5 \x1b[33m[sandbox-auto]\x1b[0m"},
		{name: "below", files: map[string]string{"p/.claude/settings.json": on}, dir: "sub",
			want: "Opus 5 \x1b[1;31m[NO SANDBOX: started below the project]\x1b[0m"},
		{name: "below, and the user has switched it on, without a policy",
			files: map[string]string{".claude/settings.json": on, "p/.claude/settings.json": on}, dir: "sub",
			want: "Opus 5 \x1b[1;31m[sandbox: started below the project]\x1b[0m"},
		{name: "below, and the user has a policy", files: map[string]string{"p/.claude/settings.json": on,
			".claude/settings.json": floor}, dir: "sub",
			want: "Opus 5 \x1b[32m[sandbox]\x1b[0m"},
		{name: "dropped", files: map[string]string{"p/.claude/settings.json": on + ","},
			want: "Opus 5 \x1b[1;31m[NO SANDBOX: settings.json:1 is dropped]\x1b[0m"},
		{name: "dropped beside one that holds", files: map[string]string{".claude/settings.json": on,
			"p/.claude/settings.json": "{"},
			want: "Opus 5 \x1b[1;31m[sandbox: settings.json:1 is dropped]\x1b[0m"},
		{name: "no bwrap", files: map[string]string{"p/.claude/settings.json": on}, vars: []string{"PATH=/nowhere"},
			want: "Opus 5 \x1b[1;31m[NO SANDBOX: bwrap is missing]\x1b[0m"},
		{name: "without colour", files: map[string]string{"p/.claude/settings.json": on}, vars: []string{"NO_COLOR=1"},
			want: "Opus 5 [sandbox]"},
		{name: "a home with a settings.local.json", files: map[string]string{".claude/settings.local.json": on},
			want: "Opus 5 \x1b[1;31m[NO SANDBOX]\x1b[0m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFooter(t)
			f.vars = c.vars
			for name, text := range c.files {
				f.put(name, text)
			}
			f.put("p/sub/x", "")
			if got := Plain(f.host(), []byte(event(filepath.Join(f.project, c.dir)))); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestABypassShowsInItsSession, and in no other.
func TestABypassShowsInItsSession(t *testing.T) {
	f := newFooter(t)
	f.put("p/.claude/settings.json", on)
	record := func(session string, kind journal.Kind) string {
		return string(journal.Record{Time: noon, Session: session, Kind: kind, Command: "s1"}.Line()) + "\n"
	}
	other := record("s2", journal.Bypass) + record("s1", journal.Denial)
	for text, want := range map[string]string{
		"":                                   "\x1b[32m[sandbox]",
		other:                                "\x1b[32m[sandbox]",
		other + record("s1", journal.Bypass): "\x1b[1;31m[sandbox: 1 call asked to leave it]",
		record("s1", journal.Bypass) + other + record("s1",
			journal.Bypass): "\x1b[1;31m[sandbox: 2 calls asked to leave it]",
		record("s1", journal.Bypass) + strings.Repeat(other,
			2000): "\x1b[1;31m[sandbox: 1 call asked to leave it]", // not pushed out of sight
		strings.Repeat(other, 2000) + record("s1", journal.Bypass) +
			`{"torn`: "\x1b[1;31m[sandbox: 1 call asked to leave it]",
		strings.Repeat("x", 64<<10) + "\n" + strings.Repeat("[", 1000) + "\n" +
			record("s1", "bypass"): "\x1b[1;31m[sandbox: 1 call asked to leave it]",
	} {
		f.put(".local/state/steward-setup/journal.jsonl", text)
		if got := Plain(f.host(), []byte(event(f.project))); got != "Opus 5 "+want+"\x1b[0m" {
			t.Errorf("%.60q...: %q, want %q", text, got, want)
		}
	}
}

func TestRich(t *testing.T) {
	f := newFooter(t)
	f.vars = []string{"NO_COLOR=1"}
	f.put("p/.claude/settings.json", on)
	f.put("p/.claude/settings.local.json", on)
	line := func(dir string) string {
		t.Helper()
		line, refresh := Rich(context.Background(), f.host(), []byte(event(dir)))
		if refresh != "" {
			t.Errorf("a title is to be refreshed without gh")
		}
		return line
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	want(line(f.project), "Opus 5 [sandbox] p main")
	f.put("p/a.txt", "b\n")
	want(line(f.project), "Opus 5 [sandbox] p main*")
	f.git(f.home, "clone", "-q", "p", "c")
	f.put("c/.claude/settings.json", on)
	f.git(f.project, "commit", "-q", "-a", "-m", "theirs")
	f.git(filepath.Join(f.home, "c"), "commit", "-q", "--allow-empty", "-m", "ours")
	f.git(filepath.Join(f.home, "c"), "fetch", "-q")
	want(line(filepath.Join(f.home, "c")), "Opus 5 [sandbox] c main ↑1 ↓1")
	f.git(f.project, "worktree", "add", "-q", "../w", "-b", "feature")
	want(line(filepath.Join(f.home, "w")), "Opus 5 [sandbox] p/w feature")
	f.git(filepath.Join(f.home, "w"), "checkout", "-q", "--detach")
	if got := line(filepath.Join(f.home, "w")); !strings.HasPrefix(got, "Opus 5 [sandbox] p/w ") ||
		len(got) != len("Opus 5 [sandbox] p/w ")+7 {
		t.Errorf("detached: %q", got)
	}
	f.put("d/x", "")
	want(line(filepath.Join(f.home, "d")), "Opus 5 [NO SANDBOX] d")
}

// TestARepositoryRunsNothing: git status would run a filter that the
// repository's own configuration names.
func TestARepositoryRunsNothing(t *testing.T) {
	for name, config := range map[string]string{
		"filter":  "[filter \"x\"]\n\tclean = touch %/ran; cat\n",
		"Include": "[Include]\n\tpath = %/evil\n",
	} {
		f := newFooter(t)
		f.vars = []string{"NO_COLOR=1"}
		f.put("evil", strings.ReplaceAll("[filter \"x\"]\n\tclean = touch %/ran; cat\n", "%", f.home))
		f.put("p/.gitattributes", "* filter=x\n")
		b := testenv.Read(t, filepath.Join(f.project, ".git", "config"))
		f.put("p/.git/config", b+strings.ReplaceAll(config, "%", f.home))
		f.put("p/a.txt", "c\n") // the same size: git has to look into the file
		if line, _ := Rich(context.Background(), f.host(), []byte(event(f.project))); line != "Opus 5 [NO SANDBOX] p" {
			t.Errorf("%s: %q", name, line)
		}
		if _, err := os.Stat(filepath.Join(f.home, "ran")); err == nil {
			t.Errorf("%s: the footer ran a program of the repository's", name)
		}
		f.git(f.project, "status")
		if _, err := os.Stat(filepath.Join(f.home, "ran")); err != nil {
			t.Errorf("%s: git status alone runs nothing either, so nothing was shown", name)
		}
	}
}

// TestSlowGitIsGivenUp: the line is there without what git would say.
func TestSlowGitIsGivenUp(t *testing.T) {
	f := newFooter(t)
	f.put("bin/git", "#!/bin/sh\nexec sleep 60\n")
	f.vars = []string{"NO_COLOR=1", "PATH=" + filepath.Join(f.home, "bin") + ":/usr/bin:/bin"}
	if line, _ := Rich(context.Background(), f.host(), []byte(event(f.project))); line != "Opus 5 [NO SANDBOX] p" {
		t.Errorf("%q", line)
	}
}

// TestTheTitle comes from the cache, is fetched for the next footer, and
// fetched again when it is five minutes old.
func TestTheTitle(t *testing.T) {
	f := newFooter(t)
	f.executable = "/usr/bin/steward-setup"
	f.put("bin/gh", "#!/bin/sh\necho \"$*\" >>\""+f.home+"/asked\"\nprintf '{\"title\":\"Mend the \\\\u001b[31m parser "+
		"ghp_0123456789abcdef0123456789abcdef0123\"}'\n")
	f.vars = []string{"NO_COLOR=1", "PATH=" + filepath.Join(f.home, "bin") + ":/usr/bin:/bin"}
	f.git(f.project, "remote", "add", "origin", "git@github.com:me/fork.git")
	f.git(f.project, "remote", "add", "upstream", "https://github.com/them/tool")
	line, refresh := Rich(context.Background(), f.host(), []byte(event(f.project)))
	if line != "Opus 5 [NO SANDBOX] p main" || refresh != f.project {
		t.Fatalf("%q, refresh %q", line, refresh)
	}
	for range 2 { // the second finds a title that is current
		testenv.OK(t, RefreshTitle(context.Background(), f.host(), f.project))
	}
	line, refresh = Rich(context.Background(), f.host(), []byte(event(f.project)))
	if want := "Opus 5 [NO SANDBOX] p main Mend the ␛[31m parser [redacted]"; line != want || refresh != "" {
		t.Errorf("%q, want %q; refresh %q", line, want, refresh)
	}
	asked, err := os.ReadFile(filepath.Join(f.home, "asked"))
	if want := "pr view --repo github.com/them/tool --json title -- me:main\n"; err != nil || string(asked) != want {
		t.Errorf("gh was asked %q (%v), want %q", asked, err, want)
	}
	noon = noon.Add(6 * time.Minute)
	defer func() { noon = noon.Add(-6 * time.Minute) }()
	if _, refresh = Rich(context.Background(), f.host(), []byte(event(f.project))); refresh != f.project {
		t.Error("a title six minutes old is not refreshed")
	}
}

func TestRemotes(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/o/n.git": "github.com/o/n", "git@github.com:o/n.git": "github.com/o/n",
		"ssh://git@ghe.example:2222/o/n":      "ghe.example/o/n",
		"https://user:secret@github.com/o/n/": "github.com/o/n", "/srv/git/n": "", "https://github.com/o": "",
		"https://github.com/o/n/x": "",
		"https://-x/o/n":           "", "git@github.com:o/--repo": "", "ext::sh -c x": "", "github.com:o/n;x": "", "": "",
		"git@[ghe.example:22]:o/n": "ghe.example/o/n", "./github.com:o/n": "",
	} {
		if got := repository(address); got != want {
			t.Errorf("%q names %q, want %q", address, got, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(event("/tmp")), "# branch.head x\n# branch.ab +1 -2\n1 .M x\n")
	f.Add([]byte(`{"model":{"display_name":"\u001b[31m\n\u202e"},"workspace":{"project_dir":"/\u0000","current_dir":"/a\u001bb"}}`), "# branch.head \x1b[2J\n")
	f.Add([]byte(`{"model":7,"session_id":[],"cwd":"../x"}`), "# branch.oid\n")
	home := f.TempDir()
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=/nowhere"}), GOOS: "linux",
		Now: func() time.Time { return noon }}))(f)
	f.Fuzz(func(t *testing.T, b []byte, git string) {
		s := parseStatus(git)
		rich, _ := Rich(context.Background(), h, b)
		for _, line := range []string{Plain(h, b), rich, s.branchText(), s.distance()} {
			bare := line
			for _, colour := range []string{boldRed, green, yellow, cyan, "0"} {
				bare = strings.ReplaceAll(bare, "\x1b["+colour+"m", "")
			}
			for _, n := range folders {
				bare = strings.ReplaceAll(bare, "\x1b["+colour256(n)+"m", "")
			}
			if strings.ContainsFunc(bare, unicode.IsControl) {
				t.Fatalf("%q", line)
			}
		}
	})
}

// What cannot be read is never shown as protection.
func TestWhatIsNotUnderstoodIsNotGreen(t *testing.T) {
	f := newFooter(t)
	f.put("p/.claude/settings.json", on)
	for _, payload := range []string{"", "{", "\x00\x00", "nonsense"} {
		if got := Plain(f.host(), []byte(payload)); !strings.Contains(got, "unknown") || strings.Contains(got, "\x1b[32m") {
			t.Errorf("%q: %q", payload, got)
		}
	}
	f.put(".local/state/steward-setup/journal.jsonl/is/a/directory", "")
	if got := Plain(f.host(), []byte(event(f.project))); strings.Contains(got, "\x1b[32m") {
		t.Errorf("a journal that cannot be read: %q", got)
	}
}
