// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command bench measures whole processes: each hook and status line with the
// input it gets from the runtime, as the small program and as the whole one,
// against a program that only reads that input; with -sessions, the sessions of
// verify and doctor against one with nothing to do.
//
// Contract: every round runs the floor and both programs once for every subject, in turn, so
// that a noisy minute falls on all of them; what is printed are medians and
// their ratios. Everything happens in a throwaway home.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/steward-setup/steward-setup/tools/machine"
)

// subject is one thing that is measured, with the most that it should cost.
type subject struct {
	name, hook string
	input      []byte
	aim        float64
	// asksGit says that git's status is part of the floor.
	asksGit             bool
	times, small, floor []time.Duration
}

// gitStatus is what the rich status line asks of git (proc.GitStatus).
var gitStatus = []string{"git", "--no-pager", "-c", "core.fsmonitor=false", "--no-optional-locks", "status",
	"--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	program := flag.String("program", "", "the steward-setup `FILE`")
	small := flag.String("hook", "", "the steward-hook `FILE`")
	floor := flag.String("floor", "", "the `FILE` of the program that only reads")
	rounds := flag.Int("rounds", 200, "how many runs of each")
	claude := flag.String("sessions", "", "measure verify and doctor instead, with the runtime `FILE`")
	files := flag.Int("files", 10000, "how many files the repository has")
	flag.Parse()
	if *claude != "" {
		return sessions(*program, *claude)
	}
	home, err := os.MkdirTemp("", "steward-setup-bench-home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	project, err := makeProject(home, *files)
	if err != nil {
		return err
	}
	subjects := makeSubjects(project)
	// The runtime names itself to what it starts, so that a footer need not look for it.
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		fmt.Sprintf("CLAUDE_PID=%d", os.Getpid())}
	for range *rounds {
		for i := range subjects {
			s := &subjects[i]
			least := once(environ, project, s.input, *floor)
			if s.asksGit {
				least += once(environ, project, nil, gitStatus...)
			}
			s.floor = append(s.floor, least)
			s.small = append(s.small, once(environ, project, s.input, *small, "hook", s.hook))
			s.times = append(s.times, once(environ, project, s.input, *program, "hook", s.hook))
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "floor\tsteward-hook\tratio\taim\tsteward-setup\tratio\t \t")
	for _, s := range subjects {
		f, small, whole := median(s.floor), median(s.small), median(s.times)
		fmt.Fprintf(w, "%.2f ms\t%.2f ms\t%.2f\t%.1f\t%.2f ms\t%.2f\t%s\t\n",
			ms(f), ms(small), float64(small)/float64(f), s.aim, ms(whole), float64(whole)/float64(f), s.name)
	}
	return w.Flush()
}

// once runs a process to its end and returns how long that took.
func once(environ []string, dir string, input []byte, argv ...string) time.Duration {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = environ, dir, bytes.NewReader(input)
	start := time.Now()
	_ = cmd.Run() // a hook's exit code is part of its answer
	return time.Since(start)
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func makeSubjects(project string) []subject {
	event := func(name, fields string) []byte {
		return fmt.Appendf(nil, `{"session_id":"bench","cwd":%q,"hook_event_name":%q,"tool_name":"Bash",%s}`, project, name,
			fields)
	}
	call := func(more string) string {
		return `"tool_input":{"command":"go test ./...","description":"run the tests"` + more + `}`
	}
	big := strings.Repeat("ok  example.invalid/tracker/pkg  0.012s\\n", 1<<20/40)
	// Of a session that asked for no bypass: those of the other subjects are counted
	// otherwise, more of them in each round.
	line := fmt.Appendf(nil, `{"session_id":"footer","cwd":%q,"model":{"display_name":"Sonnet"},"workspace":{"current_dir":%q,"project_dir":%q}}`, project, project, project)
	return []subject{
		{name: "bypass-warn, nothing to warn of", hook: "bypass-warn", input: event("PreToolUse", call("")), aim: 2},
		{name: "bypass-warn, a bypass", hook: "bypass-warn", input: event("PreToolUse",
			call(`,"dangerouslyDisableSandbox":true`)), aim: 2},
		{name: "bypass-warn, 1 MiB", hook: "bypass-warn", input: event("PreToolUse", `"tool_input":{"command":"`+big+`"}`),
			aim: 5},
		{name: "error-hint, ordinary output", hook: "error-hint",
			input: event("PostToolUse", call("")+`,"tool_response":{"stdout":"ok","stderr":""}`), aim: 2},
		{name: "error-hint, a denial", hook: "error-hint", input: event("PostToolUseFailure", call("")+
			`,"error":"Exit code 2\nError connecting to agent: Operation not permitted"`), aim: 2},
		{name: "error-hint, 1 MiB", hook: "error-hint", input: event("PostToolUse", call("")+`,"tool_response":{"stdout":"`+
			big+`","stderr":""}`), aim: 5},
		{name: "status-line", hook: "status-line", input: line, aim: 2},
		{name: "status-line-rich", hook: "status-line-rich", input: line, aim: 1.3, asksGit: true},
	}
}

// makeProject makes a repository of so many files, with a policy.
func makeProject(home string, files int) (string, error) {
	project := filepath.Join(home, "tracker")
	err := machine.Write(project, ".claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"]}}}`)
	for i := range files {
		err = errors.Join(err, machine.Write(project, fmt.Sprintf("d%03d/f%05d.txt", i/100, i), fmt.Sprint(i)))
	}
	return project, errors.Join(err, machine.Commit(project, home))
}
