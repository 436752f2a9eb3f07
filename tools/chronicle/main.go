// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command chronicle drives `steward-setup update --try` over versions of the
// runtime and writes what each lost or gained under the template's policy:
//
//	chronicle -program FILE -runtimes DIR -published FILE -keep DIR -out FILE
//
// Contract: DIR holds VERSION/claude for each version to begin with, and
// -published lists every version that there is, oldest first. Between two that
// differ it asks for the one in the middle, until each change lies between
// neighbours; a version that it asks for and that is not there is fetched by
// the command of -fetch, which gets it as its argument. What was rehearsed is
// kept in -keep, so that the next run goes on. Everything happens in a
// throwaway home with the installed setup.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/tools/machine"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "chronicle:", err)
		os.Exit(1)
	}
}

func run() error {
	program := flag.String("program", "", "the steward-setup `FILE`")
	runtimes := flag.String("runtimes", "", "the `DIR` with VERSION/claude")
	published := flag.String("published", "", "the `FILE` with every version, one a line, oldest first")
	keep := flag.String("keep", "", "the `DIR` of the machine, which stays")
	out := flag.String("out", "", "the page, a `FILE`")
	fetch := flag.String("fetch", "", "the `COMMAND` that fetches a version")
	flag.Parse()
	b, err := os.ReadFile(*published)
	if err != nil {
		return err
	}
	c := &chronicle{runtimes: *runtimes, fetch: *fetch, all: strings.Fields(string(b))}
	if c.machine, err = machine.New(*keep, *program, c.claude("2.1.329")); err != nil {
		return err
	}
	entries, err := os.ReadDir(*runtimes)
	if err != nil {
		return err
	}
	var begin []string
	for _, v := range c.all {
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == v }) {
			begin = append(begin, v)
		}
	}
	// The newest first: what is nearest to the floor matters most.
	for i := len(begin) - 1; i > 0; i-- {
		if err := c.between(begin[i-1], begin[i]); err != nil {
			fmt.Fprintf(os.Stderr, "chronicle: %s to %s: %v\n", begin[i-1], begin[i], err)
		}
		if err := os.WriteFile(*out, []byte(c.page()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// chronicle is what is known so far.
type chronicle struct {
	machine  *machine.Machine
	runtimes string
	fetch    string
	all      []string // every published version, oldest first
	versions []side   // those that were rehearsed
	steps    []step   // neighbours that differ, or the nearest that are known
	failed   []string
}

func (c *chronicle) claude(version string) string {
	return filepath.Join(c.runtimes, version, "claude")
}

// there makes sure that a version is there.
func (c *chronicle) there(version string) error {
	if _, err := os.Stat(c.claude(version)); err == nil {
		return nil
	}
	if c.fetch == "" {
		return fmt.Errorf("%s is not there", version)
	}
	cmd := exec.Command(c.fetch, version) // the developer's own flag
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	_, err := os.Stat(c.claude(version))
	return err
}

// between compares two versions, and looks for the neighbours that differ.
func (c *chronicle) between(a, b string) error {
	for _, v := range []string{a, b} {
		if err := c.there(v); err != nil {
			return err
		}
	}
	t, err := try(c.machine, c.claude(a), c.claude(b))
	if err != nil {
		c.failed = append(c.failed, fmt.Sprintf("%s to %s: %v", a, b, err))
		return err
	}
	c.saw(t.Installed)
	c.saw(t.Candidate)
	if !t.differs() {
		return nil
	}
	i, j := slices.Index(c.all, a), slices.Index(c.all, b)
	if j-i <= 1 {
		c.steps = append(c.steps, step{a, b, t})
		return nil
	}
	mid := c.all[(i+j)/2]
	fmt.Fprintf(os.Stderr, "%s and %s differ in %d calls: %s\n", a, b, len(t.Differences), mid)
	if err := c.between(mid, b); err != nil {
		return err
	}
	return c.between(a, mid)
}

func (c *chronicle) saw(s side) {
	if !slices.ContainsFunc(c.versions, func(v side) bool { return v.Record.Runtime == s.Record.Runtime }) {
		c.versions = append(c.versions, s)
	}
}
