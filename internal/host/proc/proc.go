// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package proc starts the few programs that steward-setup may start.
//
// Contract: a Spec can only be made by this package's constructors, each of
// which names one program and a constant shape of arguments. There is no
// constructor that takes a command line, and none for sudo, su, doas, pkexec
// or run0 (ARCHITECTURE, law 1). Nothing is started through a shell.
package proc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	hostfs "github.com/steward-setup/steward-setup/internal/host/fs"
)

// Spec is one call of one program.
type Spec struct {
	name string
	path string // where the program lies, if it is not to be looked up
	args []string
	// timeout is how long it may take on a machine with nothing else to do; firm
	// says that it may not take longer elsewhere either.
	timeout time.Duration
	firm    bool
	extra   []string // environment beyond the base, NAME=value
	stdin   []byte   // what the program reads; nil: nothing
	dir     string   // the working directory; "" is the root
	about   string   // the directory whose project it asks about, if any
	bare    bool     // the environment is extra alone
	version bool     // a tool is asked for its version
	network bool     // it is told how the user's machine reaches the network
	agent   bool     // it is told where the user's ssh agent is
	most    int      // how many bytes of its standard output are kept; 0: maxOutput
	fds     [][]byte // what can be read from descriptor 3 on
	// connection, if not nil, is its standard input and output.
	connection io.ReadWriter
	// lends: a terminal is on the descriptor after those; onTerminal: the
	// stage's terminal is its standard input and output.
	lends, onTerminal bool
}

// String is the call as a person would type it, for evidence.
func (s Spec) String() string { return strings.Join(append([]string{s.name}, s.args...), " ") }

// Program is the name that is looked up on PATH.
func (s Spec) Program() string { return s.name }

// About is the directory whose project the call asks about, "" if there is
// none: no program of that project may answer.
func (s Spec) About() string { return s.about }

// Result is what a call answered. Err is set when the program could not be
// started, did not end in time or printed more than is kept (ErrCut); a non-zero
// Code alone is not an Err.
type Result struct {
	Line           string
	Stdout, Stderr []byte
	Code           int
	Err            error
	// Began and Ended are when the program was started and had ended; zero
	// where it was not.
	Began, Ended time.Time
}

// OK says whether the program ran, returned 0 and all of its answer is here.
func (r Result) OK() bool { return r.Err == nil && r.Code == 0 }

// Answer is the one line that the program printed; ok as OK says.
func (r Result) Answer() (line string, ok bool) {
	return strings.TrimSuffix(string(r.Stdout), "\n"), r.OK()
}

// Missing says whether there is no such program.
func (r Result) Missing() bool { return errors.Is(r.Err, fs.ErrNotExist) }

// Starved says that the system had no file, process or memory to start the program
// with: nothing is known of the program.
func (r Result) Starved() bool {
	return slices.ContainsFunc([]error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM},
		func(e error) bool { return errors.Is(r.Err, e) })
}

// Absent says whether PATH has no file of that name: none that cannot be started
// either.
func (r Result) Absent() bool {
	return r.Missing() && !errors.As(r.Err, new(*PassedOver)) && !errors.As(r.Err, new(*NotStarted))
}

// Lacks says that there is no program of that name to start, "" where there is one, also
// one that the system does not start.
func (r Result) Lacks(name string) string {
	switch {
	case errors.As(r.Err, new(*PassedOver)):
		return name + " on PATH is in the project, and is skipped"
	case r.Absent():
		return name + " is not installed"
	}
	return ""
}

// Text is the first line that the program printed, or why there is none.
func (r Result) Text() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	for _, out := range [][]byte{r.Stdout, r.Stderr} {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); line != "" {
			return line
		}
	}
	return fmt.Sprintf("exit code %d, no output", r.Code)
}

// Runner starts programs for one environment.
type Runner struct {
	Env env.Env
	// Avoid are directories whose programs are passed over: a project must
	// not choose what git or bwrap is. They are absolute, links resolved.
	Avoid []string
	// Runtime is the file that Program is, the agent's, whatever PATH leads to; ""
	// leaves it to PATH.
	Runtime, Program string
}

// Look returns the absolute path of a program, by the PATH of the runner's
// environment. Relative entries are passed over, since they would name another
// program in another directory, and so is every program that lies in Avoid or
// is reached by way of it. The error is fs.ErrNotExist when no other entry has it,
// as a *PassedOver where one in Avoid does, and as a *NotStarted where an entry
// has a file of that name that is no executable.
func (r Runner) Look(name string) (string, error) {
	if name == r.Program && r.Runtime != "" {
		if hostfs.WayTo(r.Runtime).Through(r.Avoid) {
			return "", &PassedOver{r.Runtime}
		}
		return r.Runtime, nil
	}
	passed := ""
	var useless error
	for _, dir := range filepath.SplitList(r.Env.Get("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			useless = cmp.Or(useless, notExecutable(path))
			continue
		}
		if !hostfs.WayTo(path).Through(r.Avoid) {
			return path, nil
		}
		passed = cmp.Or(passed, path)
	}
	if passed != "" {
		return "", &PassedOver{passed}
	}
	if useless != nil {
		return "", useless
	}
	return "", fmt.Errorf("%s is not on PATH: %w", name, fs.ErrNotExist)
}

// searched are the entries of PATH without the relative ones and without those
// that lie in Avoid or are reached by way of it.
func (r Runner) searched() []string {
	return slices.DeleteFunc(filepath.SplitList(r.Env.Get("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || hostfs.WayTo(dir).Through(r.Avoid)
	})
}

// PassedOver is the error for a program that PATH has in Avoid alone.
type PassedOver struct{ Path string }

func (e *PassedOver) Error() string {
	return e.Path + " is passed over: it lies in the project, or is reached through it, so a command of the agent could " +
		"have written it"
}

// Unwrap says that there is no other.
func (e *PassedOver) Unwrap() error { return fs.ErrNotExist }

const (
	// maxOutput bounds what is kept of a program's standard output, in bytes: an
	// answer may name every file of a large repository, or be a whole session.
	maxOutput = 64 << 20
	// maxSaid bounds what is kept of its standard error.
	maxSaid = 4 << 20
)

// ErrCut is the error of a call whose standard output was longer than what is
// kept of it: half a list is no answer.
var ErrCut = errors.New("the output is longer")

// waitDelay is how long a program's output is waited for once it has ended: a
// child that goes on holds it open. On a busy machine the last bytes, or the
// end of what the program left behind, may take a while (measured: bwrap needs
// more than 100 ms at a load of seven a core).
const waitDelay = 2 * time.Second

// Run starts the program with a base environment (HOME, PATH, XDG_*, C
// locale), with no standard input but what its Spec holds, in its own process
// group, and waits for it for at most the time that its Spec allows.
func (r Runner) Run(ctx context.Context, s Spec) Result {
	res := Result{Line: s.String(), Code: -1}
	s, err := r.apart(s)
	if err != nil {
		res.Err = err
		return res
	}
	path := s.path
	if path == "" {
		if path, err = r.Look(s.name); err != nil {
			res.Err = err
			return res
		}
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, s.args...)
	cmd.Dir = cmp.Or(s.dir, "/")
	cmd.Env = append([]string{}, s.extra...) // nil would be this process's own
	if !s.bare {
		cmd.Env = append(r.base(s.network, s.agent), s.extra...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = waitDelay
	if s.stdin != nil {
		cmd.Stdin = bytes.NewReader(s.stdin)
	}
	stdout, stderr := &capped{most: cmp.Or(s.most, maxOutput)}, &capped{most: maxSaid}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if s.connection != nil {
		cmd.Stdin, cmd.Stdout = s.connection, s.connection
	}
	closeFDs, err := feed(cmd, s.fds)
	release := func() {}
	if s.lends && err == nil {
		release, err = lend(cmd)
	}
	if s.onTerminal {
		release = take(cmd)
	}
	if err == nil {
		res.Began = time.Now()
		err = cmd.Run()
		res.Ended = time.Now()
	}
	closeFDs()
	release()
	res.Stdout, res.Stderr = stdout.kept.Bytes(), stderr.kept.Bytes()
	var exit *exec.ExitError
	switch {
	case errors.As(context.Cause(ctx), new(late)):
		res.Err = fmt.Errorf("%s %w", s.name, context.Cause(ctx))
	case ctx.Err() != nil:
		res.Err = fmt.Errorf("%s was stopped: %w", s.name, context.Cause(ctx))
	case errors.As(err, &exit):
		res.Code = exit.ExitCode()
	case err != nil:
		res.Err = notStarted(path, cmd.Dir, err)
	default:
		res.Code = 0
	}
	if stdout.cut && res.Err == nil {
		res.Err = fmt.Errorf("%s: %w than %d MiB", s.name, ErrCut, stdout.most>>20)
	}
	return res
}

// feed gives the program one pipe for each of data, from descriptor 3 on, and
// returns what releases them.
func feed(cmd *exec.Cmd, data [][]byte) (release func(), err error) {
	var open []*os.File
	var writing sync.WaitGroup
	release = func() {
		for _, f := range open {
			f.Close() // a writer that is still blocked ends with an error
		}
		writing.Wait()
	}
	for _, b := range data {
		r, w, err := os.Pipe()
		if err != nil {
			return release, err
		}
		open = append(open, r)
		cmd.ExtraFiles = append(cmd.ExtraFiles, r)
		writing.Go(func() {
			_, _ = w.Write(b)
			w.Close()
		})
	}
	return release, nil
}

// base is the environment every program gets: enough to find its
// configuration, nothing that could be a credential. Its PATH is that by which it
// was looked up itself: npm looks there for node, git for ssh. One that is to reach
// the network is told by which way, and one that does so as the user, where the
// user's ssh agent listens.
func (r Runner) base(network, agent bool) []string {
	kept := []string{"LC_ALL=C.UTF-8"}
	for _, name := range r.Env.Names() {
		switch {
		case name == "PATH":
			kept = append(kept, name+"="+strings.Join(r.searched(), string(filepath.ListSeparator)))
		case name == "HOME", name == "USER", name == "LOGNAME", name == "TERM",
			strings.HasPrefix(name, "XDG_"), agent && name == "SSH_AUTH_SOCK",
			network && slices.ContainsFunc(networkNames, func(n string) bool { return strings.EqualFold(name, n) }):
			kept = append(kept, name+"="+r.Env.Get(name))
		}
	}
	return kept
}

// capped keeps the first bytes and takes the rest without keeping it, so that a
// talkative program is neither stopped nor stored.
// The buffer is no part of its method set: io.Copy would pass by Write, by the
// buffer's own ReadFrom.
type capped struct {
	kept bytes.Buffer
	most int
	cut  bool // something was not kept
}

func (c *capped) Write(p []byte) (int, error) {
	room := c.most - c.kept.Len()
	c.cut = c.cut || len(p) > room
	c.kept.Write(p[:min(room, len(p))])
	return len(p), nil
}

// Question says whether the call is a question of that kind: a tool's version,
// or what git says of a place. Its answer does not change while one command of ours
// runs. Two calls with the same key ask the same.
func (s Spec) Question() (key string, ok bool) {
	if !s.version && (s.name != "git" || s.args[0] != "-C") { // what makes the sample repository begins otherwise
		return "", false
	}
	return fmt.Sprintf("%q %q %q %q %q %q", s.name, s.path, s.dir, s.args, s.extra, s.stdin), s.fds == nil
}
