// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a denial was observed, in a session of each launch, with
// its twin; what got through makes the whole setup worth nothing, unless the
// policy allows it on purpose.

package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// denials asks whether what the policy denies is denied, in both launches and
// in other directories than the root. progress may be nil.
func denials(live *Rehearsal, progress engine.Sink) engine.Check {
	return engine.CheckOf("denials", func(_ context.Context, r host.Reader) report.Finding {
		if err := live.Wait(progress); err != nil {
			return NotRehearsed(err)
		}
		f := live.denials()
		if r.System().UID == 0 && r.System().GOOS == "linux" {
			f = asRoot(f)
		}
		return f
	})
}

// Root begins the summary of what was rehearsed for root.
const Root = "not proved as root: "

// asRoot is a finding for root, whose sessions nobody plays: what root's own
// sandbox holds was not seen. It holds less: a sandboxed command of root's has
// every capability, and wrote /proc/sys/kernel/core_pattern (measured with
// 2.1.329).
func asRoot(f report.Finding) report.Finding {
	const why = "the sessions ran as nobody; a sandboxed command of root keeps root's privileges and can write to the " +
		"kernel (measured with 2.1.329)"
	less := func(s report.Status, summary string) (report.Status, string) {
		if s.WorseThan(report.Unknown) {
			return s, summary
		}
		return report.Unknown, Root + summary
	}
	f.Status, f.Summary = less(f.Status, f.Summary)
	for i, l := range f.Launches {
		f.Launches[i].Status, f.Launches[i].Summary = less(l.Status, l.Summary)
	}
	f.Evidence = append([]report.Evidence{report.EnvEvidence("user id 0", why)}, f.Evidence...)
	f.Remedies = append(f.Remedies, AsUser)
	return f
}

// AsUser is the remedy for what root cannot prove.
var AsUser = report.DocLink{Title: "run the agent and this command as an ordinary user:  ",
	Line: report.Line{Words: "verify"}}

// place is where a session of a launch starts, and what a failure there
// means.
type place struct {
	session string
	launch  report.Launch
	// lenient: what gets through here is a warning. The runtime reads a
	// project's settings in the directory that it starts in only, and every
	// setup in project scope is open below it to plain claude (measured).
	lenient bool
	// beside is a start elsewhere than in the project's root: where no
	// command starts at all there, the setup still protects.
	beside bool
	// at is the kind of directory.
	at report.StartDir
}

var places = []place{
	{PlainRoot, report.Plain, false, false, report.AtRoot}, {IsoRoot, report.Iso, false, false, report.AtRoot},
	{PlainTerminal, report.Plain, false, false, report.AtRoot}, {IsoTerminal, report.Iso, false, false, report.AtRoot},
	{IsoSub, report.Iso, false, true, report.AtSub}, {IsoTree, report.Iso, false, true, report.AtWorktree},
	{PlainSub, report.Plain, true, true, report.AtSub}, {PlainTree, report.Plain, true, true, report.AtWorktree},
	{PlainOther, report.Plain, true, true, report.AtOther},
}

// Lenient says whether what succeeds in a session is a warning: every setup in
// project scope is open there.
func Lenient(session string) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.session == session && p.lenient })
}

// tally is what one session says of the denials.
type tally struct {
	status   report.Status
	summary  string
	held     map[trial.Decider]int
	denied   int
	through  int
	idle     bool // no command starts there
	doubt    bool // a call was not judged
	evidence []report.Evidence
	remedies []report.Remedy
}

func (l *Rehearsal) denials() report.Finding {
	f := report.Finding{Status: report.Pass}
	launches := map[report.Launch]*report.LaunchStatus{}
	var passes []report.Evidence
	for _, at := range places {
		t := tally{status: report.Warn, summary: "it would not start: " + l.plan.found.Refused}
		if at.session != IsoTree || l.plan.found.Refused == "" {
			switch {
			case l.plan.of(at.session).Probes != nil:
				t = l.tally(at)
			case l.plan.note != "" && (at.session == PlainTerminal || at.session == IsoTerminal):
				t = tally{status: report.Unknown, summary: "not tested: a replica home has no session on a terminal"}
				t.evidence = []report.Evidence{report.EnvEvidence(at.session, t.summary)}
			default:
				continue
			}
		} else {
			t.evidence = []report.Evidence{report.CommandEvidence(at.session, t.summary)}
			t.remedies = []report.Remedy{l.plan.found.Admits}
		}
		f.Covers = append(f.Covers, l.cover(at, t))
		status := t.status
		if status == report.Fail && at.lenient {
			status = report.Warn
			t.summary = fmt.Sprintf("unprotected, %d of %d forbidden actions succeeded", t.through, t.denied)
			if at.at == report.AtOther { // your own policy is in force there: what opens it is named
				t.evidence = append([]report.Evidence{report.CommandEvidence(at.session, t.summary)}, t.evidence...)
			} else {
				if l.plan.inputs.Layout.Clean != "" {
					t.summary += ": use claude-iso there"
				}
				t.evidence = []report.Evidence{report.CommandEvidence(at.session, t.summary)}
				t.remedies = l.plan.found.Everywhere
			}
			t.summary = at.session + ": " + t.summary
		}
		f.Remedies = report.Union(f.Remedies, t.remedies...)
		s := launches[at.launch]
		if s == nil {
			s = &report.LaunchStatus{Launch: at.launch, Status: report.Pass}
			launches[at.launch] = s
		}
		voids := status == report.Fail && t.through > 0
		if s.Summary == "" || status.WorseThan(s.Status) || voids && !s.Voids {
			s.Status, s.Summary, s.Voids = report.Worse(s.Status, status), t.summary, voids
		}
		f.Worsen(status, voids, at.session+": "+strings.TrimPrefix(t.summary, at.session+": "))
		f.Evidence = append(f.Evidence, t.evidence...)
		if len(t.held) > 0 {
			passes = append(passes, report.CommandEvidence(at.session, t.count()))
		}
	}
	f.Evidence = append(f.Evidence, passes...)
	if l.plan.note != "" {
		f.Evidence = append(f.Evidence, report.EnvEvidence("rehearsal", l.plan.note))
	}
	for _, launch := range []report.Launch{report.Plain, report.Iso} {
		if s := launches[launch]; s != nil {
			f.Launches = append(f.Launches, *s)
		}
	}
	if f.Status == report.Pass || f.Status == report.Warn && f.Summary == "" {
		f.Summary = l.tally(places[0]).count()
	}
	return f
}

// twinFailed begins why nothing is concluded from a session.
const twinFailed = "the control session without the sandbox failed: "

// notFound is what a shell, and env, exit with where there is no such program (POSIX).
const notFound = 127

// maxSaying bounds how many calls of a session are explained, each in a line of
// its own: where nothing holds, the first of them say so. The rest is named.
const maxSaying = 8

// tally judges a session's denials. A session without a result is unknown.
func (l *Rehearsal) tally(at place) tally {
	t := tally{status: report.Pass, held: map[trial.Decider]int{}}
	if err := l.plan.of(at.session).Err; err != nil {
		t = tally{status: report.Unknown, summary: err.Error(),
			evidence: []report.Evidence{report.ErrorEvidence(at.session, err)}}
		if l.plan.script != "" && l.plan.of(at.session).Raw.Exit == notFound {
			t.mend(report.DocLink{Title: "name the executable that the script " + l.plan.script +
				" starts, which is not there in the test:  ", Line: report.Line{Words: "verify --runtime FILE"}})
		}
		if at.session == PlainTerminal {
			for _, e := range l.plan.found.Skipped {
				t.evidence = append(t.evidence, e)
				t.mend(report.DocLink{Title: "fix the file", Target: e.Where})
			}
		}
		return t
	}
	if err := l.plan.of(Twin).Err; err != nil {
		return tally{status: report.Unknown, summary: twinFailed + err.Error(),
			evidence: []report.Evidence{report.ErrorEvidence(Twin, err)}}
	}
	var through, prompted, unknown, exposed []string
	var chosen []trial.Probe // those of exposed
	needed := false          // by every policy is the rule that a prompt stands in for
	dead := ""               // what the runtime says where no command works, "" if it says nothing
	var doubtful trial.Probe // the first of unknown
	said, started := 0, false
	var rest []string // named without a word about each
	in := l.plan.forceOf(at.session)
	proxy, proxied := in.Proxied(at.launch)
	for _, o := range l.Outcomes(at.session) {
		if proxied && ofNetwork(o) {
			o.Status = report.Unknown
			t.evidence = report.Union(t.evidence, proxy)
		}
		if !o.Control {
			t.denied++
		}
		where := at.session + " · " + o.ID
		started = started || !strings.Contains(o.Seen.Text, bwrapSaid)
		say := func() {
			if said++; said > maxSaying {
				rest = append(rest, o.Title)
				return
			}
			t.evidence = append(t.evidence, report.CommandEvidence(where, o.Why+": "+o.Title+whatItSaid(o)))
		}
		switch {
		case o.Status == report.Pass:
			if !o.Control {
				t.held[o.Layer]++
			}
		case o.Layer == trial.Confirmation && o.Exposed == "" && (o.Status == report.Fail || o.Status == report.Warn):
			if _, what, _ := strings.Cut(o.ID, ":"); !slices.Contains(prompted, what) {
				prompted = append(prompted, what)
			}
			needed = needed || o.Status == report.Fail
			say()
		case o.Status == report.Fail:
			through = append(through, o.Says())
			t.through++
			say()
			if by, yes := in.ByMode(l.plan.of(at.session).Raw.Record().Mode()); yes {
				t.seen(by)
				t.mend(by.Ends)
			} else {
				found := in.Opens(o.Probe, at.launch)
				t.seen(found...)
				t.mends(Ends(found, o.Probe)...)
			}
		case o.Status == report.Warn:
			exposed = append(exposed, o.Says())
			say()
			chosen = append(chosen, o.Probe)
		default:
			if !(o.Control && strings.HasPrefix(o.ID, trial.InRootPrefix)) { // project-root says that
				if unknown == nil {
					doubtful = o.Probe
				}
				unknown = append(unknown, o.Says())
				say()
				if o.ID == trial.ControlCommand && o.Reply != trial.NoOutput {
					dead = o.Reply
				}
			}
		}
	}
	if rest != nil {
		t.evidence = append(t.evidence, report.CommandEvidence(at.session,
			fmt.Sprintf("and %d more: %s", len(rest), strings.Join(rest, "; "))))
	}
	for _, value := range l.plan.of(at.session).Raw.Unlooked {
		unknown = append(unknown, "the runtime takes "+value+", which this version does not know")
		t.evidence = append(t.evidence, report.CommandEvidence(at.session, unknown[len(unknown)-1]+
			": whether a rule asks about it was not tried"))
	}
	t.doubt = unknown != nil
	switch {
	case through != nil:
		t.status, t.summary = report.Fail, report.First(through)
	case needed && dead == "":
		t.status, t.summary = report.Fail, unruled(prompted)
		t.mend(Again())
	case dead != "" && !started && at.beside:
		t.status, t.summary, t.idle = report.Warn, "no command starts there: "+dead, true
		t.evidence = []report.Evidence{report.CommandEvidence(at.session, t.summary), l.plan.found.Idle}
		t.remedies = []report.Remedy{NewerRuntime()}
	case dead != "":
		t.status, t.summary = report.Unknown, "no command works there: "+dead
		if c, ok := ExplainedReply(dead); ok {
			t.mend(c)
		}
	case unknown != nil:
		t.status, t.summary = report.Unknown, "not judged: "+report.First(unknown)
		if c, ok := Explained(doubtful); ok {
			t.mends(c)
		}
	case prompted != nil:
		t.status, t.summary = report.Warn, unruled(prompted)
		t.mend(Again())
	case exposed != nil:
		t.status, t.summary = report.Warn, "allowed by the settings: "+report.First(exposed)
		for _, p := range chosen {
			t.mends(Ends(in.Opens(p, at.launch), p)...)
		}
	default:
		t.summary = t.count()
	}
	return t
}

// cover is what a session shows of its launch in its place.
func (l *Rehearsal) cover(at place, t tally) report.Cover {
	refused := at.session == IsoTree && l.plan.found.Refused != ""
	c := report.Cover{Launch: at.launch, Start: at.at, Status: report.Pass, Denied: t.denied, Through: t.through,
		Rehearsed: l.plan.of(at.session).Err == nil && l.plan.of(Twin).Err == nil && !refused}
	switch at.at {
	case report.AtRoot:
		c.Dir = l.plan.root
	case report.AtWorktree:
		c.Dir = l.plan.tree
	}
	switch {
	case t.through > 0:
		c.Status, c.Why = report.Fail, fmt.Sprintf("%d of %d forbidden actions succeeded", t.through, t.denied)
	case refused:
		c.Status, c.Why = report.Skip, t.summary
	case t.idle, t.doubt, t.status != report.Pass && t.status != report.Warn:
		// Where no command starts, the agent's own tools still read and write.
		c.Status, c.Why = report.Unknown, t.summary
	}
	return c
}

// ofNetwork says whether an outcome is the denial of a host: behind a proxy of
// the user's own it proves nothing.
func ofNetwork(o trial.Outcome) bool {
	return o.Status == report.Pass && o.Below == trial.Network && o.Subject != "" && !o.Control
}

// bwrapSaid begins what a command gets back that bwrap did not start.
const bwrapSaid = "bwrap: "

// whatItSaid is the runtime's own answer, where it was no success.
func whatItSaid(o trial.Outcome) string {
	if o.Status != report.Unknown || o.Reply == trial.NoOutput {
		return ""
	}
	return " (" + o.Reply + ")"
}

func (t tally) count() string {
	n := t.heldCalls()
	var parts []string
	for _, layer := range []trial.Decider{trial.Filesystem, trial.Network, trial.Seccomp, trial.Environment, trial.Rule,
		trial.Confirmation, trial.Hook, trial.Mention, trial.Runtime, trial.Nobody} {
		if t.held[layer] > 0 {
			parts = append(parts, fmt.Sprintf("%d by %s", t.held[layer], layer.Named()))
		}
	}
	if n == 0 {
		return "nothing was blocked"
	}
	return fmt.Sprintf("%d of %d forbidden actions were blocked: %s", n, t.denied, strings.Join(parts, ", "))
}

// heldCalls counts the denied calls that a layer held.
func (t tally) heldCalls() int {
	n := 0
	for _, calls := range t.held {
		n += calls
	}
	return n
}

// unruled says of paths that no deny rule names them.
func unruled(paths []string) string {
	if len(paths) == 1 {
		return paths[0] + " has no deny rule: only a prompt protects it"
	}
	return report.First(paths) + " have no deny rule: only a prompt protects them"
}
