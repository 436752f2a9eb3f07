// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a tool is there, starts, and is the pinned one is
// judged once; what each step makes of it is its own.

package pins

import (
	"fmt"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Answer is what a tool shows of itself when it is asked for its version.
type Answer struct {
	// Lacks says that there is no program to start, Broken why the one that is
	// there does not start; "" if it does.
	Lacks, Broken string
	// Unasked is why it could not be asked, which says nothing of the tool; "" if it was.
	Unasked string
	// Version is what it says of itself, "" if that is not understood; Standing
	// is then "" too.
	Version  string
	Standing Standing
	Seen     report.Evidence
}

// Answered judges what the tool answered (proc.Version). broken is why it did not
// start, as its agent knows it.
func (p Pin) Answered(res proc.Result, broken string) Answer {
	a := Answer{Lacks: res.Lacks(p.Tool), Broken: broken, Seen: report.CommandEvidence(res.Line, res.Text())}
	if res.Starved() {
		a.Unasked = p.Tool + " could not be asked for its version: " + res.Text()
	}
	if version, ok := Reported(p.Tool, string(res.Stdout)); ok && res.OK() {
		a.Version, a.Seen.Text = version, version
		a.Standing, _ = p.Judge(version) // both are versions
	}
	return a
}

// AsPackage is the answer where a package of this version is installed: a program
// does not know its package's revision, and may not be the package's.
func (p Pin) AsPackage(a Answer, manager, packaged string) Answer {
	standing := p.JudgePackage(manager, packaged)
	if standing != "" && a.Standing != Insufficient && Upstream(packaged) == a.Version {
		a.Version, a.Standing = packaged, standing
	}
	return a
}

// Drift says that a version is older or newer than the pinned one.
func (p Pin) Drift(a Answer) string {
	return fmt.Sprintf("%s %s is %s, %s", p.Tool, a.Version, a.Standing, p.Version)
}
