// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fault is seeded by changing a file or a program of the
// machine, and one that would change nothing fails the test.

package checks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// at is the path behind a name: ~/x in the home, /etc/x among the system
// files, and one in the machine's own directory as it is.
func (m *Machine) at(name string) string {
	switch rest, home := strings.CutPrefix(name, "~"); {
	case home:
		return m.Home + rest
	case strings.HasPrefix(name, m.dir+"/"):
		return name
	}
	return filepath.Join(m.dir, "root", name)
}

// short is text with this machine's paths as a person would write them.
func (m *Machine) short(text string) string {
	return strings.NewReplacer(m.Home, "~", m.dir+"/root", "", m.dir+"/bin", "/usr/bin", m.dir, "",
		fmt.Sprintf("/tmp/claude-%d/", os.Getuid()), "/tmp/claude-UID/").Replace(text)
}

// read returns a file's content.
func (m *Machine) read(name string) string {
	m.t.Helper()
	b, err := os.ReadFile(m.at(name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

func (m *Machine) readOr(name string) string {
	b, _ := os.ReadFile(m.at(name))
	return string(b)
}

// write writes a file with its directories; a link is written through.
func (m *Machine) write(name, text string, mode fs.FileMode) {
	m.t.Helper()
	path := m.at(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	// Programs of the machine are links to the system's: those are not written.
	if real, err := filepath.EvalSymlinks(path); err == nil && !pathname.Within(real, m.dir) {
		m.t.Fatalf("%s leads to %s, out of %s", path, real, m.dir)
	}
	testenv.OK(m.t, testenv.Put(path, []byte(text), mode))
}

// replace puts one text in the place of another, which must be there.
func (m *Machine) replace(name, old, text string) {
	m.t.Helper()
	was := m.read(name)
	if !strings.Contains(was, old) {
		m.t.Fatalf("%s does not hold %q:\n%s", name, old, was)
	}
	info, err := os.Stat(m.at(name))
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(name, strings.Replace(was, old, text, 1), info.Mode().Perm())
}

func (m *Machine) remove(name string) {
	m.t.Helper()
	if err := os.Remove(m.at(name)); err != nil {
		m.t.Fatal(err)
	}
}

// move moves a file and leaves a link to it in its place.
func (m *Machine) move(name, to string) {
	m.t.Helper()
	m.write(to, "", 0o600)
	if err := os.Rename(m.at(name), m.at(to)); err != nil {
		m.t.Fatal(err)
	}
	m.symlink(m.at(to), name)
}

func (m *Machine) symlink(target, name string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.at(name)), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(target, m.at(name)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *Machine) git(dir string, args ...string) {
	m.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append([]string{"HOME=" + m.Home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}, testenv.GitDates...)
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// link puts a program of this machine's on PATH.
func (m *Machine) link(program string) {
	m.t.Helper()
	real, err := exec.LookPath(program)
	if err != nil {
		m.t.Fatal(err)
	}
	m.symlink(real, m.dir+"/bin/"+program)
}

// says puts a program on PATH that says this of its version and is the real
// one in everything else.
func (m *Machine) says(program, version string) {
	m.t.Helper()
	rest := "exit 1"
	if real, err := exec.LookPath(program); err == nil {
		rest = "exec '" + real + `' "$@"`
	}
	m.program(program, "case \" $* \" in *' --version '*|*' -V '*) printf '%s\\n' '"+version+"'; exit 0 ;; esac\n"+rest)
}

// fails puts a program on PATH that knows its version and fails at everything
// else with these words and this exit code.
func (m *Machine) fails(program, words string, code int) {
	m.t.Helper()
	m.program(program, "case ${1-} in --version|-V) printf '%s\\n' '"+versions[program]+"'; exit 0 ;; esac\n"+
		"printf '%s\\n' '"+words+"' >&2\nexit "+strconv.Itoa(code))
}

// program puts a script on PATH. That of the agent lies where npm puts it: a
// script of the user's own is one of the faults.
func (m *Machine) program(name, script string) {
	m.t.Helper()
	if path := m.dir + "/bin/" + name; name == "claude" {
		if _, err := os.Lstat(path); err != nil {
			m.write(m.dir+"/lib/node_modules/@anthropic-ai/claude-code/cli.js", "", 0o755)
			m.symlink(m.dir+"/lib/node_modules/@anthropic-ai/claude-code/cli.js", path)
		}
	}
	m.write(m.dir+"/bin/"+name, "#!/bin/sh\n"+script+"\n", 0o755)
}

// edit changes a settings file, which may not be there yet.
func (m *Machine) edit(name string, change func(doc)) {
	m.t.Helper()
	d := doc{}
	if b, err := os.ReadFile(m.at(name)); err == nil {
		if err := json.Unmarshal(b, &d); err != nil {
			m.t.Fatal(err)
		}
	}
	change(d)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(map[string]any(d)); err != nil {
		m.t.Fatal(err)
	}
	m.write(name, b.String(), 0o644)
}

// set is an edit that gives one key a value.
func (m *Machine) set(name, key string, value any) {
	m.t.Helper()
	m.edit(name, func(d doc) { d.set(key, value) })
}

// add is an edit that appends one value to an array.
func (m *Machine) add(name, key string, value any) {
	m.t.Helper()
	m.edit(name, func(d doc) { list, _ := d.get(key).([]any); d.set(key, append(slices.Clone(list), value)) })
}

// drop is an edit that takes one value out of an array; it must be there.
func (m *Machine) drop(name, key string, value any) {
	m.t.Helper()
	m.edit(name, func(d doc) {
		list, _ := d.get(key).([]any)
		i := slices.IndexFunc(list, func(have any) bool { return reflect.DeepEqual(have, value) })
		if i < 0 {
			m.t.Fatalf("%s has no %v in %s", name, value, key)
		}
		d.set(key, slices.Delete(slices.Clone(list), i, i+1))
	})
}

// doc is a settings document; keys are dotted paths.
type doc map[string]any

func (d doc) get(key string) any {
	var v any = map[string]any(d)
	for part := range strings.SplitSeq(key, ".") {
		m, _ := v.(map[string]any)
		v = m[part]
	}
	return v
}

func (d doc) set(key string, value any) {
	at := map[string]any(d)
	parts := strings.Split(key, ".")
	for _, part := range parts[:len(parts)-1] {
		below, ok := at[part].(map[string]any)
		if !ok {
			below = map[string]any{}
			at[part] = below
		}
		at = below
	}
	at[parts[len(parts)-1]] = value
}

// unset takes a key away; it must be there.
func (m *Machine) unset(name, key string) {
	m.t.Helper()
	m.edit(name, func(d doc) {
		above, last := "", key
		if i := strings.LastIndexByte(key, '.'); i >= 0 {
			above, last = key[:i], key[i+1:]
		}
		at := map[string]any(d)
		if above != "" {
			at, _ = d.get(above).(map[string]any)
		}
		if _, ok := at[last]; !ok {
			m.t.Fatalf("%s has no %s", name, key)
		}
		delete(at, last)
	})
}
