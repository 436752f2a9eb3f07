// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a person reads first what the candidate no longer blocks,
// each call with its layer; what stayed the same is a number.

package update

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Findings are what a person is shown of the comparison, the worst first.
func (t *Trial) Findings() []report.Finding {
	return []report.Finding{t.denials(), t.prompts(), t.otherCalls(), t.hooks(), t.statusLine(), t.keys(),
		t.advisories(), t.time()}
}

// denials are those that are lost, that cannot be judged, and that are gained.
func (t *Trial) denials() report.Finding {
	f := report.Finding{Check: "denials", Layer: report.LayerSandbox, Status: report.Pass}
	lost, open, unproven := t.where(regress.Difference.Lost), t.of(regress.Open), t.of(regress.Unobserved)
	gained := t.of(regress.NewlyHeld)
	held := 0
	for _, a := range t.Installed.Record.Answers {
		if a.Result == regress.Held {
			held++
		}
	}
	before, after := t.Installed.Record.Runtime, t.Candidate.Record.Runtime
	f.Evidence = append(f.Evidence, report.CommandEvidence("sessions of "+before,
		fmt.Sprintf("%d forbidden actions blocked", held)))
	parts := tell(&f, group{lost, report.Fail, "1 denial lost", "%d denials lost"},
		group{open, report.Fail, "1 forbidden action succeeds, not judged with " + before,
			"%d forbidden actions succeed, not judged with " + before},
		group{unproven, report.Unknown, "1 denial not verified", "%d denials not verified"},
		group{gained, report.Pass, "1 gained", "%d gained"})
	f.Evidence = append(f.Evidence[1:], f.Evidence[0])
	for _, name := range slices.Sorted(maps.Keys(t.Candidate.Record.Failed)) {
		f.Evidence = append(f.Evidence, report.CommandEvidence(name, "not rehearsed with "+after+": "+
			t.Candidate.Record.Failed[name]))
	}
	switch {
	case held == 0 && len(lost)+len(open)+len(unproven) == 0:
		f.Status, f.Summary = report.Unknown, strings.Join(append([]string{"no denial of " + before +
			" was verified, so none can be compared"}, parts...), "; ")
	case len(lost)+len(open)+len(unproven) == 0:
		f.Summary = strings.Join(append([]string{fmt.Sprintf("all %d denials of %s are blocked by %s too", held, before,
			after)}, parts...), "; ")
	default:
		var titles []string
		for _, d := range slices.Concat(lost, open, unproven) {
			titles = append(titles, d.Of().Title)
		}
		f.Summary = fmt.Sprintf("%s with %s: a command %s", strings.Join(parts, "; "), after, report.First(titles))
	}
	return f
}

// group are differences of one kind, how bad they are, and how they are counted.
type group struct {
	list      []regress.Difference
	status    report.Status
	one, more string
}

// tell adds groups, the worst first, to a finding, and returns their counts.
func tell(f *report.Finding, groups ...group) (parts []string) {
	for _, g := range groups {
		if len(g.list) == 0 {
			continue
		}
		parts = append(parts, report.Counted(len(g.list), g.one, g.more))
		if f.Status == report.Pass {
			f.Status = g.status
		}
		for _, d := range g.list {
			f.Evidence = append(f.Evidence, evidence(d))
		}
	}
	return parts
}

// calls are groups of calls that end otherwise; same is said where none does.
func (t *Trial) calls(id report.ID, layer report.Layer, same, joint string, groups ...group) report.Finding {
	f := report.Finding{Check: id, Layer: layer, Status: report.Pass, Summary: same}
	if parts := tell(&f, groups...); parts != nil {
		f.Summary = strings.Join(parts, joint)
	} else {
		t.same(&f)
	}
	return f
}

// prompts are those that begin and end: those that are losses are told before.
func (t *Trial) prompts() report.Finding {
	return t.calls("prompts", report.LayerConfirmation, "the same prompts", "; ",
		group{slices.DeleteFunc(t.of(regress.NewlyAsked), regress.Difference.Lost), report.Warn, "1 new prompt",
			"%d new prompts"}, group{t.of(regress.NotAsked), report.Warn, "1 prompt gone", "%d prompts gone"})
}

// same makes f say that no call differs, as far as calls were seen with both.
func (t *Trial) same(f *report.Finding) {
	f.Evidence = t.compared()
	seen := func(a regress.Answer) bool { return a.Result != regress.Unproven }
	if !slices.ContainsFunc(t.Installed.Record.Answers, seen) || !slices.ContainsFunc(t.Candidate.Record.Answers, seen) {
		f.Status, f.Summary = report.Unknown, "not verified: no call was seen with both versions"
	}
}

// otherCalls are the differences that take nothing away.
func (t *Trial) otherCalls() report.Finding {
	var groups []group
	for _, k := range []regress.Kind{regress.Broken, regress.NewlyExposed, regress.OtherLayer, regress.Mended, regress.New,
		regress.Gone} {
		groups = append(groups, group{t.of(k), report.Warn, "1 " + kindWords[k], "%d " + kindWords[k]})
	}
	return t.calls("other-calls", report.LayerPermissions, "no other difference between calls", ", ", groups...)
}

func (t *Trial) hooks() report.Finding {
	f := report.Finding{Check: "hooks", Layer: report.LayerVisibility, Status: report.Pass}
	fire := 0
	for _, h := range t.Candidate.Record.Hooks {
		if h.Fires {
			fire++
		}
		f.Evidence = append(f.Evidence, report.CommandEvidence(h.Script+" on "+h.Event, h.Saw))
	}
	f.Summary = fmt.Sprintf("%d of %d hooks fire, as before", fire, len(t.Candidate.Record.Hooks))
	if len(t.Candidate.Record.Hooks) == 0 {
		f.Status, f.Summary, f.Evidence = report.Skip, "no hook of the setup was rehearsed", t.compared()
	}
	var lost, gained, unseen []string
	for _, h := range t.Installed.Record.Hooks {
		if !slices.ContainsFunc(t.Candidate.Record.Hooks, func(c regress.Hook) bool {
			return c.Event == h.Event && c.Script == h.Script
		}) {
			unseen = append(unseen, h.Script+" on "+h.Event)
		}
	}
	for _, h := range t.Hooks {
		name := h.Script + " on " + h.Event
		if h.Lost {
			lost = append(lost, name)
		} else {
			gained = append(gained, name)
		}
	}
	switch {
	case lost != nil:
		f.Status, f.Summary = report.Fail, "no longer fires: "+strings.Join(lost, ", ")
	case unseen != nil:
		f.Status, f.Summary = report.Unknown, "not verified: "+strings.Join(unseen, ", ")
	case gained != nil:
		f.Status, f.Summary = report.Warn, "fires now: "+strings.Join(gained, ", ")
	}
	return f
}

// statusLine is what a status line is told.
func (t *Trial) statusLine() report.Finding {
	f := report.Finding{Check: "status-line", Layer: report.LayerVisibility, Status: report.Pass, Evidence: t.compared()}
	seen := len(t.Candidate.Record.StatusLine)
	f.Summary = fmt.Sprintf("the status line is told the same %d values", seen)
	gone, added, ok := regress.CompareStatusLines(t.Installed.Record, t.Candidate.Record)
	switch {
	case !ok:
		f.Status, f.Summary = report.Unknown, "not verified what a status line is told"
	case len(gone) > 0:
		f.Status, f.Summary = report.Warn, "the status line is no longer told "+strings.Join(gone, ", ")
	case len(added) > 0:
		f.Status, f.Summary = report.Warn, "the status line is told more: "+strings.Join(added, ", ")
	}
	return f
}

func (t *Trial) keys() report.Finding {
	f := report.Finding{Check: "policy-keys", Layer: report.LayerSandbox, Status: report.Pass,
		Summary: "knows the same keys of your settings"}
	for _, s := range []Side{t.Installed, t.Candidate} {
		text := fmt.Sprintf("its schema has %d keys", len(s.keys))
		if s.unread != nil {
			f.Status, f.Summary, text = report.Unknown, "not verified which keys of your settings "+s.Record.Runtime+" knows",
				s.unread.Error()
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(s.Path, text))
	}
	var parts []string
	if len(t.Dropped) > 0 {
		f.Status = report.Fail
		parts = append(parts, "ignores "+strings.Join(t.Dropped, ", "))
	}
	if len(t.Learned) > 0 {
		if f.Status == report.Pass {
			f.Status = report.Warn
		}
		parts = append(parts, "understands "+strings.Join(t.Learned, ", "))
	}
	if parts != nil {
		f.Summary = t.Candidate.Record.Runtime + " " + strings.Join(parts, "; ")
	}
	return f
}

func (t *Trial) advisories() report.Finding {
	f := report.Finding{Check: "advisories", Layer: report.LayerSandbox, Status: report.Pass,
		Summary: "no known weakness begins or ends"}
	var parts []string
	for _, c := range []struct {
		list   []regress.Weakness
		word   string
		status report.Status
	}{{t.begin, "begins", report.Fail}, {t.end, "ends", report.Warn}} {
		for _, a := range c.list {
			if f.Status == report.Pass {
				f.Status = c.status
			}
			parts = append(parts, c.word+": "+a.Title)
			f.Evidence = append(f.Evidence, report.FileEvidence("manifests/advisories.toml (built in)", a.Effect))
		}
	}
	if parts == nil {
		f.Evidence = t.compared()
		return f
	}
	f.Summary = report.Some(parts, 2, "; ", "; and ")
	return f
}

// time is how long the sessions took: no difference that anything hangs on.
func (t *Trial) time() report.Finding {
	f := report.Finding{Check: "time", Layer: report.LayerTools, Status: report.Pass}
	a, b := t.Installed.Record, t.Candidate.Record
	var before, after float64
	n := 0
	for _, name := range regress.Sessions(a, b) {
		x, both := a.Seconds[name]
		y, too := b.Seconds[name]
		if !both || !too || a.Failed[name] != "" || b.Failed[name] != "" {
			continue // a session that failed says nothing about how long one takes
		}
		before, after, n = before+x, after+y, n+1
		f.Evidence = append(f.Evidence, report.CommandEvidence(name,
			fmt.Sprintf("%.1f s with %s, %.1f s with %s", x, a.Runtime, y, b.Runtime)))
	}
	if n == 0 {
		f.Status, f.Summary, f.Evidence = report.Skip, "no session ran with both", t.compared()
		return f
	}
	f.Summary = fmt.Sprintf("a session takes %.1f s, and %.1f s with %s", after/float64(n), before/float64(n), a.Runtime)
	return f
}

// minute is how a time of a rehearsal is written.
const minute = "2006-01-02 15:04 UTC"

// earlier says when a version was rehearsed that is not rehearsed now.
func earlier(version string, at time.Time) string {
	return version + " was rehearsed " + at.UTC().Format(minute)
}

// Earlier says which of the two were not rehearsed now, and when they were; ""
// if both were.
func (t *Trial) Earlier() string {
	var list []string
	for _, s := range []Side{t.Installed, t.Candidate} {
		if s.Kept {
			list = append(list, earlier(s.Record.Runtime, s.Record.At))
		}
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// compared is what was looked at where nothing differs.
func (t *Trial) compared() []report.Evidence {
	var list []report.Evidence
	for _, s := range []Side{t.Installed, t.Candidate} {
		from := "now"
		if s.Kept {
			from = s.Record.At.UTC().Format(minute)
		}
		list = append(list, report.CommandEvidence(s.Path, fmt.Sprintf("%s, %d calls, rehearsed %s", s.Record.Runtime,
			len(s.Record.Answers), from)))
	}
	return list
}

func (t *Trial) of(kind regress.Kind) []regress.Difference {
	return t.where(func(d regress.Difference) bool { return d.Kind == kind })
}

func (t *Trial) where(is func(regress.Difference) bool) []regress.Difference {
	return slices.DeleteFunc(slices.Clone(t.Differences), func(d regress.Difference) bool { return !is(d) })
}

// evidence is a difference in a line: which call, and what became of it.
func evidence(d regress.Difference) report.Evidence {
	a := d.Of()
	return report.CommandEvidence(a.Session, fmt.Sprintf("%s → %s: %s (%s)", became(d.Before), became(d.After), a.Title,
		a.Call))
}

func became(a *regress.Answer) string {
	switch {
	case a == nil:
		return "not tested"
	case a.Result == regress.Held:
		return "blocked by " + string(a.Layer)
	case a.Result == regress.Prompted:
		return "blocked by a prompt only"
	case a.Result == regress.Through:
		return "succeeds"
	case a.Result == regress.Exposed:
		return "allowed by your settings"
	case a.Result == regress.Works:
		return "works"
	}
	return "not verified (" + a.Why + ")"
}
