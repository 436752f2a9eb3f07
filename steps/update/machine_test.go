// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/agent/claude/upgrade"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// noon is the day of the tests; every pin is settled by then.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// machine is one installed machine, and what its sources answer.
type machine struct {
	t             *testing.T
	home, project string
	environ       []string
	now           time.Time
	opts          update.Options
	played        regress.Record // what a rehearsal would come to
	refused       error          // why there would be none
	plays         int
	root          string // prefixed to the system's files, "" is none
	executable    string // this program, "" is the one that installed

	mu      sync.Mutex
	answers map[string]http.HandlerFunc // by path
	asked   []string
	server  *httptest.Server
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, home: testenv.Home(t), now: noon, answers: map[string]http.HandlerFunc{}}
	m.project = filepath.Join(m.home, "code", "tracker")
	testenv.CopyMachine(t, stock(t), m.home)
	m.environ = m.path()
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.server.Close)
	m.put(".config/steward-setup/pinned-versions.local.toml", fmt.Sprintf(`[tools.bubblewrap]
upstream_releases = "%[1]s/containers/bubblewrap/releases"
[tools.socat]
upstream_releases = "%[1]s/socat/download/"
[tools.claude-code]
upstream_releases = "%[1]s/anthropics/claude-code/releases"
install.npm = "# asked over HTTP in these tests"
`, m.server.URL), 0o644)
	m.answer(bubblewrapPath, github("0.11.2", "2026-04-23"))
	m.answer(socatPath, index("1.8.1.3", "2026-06-26"))
	m.answer(claudePath, github(pinned.Claude(), pinned.Released()))
	m.played = rehearsal(pinned.Claude(), regress.Held)
	m.opts = update.Options{Agent: upgrade.Claude{}, Project: m.project, Version: "1.2.3",
		Play: func(context.Context, host.Reader) (regress.Record, error) {
			m.plays++
			return m.played, m.refused
		}}
	m.keep()
	return m
}

// stocked is the home of an installed machine, once there is one.
var stocked struct {
	sync.Mutex
	home string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if stocked.home != "" {
		os.RemoveAll(stocked.home)
	}
	os.Exit(code)
}

// stock is that home, which each machine is a copy of.
func stock(t *testing.T) string {
	t.Helper()
	testenv.Need(t, "git")
	stocked.Lock()
	defer stocked.Unlock()
	if stocked.home != "" {
		return stocked.home
	}
	home := testenv.Must(filepath.EvalSymlinks(testenv.Must(os.MkdirTemp("", "stock"))(t)))(t)
	m := &machine{t: t, home: home, project: filepath.Join(home, "code", "tracker"), now: noon}
	m.put("bin/bwrap", "#!/bin/sh\necho bubblewrap 0.11.2\n", 0o755)
	m.put("bin/socat", "#!/bin/sh\necho socat version 1.8.1.3 on 26 Jun 2026 10:00:00\n", 0o755)
	m.put("bin/claude", "#!/bin/sh\necho '"+pinned.ClaudeSays(pinned.Claude())+"'\n", 0o755)
	m.put("safe/steward-setup", "#!/bin/sh\n", 0o755)
	m.put(".bashrc", "[ -f \"$HOME/.claude/agent-isolation/claude-iso.sh\" ] && . "+
		"\"$HOME/.claude/agent-isolation/claude-iso.sh\"\n", 0o644)
	m.put("code/tracker/README.md", "hi\n", 0o644)
	m.environ = m.path()
	m.git("init", "-q", m.project)
	m.git("-C", m.project, "add", "-A")
	m.git("-C", m.project, "commit", "-qm", "x")
	m.install()
	stocked.home = home
	return home
}

// path is the environment with the programs of the machine as they are now.
func (m *machine) path() []string {
	m.t.Helper()
	return testenv.Env(m.t, m.home, "SHELL=/bin/bash", "PATH="+m.at("bin")+":/usr/local/bin:/usr/bin:/bin")
}

const (
	bubblewrapPath = "/api/v3/repos/containers/bubblewrap/releases"
	socatPath      = "/socat/download/"
	claudePath     = "/api/v3/repos/anthropics/claude-code/releases"
)

var layers = map[regress.Result]trial.Decider{regress.Held: trial.Filesystem, regress.Through: trial.Allowed,
	regress.Prompted: trial.Confirmation, regress.Exposed: trial.Allowed}

// rehearsal is a record in which one denied call came to a result.
func rehearsal(version string, result regress.Result) regress.Record {
	return regress.Record{Runtime: version, At: noon.Add(-time.Hour), Answers: []regress.Answer{
		{Session: "claude", Call: "read-aws", Title: "reads ~/.aws/credentials", Result: result, Layer: layers[result]},
		{Session: "claude", Call: "read-readme", Title: "reads the README", Result: regress.Works, Layer: trial.Allowed},
	}}
}

func (m *machine) reader() *host.Host {
	m.t.Helper()
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 { // root's sessions are another thing
		uid, gid = 1000, 1000
	}
	h, err := host.New(env.System{Env: env.New(m.environ), GOOS: "linux", GOARCH: runtime.GOARCH, UID: uid, GID: gid,
		Cwd: m.project, Root: m.root, Now: func() time.Time { return m.now },
		Executable: cmp.Or(m.executable, filepath.Join(m.home, "safe/steward-setup"))})
	if err != nil {
		m.t.Fatal(err)
	}
	return h
}

// install applies the real plan with its defaults, and with an answer of ours if one is
// named.
func (m *machine) install(answer ...string) {
	m.t.Helper()
	h := m.reader()
	answers := report.Answers{"skip": {"tools"}}
	if answer != nil {
		answers[report.ID(answer[0])] = answer[1:]
	}
	p, err := install.NewDialogue(h, &setup.Claude{Options: setup.Options{Project: m.project}}).Propose(m.t.Context(),
		answers)
	if err != nil {
		m.t.Fatal(err)
	}
	a := engine.Applier{State: h.Places().State, Version: cmp.Or(m.opts.Version, "1.2.3"), Now: func() time.Time {
		return m.now
	}}
	if _, err := a.Apply(m.t.Context(), p.Plan, p.Plan.ID, "install", func(engine.Event) {}); err != nil {
		m.t.Fatal(err)
	}
}

// keep keeps a rehearsal of what is there now, as verify does.
func (m *machine) keep() {
	m.t.Helper()
	r := host.Once(m.reader())
	o := m.verified()
	key := verify.Key(m.t.Context(), r, o)
	if err := verify.KeepPast(m.t.Context(), r, o, key, m.played); err != nil || key == "" {
		m.t.Fatal(key, err)
	}
}

func (m *machine) serve(w http.ResponseWriter, req *http.Request) {
	m.mu.Lock()
	m.asked = append(m.asked, req.URL.Path)
	h := m.answers[req.URL.Path]
	m.mu.Unlock()
	if h == nil {
		http.NotFound(w, req)
		return
	}
	h(w, req)
}

// answer sets what a source answers.
func (m *machine) answer(path string, h http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[path] = h
}

// github answers with releases: version, day, version, day and so on.
func github(pairs ...string) http.HandlerFunc {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"tag_name":"v%s","published_at":"%sT00:00:00Z","draft":false,"prerelease":%v,"html_url":"https://github.com/x/y/releases/tag/v%[1]s"}`,
			strings.TrimSuffix(pairs[i], "!"), pairs[i+1], strings.HasSuffix(pairs[i], "!")))
	}
	return text("[" + strings.Join(list, ",") + "]")
}

// index answers with a server's listing of packages.
func index(pairs ...string) http.HandlerFunc {
	page := "<html><h1>Index of /socat/download</h1><pre>\n<a href=\"?C=N;O=D\">Name</a>\n"
	for i := 0; i < len(pairs); i += 2 {
		page += fmt.Sprintf("<a href=\"socat-%[1]s.tar.gz\">socat-%[1]s.tar.gz</a>  %[2]s 10:00  700K\n", pairs[i],
			pairs[i+1])
	}
	return text(page + "</pre></html>\n")
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func (m *machine) at(rel string) string { return filepath.Join(m.home, filepath.FromSlash(rel)) }

func (m *machine) put(rel, text string, mode os.FileMode) {
	m.t.Helper()
	path := m.at(rel)
	testenv.Write(m.t, path, text, mode)
	if err := os.Chmod(path, mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) get(rel string) string {
	m.t.Helper()
	return testenv.Read(m.t, m.at(rel))
}

func (m *machine) edit(rel, old, with string) {
	m.t.Helper()
	text := m.get(rel)
	if !strings.Contains(text, old) {
		m.t.Fatalf("%s has no %q:\n%s", rel, old, text)
	}
	info, _ := os.Stat(m.at(rel))
	m.put(rel, strings.Replace(text, old, with, 1), info.Mode().Perm())
}

func (m *machine) remove(rel string) {
	m.t.Helper()
	if err := os.RemoveAll(m.at(rel)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) git(args ...string) string {
	m.t.Helper()
	return testenv.Git(m.t, m.environ, "", args...)
}

// report runs every check.
func (m *machine) report() []report.Finding {
	m.t.Helper()
	findings, err := update.Run(m.t.Context(), host.Once(m.reader()), update.Checks(m.opts), func(engine.Event) {})
	if err != nil {
		m.t.Fatal(err)
	}
	return findings
}

// localPins is where the user's own override lies.
func (m *machine) localPins() string {
	rel, err := filepath.Rel(m.home, pins.LocalPath(m.reader().Places().Config))
	if err != nil {
		m.t.Fatal(err)
	}
	return rel
}

func find(findings []report.Finding, id report.ID) report.Finding {
	for _, f := range findings {
		if f.Check == id {
			return f
		}
	}
	return report.Finding{}
}

// told is a report for a failed test.
func told(findings []report.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Status.Symbol(), f.Check, f.Summary)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "    %s: %s\n", e.Where, e.Text)
		}
		for _, r := range f.Remedies {
			if c, ok := r.(report.Command); ok {
				fmt.Fprintf(&b, "    $ %s\n", c.Line)
			}
		}
	}
	return b.String()
}

func (m *machine) verified() verify.Options {
	return verify.Options{Agent: checks.Claude{}, Project: m.project}
}
