// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what follows from the contract alone is held without a
// session.

package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/manifests"
)

// plainHost is a machine without anything on PATH.
func plainHost(t *testing.T, goos string, vars ...string) *host.Host {
	t.Helper()
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(append(vars, "HOME="+home, "PATH="+filepath.Join(home, "bin"))), GOOS: goos,
		GOARCH: runtime.GOARCH, UID: os.Getuid(), GID: os.Getgid(),
		Cwd: home, Root: filepath.Join(home, "root"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// link puts a program of this machine's on the host's PATH.
func link(t *testing.T, h *host.Host, program string) {
	t.Helper()
	real, err := exec.LookPath(program)
	if err != nil {
		t.Skip(err)
	}
	bin := filepath.Join(h.Places().Home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(bin, program)); err != nil {
		t.Fatal(err)
	}
}

// TestTheProbesAreThoseOfTheContract, and the catalog knows each of them.
func TestTheProbesAreThoseOfTheContract(t *testing.T) {
	want := []report.ID{"ssh-agent", "localhost-bind", "docker", "podman", "unix-sockets", "userns", "gpg-sign",
		"git-worktree", "egress", "package-managers", "git-remote", "ipc-sockets", "tmpdir", "browsers"}
	if got := IDs(); !slices.Equal(got, want) {
		t.Errorf("the probes are %v, want %v", got, want)
	}
	entries, err := catalog.Load("troubleshooting.toml", []byte(manifests.Troubleshooting))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range want {
		if id != "ipc-sockets" /* its fixes are those of unix-sockets */ &&
			!slices.ContainsFunc(entries, func(e catalog.Entry) bool { return e.Probe == string(id) }) {
			t.Errorf("the catalog has no entry for %s", id)
		}
		if Title(id) == "" {
			t.Errorf("%s has no title", id)
		}
		if _, err := os.Stat(strings.ReplaceAll(string(id), "-", "") + ".go"); err != nil {
			t.Errorf("the file of %s is not named after it: %v", id, err)
		}
	}
}

// TestAnUnknownProbeIsAUsageError and asks nothing.
func TestAnUnknownProbeIsAUsageError(t *testing.T) {
	_, err := Run(t.Context(), plainHost(t, "linux"), Options{Agent: fixes.Claude{}, Probes: []report.ID{"dokcer"}},
		func(engine.Event) { t.Error("something was asked") })
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitUsage || e.Where != "dokcer" {
		t.Errorf("%v", err)
	}
}

// TestWithoutARuntimeNothingIsClaimed: what works outside is unknown inside,
// with the reason; what is not there does not apply.
func TestWithoutARuntimeNothingIsClaimed(t *testing.T) {
	for goos, reason := range map[string]string{"linux": "claude is not on PATH",
		"darwin": "no rehearsal on this platform"} {
		h := plainHost(t, goos)
		link(t, h, "git")
		findings, err := Run(t.Context(), h, Options{Agent: fixes.Claude{}, TryFix: true}, func(engine.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		want := map[report.ID]report.Status{"ssh-agent": report.Skip, "localhost-bind": report.Unknown, "docker": report.Skip,
			"podman":       report.Skip,
			"unix-sockets": report.Unknown, "userns": report.Fail, "gpg-sign": report.Skip, "git-worktree": report.Skip,
			"egress": report.Unknown, "package-managers": report.Skip, "git-remote": report.Skip, "ipc-sockets": report.Unknown,
			"tmpdir": report.Unknown, "browsers": report.Skip}
		if goos == "darwin" {
			want["userns"] = report.Skip
		}
		for _, f := range findings {
			if f.Status != want[f.Check] || len(f.Evidence) == 0 {
				t.Errorf("%s: %s is %s, want %s: %s", goos, f.Check, f.Status, want[f.Check], f.Summary)
			}
			leads := slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
				c, ok := r.(report.Command)
				return ok &&
					c.ID == report.Rehearse
			})
			if want := f.Status == report.Unknown && goos == "linux"; leads != want {
				t.Errorf("%s: %s: leads on to verify: %v, want %v", goos, f.Check, leads, want)
			}
			if f.Status == report.Unknown && !strings.Contains(f.Summary, reason) {
				t.Errorf("%s: %s: %q, want %q in it", goos, f.Check, f.Summary, reason)
			}
		}
		if code := report.Judge(findings, false).Exit(); code != report.ExitLeft {
			t.Errorf("exit code %d", code)
		}
	}
}

// TestAStoppedRunHasNoAnswer.
func TestAStoppedRunHasNoAnswer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	findings, err := Run(ctx, plainHost(t, "linux"), Options{Agent: fixes.Claude{}}, func(engine.Event) {})
	var e *report.Error
	if findings != nil || !errors.As(err, &e) || e.Code != report.ExitInterrupted {
		t.Errorf("%v %v", findings, err)
	}
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		findings []report.Finding
		want     int
	}{
		{[]report.Finding{{Status: report.Pass}, {Status: report.Warn}, {Status: report.Skip}}, 0},
		{[]report.Finding{{Status: report.Pass}, {Status: report.Unknown}}, 1},
		{[]report.Finding{{Status: report.Fail}, {Status: report.Pass}}, 1},
		{[]report.Finding{{Status: report.Fail}, {Status: report.Fail, Voids: true}}, 2},
	} {
		if got := report.Judge(c.findings, false).Exit(); got != c.want {
			t.Errorf("%v: %d, want %d", c.findings, got, c.want)
		}
	}
}

// TestAValueStaysOneString, whatever is in it; a name that nobody knows is an
// error, not a setting.
func TestAValueStaysOneString(t *testing.T) {
	const fix = `{"allowRead":["${SOCKET}"]}`
	for value, want := range map[string]string{
		"/run/a b":        `{"allowRead":["/run/a b"]}`,
		`/x"],"all":["/`:  `{"allowRead":["/x\"],\"all\":[\"/"]}`,
		`ends with \`:     `{"allowRead":["ends with \\"]}`,
		`"quoted"`:        `{"allowRead":["\"quoted\""]}`,
		"${SOCKET}/${NO}": "",
	} {
		got, err := expand(fix, map[string]string{"SOCKET": value})
		if got != want || (want == "") != (err != nil) {
			t.Errorf("%q: %s (%v), want %s", value, got, err, want)
		}
	}
	if _, err := expand(fix, nil); err == nil || !strings.Contains(err.Error(), "SOCKET") {
		t.Errorf("%v", err)
	}
}

// TestThePriceListsSockets: those that the user may connect to, each once.
func TestThePriceListsSockets(t *testing.T) {
	dir := testenv.Short(t, "s")
	for _, name := range []string{"a.sock", "closed.sock"} {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "closed.sock"), 0); err != nil {
		t.Fatal(err)
	}
	b := &bench{r: plainHost(t, "linux", "XDG_RUNTIME_DIR="+dir)}
	want, words := 1, "1 socket of this machine becomes reachable"
	if os.Getuid() == 0 {
		want, words = 2, "2 sockets of this machine become reachable" // nothing is closed to root
	}
	list := b.openedSockets()
	if len(list) != 1+want || !strings.HasSuffix(list[1].Where, "a.sock") || list[0].Text != words {
		t.Errorf("%v", list)
	}
}
