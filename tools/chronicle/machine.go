// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the program that is driven is the one that users have; it
// runs in a home of its own, with the setup that install makes by default.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// machine is a throwaway home with the setup installed.
type machine struct {
	program, project string
	environ          []string
}

// newMachine makes a machine in dir, or takes the one that is there.
func newMachine(dir, program, claude string) (*machine, error) {
	bin := filepath.Join(dir, ".local", "bin")
	m := &machine{program: filepath.Join(bin, "steward-setup"), project: filepath.Join(dir, "code", "tracker"),
		environ: []string{"HOME=" + dir, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/bash",
			"TERM=xterm-256color", "LANG=C.UTF-8"}}
	if _, err := os.Stat(m.program); err == nil {
		return m, nil
	}
	own, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.MkdirAll(m.project, 0o755),
		os.Symlink(claude, filepath.Join(bin, "claude")),
		os.WriteFile(m.program, own, 0o755), os.WriteFile(filepath.Join(m.project, "README.md"), []byte("tracker\n"),
			0o644)); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=c", "-c", "user.email=c@example.invalid", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", append([]string{"-C", m.project}, args...)...) //nolint:gosec // constant arguments
		cmd.Env = append(m.environ, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	var proposed struct{ Plan struct{ ID string } }
	b, err := m.run("install", "--plan", "--json")
	if err := errors.Join(err, json.Unmarshal(b, &proposed)); err != nil {
		return nil, err
	}
	_, err = m.run("install", "--apply", proposed.Plan.ID)
	return m, err
}

// run runs the program and returns what it printed; its exit code is an answer
// about the machine.
func (m *machine) run(args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.Command(m.program, args...) //nolint:gosec // the developer's own flag
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = m.environ, m.project, &out, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return out.Bytes(), nil
}

// answer, difference, side and trial are what is read of what the program says.
type (
	answer struct {
		Session, Call, Title, Result, Layer, Why string
	}
	difference struct {
		Kind          string
		Before, After *answer
	}
	side struct {
		Record struct {
			Runtime string
			Answers []answer
			Hooks   []struct {
				Event, Script string
				Fires         bool
			}
			Failed map[string]string
		}
	}
	trial struct {
		Installed, Candidate side
		Differences          []difference
		Hooks                []struct {
			Event, Script string
			Lost          bool
		}
		Dropped, Learned []string
	}
)

// differs says whether a call, a hook or a key differs; which sessions a twin
// could not prove is no difference of the runtime.
func (t trial) differs() bool {
	return len(t.Differences)+len(t.Hooks)+len(t.Dropped)+len(t.Learned) > 0
}

// try compares two runtimes.
func (m *machine) try(a, b string) (trial, error) {
	out, err := m.run("update", "--json", "--runtime", a, "--try", b)
	if err != nil {
		return trial{}, err
	}
	var doc struct {
		Data  *trial
		Error *struct{ What, Where, Why string }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return trial{}, fmt.Errorf("%w: %s", err, out)
	}
	if doc.Error != nil || doc.Data == nil {
		return trial{}, fmt.Errorf("%+v", doc.Error)
	}
	return *doc.Data, nil
}
