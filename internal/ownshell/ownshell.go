// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package ownshell starts the user's own shells and asks them what a word is and
// what they export.
//
// Contract: a shell runs in a namespace of its own (proc.OwnShell): everything
// on disk is read-only, there is no network, no socket of an agent and no other
// process, and all ends after its time. It is asked at its prompt, as a
// person would ask it, twice, the last time where a session starts. What cannot be started, as for root, is not
// observed and says why; a shell that does not answer has no answer.
package ownshell

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// Start is one way in which a terminal starts a shell.
type Start struct {
	Shell shellrc.Shell
	// Path is the executable, Login a login shell; Own says that it is the
	// user's login shell ($SHELL), in either way.
	Path       string
	Login, Own bool
	// Dir is where it is started, "" for the home; Then is where it changes to
	// before it is asked again, "" if it stays. Word is what it is asked about.
	Dir, Then, Word string
}

// String is the start as a person would type it.
func (s Start) String() string {
	said := string(s.Shell) + " -i"
	if s.Login {
		said = string(s.Shell) + " -l -i"
	}
	if s.Dir != "" {
		said += " in " + s.Dir
	}
	return said
}

// Answer is what a start came to.
type Answer struct {
	Start
	// Why says why there is no answer; "" if there is one. NotStarted says
	// that it is not the shell's doing.
	Why        string
	NotStarted bool
	ended      bool
	// Went is the shell that answered: a start file may start another one.
	Went shellrc.Shell
	// Meanings are what the word is beside a file on PATH.
	Meanings []Meaning
	// Env is what it exports.
	Env env.Env
}

// Meaning is one definition of the word. Def.File is "" where the shell
// does not say where it is from.
type Meaning struct {
	// What is "an alias", "a function" or another kind.
	What string
	shellrc.Def
}

// Starts lists how the user's shells are started, to be asked about word: the login shell in both
// ways, and each other shell that is installed and has start files in the home.
// They change to start, where a session starts. The login shell is also started
// there, as the terminal of an editor starts it.
func Starts(r host.Reader, word, start string) (list []Start) {
	login := host.LoginShell(r)
	kind, _ := shellrc.ShellAt(login, r.Resolve)
	if home, err := r.Resolve(r.Places().Home); err == nil && home == start {
		start = ""
	}
	shells := []shellrc.Shell{shellrc.Bash, shellrc.Zsh, shellrc.Fish}
	if kind != "" && !slices.Contains(shells, kind) { // asked where it is the login shell
		shells = append(shells, kind)
	}
	for _, shell := range shells {
		if filepath.IsAbs(login) && kind == shell {
			if info, err := r.Stat(login); err == nil && info.Mode().IsRegular() &&
				!r.Through(login, host.Written(r, r.System().Cwd)) {
				list = append(list, Start{Shell: shell, Path: login, Own: true, Then: start},
					Start{Shell: shell, Path: login, Login: true, Own: true, Then: start})
				if start != "" {
					list = append(list, Start{Shell: shell, Path: login, Own: true, Dir: start})
				}
			}
			continue
		}
		if path := installed(r, shell); path != "" && hasFiles(r, shell) {
			list = append(list, Start{Shell: shell, Path: path, Then: start})
		}
	}
	for i := range list {
		list[i].Word = word
	}
	return list
}

// installed is where the system has a shell, "" if it has none.
func installed(r host.Reader, shell shellrc.Shell) string {
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"} {
		path := filepath.Join(dir, string(shell))
		if info, err := r.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

func hasFiles(r host.Reader, shell shellrc.Shell) bool {
	user := shellrc.Of(r, r.Places().Home, r.System().Get)
	interactive, _ := user.Files(shell)
	return slices.ContainsFunc(interactive, func(path string) bool { return host.There(r, path) })
}

// Unable says why no shell can be started here, nil if one can.
func Unable(r host.Reader) error {
	switch sys := r.System(); {
	case sys.GOOS != "linux":
		return errors.New(proc.NoBubblewrap)
	case sys.UID == 0:
		return errors.New("root's start files would run as root")
	case sys.Executable == "":
		return errors.New("the path of this program is unknown")
	}
	_, err := r.Look("bwrap")
	return err
}

// Ask starts the shells, all at the same time.
func Ask(ctx context.Context, r host.Reader, starts []Start) []Answer {
	answers := make([]Answer, len(starts))
	var asking sync.WaitGroup
	for i, s := range starts {
		asking.Go(func() { answers[i] = ask(ctx, r, s) })
	}
	asking.Wait()
	return answers
}

// inTmux is what a shell that tmux starts has more: start files that put tmux
// in their place leave it at that.
var inTmux = []string{"TMUX=" + inDir + "/none,1,0", "TMUX_PANE=%0"}

// ask starts a shell. One that becomes another program is started once more as
// tmux starts it.
func ask(ctx context.Context, r host.Reader, s Start) Answer {
	a := try(ctx, r, s, nil)
	if a.ended {
		if again := try(ctx, r, s, inTmux); again.Why == "" {
			return again
		}
	}
	return a
}

// try starts a shell with more variables.
func try(ctx context.Context, r host.Reader, s Start, more []string) Answer {
	a := Answer{Start: s}
	spec, err := spec(r, s, more)
	if err != nil {
		a.Why, a.NotStarted = err.Error(), true
		return a
	}
	res := r.Run(ctx, spec)
	var said said
	if err := json.Unmarshal(res.Stdout, &said); err != nil || !res.OK() {
		a.Why, a.NotStarted = "the namespace could not be set up: "+res.Text(), true
		return a
	}
	a.read(said)
	onPath := host.LookUp(r, a.Env.Get("PATH"), r.Places().Home, s.Word)
	a.Meanings = slices.DeleteFunc(a.Meanings, func(m Meaning) bool { return m.What == hashed && m.Value == onPath })
	return a
}

// inDir is where everything of ours lies in the namespace.
const (
	inDir  = "/run/steward-setup"
	inSelf = inDir + "/steward-setup"
	// answered is where a shell's answers go, a line each.
	answered = "/run/steward-setup.answers"
)

// job is what the process in the namespace is told.
type job struct {
	Start   Start    `json:"start"`
	Dir     string   `json:"dir"`
	Environ []string `json:"environ"`
	Mark    string   `json:"mark"`
}

// spec is the start of a shell.
func spec(r host.Reader, s Start, more []string) (proc.Spec, error) {
	mark := rand.Text() // what tells an answer to this question from any other text
	j, err := json.Marshal(job{Start: s, Dir: cmp.Or(s.Dir, r.Places().Home), Environ: append(environ(r, s), more...),
		Mark: mark})
	if err != nil {
		return proc.Spec{}, err
	}
	var mounts []string
	for _, path := range hidden(r, s.Dir, s.Then) {
		mounts = append(mounts, "--ro-bind-try", path, path)
	}
	mounts = append(mounts, "--ro-bind", r.System().Executable, inSelf)
	var data [][]byte
	for round := 1; round <= rounds; round++ {
		for _, name := range slices.Sorted(maps.Keys(asking)) {
			mounts = append(mounts, "--ro-bind-data", fmt.Sprint(proc.StageData(len(data))), dirOf(round)+"/"+name)
			data = append(data, []byte(question(name, mark, s, round)))
		}
	}
	spec, ok := proc.OwnShell(mounts, data, r.System().GOARCH, inSelf, j)
	if !ok {
		return spec, errors.New("unix sockets cannot be kept from it on " + r.System().GOARCH)
	}
	return spec, nil
}

// hidden lists what lies in /tmp or /run and is needed all the same: the home,
// where shells are started and go, and directories of programs.
func hidden(r host.Reader, dirs ...string) (list []string) {
	for _, path := range append(append(dirs, r.Places().Home, "/run/current-system"),
		filepath.SplitList(r.System().Get("PATH"))...) {
		for _, memory := range []string{"/tmp/", "/run/"} {
			if clean := filepath.Clean(path); strings.HasPrefix(clean, memory) && !slices.Contains(list, clean) {
				list = append(list, clean)
			}
		}
	}
	return list
}

// handed are the variables of this session that a new terminal of it has too,
// beside those of every login: start files ask for those of the desktop, and
// what they name cannot be reached.
var handed = []string{"PATH", "LANG", "ENV", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DISPLAY",
	"WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE",
	"XDG_CURRENT_DESKTOP", "DESKTOP_SESSION", "TERM_PROGRAM", "COLORTERM", "SSH_TTY", "SSH_CONNECTION"}

// environ is the environment that the shell starts with: for a login shell
// what a login gives, else also what a terminal inherits.
func environ(r host.Reader, s Start) []string {
	sys := r.System()
	list := []string{"HOME=" + sys.Get("HOME"), "SHELL=" + host.LoginShell(r), "TERM=xterm-256color",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}
	for _, name := range []string{"USER", "LOGNAME"} {
		if user := sys.Get(name); user != "" {
			list = append(list, name+"="+user)
		}
	}
	for _, name := range handed {
		if value := sys.Get(name); value != "" && !s.Login {
			list = append(list, name+"="+value)
		}
	}
	return env.New(list).List() // the last of two counts
}
