// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is downloaded that was not approved; a process that
// is killed leaves a cache that the next one goes on with; what lies outside
// state and cache is byte for byte what it was.

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/update"
)

// upgraded is a machine with this program, an npm client and a registry.
type upgraded struct {
	t             *testing.T
	home, project string
	program, path string
	registry      *testenv.Registry
}

const fakeRuntime = "#!/bin/sh\necho '2.1.1 (Claude Code)'\n"

// newUpgraded makes the machine; claude is the installed runtime.
func newUpgraded(t *testing.T, claude string) *upgraded {
	t.Helper()
	testenv.Need(t, "npm", "git")
	u := &upgraded{t: t, home: testenv.Home(t)}
	u.project = filepath.Join(u.home, "code", "p")
	bin := filepath.Join(u.home, ".local", "bin")
	u.program, u.path = filepath.Join(bin, "steward-setup"), bin+":/usr/local/bin:/usr/bin:/bin"
	testenv.OK(t, os.MkdirAll(bin, 0o755))
	testenv.Build(t, u.program)
	testenv.OK(t, errors.Join(os.MkdirAll(u.project, 0o755), os.WriteFile(filepath.Join(u.project, "README.md"),
		[]byte("hi\n"), 0o644)))
	if claude == "" {
		claude = filepath.Join(t.TempDir(), "claude")
		testenv.OK(t, os.WriteFile(claude, []byte(fakeRuntime), 0o755))
	}
	testenv.OK(t, os.Symlink(claude, filepath.Join(bin, "claude")))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		cmd := exec.Command("git", append([]string{"-C", u.project}, args...)...)
		cmd.Env = testenv.Env(t, u.home, "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.invalid", "GIT_COMMITTER_NAME=x",
			"GIT_COMMITTER_EMAIL=x@example.invalid")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + u.home}),
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Now: time.Now}))(t)
	pkg := testenv.Must(runtimes.Package(h))(t)
	u.registry = testenv.NewRegistry(t, u.home, pkg, nil)
	return u
}

func (u *upgraded) command(args ...string) *exec.Cmd {
	u.t.Helper()
	cmd := exec.Command(u.program, args...)
	cmd.Dir, cmd.Env = u.project, testenv.Env(u.t, u.home, "PATH="+u.path, "SHELL=/bin/bash")
	return cmd
}

// run runs the program; out is what it printed, on both streams.
func (u *upgraded) run(args ...string) (out string, code int) {
	u.t.Helper()
	var b bytes.Buffer
	cmd := u.command(args...)
	cmd.Stdout, cmd.Stderr = &b, &b
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		u.t.Fatal(err)
	}
	return b.String(), code
}

func (u *upgraded) want(code int, words string, args ...string) string {
	u.t.Helper()
	out, got := u.run(args...)
	if got != code || !strings.Contains(out, words) {
		u.t.Errorf("%v: exit code %d, want %d and %q:\n%s", args, got, code, words, out)
	}
	return out
}

// unchanged wants everything as it was but state and cache, or but these paths.
func (u *upgraded) unchanged(before tree, but ...string) {
	u.t.Helper()
	if but == nil {
		but = []string{".cache/steward-setup", ".local/state/steward-setup"}
	}
	after := testenv.Must(readTree(u.home))(u.t)
	if lines := before.compare(after, but); lines != nil {
		u.t.Errorf("changed: %q", lines)
	}
}

func (u *upgraded) tree() tree {
	u.t.Helper()
	seen := testenv.Must(readTree(u.home))(u.t)
	return seen
}

func (u *upgraded) fetched() bool {
	_, err := os.Stat(filepath.Join(u.home, ".cache", "steward-setup", "runtimes", "2.1.2", "claude"))
	return err == nil
}

func TestNothingIsDownloadedUnseen(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	u := newUpgraded(t, "")
	u.registry.Add(t, "2.1.2", []byte(fakeRuntime))
	before := u.tree()
	u.want(report.ExitUsage, "no terminal to ask on", "update", "--try", "2.1.2")
	u.want(report.ExitUsage, "is not an executable file", "update", "--try", "no/such/file")
	u.want(report.ExitUsage, "give a VERSION of three numbers, latest,", "update", "--try", "2.1")
	u.want(report.ExitUsage, "write --forget=2.1.330", "update", "--forget", "2.1.330")
	u.want(report.ExitUsage, `update does not take the argument "2.1.330"`, "update", "2.1.330")
	u.want(report.ExitUsage, "cannot be combined", "update", "--try", "2.1.2", "--forget")
	u.want(report.ExitUsage, "belong to --bisect", "update", "--try", "2.1.2", "--from", "2.1.1")
	u.want(report.ExitLeft, "no such version", "update", "--try", "2.1.9", "--plan")
	plan := u.want(report.ExitOK, "--apply", "update", "--try", "v2.1.2", "--plan", "--json")
	id := gjson.Get(plan, "plan.id").String()
	for query, want := range map[string]string{"plan.items.#": "1", "plan.items.0.kind": "download",
		"plan.items.0.versions.0": "2.1.2",
		"plan.items.0.into":       filepath.Join(u.home, ".cache", "steward-setup", "runtimes")} {
		if got := gjson.Get(plan, query).String(); got != want {
			t.Errorf("%s is %q, want %q:\n%s", query, got, want, plan)
		}
	}
	if gjson.Get(plan, "plan.items.0.bytes").Int() == 0 ||
		!strings.HasPrefix(gjson.Get(plan, "plan.items.0.integrity").String(), "sha512-") {
		t.Errorf("size or integrity is not shown:\n%s", plan)
	}
	u.want(report.ExitOK, "1 download   plan "+id, "update", "--try", "latest", "--plan")
	u.want(report.ExitStale, "no plan with the id", "update", "--try", "2.1.2", "--apply", "0000-0000-0000-0000")
	cmd := u.command("update", "--try", "2.1.2", "--apply", id)
	cmd.Env = append(cmd.Env, "CLAUDECODE=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "agent's session") {
		t.Errorf("in the agent's session: %v\n%s", err, out)
	}
	u.registry.Add(t, "2.1.2", []byte(fakeRuntime+"# another\n"))
	u.want(report.ExitStale, "no longer holds", "update", "--try", "2.1.2", "--apply", id)
	for _, path := range u.registry.Asked() {
		if strings.HasSuffix(path, ".tgz") {
			t.Error("something was downloaded")
		}
	}
	if u.fetched() {
		t.Error("something is in the cache")
	}
	u.unchanged(before)
}

// TestARuntimeThatACommandCouldWriteIsNotStarted: no command starts one from the
// cache where settings let the agent write there, also by way of a link.
func TestARuntimeThatACommandCouldWriteIsNotStarted(t *testing.T) {
	t.Parallel()
	u := newUpgraded(t, "")
	kept := filepath.Join(u.home, ".cache", "steward-setup", "runtimes", "2.1.2", "claude")
	link, started := filepath.Join(u.home, "claude-next"), filepath.Join(u.home, "started")
	settings := filepath.Join(u.home, ".claude", "settings.json")
	testenv.OK(t, errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700),
		os.WriteFile(kept, []byte("#!/bin/sh\n: >'"+started+"'\n"), 0o700), os.Symlink(kept, link),
		os.MkdirAll(filepath.Dir(settings), 0o700), os.WriteFile(settings,
			[]byte(`{"sandbox":{"enabled":true,"filesystem":{"allowWrite":["~/.cache"]}}}`), 0o600)))
	for _, path := range []string{kept, link} {
		for _, args := range [][]string{{"verify", "--runtime", path}, {"doctor", "--runtime", path},
			{"update", "--runtime", path}, {"update", "--try", path}} {
			u.want(report.ExitLeft, "nothing was started", args...)
		}
	}
	u.want(report.ExitLeft, "nothing was started", "update", "--try", "2.1.2")
	if _, err := os.Stat(started); err == nil {
		t.Error("it was started")
	}
}

func TestAKilledDownloadGoesOn(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	u := newUpgraded(t, "")
	u.registry.Add(t, "2.1.2", []byte(fakeRuntime))
	before := u.tree()
	id := gjson.Get(u.want(report.ExitOK, "plan", "update", "--try", "2.1.2", "--plan", "--json"), "plan.id").String()
	u.registry.Break(testenv.Hangs)
	cmd := u.command("update", "--try", "2.1.2", "--apply", id)
	testenv.OK(t, cmd.Start())
	u.registry.Begun(t)
	testenv.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if u.fetched() {
		t.Error("half a download is taken for a version")
	}
	u.registry.CloseClientConnections()
	u.registry.Break(testenv.NoFault)
	out, _ := u.run("update", "--try", "2.1.2", "--apply", id) // the fake is no runtime that could be rehearsed
	if !u.fetched() {
		t.Fatalf("the next run did not go on:\n%s", out)
	}
	u.unchanged(before)
	u.want(report.ExitUsage, "is not a version", "update", "--forget=../..")
	u.want(report.ExitOK, "removed 1 of 1 versions", "update", "--forget=2.1.2")
	u.want(report.ExitOK, "removed 0 of 0 versions", "update", "--forget")
	u.unchanged(before)
}

// TestWhatATrialLeadsTo: a candidate that was not seen to block as much is not
// offered, and a file is no version of the registry.
func TestWhatATrialLeadsTo(t *testing.T) {
	testenv.AsUser(t)
	sys := env.System{Env: env.New([]string{"HOME=" + testenv.Home(t)}), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Now: time.Now}
	h := testenv.Must(host.New(sys))(t)
	trial := func() *update.Trial {
		side := func(version string) update.Side {
			return update.Side{Path: "/" + version, Record: regress.Record{Runtime: version, StatusLine: []string{"model"},
				Answers: []regress.Answer{{Session: "s", Call: "c", Result: regress.Held, Layer: trial.Rule}}}}
		}
		return &update.Trial{Installed: side("2.1.1"), Candidate: side("2.1.2")}
	}
	for name, c := range map[string]struct {
		try         string
		change      func(*update.Trial)
		want, never string
	}{
		"proved":         {"2.1.2", func(*update.Trial) {}, "@anthropic-ai/claude-code@2.1.2", "stay on"},
		"proved, a file": {"/x/claude", func(*update.Trial) {}, "verify --runtime /2.1.2", "npm"},
		"not verified": {"2.1.2", func(u *update.Trial) { u.Candidate.Record.StatusLine = nil },
			"stay on 2.1.1: not verified", "npm"},
		"a session failed": {"2.1.2", func(u *update.Trial) { u.Candidate.Record.Failed = map[string]string{"s2": "hung"} },
			"stay on 2.1.1: not verified", "npm"},
		"a hook fires no more": {"2.1.2", func(u *update.Trial) {
			u.Hooks = []regress.HookChange{{Hook: regress.Hook{Event: "e", Script: "s"}, Lost: true}}
		}, "stay on 2.1.1: not verified", "npm"},
	} {
		u, tried := upgrading{a: &app{sys: sys}, o: updateOptions{tryOptions: tryOptions{try: c.try}}, h: h}, trial()
		c.change(tried)
		var steps []string
		for _, s := range u.next(tried) {
			steps = append(steps, s.String())
		}
		if got := strings.Join(steps, "\n"); !strings.Contains(got, c.want) || strings.Contains(got, c.never) {
			t.Errorf("%s: %q, want %q and no %q", name, got, c.want, c.never)
		}
	}
}
