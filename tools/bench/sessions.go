// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is compared was measured in one run; times on a machine
// with other work are not.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
)

// sessions measures verify and doctor on a machine of its own, each against the
// floor of its own run: the same runtime on the same stage, with nothing to do.
func sessions(program, claude string) error {
	home, err := os.MkdirTemp("", "steward-setup-bench-home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	project, err := makeProject(home, 10, "") // install writes the policy
	if err != nil {
		return err
	}
	bin := filepath.Join(home, ".local", "bin")
	own, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	program = filepath.Join(bin, "steward-setup") // where it is installed: it is not to lie where commands may write
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.Symlink(claude, filepath.Join(bin, "claude")),
		os.WriteFile(program, own, 0o755)); err != nil {
		return err
	}
	m := machine{program: program, project: project, environ: []string{"HOME=" + home, "PATH=" + bin + ":" +
		os.Getenv("PATH"), "SHELL=/bin/bash", "TERM=xterm-256color", "LANG=C.UTF-8"}}
	var proposed struct {
		Plan struct{ ID string }
	}
	if err := json.Unmarshal(m.run("install", "--plan", "--json"), &proposed); err != nil {
		return err
	}
	m.run("install", "--apply", proposed.Plan.ID)
	if err := m.measure("verify"); err != nil {
		return err
	}
	if err := m.measure("doctor", "--try-fix"); err != nil {
		return err
	}
	fmt.Println("\nwith 100 more credentials named in the policy:")
	var rules []string
	for i := range 100 {
		rules = append(rules, fmt.Sprintf("%q", fmt.Sprintf("Read(~/.bench/%d/credentials)", i)))
	}
	more := []byte(`{"permissions":{"deny":[` + strings.Join(rules, ",") + `]}}`)
	if err := os.WriteFile(filepath.Join(project, ".claude", "settings.local.json"), more, 0o644); err != nil {
		return err
	}
	return m.measure("verify")
}

// machine is a throwaway home with the setup installed.
type machine struct {
	program, project string
	environ          []string
}

// run runs the program and returns what it printed; its exit code is an answer
// about the machine.
func (m machine) run(args ...string) []byte {
	var out bytes.Buffer
	cmd := exec.Command(m.program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = m.environ, m.project, &out, os.Stderr
	_ = cmd.Run()
	return out.Bytes()
}

// event is what is read of an event of a profile.
type event struct {
	Name string
	Dur  float64
	Args struct {
		CPU      float64 `json:"cpu_ms"`
		Floor    float64 `json:"floor_cpu_ms"`
		Sessions float64
		Calls    int
		Requests int
	}
}

// measure prints what a command's sessions cost, by its profile.
func (m machine) measure(command string, args ...string) error {
	file := filepath.Join(filepath.Dir(m.project), command+".json")
	m.run(append([]string{command, "--profile", file}, args...)...)
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var events []event
	if err := json.Unmarshal(b, &events); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	var sum, floor event
	for _, e := range events {
		if e.Args.Sessions > 0 {
			sum = e
		}
		if strings.HasPrefix(e.Name, "floor: ") { // rehearsal.FloorName
			floor = e
		}
	}
	sum.Dur -= floor.Dur // it is played last and alone, and for a profile only
	if sum.Args.Floor == 0 {
		return fmt.Errorf("%s: no session was played to its end", command)
	}
	fmt.Fprintln(w, "CPU\twall\tfloors\tcalls\trequests\t \t")
	for _, e := range events {
		if e.Args.CPU > 0 && e.Args.Sessions == 0 {
			fmt.Fprintf(w, "%.2f s\t%.2f s\t%.2f\t%d\t%d\t%s\t\n", e.Args.CPU/1e3, e.Dur/1e6, e.Args.CPU/sum.Args.Floor,
				e.Args.Calls, e.Args.Requests, e.Name)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	floors := sum.Args.Sessions * sum.Args.Floor
	fmt.Printf("%s: %.1f CPU s in %.0f sessions = %.2f × sessions × floor; %.1f s of wall time = %.2f × sessions × "+
		"floor ÷ %d cores\n\n", command,
		sum.Args.CPU/1e3, sum.Args.Sessions, sum.Args.CPU/floors, sum.Dur/1e6,
		sum.Dur/1e3/(floors/float64(runtime.GOMAXPROCS(0))), runtime.GOMAXPROCS(0))
	return nil
}
