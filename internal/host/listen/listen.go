// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package listen is the listener that a stage was lent.
//
// Contract: it is a package of its own because of what it imports: a program
// that links net is linked to the system's C library where a C compiler is
// found, and the loader then doubles the time that steward-hook takes to start
// (docs/performance.md).
package listen

import (
	"net"

	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Stage is the listener that proc.Enter made. It can be taken once.
func Stage() (net.Listener, error) {
	f := proc.StageListener()
	defer f.Close()
	return net.FileListener(f)
}
