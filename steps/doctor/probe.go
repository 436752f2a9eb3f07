// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a probe consists of is data; who plays it and
// who judges it is the same for all.

package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// probe is one of the doctor's probes: what is looked at outside, and what is asked inside.
type probe struct {
	id    report.ID
	title string
	// outside is the control on the host: it only looks.
	outside func(context.Context, *bench) control
	// asks are the calls inside, where the control passed; none says what it
	// means that there are none.
	asks func(*bench, control) []ask
	none string
	// left says what of it was not tried, and why; nil where all is.
	left func(*bench, control) (summary string, seen []report.Evidence)
}

// probes lists the probes in the order in which they are shown.
func probes() []probe {
	return []probe{
		{id: "ssh-agent", title: "the SSH agent can be used", outside: sshOutside, asks: sshAsks},
		{id: "localhost-bind", title: "servers on localhost can be started and reached",
			outside: localhostOutside, asks: localhostAsks},
		docker(),
		podman(),
		{id: "unix-sockets", title: "a program can open a unix socket", outside: socketsOutside, asks: socketsAsks},
		{id: "userns", title: "the sandbox gets its namespaces, and programs in it theirs",
			outside: usernsOutside, asks: usernsAsks},
		{id: "gpg-sign", title: "commits can be signed", outside: gpgOutside, asks: signAsks, left: signLeft},
		{id: "git-worktree", title: "git works in every worktree",
			outside: gitOutside, asks: gitAsks, left: gitLeft, none: gitrepo.NoneHere},
		{id: "egress", title: "allowed hosts can be reached", outside: egressOutside, asks: egressAsks},
		{id: "package-managers", title: "package managers can install",
			outside: packagesOutside, asks: packagesAsks, left: packagesLeft,
			none: "no package manager that could be tried here"},
		{id: "git-remote", title: "git reaches the project's remotes",
			outside: remoteOutside, asks: remoteAsks, left: remoteLeft},
		{id: "ipc-sockets", title: "a program can talk to its own processes over a socket",
			outside: ipcOutside, asks: ipcAsks},
		{id: "tmpdir", title: "programs can make temporary files", outside: tmpOutside, asks: tmpAsks},
		{id: "browsers", title: "a browser renders a page",
			outside: browsersOutside, asks: browsersAsks, left: browsersLeft, none: "no browser that could be tried here"},
	}
}

// control is what was seen outside.
type control struct {
	// status is Pass where it works, Skip where it does not apply, Fail
	// where it is refused on this machine, sandbox or not.
	status  report.Status
	summary string
	// unstarted says that nothing was started outside: the call without the
	// sandbox, on a copy of the setup, is the control.
	unstarted bool
	evidence  []report.Evidence
	remedies  []report.Remedy
	// general are remedies for where the sandbox is on and no probe names a host that was refused.
	general []report.Remedy
	// socket is where the stage has what the calls are to reach; environ,
	// offers and vars are what the calls and the fixes need; remotes, key and
	// managers are what gitremote.go and packagemanagers.go try.
	socket  string
	environ []string
	offers  []rehearsal.Offer
	vars    map[string]string
	remotes []remote
	// key is the file that has the key on the stage, "" where only the agent has
	// one.
	key      string
	managers []manager
}

// notTested is what a probe leaves of a list, from why each that is left cannot be
// tried on a stage, "" for one that can.
func notTested[T any](b *bench, list []T, name func(T) string, away func(T, *bench) string) (string,
	[]report.Evidence) {
	var names []string
	var seen []report.Evidence
	for _, one := range list {
		if why := away(one, b); why != "" {
			names, seen = append(names, name(one)), append(seen, report.CommandEvidence(name(one), "not tested: "+why))
		}
	}
	if names == nil {
		return "", nil
	}
	return "not tested: " + strings.Join(names, ", "), seen
}

// absent says that a probe does not apply.
func absent(summary string, e report.Evidence) control {
	return control{status: report.Skip, summary: summary, evidence: []report.Evidence{e}}
}

// triedOnCopy is said of a control for which nothing is started outside.
const triedOnCopy = "only on a copy of your setup"

// onCopy is such a control; said says what is not done.
func onCopy(what, said string) control {
	return control{status: report.Pass, unstarted: true, summary: triedOnCopy, vars: map[string]string{},
		evidence: []report.Evidence{report.EnvEvidence(what, said+": the same call runs on a copy of your setup, with the "+
			"sandbox and without")}}
}

// role says what an ask is for.
type role int

const (
	needed   role = iota // the workflow
	byDesign             // a part that nobody promises: refused, it is a warning
	aside                // worth a word: refused, it changes nothing
	clue                 // tells layers apart; never judged itself
)

// ask is one call inside.
type ask struct {
	id string
	// title completes "…: works".
	title   string
	role    role
	call    model.Call
	through trial.Through
	// alone says that it shares no command, also where it could.
	alone bool
	// dir is where its session starts, "" for the project's root; turn
	// orders the calls of a session.
	dir  string
	turn int
	// slow says that it takes longer than the start of a session, so that the
	// answers of other probes do not wait for it; it depends on no other call and on
	// no fix for one. at is where it is made (asks of bench).
	slow bool
	at   scene
	// programs are those that it needs beside the ones that every session has.
	programs []string
	// after is the id of the call without which it cannot work.
	after string
	// files lie on the stage for it, over in the place of files of the host;
	// remotes are hosts with a repository that it asks.
	files, over []fs.Laid
	remotes     rehearsal.Remotes
	// entry is the catalog's entry whose fixes would help.
	entry string
	// about, where it is not nil, reads the entry from the answer instead, with
	// what its fixes need beyond the values of the control.
	about func(*trial.Trial) (entry string, vars map[string]string)
	// layer says what refused, if the runtime let the call run; also which layer would
	// refuse it besides, "" if none, and is nil where there can be none.
	layer, also refuser
	// contacts is a host that entries of the user's own settings may deny, "" where
	// none can refuse it.
	contacts string
	// instead says what to let the agent call in the place of a refused call of the
	// probe, where this one works at no price; nil where it is nothing.
	instead report.Remedy
	// outside says what it means that this runs outside the sandbox, by the setting
	// whose place is %s; price what it means that it works inside. "" and nil for what
	// is worth nothing.
	outside string
	price   func(*bench, *trial.Trial) string
}

// refuser says who refused in a session, and what shows that.
type refuser = func(*trial.Trial) (catalog.Refuser, report.Evidence)

// probe is the ask as a session makes it: by itself, after the forbidden actions. A
// call of the stage's own tool that waits for no other shares their command, whose
// sandbox costs more than it does.
func (a ask) probe() trial.Probe {
	p := trial.Probe{ID: a.id, Title: a.title, Call: a.call, Through: a.through, Turn: a.turn + 1, Alone: true,
		Control: true}
	if line, ok := a.call.Line(); ok && a.turn == 0 && !a.alone && rehearsal.Joins(line) {
		p.Turn, p.Alone = 0, false
	}
	return p
}

func bash(line string) model.Call { return model.Bash(line) }

// tool is a call of this program on the stage.
func tool(words ...string) model.Call { return model.Bash(rehearsal.Tool(words...)) }

// inquiry is one probe under way.
type inquiry struct {
	probe
	control control
	asked   []ask
	results []result
	// tried are the fixes for what was refused.
	tried   []*attempt
	finding report.Finding
	// refusal is who refused inside, as the summary of finding says it.
	refusal engine.Refusal
	// instead is what to do where nothing else leads on; none stands for ownTerminal.
	instead report.DocLink
	// spent is what it took by itself: its control and its fixes. The
	// sessions that several probes share count for none of them.
	spent time.Duration
}

// guard does a part of an inquiry; a defect of ours must not hide the other
// answers.
func (c *inquiry) guard(do func()) {
	defer func() {
		if p := recover(); p != nil {
			c.tried, c.results = nil, nil
			c.finding = report.Finding{Status: report.Unknown, Summary: "the probe itself failed: please report this",
				Evidence: []report.Evidence{report.EnvEvidence("doctor", fmt.Sprint(p))}}
		}
	}()
	do()
}

// result is what came of an ask inside.
type result struct {
	ask
	status report.Status // Pass, Fail or Unknown
	layer  catalog.Refuser
	vars   map[string]string // of ask.about
	also   catalog.Refuser   // refuses it too; "" if none does
	// said is the literal error, why the reason where nothing is known.
	said, why string
	// known is the catalog's entry that knows the error, nil if none does.
	known *catalog.Hint
	clues []report.Evidence
	// cause are the entries of the user's settings that refuse it.
	cause []report.Evidence
}
