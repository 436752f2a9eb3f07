// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the program does what its model orders and its rules let it do,
// and says so.

package fakeagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// Tests runs the tests of a package whose binary is the program and the agent on a
// stage. What it returns is for os.Exit.
func Tests(m *testing.M) int {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "stage":
		err = rehearsal.Inside(context.Background(), os.Stdin, os.Stdout, env.New(os.Environ()), os.Args[2:])
	case len(os.Args) > 1 && os.Args[1] == word:
		err = run()
	default:
		return testenv.Offline(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run is the program: it asks its model what to do until there is nothing more,
// and says of each call what became of it.
func run() error {
	p, err := load()
	if err != nil {
		return err
	}
	a := asking{Wall: p.wall, Can: []string{"run", "open", "save"}}
	aside := asking{} // without a tool: the model has nothing to do in it
	if _, err := aside.send(); err != nil {
		return err
	}
	for {
		orders, err := a.send()
		if err != nil {
			return err
		}
		if len(orders) == 0 {
			fmt.Fprintln(os.Stdout, "bye")
			return nil
		}
		for _, o := range orders {
			text, became := p.do(o)
			fmt.Fprintln(os.Stdout, o.Of, became)
			a.Answers = append(a.Answers, answer{o.Of, text})
		}
	}
}

func (a asking) send() (orders []order, err error) {
	body, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	res, err := http.Post(os.Getenv(address)+"/turn", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	lines := json.NewDecoder(res.Body)
	for lines.More() {
		var o order
		if err := lines.Decode(&o); err != nil {
			return nil, err
		}
		orders = append(orders, o)
	}
	return orders, nil
}

// program is a session of it: rules, a line each.
//
//	wall                 commands run behind a wall: they write in the project alone, and have no network
//	fresh PATH           … and have an empty directory here
//	hide PATH            … and do not see this
//	drop NAME            … nor this variable
//	never VERB TEXT      a call of this tool with this text in it is refused
//	ask VERB TEXT        somebody would be asked about it
//	stop                 no session starts
//	light, heavy         nor one without, or with, the variable of a light one
type program struct {
	home, dir string
	lines     []string
	wall      string
}

func load() (p program, err error) {
	if p.dir, err = os.Getwd(); err != nil {
		return p, err
	}
	p.home = os.Getenv("HOME")
	for _, dir := range []string{p.home, p.dir} {
		b, err := os.ReadFile(filepath.Join(dir, own, rules))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return p, err
		}
		for line := range strings.Lines(string(b)) {
			p.lines = append(p.lines, strings.ReplaceAll(strings.TrimSpace(line), "~", p.home))
		}
	}
	if slices.Contains(p.lines, "stop") {
		return p, errors.New("a rule stops every session")
	}
	is := os.Getenv(light)
	if slices.Contains(p.lines, "heavy") && is != "" || slices.Contains(p.lines, "light") && is == "" {
		return p, fmt.Errorf("a rule refuses %s=%s", light, is)
	}
	if slices.Contains(p.lines, "wall") {
		p.wall = "commands run behind a wall"
	}
	return p, nil
}

// all are what stands behind a word at the beginning of lines.
func (p program) all(word string) (list []string) {
	for _, line := range p.lines {
		if rest, ok := strings.CutPrefix(line, word+" "); ok {
			list = append(list, rest)
		}
	}
	return list
}

// do does what the model orders, if no rule keeps it from that.
func (p program) do(o order) (text, became string) {
	member := func(name string) string { s, _ := o.With[name].(string); return s }
	about := member("command") + member("file_path")
	for _, word := range []string{"never", "ask"} {
		for _, rule := range p.all(word) {
			verb, part, _ := strings.Cut(rule, " ")
			if verb != o.Verb || !strings.Contains(about, part) {
				continue
			}
			if word == "ask" {
				return "nobody is here to answer", "asks by " + rule
			}
			return "no", "never by " + rule
		}
	}
	var err error
	switch o.Verb {
	case "run":
		text, err = p.run(about)
	case "open":
		var b []byte
		b, err = os.ReadFile(about)
		text = string(b)
	case "save":
		err = os.WriteFile(about, []byte(member("content")), 0o644)
	default:
		return "no such verb", "unknown"
	}
	if err != nil {
		text += "\n" + err.Error()
	}
	return text, "done"
}

// run runs a command, behind the wall if there is one.
func (p program) run(line string) (string, error) {
	args := []string{"sh", "-c", line}
	if p.wall != "" {
		wall := []string{"bwrap", "--die-with-parent", "--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "--dev-bind",
			"/dev", "/dev"}
		for _, path := range p.all("fresh") {
			wall = append(wall, "--tmpfs", path)
		}
		wall = append(wall, "--bind", p.dir, p.dir, "--ro-bind-try", filepath.Join(p.dir, own), filepath.Join(p.dir, own))
		for _, path := range p.all("hide") {
			wall = append(wall, "--ro-bind", "/dev/null", path)
		}
		for _, name := range p.all("drop") {
			wall = append(wall, "--unsetenv", name)
		}
		args = append(wall, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
