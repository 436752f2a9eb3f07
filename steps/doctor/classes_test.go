// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a class of errors that no probe asks about is made by a real
// command under the policy of install. What the agent sees then is explained, and
// the first way of the explanation works.

package doctor_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/explain"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/manifests"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// class is a class of errors and a command of it, which fails inside and works
// without the sandbox.
type class struct {
	name, entry, line string
	// differs is the command with one difference, by is who refuses it if it works
	// inside with that one: "" where the runtime itself says so.
	differs string
	by      catalog.Refuser
	// instead is what the first way of the entry makes of the command, "" where that
	// changes settings or leaves the sandbox and nothing can be done inside.
	instead string
}

var classes = []class{
	{name: "`.git/config: File exists`, git remote add", entry: "git-config-lock",
		line:    "git remote add upstream https://code.example/p.git",
		differs: "git config --file steward.config remote.upstream.url https://code.example/p.git", by: catalog.Mount},
	{name: "`.git/config: File exists`, what husky does", entry: "git-config-lock",
		line:    "git config core.hooksPath .husky/_",
		differs: "git config --file steward.config core.hooksPath .husky/_", by: catalog.Mount},
	{name: "approval of a part of a line", entry: "permission-rule",
		line:    "git log -1 && cat README.md; git push --dry-run . HEAD | cat",
		instead: "git log -1 && cat README.md"},
	{name: "approval of git in another directory", entry: "permission-rule",
		line: "cd tools/.. && git push --dry-run . HEAD"},
	{name: "approval of quoted text", entry: "permission-rule", line: `cd "$PWD" && git push --dry-run . HEAD`},
	{name: "`command not found`: the tool lies in the hidden home", entry: "command-hidden",
		line: "steward-linter", differs: "PATH=$PWD/tools:$PATH steward-linter", by: catalog.Mount},
	{name: "here-document", entry: "here-document",
		line:    `TMPPREFIX=~/tmp/zsh zsh -c $'cat <<E\nx\nE'`,
		differs: `TMPPREFIX=$TMPDIR/zsh zsh -c $'cat <<E\nx\nE'`, by: catalog.Mount,
		instead: `TMPPREFIX=$TMPDIR/zsh zsh -c $'cat <<E\nx\nE'`},
	{name: "TMPDIR in the hidden home", entry: "tmpdir",
		line: "TMPDIR=~/tmp mktemp", differs: "mktemp", by: catalog.Mount, instead: "mktemp"},
	{name: "`could not read Username`", entry: "git-credentials",
		line:    "echo url=https://code.example | git -c credential.helper='store --file ~/.git-login' credential fill",
		differs: "echo url=https://code.example | git -c credential.helper='store --file tools/login' credential fill",
		by:      catalog.Mount},
	{name: "a commit signed with an SSH key", entry: "ssh-sign",
		line:    "git -c gpg.format=ssh -c user.signingKey=~/.ssh/sign.pub commit -S --allow-empty -m signed",
		differs: "git -c gpg.format=ssh -c user.signingKey=tools/sign.pub commit -S --allow-empty -m signed",
		by:      catalog.Mount},
	{name: "`git add .` and the placeholders", entry: "git-add",
		line: "git add .", differs: "git add README.md", by: catalog.Mount},
	{name: "a cache that is opened for reading only: pre-commit", entry: "package-cache",
		line: "pre-commit gc", differs: "PRE_COMMIT_HOME=$TMPDIR/pre-commit pre-commit gc", by: catalog.Mount,
		instead: "PRE_COMMIT_HOME=$TMPDIR/pre-commit pre-commit gc"},
	{name: "a cache that is opened for reading only: pip", entry: "package-cache",
		line: "pip cache purge", differs: "PIP_CACHE_DIR=$TMPDIR/pip pip cache purge", by: catalog.Mount,
		instead: "PIP_CACHE_DIR=$TMPDIR/pip pip cache purge"},
	{name: "a client that ignores the proxy", entry: "egress-direct",
		line: `python3 -c "import http.client as h; c = h.HTTPConnection('allowed.example', 8480); ` +
			`c.request('GET', '/direct'); c.getresponse()"`,
		differs: `python3 -c "import urllib.request as u; u.urlopen('http://allowed.example:8480/proxied')"`,
		by:      catalog.Namespace,
		instead: `python3 -c "import urllib.request as u; u.urlopen('http://allowed.example:8480/proxied')"`},
}

// done is what a command of a class prints when it worked. No refusal that quotes
// the command has it.
const done = "worked: 42"

// call is a command that is judged by whether it worked.
func (c class) call(kind, line string) trial.Probe {
	return trial.Probe{ID: kind + " " + c.name, Call: model.Bash(line + " && echo worked: $((6*7))"),
		Through: trial.Through{Reply: done}, Turn: 1, Alone: true, Control: true}
}

// calls are those of a class that its session makes.
func (c class) calls() (list []trial.Probe) {
	for _, call := range []struct{ kind, line string }{{"fails", c.line}, {"differs", c.differs}, {"instead", c.instead}} {
		if call.line != "" {
			list = append(list, c.call(call.kind, call.line))
		}
	}
	return list
}

// failing are what the commands of the classes need of the machine, and of its copy
// on a stage.
func (m *machine) failing() (laid []fs.Laid) {
	m.t.Helper()
	testenv.Need(m.t, "ssh-keygen", "zsh")
	m.real("pre-commit", "python3", "pip")
	m.environ["PATH"] = m.path("bin") + ":" + m.path("home/.local/bin")
	m.write("key", sameKey(m.t), 0o600)
	m.write("key.pub", m.run("ssh-keygen", "-y", "-f", m.path("key")), 0o644)
	for _, f := range []struct {
		text, project, home string
		mode                os.FileMode
	}{
		{"#!/bin/sh\nexit 0\n", "tools/steward-linter", ".local/bin/steward-linter", 0o755},
		{"https://me:word@code.example\n", "tools/login", ".git-login", 0o600},
		{testenv.Read(m.t, m.path("key")), "tools/sign", ".ssh/sign", 0o600},
		{testenv.Read(m.t, m.path("key.pub")), "tools/sign.pub", ".ssh/sign.pub", 0o600},
	} {
		m.write("home/code/p/"+f.project, f.text, f.mode)
		m.write("home/"+f.home, f.text, f.mode)
		laid = append(laid, fs.Laid{Path: m.path("home/" + f.home), Mode: f.mode, Data: []byte(f.text)})
	}
	for _, dir := range []string{"home/tmp", "home/.cache/pre-commit", "home/.cache/pip"} {
		laid = append(laid, fs.Directory(m.mkdir(dir)))
	}
	m.write("home/code/p/.gitignore", ".claude/settings.local.json\n.env\n", 0o644) // a stage has an .env
	m.answer(report.Answers{"caches": {"pre-commit"}})
	m.set(userSettings, "sandbox.filesystem.allowRead", []string{"~/.cache/pip/"})
	m.set(projectSettings, "sandbox.network.allowedDomains", []string{"allowed.example"})
	return laid
}

// sameKey is a private key that is the same in each run, so that what is signed with it
// can be recorded.
func sameKey(t testing.TB) string {
	t.Helper()
	sum := sha256.Sum256([]byte("no secret"))
	key := testenv.Must(ecdsa.ParseRawPrivateKey(elliptic.P256(), sum[:]))(t)
	der := testenv.Must(x509.MarshalECPrivateKey(key))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

func TestErrorsWithoutAProbe(t *testing.T) {
	testenv.AsUser(t)
	m := newMachine(t)
	laid := m.failing()
	r := sessions.Counted(t, m.host())
	theatre, inputs, err := verify.Theatre(t.Context(), r, verify.Options{Agent: checks.Claude{}, Project: m.project})
	if err != nil {
		t.Fatal(err)
	}
	theatre.Programs = append(theatre.Programs, "ssh-keygen", "zsh", "pre-commit", "python3", "pip", "mktemp")
	layout, err := theatre.Layout(rehearsal.Session{Dir: inputs.Root, Mode: rehearsal.Policy})
	if err != nil {
		t.Fatal(err)
	}
	path, content := inputs.Sample()
	laid = append(laid, fs.Laid{Path: path, Mode: 0o644, Data: []byte(content)})
	session := func(name string, mode rehearsal.Mode) *trial.Trial {
		probes := append([]trial.Probe{inputs.Control()}, inputs.Core()...)
		for _, c := range classes {
			probes = append(probes, c.calls()...)
		}
		return trial.New(rehearsal.Session{Name: name, Launch: report.Plain, Mode: mode, Dir: inputs.Root, Files: laid,
			Env: append(inputs.Planted(), "PATH="+layout.Path+":"+m.path("home/.local/bin"))}, probes)
	}
	policy, twin := session("under the policy", rehearsal.Policy), session("without one", rehearsal.Twin)
	trial.NewSlots(r).Play(t.Context(), theatre, nil, policy, twin)
	if err := cmp.Or(policy.Err, twin.Err); err != nil {
		t.Fatal(err)
	}
	rows := make([]classRow, len(classes))
	for i, c := range classes {
		rows[i] = c.explained(t, m, policy, twin)
	}
	theatre.Host = sessions.Counted(t, m.host())
	changed := session("with the changes", rehearsal.Policy)
	trial.NewSlots(r).Play(t.Context(), theatre, nil, changed)
	held := holds(t, changed, twin)
	for i := range rows {
		if rows[i].changes {
			rows[i].seen = fmt.Sprintf("with it, and all %d other protections still work", held)
			if o := changed.Of("fails " + rows[i].name); !o.Through {
				t.Errorf("%s: “%s” does not help: %s", rows[i].name, rows[i].way, o.Text)
			}
		}
	}
	if !t.Failed() {
		testenv.GoldenPart(t, pageFile, "classes", classTable(rows))
	}
}

// holds counts the forbidden actions that are blocked with the changes.
func holds(t *testing.T, changed, twin *trial.Trial) (n int) {
	t.Helper()
	if changed.Err != nil {
		t.Fatal(changed.Err)
	}
	for _, o := range changed.Judge(twin) {
		switch {
		case o.Control:
		case o.Status == report.Pass:
			n++
		case o.Status != report.Warn: // what is allowed on purpose is no denial
			t.Errorf("with the changes %s: %s", o.Says(), o.Why)
		}
	}
	return n
}

// classRow is a line of the page.
type classRow struct {
	class
	printed string
	layer   catalog.Refuser
	way     string
	changes bool // the way changes a file of the machine
	seen    string
}

// explained is what the program says of the error that the agent saw, compared with
// what it is. The first way is taken on the machine where it changes a file.
func (c class) explained(t *testing.T, m *machine, policy, twin *trial.Trial) classRow {
	t.Helper()
	row := classRow{class: c, seen: "inside"}
	if (c.by == "") != (c.differs == "") {
		t.Errorf("%s: nothing shows that it is %q", c.name, c.by)
	}
	saw := policy.Of("fails " + c.name)
	if without := twin.Of("fails " + c.name); saw.Through || !without.Through {
		t.Errorf("%s: works inside: %v, works without the sandbox: %v\n%s\n%s", c.name, saw.Through, without.Through,
			saw.Text, without.Text)
		return row
	}
	for kind, line := range map[string]string{"differs": c.differs, "instead": c.instead} {
		if line != "" && !policy.Of(kind+" "+c.name).Through {
			t.Errorf("%s: %s: %s", c.name, line, policy.Of(kind+" "+c.name).Text)
		}
	}
	if row.layer = c.by; saw.Decision == agent.Rule || saw.Decision == agent.Asked {
		row.layer = catalog.PermissionRule
	}
	entries, err := catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting))
	if err != nil {
		t.Fatal(err)
	}
	r := m.host()
	answer, known := catalog.Recognise(entries, saw.Text, "linux", explain.Look(t.Context(), r, m.project))
	if !known || answer.Entry.ID != c.entry || answer.Verdict == catalog.Ordinary || answer.Entry.Layer != row.layer {
		t.Errorf("%s: taken for %q (%s, %s), want %s (%s): %s", c.name, answer.Entry.ID, answer.Verdict,
			answer.Entry.Layer, c.entry, row.layer, saw.Text)
		return row
	}
	row.printed = strings.ReplaceAll(trial.Line(answer.Line), m.home, "~")
	m.take(&row, r, answer)
	return row
}

var groupIn = regexp.MustCompile(`--caches=([a-z-]+)`)

// take takes the first way of an answer.
func (m *machine) take(row *classRow, r host.Reader, answer catalog.Answer) {
	m.t.Helper()
	about := explain.Question{Project: m.project}
	if path, _ := explain.Named(r, answer.Paths); path != "" {
		about.Kind, about.Subject = explain.AboutPath, path
	}
	for _, fix := range answer.Entry.Fixes {
		fix, here := explain.Propose(m.t.Context(), r, answer.Entry.ID, fix, about, false)
		if here.Change != nil { // one that verify would fail with is not offered
			testenv.Write(m.t, here.Change.Target, string(here.Change.After), 0o644)
			row.way, row.changes = fix.Title, true
			return
		}
	}
	row.way = answer.Entry.Ways("linux")[0].String()
	switch group := groupIn.FindStringSubmatch(row.way); {
	case group != nil:
		m.answer(report.Answers{"caches": {"pre-commit", group[1]}})
		row.changes = true
	case strings.Contains(row.way, "terminal of your own"):
		row.seen = "without the sandbox"
	case row.instead == "":
		m.t.Errorf("%s: nothing here tries “%s”", row.name, row.way)
	}
}

// real puts a script on the machine's PATH that starts a program: where the name on
// PATH is a version manager's, the system's.
func (m *machine) real(programs ...string) {
	m.t.Helper()
	for _, program := range programs {
		path := "/usr/bin/" + program
		if _, err := os.Stat(path); err != nil {
			var missing error
			if path, missing = exec.LookPath(program); missing != nil {
				m.t.Fatal(missing)
			}
		}
		m.program(program, "exec '"+path+"' \"$@\"")
	}
}

func classTable(rows []classRow) string {
	var b strings.Builder
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	b.WriteString("| Class | Command | What it printed | Layer | Smallest fix that works | Seen to work |\n" +
		"|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | `%s` | `%s` | %s | %s | %s |\n", r.name, cell(r.line), cell(r.printed), r.layer, cell(r.way),
			r.seen)
	}
	return b.String()
}
