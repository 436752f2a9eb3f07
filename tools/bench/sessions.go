// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is compared was measured in one run; times on a machine
// with other work are not.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/steward-setup/steward-setup/tools/machine"
)

// sessions measures verify and doctor on a machine of its own, each against the
// floor of its own run: the same runtime on the same stage, with nothing to do.
func sessions(program, claude string) error {
	home, err := os.MkdirTemp("", "steward-setup-bench-home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	m, err := machine.New(home, program, claude)
	if err != nil {
		return err
	}
	if err := measure(m, "verify"); err != nil {
		return err
	}
	if err := measure(m, "doctor", "--try-fix"); err != nil {
		return err
	}
	fmt.Println("\nwith 100 more credentials named in the policy:")
	var rules []string
	for i := range 100 {
		rules = append(rules, fmt.Sprintf("%q", fmt.Sprintf("Read(~/.bench/%d/credentials)", i)))
	}
	if err := machine.Write(m.Project, ".claude/settings.local.json", `{"permissions":{"deny":[`+
		strings.Join(rules, ",")+`]}}`); err != nil {
		return err
	}
	return measure(m, "verify")
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
func measure(m *machine.Machine, command string, args ...string) error {
	file := filepath.Join(filepath.Dir(m.Project), command+".json")
	_, err := m.Run(append([]string{command, "--profile", file}, args...)...)
	b, readErr := os.ReadFile(file)
	if err := errors.Join(err, readErr); err != nil {
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
		"floor ÷ %d cores\n\n", command, sum.Args.CPU/1e3, sum.Args.Sessions, sum.Args.CPU/floors, sum.Dur/1e6,
		sum.Dur/1e3/(floors/float64(runtime.GOMAXPROCS(0))), runtime.GOMAXPROCS(0))
	return nil
}
