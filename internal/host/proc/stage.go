// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is rehearsed is started in a namespace of its own
// that ends with its starter; what it needs to know comes through pipes, so
// that no file is left when it is killed.

package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// stageTimeout bounds one rehearsed session. One in print mode waits for nobody
// and ends by itself: it took 2 s on two quiet cores, and more than 55 s at a
// load of eight a core. On a terminal one may wait for a person, and has
// Patience.
const stageTimeout = 5 * time.Minute

// FirstWord is how long a runtime on a terminal has until it speaks: one that asks a
// person first, as about settings that it cannot read, never does. At a load of nine a
// core it took 0.8 s (2.1.329).
const FirstWord = 30 * time.Second

// Patience is how long a session on a terminal may take once its runtime has spoken for
// the first time, after so long: 2 minutes, or more on a machine that is slow just now.
// At a load of nine a core it took 9 s (2.1.329).
func Patience(first time.Duration) time.Duration {
	return min(max(2*time.Minute, 100*first), stageTimeout)
}

// Stage is bwrap with the arguments of a stage (internal/stage), given on
// descriptor 3, the data of its files on those after it, and the job on
// standard input. What it starts there is this program, which lies at self,
// with the entry as its last argument.
func Stage(arguments []string, data [][]byte, self, entry string, job []byte) Spec {
	var list []byte
	for _, a := range arguments {
		list = append(append(list, a...), 0)
	}
	return Spec{name: "bwrap", args: []string{"--args", "3", "--", self, "stage", "enter", entry},
		fds: append([][]byte{list}, data...), stdin: job, timeout: stageTimeout, firm: true}
}

// Job decodes what this program is to do in a namespace.
func Job(in io.Reader, into any) error {
	if err := json.NewDecoder(in).Decode(into); err != nil {
		return fmt.Errorf("the job cannot be read: %w", err)
	}
	return nil
}

// StageData is the descriptor on which the program finds the i-th data of
// Stage.
func StageData(i int) int { return 4 + i }

// Agent is the runtime at the absolute path, with arguments and an environment
// that are its own, in dir. It is started on a stage or in a replica home
// only.
func Agent(path, dir string, args, environ []string) Spec {
	return Spec{name: filepath.Base(path), path: path, args: args, dir: dir, extra: environ, bare: true,
		timeout: stageTimeout - 5*time.Second, firm: true}
}

// Wrapped is this program, as claude-iso would start it, with the arguments
// for the agent.
func Wrapped(binary, dir string, args, environ []string) Spec {
	return Agent(binary, dir, append([]string{"iso", "--"}, args...), environ)
}

// Status asks the runtime, with these arguments, what of its sandbox is in force in
// dir: on a stage only, where it may leave files.
func Status(path, dir string, args, environ []string) Spec {
	s := Agent(path, dir, args, environ)
	s.timeout, s.firm = time.Minute, false
	return s
}

// apartFrom are bwrap's arguments for that.
var apartFrom = []string{"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
	"--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/",
	"--dev", "/dev", "--proc", "/proc"}

// apart is s in a namespace with a read-only file system, no network, no
// processes of others and no unix sockets, if it would start the runner's
// Runtime: bwrap is then what runs. Other calls stay as they are, and so do all
// where there is no bwrap for the system: there nothing is rehearsed either.
func (r Runner) apart(s Spec) (Spec, error) {
	if s.path != "" || s.name != r.Program || r.Runtime == "" || runtime.GOOS != "linux" {
		return s, nil
	}
	path, err := r.Look(s.name)
	if err != nil {
		return s, err
	}
	filter, ok := noUnixSockets(runtime.GOARCH)
	if !ok {
		return s, fmt.Errorf("%s is not started: unix sockets cannot be kept from it on %s", path, runtime.GOARCH)
	}
	bwrap, err := r.Look("bwrap")
	if err != nil {
		// The reason is text alone: it is not the runtime that is missing.
		return s, errors.New(path + " is not started: it would be without a namespace: " + err.Error())
	}
	s.path, s.fds, s.firm = bwrap, [][]byte{filter}, true // one that hangs is not waited for longer under load
	s.args = slices.Concat(apartFrom, []string{"--chdir", "/", "--seccomp", "3", "--", path}, s.args)
	return s, nil
}

// Pair sends a word through a pair of connected unix sockets, as programs do to
// their children, and returns what arrived (socketpair(2)).
func Pair(word string) (arrived, refused string, err error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return "", "socketpair", err
	}
	defer func() { _, _ = syscall.Close(ends[0]), syscall.Close(ends[1]) }()
	if _, err := syscall.Write(ends[0], []byte(word)); err != nil {
		return "", "", err
	}
	b := make([]byte, len(word))
	n, err := syscall.Read(ends[1], b)
	return string(b[:max(n, 0)]), "", err
}

// Descriptors of the stage's own process, above those of any data: the
// terminal of its session and the listener of the first-party endpoint.
const (
	stageTerminal = 198
	stageListener = 199
)

// WithTerminal gives what is started a pseudo-terminal on a descriptor of its
// own (Entry.Terminal).
func (s Spec) WithTerminal() Spec { s.lends = true; return s }

// OnTerminal starts the program on the terminal that the stage was lent: as
// its leader, with the terminal in place of its standard streams. It is ended
// by SIGTERM.
func (s Spec) OnTerminal() Spec { s.onTerminal = true; return s }

// StageListener is the listener that Enter made, as a file: package listen
// makes a listener of it. It can be taken once.
func StageListener() *os.File { return os.NewFile(stageListener, "listener") }

// lend opens a terminal for a program; it is on the descriptor that StageData
// says is next.
func lend(cmd *exec.Cmd) (stop func(), err error) {
	terminal, stop, err := openTerminal()
	if err != nil {
		return func() {}, err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, terminal)
	return stop, nil
}

// take puts a program on the terminal of the stage.
func take(cmd *exec.Cmd) (release func()) {
	syscall.CloseOnExec(stageTerminal)
	terminal := os.NewFile(stageTerminal, "terminal")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() { terminal.Close() }
}

// Moment is the time.
func Moment() time.Time { return time.Now() }

// Spent is the processor time of this process and of the descendants that have
// ended. Those whose parents did not wait for them count where Adopt was
// called: the runtime's bwrap does not wait for what it starts.
func Spent() time.Duration {
	reap()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// SSHServer is where openssh-server has its program (Debian, Fedora, Arch).
const SSHServer = "/usr/sbin/sshd"

// StageSSHServer serves one connection, which On names, by a configuration
// file (sshd(8), -i). An ordinary user's server lets in nobody else.
func StageSSHServer(config string) Spec {
	return Spec{name: "sshd", path: SSHServer, args: []string{"-i", "-e", "-f", config}, timeout: agentTimeout}
}

// On lets the program use a connection as its standard input and output.
func (s Spec) On(connection io.ReadWriter) Spec {
	s.connection = connection
	return s
}

// StageRepository makes a bare repository on a stage.
func StageRepository(dir string) Spec {
	return Spec{name: "git", args: []string{"init", "--quiet", "--bare", "--initial-branch=main", dir},
		timeout: agentTimeout}
}

// StageHistory gives a repository on a stage commits, in the form of
// git-fast-import(1).
func StageHistory(dir string, stream []byte) Spec {
	return Spec{name: "git", args: []string{"-C", dir, "fast-import", "--quiet"}, stdin: stream, timeout: agentTimeout}
}

// StageGitHTTP answers one request for a repository below root as a CGI program
// does (git-http-backend(1), RFC 3875): environ are the variables of the
// request, body is its body. Whoever asks may push.
func StageGitHTTP(root string, environ []string, body []byte) Spec {
	own := []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=stage"}
	return Spec{name: "git", args: []string{"http-backend"}, extra: append(own, environ...), stdin: body,
		timeout: agentTimeout}
}
