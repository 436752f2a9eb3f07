// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: tests that passed are not run again while nothing is another
// that they were given: their binary, who runs them, the system, the variables that
// they asked for and the files of this tree that they looked at. The testing package
// writes down the last two (-test.testlogfile), as go test's own cache has it. What the go
// command reads, nobody writes down: tests do not ask it (internal/archtest).

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// before is where earlier runs left what passed, and what it depends on beside
// what a package's tests asked for.
type before struct {
	// dir has a file for each package, user and binary; "" is none, and then nothing is read or kept.
	dir string
	// system names the day and everything outside this tree that may matter.
	system string
	// work is a directory of this run alone, copy one in it of tree.
	work, tree, copy string
}

// passed is what a package's tests said and asked for when they passed.
type passed struct {
	Asked  []string // lines of the testing package's log, each once, with paths of the tree
	Digest string   // of what was there
	Said   string
	Kept   string
}

// again says what they said; for the summary it is another result than of tests that
// are run, and they took nothing.
func (p passed) again(said, kept io.Writer) error {
	for line := range strings.Lines(p.Kept) {
		result, rest, _ := strings.Cut(line, "\t")
		_, name, _ := strings.Cut(rest, "\t")
		switch result {
		case spentBy:
			continue
		case "passed":
			result = passedBefore
		}
		if _, err := fmt.Fprintf(kept, "%s\t0\t%s", result, name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(said, strings.TrimSuffix(p.Said, "\n")+"\tas before\n")
	return err
}

// written names a file that tests add to.
const written = "STEWARD_TEST_SESSIONS"

// key names what a job is given before it asks for anything.
func (b before) key(j job, binary string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, b.system, j.path, j.who)
	for _, path := range append(slices.Clone(j.start), binary) {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		_, _ = h.Write(bytes.ReplaceAll(content, []byte(b.work), []byte("WORK")))
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// look is what an earlier run left of a job that would be the same again.
func (b before) look(key string) (passed, bool) {
	var p passed
	content, err := os.ReadFile(filepath.Join(b.dir, key))
	if err != nil || json.Unmarshal(content, &p) != nil {
		return p, false
	}
	return p, p.Digest == b.digest(p.Asked)
}

// keep leaves what a job said that passed; log is the testing package's log of it. A
// file that changed since the job began may not be what its tests saw: nothing is kept.
func (b before) keep(key string, j job, began time.Time, log, said, kept string) error {
	content, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	asked := b.asked(string(content), j.dir)
	for _, line := range asked {
		path, _ := strings.CutPrefix(line, "open ")
		if info, err := os.Stat(path); err == nil && info.ModTime().After(began) {
			return nil
		}
	}
	if content, err = json.Marshal(passed{asked, b.digest(asked), said, kept}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, key), content, 0o600)
}

// asked lists what a log holds: variables, and paths in the tree.
func (b before) asked(log, dir string) []string {
	var list []string
	for line := range strings.Lines(log) {
		verb, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "getenv":
			if name != written {
				list = append(list, "getenv "+name)
			}
			continue
		case "chdir", "open", "stat":
		default:
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		name = b.inTree(name)
		switch {
		case verb == "chdir":
			dir = name
		case name == b.tree || strings.HasPrefix(name, b.tree+"/"):
			list = append(list, "open "+name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inTree is the path in the tree that a path in a copy of it stands for.
func (b before) inTree(path string) string {
	path = filepath.Clean(path)
	if rest, found := strings.CutPrefix(path, b.copy); found && (rest == "" || rest[0] == '/') {
		return b.tree + rest
	}
	return path
}

// digest is of everything that is asked for, as it is now.
func (b before) digest(asked []string) string {
	h := sha256.New()
	for _, line := range asked {
		fmt.Fprintln(h, line)
		switch verb, name, _ := strings.Cut(line, " "); verb {
		case "getenv":
			value, set := os.LookupEnv(name)
			fmt.Fprintln(h, set, strings.ReplaceAll(value, b.work, "WORK"))
			if info, err := os.Stat(value); err == nil && info.Mode().IsRegular() {
				content(h, value)
			}
		case "open":
			content(h, name)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// large is the size, in bytes, from which on a file is known by its size and time: the
// runtimes have 200 MB each.
const large = 100 << 20

// content writes what a path holds: a file's bytes and mode, the names in a directory.
func content(h io.Writer, path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		fmt.Fprintln(h, "none")
	case info.IsDir():
		entries, err := os.ReadDir(path)
		fmt.Fprintln(h, err == nil)
		for _, e := range entries {
			fmt.Fprintln(h, e.Name(), e.Type())
		}
	case info.Mode().IsRegular() && info.Size() >= large:
		fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
	case info.Mode().IsRegular():
		bytes, err := os.ReadFile(path)
		fmt.Fprintf(h, "%v %s %x\n", err == nil, info.Mode(), sha256.Sum256(bytes))
	default:
		fmt.Fprintln(h, info.Mode())
	}
}
