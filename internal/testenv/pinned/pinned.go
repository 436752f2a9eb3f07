// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a test that means "the pinned version" reads it from the
// manifest, so that moving a pin changes the manifest alone.

// Package pinned is the manifest of this build, for tests.
//
// Contract: only _test files import it. What it cannot read ends the test
// binary.
package pinned

import (
	"io/fs"
	"strconv"
	"strings"
	"time"

	runtime "github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/pins"
)

// Claude is the pinned version of the agent runtime.
func Claude() string { return claude().Version }

// ClaudeSays is what the runtime of a version prints for --version.
func ClaudeSays(version string) string { return version + " " + runtime.Says }

// Later is the version n after the pinned one, which nobody has tested; with
// a negative n it is one before.
func Later(n int) string {
	version := Claude()
	dot := strings.LastIndex(version, ".") + 1
	last, err := strconv.Atoi(version[dot:])
	if err != nil {
		panic(err)
	}
	return version[:dot] + strconv.Itoa(last+n)
}

// Released is the day on which the pinned runtime was released.
func Released() string {
	day, _ := claude().Released()
	return day.Format(time.DateOnly)
}

// Noon is noon of the day for which the manifest vouches: every pin has
// settled.
func Noon() time.Time { return load().PinnedAt.Add(12 * time.Hour) }

func claude() pins.Pin {
	pin, ok := load().Pin(runtime.Name)
	if !ok {
		panic("the manifest does not pin claude-code")
	}
	return pin
}

func load() pins.Set {
	set, err := pins.Load(noFiles{}, "/", "")
	if err != nil {
		panic(err)
	}
	return set
}

// noFiles is a machine without an override.
type noFiles struct{}

func (noFiles) Read(string) ([]byte, error)           { return nil, fs.ErrNotExist }
func (noFiles) ReadIn(string, string) ([]byte, error) { return nil, fs.ErrNotExist }
