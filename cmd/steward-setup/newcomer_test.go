// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a newcomer on a bare Debian comes from the README's line to
// PROTECTED with the counted keys and the printed lines, and nothing else.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

// bare is a root of its own: the machine's /usr without an agent, bubblewrap,
// socat and ripgrep, an ordinary user who has just been made, and a terminal
// of tmux on which that user is logged in. What the system's package manager
// would answer and do is played: the links to what it installs are made when
// the user runs its line.
type bare struct {
	t                    *testing.T
	dir, bin, home, sock string
	environ              []string
}

// The user of the root.
const bareUser, bareUID = "newcomer", 4242

// hidden are what the root has not at first; apt is what installs two of them.
var hidden = []string{"bwrap", "socat", "rg", "claude", "sudo", "apt-get", "apt-cache", "dpkg-query"}

// played are programs of the system that are played in the root.
var played = map[string]string{
	"sudo":       `exec "$@"`,
	"apt-get":    `echo "played: apt-get $*"; until [ -e /usr/bin/socat ]; do sleep 0.1; done`,
	"dpkg-query": `echo "dpkg-query: no packages found" >&2; exit 1`,
	"apt-cache": `for p; do
case $p in policy | --) continue ;; bubblewrap) v=0.8.0-2+deb12u1 ;; *) v=1.7.4.4-2 ;; esac
printf '%s:\n  Installed: (none)\n  Candidate: %s\n  Version table:\n     %s 500\n        500 http://deb.debian.org/debian bookworm/main amd64 Packages\n' $p $v $v
done`,
}

func newBareRoot(t *testing.T) *bare {
	t.Helper()
	testenv.Need(t, "git", "tmux", "bwrap", "socat", "npm", "setpriv")
	if release, err := os.ReadFile("/etc/os-release"); os.Getuid() != 0 || err != nil ||
		!bytes.Contains(release, []byte("ID=debian")) || !bytes.Contains(release, []byte(`VERSION_ID="12"`)) {
		t.Skip("only root makes a root for another user, from a Debian 12, whose package versions are played")
	}
	claude, err := os.ReadFile(testenv.Claude(t))
	if err != nil {
		t.Fatal(err)
	}
	b := &bare{t: t, dir: t.TempDir(), environ: testenv.Env(t, testenv.Home(t))}
	b.bin, b.home = filepath.Join(b.dir, "bin"), filepath.Join(b.dir, "home")
	b.links()
	project := filepath.Join(b.home, "code", "tracker")
	for _, dir := range []string{filepath.Join(b.home, "go", "bin"), project} {
		b.must(os.MkdirAll(dir, 0o755))
	}
	testenv.Build(t, filepath.Join(b.home, "go", "bin", "steward-setup"))
	testenv.NewRegistry(t, b.home, "@anthropic-ai/claude-code", nil).Add(t, pinned.Claude(), claude)
	b.write(filepath.Join(b.home, ".bashrc"), "PS1='newcomer> '\n", 0o644)
	b.write(filepath.Join(project, "go.mod"), "module example.invalid/tracker\n", 0o644)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "first"}} {
		cmd := exec.Command("git", append([]string{"-C", project}, args...)...)
		cmd.Env = b.environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	b.must(filepath.WalkDir(b.home, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, bareUID, bareUID))
	}))
	accounts, err := os.ReadFile("/etc/passwd")
	b.must(err)
	b.write(filepath.Join(b.dir, "passwd"), string(accounts)+fmt.Sprintf("%s:x:%d:%d::/home/%s:/bin/bash\n", bareUser,
		bareUID, bareUID, bareUser), 0o644)
	return b
}

func (b *bare) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bare) write(path, text string, mode os.FileMode) {
	b.t.Helper()
	b.must(os.WriteFile(path, []byte(text), mode))
}

// machineBin is where the root has the machine's programs.
const machineBin = "/opt/machine"

// links makes the root's /usr/bin.
func (b *bare) links() {
	b.t.Helper()
	b.must(os.MkdirAll(b.bin, 0o755))
	entries, err := os.ReadDir("/usr/bin")
	b.must(err)
	for _, e := range entries {
		b.link(e.Name())
	}
	for _, name := range hidden {
		if err := os.Remove(filepath.Join(b.bin, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.t.Fatal(err)
		}
		if text := played[name]; text != "" {
			b.write(filepath.Join(b.bin, name), "#!/bin/sh\n"+text+"\n", 0o755)
		}
	}
}

// link makes a program of the machine's one of the root's.
func (b *bare) link(name string) {
	b.t.Helper()
	target := filepath.Join("/usr/bin", name)
	if to, err := os.Readlink(target); err == nil {
		if !filepath.IsAbs(to) {
			to = filepath.Join("/usr/bin", to)
		}
		target = to
	}
	if rest, below := strings.CutPrefix(target, "/usr/bin/"); below {
		target = filepath.Join(machineBin, rest)
	}
	b.must(os.Symlink(target, filepath.Join(b.bin, name)))
}

// inside is a command of the newcomer's in the root. /proc is the machine's:
// one that root has made hides parts, so that no other could be mounted.
func (b *bare) inside(words ...string) []string {
	home := "/home/" + bareUser
	args := []string{"bwrap", "--die-with-parent", "--unshare-ipc", "--unshare-uts", "--hostname", "bare", "--clearenv",
		"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP",
		"--perms", "0755", "--dir", "/home", "--perms", "0755", "--dir", "/opt", "--perms", "0755", "--dir", "/run",
		"--ro-bind", "/usr", "/usr", "--ro-bind", b.bin, "/usr/bin", "--ro-bind", "/usr/bin", machineBin, "--perms", "0755",
		"--tmpfs", "/usr/local",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin", "--symlink", "usr/lib", "/lib", "--symlink",
		"usr/lib64", "/lib64",
		"--ro-bind", "/etc", "/etc", "--ro-bind", filepath.Join(b.dir, "passwd"), "/etc/passwd", "--bind", "/proc", "/proc",
		"--dev", "/dev",
		"--perms", "1777", "--tmpfs", "/tmp", "--perms", "0755", "--dir", "/var", "--perms", "1777", "--tmpfs", "/var/tmp",
		"--bind", b.home, home, "--chdir", home + "/code/tracker", "--remount-ro", "/"}
	for name, value := range map[string]string{"HOME": home, "USER": bareUser, "LOGNAME": bareUser, "SHELL": "/bin/bash",
		"TERM": "screen-256color",
		"LANG": "C.UTF-8", "PATH": home + "/go/bin:/usr/local/bin:/usr/bin:/bin"} {
		args = append(args, "--setenv", name, value)
	}
	who := fmt.Sprint(bareUID)
	return append(append(args, "setpriv", "--reuid="+who, "--regid="+who, "--clear-groups", "--inh-caps=-all",
		"--bounding-set=-all"), words...)
}

// login opens the terminal.
func (b *bare) login() {
	b.t.Helper()
	if out, err := exec.Command("bwrap", b.inside("true")[1:]...).CombinedOutput(); err != nil {
		b.t.Skipf("this root may not make a root of its own: %v: %s", err, out)
	}
	dir, err := os.MkdirTemp("", "tmux") // a socket's path is short
	b.must(err)
	b.sock = filepath.Join(dir, "s")
	b.t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", b.sock, "kill-server").Run()
		_ = os.RemoveAll(dir)
		for range 600 { // what it started may still be writing into the home
			if os.RemoveAll(b.home) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	b.tmux(append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24"}, b.inside("bash", "-i")...)...)
	b.prompt()
}

func (b *bare) tmux(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", b.sock}, args...)...)
	cmd.Env = b.environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// screen is what stands on the terminal now; all is what went past, too, with
// broken lines whole.
func (b *bare) screen() string { return b.tmux("capture-pane", "-p", "-J") }
func (b *bare) all() string    { return b.tmux("capture-pane", "-p", "-J", "-S", "-") }

// types types a line, or what stands for a key.
func (b *bare) types(line string) {
	b.t.Helper()
	b.tmux("send-keys", "-l", line)
	b.tmux("send-keys", "Enter")
}

// until waits until the screen is as wanted.
func (b *bare) until(what string, wanted func(screen string) bool) string {
	b.t.Helper()
	for end := time.Now().Add(testenv.Patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if s := b.screen(); wanted(s) {
			return s
		}
	}
	b.t.Fatalf("%s did not appear on:\n%s", what, b.screen())
	return ""
}

func (b *bare) sees(text string) string {
	b.t.Helper()
	return b.until(text, func(s string) bool { return strings.Contains(s, text) })
}

// prompt waits until the shell asks for the next line.
func (b *bare) prompt() {
	b.t.Helper()
	b.until("the prompt", func(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "newcomer>") })
}

// printed is the first line that begins so, of all that were printed.
func (b *bare) printed(begin string) string {
	b.t.Helper()
	for line := range strings.Lines(b.all()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, begin) {
			return line
		}
	}
	b.t.Fatalf("no line begins with %q:\n%s", begin, b.all())
	return ""
}

// recommended are the titles of the questions that a newcomer is asked.
var recommended = []string{"Recommended setup, or step by step?", "Use the versions that Debian",
	"Scope: where should the policy apply?", "Which hosts may commands of the agent reach?", "Alias claude to claude-iso?"}

func TestANewcomerComesToProtected(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	b := newBareRoot(t)
	b.login()
	b.types("steward-setup install")
	keys, open := 0, slices.Clone(recommended)
	asked := func(s string) int {
		return slices.IndexFunc(open, func(title string) bool { return strings.Contains(s, title) })
	}
	for ; ; keys++ {
		page := b.until("a question that was not answered yet, or the review", func(s string) bool {
			return strings.Contains(s, "enter apply") || strings.Contains(s, "enter next") && asked(s) >= 0
		})
		if strings.Contains(page, "enter apply") {
			break
		}
		i := asked(page)
		open = slices.Delete(open, i, i+1)
		b.tmux("send-keys", "Enter")
	}
	if len(open) > 0 {
		t.Errorf("not asked: %q", open)
	}
	if keys > 5 {
		t.Errorf("%d keys to the review", keys)
	}
	b.tmux("send-keys", "Enter")
	b.sees("test what must be blocked") // the last check came to its end
	b.tmux("send-keys", "Enter")
	b.prompt()
	apt, npm, rc := b.printed("sudo apt-get install "), b.printed("npm install -g "), b.printed("[ -f ")
	verify := b.printed("steward-setup verify ")
	b.types("clear; " + apt)
	b.sees("played: apt-get install --no-install-recommends bubblewrap=0.8.0-2+deb12u1 socat=1.7.4.4-2")
	b.link("bwrap")
	b.link("socat")
	b.prompt()
	b.types("clear; " + npm)
	b.sees("added 1 package")
	b.prompt()
	f, err := os.OpenFile(filepath.Join(b.home, ".bashrc"), os.O_APPEND|os.O_WRONLY, 0)
	b.must(err)
	_, err = f.WriteString(rc + "\n") // with an editor
	b.must(errors.Join(err, f.Close()))
	b.types("clear; exec bash")
	b.types(verify)
	last := b.until("a verdict", func(s string) bool {
		return !strings.Contains(s, "CHECKING") && (strings.Contains(s, "PROTECTED") || strings.Contains(s, "DEGRADED"))
	})
	if !strings.Contains(last, " PROTECTED ") {
		b.types("q")
		b.prompt()
		b.types("clear; steward-setup verify --live=never --plain > ~/verdict 2>&1; echo done")
		b.until("its words", func(s string) bool { return strings.Contains(s, "\ndone") })
		words, _ := os.ReadFile(filepath.Join(b.home, "verdict"))
		t.Fatalf("not protected:\n%s\n%s", last, words)
	}
}
