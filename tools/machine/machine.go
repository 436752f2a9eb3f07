// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package machine is a throwaway home with the setup that install makes by default.
//
// Contract: the program that is driven is the one that users have, from where it is
// installed: it is not to lie where commands may write.
package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Machine is such a home: the program in it, its project and the environment of both.
type Machine struct {
	Program, Project string
	Environ          []string
}

// New makes a machine in dir with the files of program and of the runtime claude, or
// takes the one that is there.
func New(dir, program, claude string) (*Machine, error) {
	bin := filepath.Join(dir, ".local", "bin")
	m := &Machine{Program: filepath.Join(bin, "steward-setup"), Project: filepath.Join(dir, "code", "tracker"),
		Environ: []string{"HOME=" + dir, "PATH=" + bin + ":" + os.Getenv("PATH"), "SHELL=/bin/bash",
			"TERM=xterm-256color", "LANG=C.UTF-8"}}
	if _, err := os.Stat(m.Program); err == nil {
		return m, nil
	}
	own, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.Symlink(claude, filepath.Join(bin, "claude")),
		os.WriteFile(m.Program, own, 0o755), Write(m.Project, "README.md", "tracker\n"), Commit(m.Project, dir)); err != nil {
		return nil, err
	}
	var proposed struct{ Plan struct{ ID string } }
	b, err := m.Run("install", "--plan", "--json")
	if err := errors.Join(err, json.Unmarshal(b, &proposed)); err != nil {
		return nil, err
	}
	_, err = m.Run("install", "--apply", proposed.Plan.ID)
	return m, err
}

// Run runs the program in the project and returns what it printed; its exit code is an
// answer about the machine.
func (m *Machine) Run(args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.Command(m.Program, args...) // the developer's own flag
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = m.Environ, m.Project, &out, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return out.Bytes(), nil
}

// Write writes a file below dir, with the directories that it lies in.
func Write(dir, rel, text string) error {
	path := filepath.Join(dir, rel)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

// Commit makes a repository of a project in a home, with one commit of what is there.
func Commit(project, home string) error {
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=m", "-c", "user.email=m@example.invalid", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", append([]string{"-C", project}, args...)...) // constant arguments
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return nil
}
