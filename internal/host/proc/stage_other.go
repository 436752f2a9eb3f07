// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: where there is no bwrap there is no stage to enter.

package proc

import (
	"errors"
	"os"
)

// StageAddress has no meaning here.
const StageAddress = "127.0.0.1"

// Entry is described in the Linux file.
type Entry struct {
	UID, GID int
	Proc     bool
	Own      []string
	Terminal int
	Port     int
	Nice     int
}

var errNoStage = errors.New("a stage exists on Linux only")

// Enter always fails here.
func Enter(Entry, string, []string, []string) error { return errNoStage }

func openTerminal() (terminal *os.File, stop func(), err error) { return nil, nil, errNoStage }

func newTerminal(uint16, uint16) (master, terminal *os.File, err error) {
	return nil, nil, errors.New("a namespace exists on Linux only")
}

func leaveKeyring() {}

// Adopt does nothing.
func Adopt() {}

func reap() {}

// Holders is empty: this system does not say who holds a lock.
func Holders(string) []Process { return nil }
