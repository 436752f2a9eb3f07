// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the programs of the sandbox are tried, and tools asked for their
// version (git for more: sharedgit_test.go), once for all machines that have the same ones: on each machine whose
// programs, system files or environment differ this is done anew, and so it is with
// what did not pass.

package checks_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// tried are the passes of sandbox-support, by what was tried, and said what tools and git said, by
// what they were asked and what that depends on, with place for the directory of the machine.
var tried, said sync.Map

const place = "«machine»"

// knowing is a machine whose tools and whose git were asked on another one: those with the same
// programs, and git about the same repository.
type knowing struct {
	host.Reader
	dir, programs, repository string // repository is "" where git's answers may depend on more
	about                     []string
}

// knowing is r itself where the programs are not known.
func (m *Machine) knowing(r host.Reader) host.Reader {
	m.t.Helper()
	programs, ok := m.programs()
	if !ok {
		return r
	}
	return knowing{r, m.dir, programs, m.repository(), []string{"/", m.Project, m.Worktree}}
}

// Below implements host.Asks.
func (k knowing) Below() host.Reader { return k.Reader }

// depends is what an answer depends on beside the question, "" where that is not known.
func (k knowing) depends(s proc.Spec, key string) string {
	if s.Program() != "git" {
		return k.programs
	}
	if k.repository == "" || !slices.ContainsFunc(k.about, func(dir string) bool {
		return strings.Contains(key, fmt.Sprintf(`["-C" %q `, dir))
	}) {
		return ""
	}
	return k.programs + k.repository
}

func (k knowing) Run(ctx context.Context, s proc.Spec) proc.Result {
	key, ok := s.Question()
	depends := k.depends(s, key)
	if !ok || depends == "" {
		return k.Reader.Run(ctx, s)
	}
	replaced := func(res proc.Result, from, to string) proc.Result {
		res.Line = strings.ReplaceAll(res.Line, from, to)
		res.Stdout = []byte(strings.ReplaceAll(string(res.Stdout), from, to))
		res.Stderr = []byte(strings.ReplaceAll(string(res.Stderr), from, to))
		return res
	}
	key = depends + strings.ReplaceAll(key, k.dir, place)
	if res, ok := said.Load(key); ok {
		return replaced(res.(proc.Result), place, k.dir) // nothing else is stored
	}
	res := k.Reader.Run(ctx, s)
	if res.Err == nil {
		said.Store(key, replaced(res, k.dir, place))
	}
	return res
}

// sharing is the machine and list, in which sandbox-support takes the pass of a
// machine with the same programs, and tools the version that they said there.
func (m *Machine) sharing(r host.Reader, list []engine.Check) (host.Reader, []engine.Check) {
	m.t.Helper()
	k, ok := m.knowing(r).(knowing)
	if !ok {
		return r, list
	}
	key := k.programs
	list = slices.Clone(list)
	for i, c := range list {
		if c.ID != "sandbox-support" {
			continue
		}
		list[i].Run = func(ctx context.Context, r host.Reader) report.Finding {
			if f, ok := tried.Load(key); ok {
				return f.(report.Finding) // nothing else is stored
			}
			f := c.Run(ctx, r)
			if f.Status == report.Pass && !strings.Contains(fmt.Sprint(f), m.dir) {
				tried.Store(key, f)
			}
			return f
		}
	}
	return k, list
}

// programs is all that a trial of programs depends on: those on PATH, the
// system's files, and the environment. It is unknown where PATH leads
// elsewhere, a link to a directory of the machine, or a program to another file
// of it.
func (m *Machine) programs() (all string, known bool) {
	m.t.Helper()
	if m.Env["PATH"] != "" {
		return "", false
	}
	var lines []string
	for name, value := range m.Env {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	known = true
	for _, dir := range []string{"bin", "root"} {
		err := filepath.WalkDir(filepath.Join(m.dir, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			line, content := path+" "+info.Mode().String(), ""
			if info.Mode()&fs.ModeSymlink != 0 {
				to, err := os.Readlink(path)
				if err != nil {
					return err
				}
				line += " to " + to
				path, err = filepath.EvalSymlinks(path)
				switch {
				case os.IsNotExist(err): // it leads nowhere: that is all of it
				case err != nil:
					return err
				case pathname.Within(path, m.dir):
					if info, err = os.Stat(path); err != nil {
						return err
					}
					line += " " + info.Mode().String()
					known = known && info.Mode().IsRegular()
				}
			}
			if info.Mode().IsRegular() {
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				content = string(b)
				known = known && !strings.Contains(content, m.dir)
			}
			lines = append(lines, fmt.Sprintf("%s %q", line, content))
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), m.dir, ""), known
}

func TestTheProgramsAreTriedOnce(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	usual := build(t, usualSetup)
	usual.Env["TRIED_BY"] = t.Name() // so that no other test has tried them
	trials, says := 0, report.Pass
	for _, c := range []struct {
		name   string
		change func(*Machine)
		says   report.Status
		anew   bool
	}{
		{"the first machine, whose programs do not pass", func(*Machine) {}, report.Fail, true},
		{"the next one", func(*Machine) {}, report.Pass, true},
		{"one with the same programs", func(*Machine) {}, report.Pass, false},
		{"one with another program", func(m *Machine) { m.breaks("rg", "broken", 1) }, report.Pass, true},
		{"one whose link leads to another program", func(m *Machine) {
			to, err := filepath.EvalSymlinks(m.dir + "/bin/claude")
			if err != nil || !pathname.Within(to, m.dir) {
				t.Fatal(to, err)
			}
			m.write(to, "#!/bin/sh\nexit 1\n", 0o755)
		}, report.Pass, true},
		{"one whose program starts another of it", func(m *Machine) {
			m.write(m.dir+"/bin/ps", "#!/bin/sh\nexec "+m.dir+"/bin/true\n", 0o755)
		}, report.Pass, true},
		{"the same again", func(m *Machine) {
			m.write(m.dir+"/bin/ps", "#!/bin/sh\nexec "+m.dir+"/bin/true\n", 0o755)
		}, report.Pass, true},
		{"one with another file of the system", func(m *Machine) { m.write("/etc/os-release", "ID=other\n", 0o644) },
			report.Pass, true},
	} {
		m := copyOf(t, usual)
		c.change(m)
		before := trials
		says = c.says
		r, list := m.sharing(m.host(), []engine.Check{{ID: "sandbox-support", Run: func(context.Context,
			host.Reader) report.Finding {
			trials++
			return report.Finding{Check: "sandbox-support", Status: says}
		}}})
		if f := list[0].Run(t.Context(), r); f.Status != c.says || trials-before != map[bool]int{true: 1}[c.anew] {
			t.Errorf("%s: %s, tried %d times", c.name, f.Status, trials-before)
		}
	}
}
