// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one part of the sandbox is broken at a time, by a program
// that fails as the real one does, and the finding says which and why.

package verify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// bench is a machine with the sandbox's own programs on a PATH of its own.
type bench struct {
	t    *testing.T
	home string
	goos string
	vars []string
}

// unbridged is what is known of an agent whose proxy does not come up.
var unbridged = report.EnvEvidence("agent 1.0", "runs commands without the sandbox then")

func newBench(t *testing.T) *bench {
	t.Helper()
	testenv.Need(t, "bwrap", "socat", "rg", "unshare")
	b := &bench{t: t, home: testenv.Home(t), goos: "linux"}
	for _, program := range []string{"bwrap", "socat", "rg", "cat", "true", "unshare", "ls"} {
		real, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		b.put("bin/.keep", "", 0o644)
		b.link(real, "bin/"+program)
	}
	return b
}

func (b *bench) put(rel, text string, mode os.FileMode) {
	b.t.Helper()
	testenv.Write(b.t, filepath.Join(b.home, rel), text, mode)
}

func (b *bench) remove(rel string) {
	b.t.Helper()
	if err := os.Remove(filepath.Join(b.home, rel)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) link(target, rel string) {
	b.t.Helper()
	if err := os.Symlink(target, filepath.Join(b.home, rel)); err != nil {
		b.t.Fatal(err)
	}
}

// fails puts a program in place that only fails, when its arguments hold word.
func (b *bench) fails(program, word, says string) {
	b.t.Helper()
	real, err := exec.LookPath(program)
	if err != nil {
		b.t.Fatal(err)
	}
	b.remove("bin/" + program)
	b.put("bin/"+program, "#!/bin/sh\ncase \" $* \" in *'"+word+"'*) echo '"+says+"' >&2; exit 1 ;; esac\nexec "+real+
		" \"$@\"\n", 0o755)
}

func (b *bench) check() report.Finding {
	b.t.Helper()
	h, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + b.home, "PATH=" + filepath.Join(b.home, "bin")},
		b.vars...)),
		GOOS: b.goos, GOARCH: runtime.GOARCH, Root: filepath.Join(b.home, "root"), Now: time.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	return checkSupport(context.Background(), h, unbridged)
}

const (
	refused = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"
	profile = "abi <abi/4.0>,\ninclude <tunables/global>\n\nprofile bwrap /usr/bin/bwrap flags=(unconfined) {\n" +
		"  userns,\n}\n"
)

func TestSandboxSupport(t *testing.T) {
	for _, tt := range []struct {
		name    string
		arrange func(*bench)
		status  report.Status
		voids   bool
		words   []string
		// remedy is a word of the first remedy, not one that no remedy has.
		remedy, not string
	}{
		{"everything works", nil, report.Pass, false, []string{"--cap-add CAP_SETFCAP", "unshare --user --map-root-user",
			"relayed data", "found one line", "a filter refuses unix sockets"}, "", ""},
		{"no bwrap", func(b *bench) { b.remove("bin/bwrap") }, report.Fail, true, []string{"bubblewrap is not installed"},
			"install --plan", ""},
		{"bwrap fails", func(b *bench) { b.fails("bwrap", " ", "bwrap: oh") }, report.Fail, true,
			[]string{"the sandbox does not start: bwrap: oh (exit code 1)"}, "steward-setup doctor --explain userns", ""},
		{"Ubuntu, no profile", func(b *bench) {
			b.fails("bwrap", " ", refused)
			b.put("root"+appArmorSwitch, "1\n", 0o644)
			b.put("root"+appArmorDir+"/firefox", "profile firefox /usr/lib/firefox/firefox {\n}\n", 0o644)
		}, report.Fail, true, []string{refused, appArmorSwitch + " 1: AppArmor"},
			"sudo apt-get install apparmor-profiles && sudo cp", ""},
		{"Ubuntu, the profile is at hand", func(b *bench) {
			b.fails("bwrap", " ", refused)
			b.put("root"+appArmorSwitch, "1\n", 0o644)
			b.put("root"+shippedProfile, profile, 0o644)
		}, report.Fail, true, []string{refused}, "sudo cp " + shippedProfile, ""},
		{"Ubuntu, two profiles", func(b *bench) {
			b.fails("bwrap", " ", refused)
			b.put("root"+appArmorSwitch, "1\n", 0o644)
			b.put("root"+appArmorDir+"/bwrap", profile, 0o644)
			b.put("root"+appArmorDir+"/mine", "/usr/bin/bwrap flags=(unconfined) {\n}\n", 0o644)
			b.put("root"+appArmorDir+"/mine~", profile, 0o644)
		}, report.Fail, true, []string{"/bwrap:4 profile bwrap /usr/bin/bwrap", "/mine:1 /usr/bin/bwrap"},
			"keep one of these", "sudo cp"},
		{"Ubuntu, the second stage", func(b *bench) {
			b.fails("bwrap", "unshare --user", "unshare: write failed /proc/self/setgroups: Permission denied")
			b.put("root"+appArmorSwitch, "1\n", 0o644)
			b.put("root"+appArmorDir+"/bwrap", profile, 0o644)
		}, report.Fail, true, []string{"seccomp helper would not start", "setgroups: Permission denied", "/bwrap:4"},
			"lets bwrap start but blocks what it starts", "sudo cp"},
		{"bwrap only starts what it is given", func(b *bench) {
			b.remove("bin/bwrap")
			b.put("bin/bwrap", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n", 0o755)
		}, report.Fail, true, []string{"they share network and processes with the host", "/bin/bwrap no namespace",
			"blocks nothing"}, "install --plan", ""},
		{"bwrap loads no filter", func(b *bench) {
			real, err := exec.LookPath("bwrap")
			if err != nil {
				b.t.Fatal(err)
			}
			b.remove("bin/bwrap")
			b.put("bin/bwrap", "#!/bin/sh\nfor a; do shift; case $a in --seccomp|3) ;; *) set -- \"$@\" \"$a\" ;; "+
				"esac; done\nexec "+real+" \"$@\"\n", 0o755)
		}, report.Fail, true, []string{"a seccomp filter was loaded but blocks nothing"}, "", ""},
		{"a limit of none", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: Creating new namespace failed")
			b.put("root/proc/sys/user/max_user_namespaces", "0\n", 0o644)
		}, report.Fail, true, []string{"max_user_namespaces 0: user namespaces are disabled"},
			"sudo sysctl -w user.max_user_namespaces=", ""},
		{"only root", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: No permissions to create new namespace")
			b.put("root/proc/sys/kernel/unprivileged_userns_clone", "0\n", 0o644)
		}, report.Fail, true, []string{"unprivileged_userns_clone 0: "}, "sudo sysctl -w kernel.unprivileged_userns_clone=1",
			""},
		{"WSL 1", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: Creating new namespace failed: Invalid argument")
			b.put("root/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n", 0o644)
		}, report.Fail, true, []string{Unsupported + ": this is WSL 1", "4.4.0-19041-Microsoft"}, "WSL 2", ""},
		{"WSL 2 is not the reason", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: oh")
			b.put("root/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n", 0o644)
		}, report.Fail, true, []string{"the sandbox does not start: bwrap: oh", "WSL2"}, "", ""},
		{"a kernel without", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: oh")
			b.put("root/proc/self/ns/net", "", 0o644)
		}, report.Fail, true, []string{Unsupported + ": this kernel has no user namespaces", "CONFIG_USER_NS"}, "", ""},
		{"a container", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: oh")
			b.put("root/.dockerenv", "", 0o644)
		}, report.Fail, true, []string{"this is a container"}, "start the container", ""},
		{"no socat", func(b *bench) { b.remove("bin/socat") }, report.Fail, true, []string{"socat is not installed"},
			"install --plan", ""},
		{"broken socat", func(b *bench) { b.fails("socat", " ", "socat: error while loading shared libraries") }, report.Fail,
			true,
			[]string{"socat does not relay data: socat: error while loading shared libraries (exit code 1)",
				unbridged.Text}, "install --plan", ""},
		{"a socat that listens and does not carry", func(b *bench) {
			b.fails("socat", "EXEC:cat",
				"E wrong option")
		}, report.Fail, true, []string{"socat does not relay data: E wrong option"}, "", ""},
		{"a kernel without seccomp", func(b *bench) {
			b.fails("bwrap", "--seccomp",
				"bwrap: prctl(PR_SET_SECCOMP): Invalid argument")
		}, report.Fail, false,
			[]string{"seccomp filters do not work: bwrap: prctl(PR_SET_SECCOMP)"}, "", ""},
		{"no ripgrep", func(b *bench) { b.remove("bin/rg") }, report.Warn, false, []string{"ripgrep is not installed"}, "",
			""},
		{"a broken ripgrep", func(b *bench) { b.fails("rg", " ", "rg: oh") }, report.Warn, false,
			[]string{"ripgrep does not search: rg: oh"}, "", ""},
		{"no ripgrep on Fedora", func(b *bench) {
			b.remove("bin/rg")
			b.put("root/etc/os-release", "ID=fedora\nVERSION_ID=43\n", 0o644)
		}, report.Warn, false, []string{"ripgrep is not installed"}, "sudo dnf install ripgrep", ""},
		{"a broken ripgrep on Fedora", func(b *bench) {
			b.fails("rg", " ", "rg: oh")
			b.put("root/etc/os-release", "ID=fedora\nVERSION_ID=43\n", 0o644)
		}, report.Warn, false, []string{"ripgrep does not search: rg: oh"}, "sudo dnf reinstall ripgrep", ""},
		{"no unshare", func(b *bench) { b.remove("bin/unshare") }, report.Pass, false,
			[]string{"not tested: unshare"}, "", ""},
		{"inside the agent's own sandbox", func(b *bench) {
			b.fails("bwrap", " ", "bwrap: oh")
			b.vars = []string{"SANDBOX_RUNTIME=1"}
		}, report.Unknown, false, []string{"in your own terminal"}, "", ""},
		{"macOS", func(b *bench) {
			b.goos = "darwin"
			b.put("bin/sandbox-exec", "#!/bin/sh\nexit 0\n", 0o755)
			b.remove("bin/bwrap")
		}, report.Pass, false, []string{"sandbox-exec -p"}, "", ""},
		{"macOS without Seatbelt", func(b *bench) { b.goos = "darwin" }, report.Fail, true,
			[]string{"Seatbelt does not start"}, "", ""},
		{"another system", func(b *bench) { b.goos = "freebsd" }, report.Fail, true,
			[]string{Unsupported + ": there is no OS sandbox for freebsd"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if tt.arrange != nil {
				tt.arrange(b)
			}
			f := b.check()
			wantFinding(t, f, tt.status, tt.words...)
			if f.Voids != tt.voids {
				t.Errorf("voids %v: %s", f.Voids, f.Summary)
			}
			var remedies []string
			for _, r := range f.Remedies {
				switch r := r.(type) {
				case report.Command:
					remedies = append(remedies, r.Line)
					if strings.HasPrefix(r.Line, "sudo ") != r.Privileged {
						t.Errorf("privileged %v: %s", r.Privileged, r.Line)
					}
				case report.DocLink:
					remedies = append(remedies, r.Title)
				}
			}
			if (f.Status == report.Fail || f.Status == report.Warn) && len(remedies) == 0 {
				t.Errorf("%q leads nowhere", f.Summary)
			}
			if tt.remedy != "" && (len(remedies) == 0 || !strings.Contains(remedies[0], tt.remedy)) {
				t.Errorf("%q begins not with %q", remedies, tt.remedy)
			}
			if all := strings.Join(remedies, "\n"); tt.not != "" && strings.Contains(all, tt.not) {
				t.Errorf("%q has %q", remedies, tt.not)
			}
		})
	}
}

// No file is left by the trials.
func TestTheTrialsLeaveNothing(t *testing.T) {
	b := newBench(t)
	before, err := os.ReadDir(b.home)
	if err != nil {
		t.Fatal(err)
	}
	b.check()
	after, err := os.ReadDir(b.home)
	if err != nil || len(after) != len(before) {
		t.Errorf("%v: %v, before %v", err, after, before)
	}
}

func BenchmarkSandboxSupport(b *testing.B) {
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + b.TempDir(), "PATH=/usr/local/bin:/usr/bin:/bin"}),
		GOOS: "linux", GOARCH: runtime.GOARCH, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if f := checkSupport(context.Background(), h, unbridged); f.Status != report.Pass {
			b.Fatal(f.Summary)
		}
	}
}

// TestASandboxThatDoesNotStartLeadsToTheDoctor: to a line that runs, and to no
// file of the sources.
func TestASandboxThatDoesNotStartLeadsToTheDoctor(t *testing.T) {
	b := newBench(t)
	b.fails("bwrap", " ", "bwrap: No permissions to create new namespace")
	f := b.check()
	if f.Status != report.Fail {
		t.Fatalf("%s: %s", f.Status, f.Summary)
	}
	leads := false
	for _, r := range f.Remedies {
		switch r := r.(type) {
		case report.Command:
			leads = leads || r.Line == "steward-setup doctor --explain userns" && r.Optional && r.Why != ""
		case report.DocLink:
			if strings.Contains(r.Target, ".toml") {
				t.Errorf("leads to a file that no user has: %+v", r)
			}
		}
	}
	if !leads {
		t.Errorf("does not lead to the doctor: %+v", f.Remedies)
	}
}

// wantFinding holds a finding against a status and words of it.
func wantFinding(t *testing.T, f report.Finding, status report.Status, words ...string) {
	t.Helper()
	text := f.Summary
	for _, e := range f.Evidence {
		text += "\n" + e.Where + " " + e.Text
	}
	if f.Status != status || len(f.Evidence) == 0 {
		t.Errorf("%s, want %s: %s", f.Status, status, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in: %s", w, text)
		}
	}
}

// noRoom is a machine that has no file left to start something with: a program, or one
// line of it.
type noRoom struct {
	host.Reader
	what string
}

func (n noRoom) Run(ctx context.Context, s proc.Spec) proc.Result {
	if n.what == s.Program() || n.what == s.String() {
		err := fmt.Errorf("%s could not be started: %w", s.Program(), syscall.EMFILE)
		return proc.Result{Line: s.String(), Code: -1, Err: err}
	}
	return n.Reader.Run(ctx, s)
}

// TestWhatCouldNotBeStartedIsUnknown: for want of files, processes or memory.
func TestWhatCouldNotBeStartedIsUnknown(t *testing.T) {
	b := newBench(t)
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + b.home, "PATH=" + filepath.Join(b.home, "bin")}),
		GOOS: "linux", GOARCH: runtime.GOARCH, Root: filepath.Join(b.home, "root"),
		Now: func() time.Time { return time.Unix(1, 0) }}))(t)
	seccomp, _ := proc.SeccompTrial(runtime.GOARCH)
	_, far := proc.BridgeTrial(time.Unix(1, 0).UnixNano())
	for _, what := range []string{"bwrap", "socat", "rg", far.String(), proc.NestedTrial().String(), seccomp.String()} {
		f := checkSupport(t.Context(), noRoom{h, what}, unbridged)
		program, _, _ := strings.Cut(what, " ")
		want := "not tested: " + program + " could not be started: too many open files"
		if f.Status != report.Unknown || f.Voids || f.Summary != want || len(f.Remedies) != 1 {
			t.Errorf("%s: %s, %v: %s, %v", what, f.Status, f.Voids, f.Summary, f.Remedies)
		}
	}
	h = testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + b.home, "PATH=" + filepath.Join(b.home, "bin")}),
		GOOS: "darwin", Now: time.Now}))(t)
	f := checkSupport(t.Context(), noRoom{h, proc.SeatbeltTrial().Program()}, unbridged)
	if f.Status != report.Unknown || f.Voids {
		t.Errorf("Seatbelt: %s: %s", f.Status, f.Summary)
	}
}
