// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: where there is no stage nothing is started on a terminal.

package proc

import (
	"errors"
	"os"
)

func openTerminal() (terminal *os.File, stop func(), err error) {
	return nil, nil, errors.New("a stage exists on Linux only")
}

func newTerminal(uint16, uint16) (master, terminal *os.File, err error) {
	return nil, nil, errors.New("a namespace exists on Linux only")
}
