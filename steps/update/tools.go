// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a newer release is a candidate when its cooldown has
// passed, and by its version, not by its place in a list; what a source did
// not answer is unknown with the reason, for that tool alone. A pin that names
// a package of the distribution is held against what the distribution offers,
// and not against upstream: the user took its versions, and with them its
// security fixes.

package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/upstream"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// oldPin is the age from which on a pin is said to be old.
const oldPin = 90 * 24 * time.Hour

// Tool is what is known of one pinned tool.
type Tool struct {
	Pin pins.Pin
	pins.Answer
	Upstream upstream.Answer
	Err      error // why there is no answer of upstream's
	// Candidate is the newest release whose cooldown has passed, if it is
	// newer than the pin; Cooling are the newer ones whose has not.
	Candidate *upstream.Release
	Cooling   []upstream.Release
	// packaged is what the package manager says, where it answers for upstream.
	packaged *install.Package
}

// survey asks every source about its tool, at once.
func survey(ctx context.Context, r host.Reader, o Options) ([]Tool, error) {
	set, err := pins.Load(r, r.Places().Config, o.Framework)
	if err != nil {
		return nil, err
	}
	var list []Tool
	for _, pin := range set.Pins {
		if pins.Needless(pin.Tool, r.System().GOOS) == "" {
			list = append(list, Tool{Pin: pin})
		}
	}
	askDistribution(ctx, r, list)
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { list[i].look(ctx, r, o) })
	}
	all.Wait()
	return list, nil
}

func (t *Tool) look(ctx context.Context, r host.Reader, o Options) {
	res := r.Run(ctx, proc.Version(proc.Tool(t.Pin.Tool)))
	t.Answer = t.Pin.Answered(res, o.Agent.NotStarting(r, res))
	if p := t.packaged; p != nil {
		t.Answer = t.Pin.AsPackage(t.Answer, string(p.Manager), p.Installed)
		return
	}
	if t.Upstream, t.Err = upstream.Look(ctx, r, t.Pin, upstream.Options{Offline: o.Offline,
		Timeout: o.Timeout}); t.Err != nil {
		return
	}
	now := r.System().Now()
	than := cmp.Or(t.Pin.Version, t.Pin.MinVersion)
	for _, rel := range t.Upstream.Releases { // the newest first
		if c, err := pins.Compare(t.Pin.Tool, rel.Version, than); err != nil || c <= 0 {
			continue
		}
		if rel.At.IsZero() || now.Before(rel.At.Add(t.Pin.Cooldown())) {
			t.Cooling = append(t.Cooling, rel)
		} else if t.Candidate == nil {
			t.Candidate = &rel
		}
	}
}

func tools(ctx context.Context, r host.Reader, o Options) report.Finding {
	list, err := survey(ctx, r, o)
	if err != nil {
		f := report.NotKnown("the pins are unknown", r.Places().Config, err)
		if e, ok := errors.AsType[*report.Error](err); ok && e.Where != "" {
			f.Remedies = []report.Remedy{report.DocLink{Title: "fix the file", Target: e.Where}}
		}
		return f
	}
	f := report.Finding{Status: report.Pass}
	var parts []string
	var unknown unlooked
	behind, otherwise, unasked := false, false, 0
	for _, t := range list {
		status, said, seen := t.judge(r.System().Now())
		f.Evidence = append(f.Evidence, seen...)
		f.Status = report.Worse(f.Status, status)
		if said != "" {
			parts = append(parts, said)
		}
		unknown.note(t)
		behind = behind || t.Candidate != nil && t.Pin.Version != ""
		otherwise = otherwise || t.Standing != pins.AsPinned
		if errors.Is(t.Err, upstream.ErrOffline) {
			unasked++
		}
	}
	parts = append(parts, unknown.said()...)
	if f.Summary = strings.Join(parts, "; "); parts == nil && unasked < len(list) {
		f.Summary = report.Things(len(list)-unasked, "pin") + " at the newest settled version"
	}
	if unasked > 0 {
		if unasked == len(list) && f.Status == report.Pass {
			f.Status = report.Skip // nothing was compared
		}
		unlooked := fmt.Sprintf("; %s not looked up (--offline)", report.Things(unasked, "upstream"))
		f.Summary = strings.TrimPrefix(f.Summary+unlooked, "; ")
	}
	if otherwise {
		f.Remedies = append(f.Remedies, install.Planned(verify.ListVersions, ""))
	}
	if behind {
		f.Remedies = append(f.Remedies, report.Own("update --write-local-pins", report.Command{ID: "local-pins",
			Why: "show these pins as a change of pinned-versions.local.toml"}))
	}
	return f
}

// judge says how one tool stands: the summary of what is no pass, and all that
// is known of it.
func (t Tool) judge(now time.Time) (status report.Status, said string, seen []report.Evidence) {
	status, name := report.Pass, t.Pin.Tool
	where, pinned := t.Pin.Origin()
	seen = append(seen, report.FileEvidence(where, pinned+t.age(now)))
	var parts []string
	worst := func(s report.Status, words string) {
		status = report.Worse(status, s)
		parts = append(parts, words)
	}
	defer func() { said = strings.Join(parts, ", ") }()
	switch {
	case t.Lacks != "":
		seen = append(seen, t.Seen)
		worst(report.Warn, t.Lacks)
	case t.Broken != "":
		seen = append(seen, report.VersionEvidence(name, "does not start"))
		worst(report.Warn, name+" does not start: "+t.Broken)
	case t.Unasked != "":
		seen = append(seen, t.Seen)
		worst(report.Unknown, t.Unasked)
	case t.Version == "":
		seen = append(seen, report.VersionEvidence(name, "installed: not known"))
		worst(report.Warn, name+" does not answer for its version")
	case t.Standing == pins.Insufficient:
		seen = append(seen, report.VersionEvidence(name, "installed: "+t.Version+", below the floor "+t.Pin.Floor()))
		worst(report.Fail, pins.Below(name, t.Version, t.Pin.MinVersion))
	case t.Standing != pins.AsPinned:
		seen = append(seen, report.VersionEvidence(name, "installed: "+t.Version+", "+string(t.Standing)))
		worst(report.Warn, t.Pin.Drift(t.Answer))
	default:
		seen = append(seen, report.VersionEvidence(name, "installed: "+t.Version))
	}
	if errors.Is(t.Err, upstream.ErrOffline) {
		return status, said, append(seen, report.EnvEvidence(name, t.Err.Error()))
	}
	if t.Err != nil || t.Upstream.Why != nil { // unlooked says of which tools, for each reason
		status = report.Worse(status, report.Unknown)
	}
	if t.Err != nil {
		if t.packaged != nil {
			worst(report.Unknown, name+": "+t.Err.Error())
		}
		return status, said, append(seen, report.CommandEvidence(t.Upstream.From, t.Err.Error()))
	}
	return status, said, append(seen, t.released(now, worst)...)
}

// unlooked are tools of which nobody could ask what was released, by the reason, the
// first one first.
type unlooked []struct {
	why   string
	tools []string
}

// note adds a tool of which that could not be asked.
func (u *unlooked) note(t Tool) {
	err := cmp.Or(t.Err, t.Upstream.Why)
	if err == nil || errors.Is(err, upstream.ErrOffline) || t.packaged != nil && t.Err != nil {
		return
	}
	for i := range *u {
		if (*u)[i].why == err.Error() {
			(*u)[i].tools = append((*u)[i].tools, t.Pin.Tool)
			return
		}
	}
	*u = append(*u, struct {
		why   string
		tools []string
	}{err.Error(), []string{t.Pin.Tool}})
}

// said is a part of the summary for each reason.
func (u unlooked) said() (parts []string) {
	for _, missed := range u {
		parts = append(parts, strings.Join(missed.tools, ", ")+" upstream not known: "+missed.why)
	}
	return parts
}

// released is what its maintainers have released.
func (t Tool) released(now time.Time, worst func(report.Status, string)) (seen []report.Evidence) {
	name, asked := t.Pin.Tool, "asked now"
	if t.Upstream.Cached {
		asked = "from the cache, asked " + report.Ago(now.Sub(t.Upstream.At))
		if t.Upstream.Why != nil {
			asked += "; now: " + t.Upstream.Why.Error()
		}
	}
	newest := "no release"
	if len(t.Upstream.Releases) > 0 {
		newest = "newest " + t.Upstream.Releases[0].Version
	}
	seen = append(seen, report.CommandEvidence(t.Upstream.From, newest+" ("+asked+")"))
	for i, rel := range t.Cooling {
		if i == 3 {
			seen = append(seen, report.VersionEvidence(name, fmt.Sprintf("and %d more inside their cooldown", len(t.Cooling)-i)))
			break
		}
		text := rel.Version + ": its day of release is unknown, so it is not proposed"
		if !rel.At.IsZero() {
			text = fmt.Sprintf("%s, released %s: inside its cooldown until %s", rel.Version, day(rel.At),
				day(rel.At.Add(t.Pin.Cooldown())))
		}
		seen = append(seen, report.VersionEvidence(name, text))
	}
	c := t.Candidate
	if c == nil {
		return seen
	}
	if t.Pin.Version == "" {
		return append(seen, report.VersionEvidence(name,
			fmt.Sprintf("newest settled: %s, released %s (only a floor is pinned)", c.Version, day(c.At))))
	}
	worst(report.Warn, fmt.Sprintf("%s %s → %s", name, t.Pin.Version, c.Version))
	if c.Page != "" {
		seen = append(seen, report.EnvEvidence("changes in "+c.Version, c.Page))
	}
	for _, e := range t.Edit() {
		seen = append(seen, report.FileEvidence(e.Where, e.Key+" = "+e.Was+" → "+e.Is))
	}
	return seen
}

// age says that a pin is old.
func (t Tool) age(now time.Time) string {
	released, known := t.Pin.Released()
	if !known || now.Sub(released) <= oldPin {
		return ""
	}
	return fmt.Sprintf(": an old pin, %d days", int(now.Sub(released).Hours()/24))
}

// Edited is one value of the manifest that adopting the candidate changes.
type Edited struct{ Where, Key, Was, Is string }

// Edit lists the values of the manifest that adopting the candidate changes. An
// install line that an override does not state follows its version (pins.Load).
func (t Tool) Edit() (list []Edited) {
	if t.Candidate == nil || t.Pin.Version == "" {
		return nil
	}
	add := func(key, was, is string) {
		if where := t.Pin.Where(key); where != "" && was != is {
			list = append(list, Edited{where, key, `"` + was + `"`, `"` + is + `"`})
		}
	}
	add("version", t.Pin.Version, t.Candidate.Version)
	was := ""
	if released, ok := t.Pin.Released(); ok {
		was = day(released)
	}
	if !t.Candidate.At.IsZero() { // a distribution does not say it
		add("released", was, day(t.Candidate.At))
	}
	for _, manager := range []string{"apt", "dnf", "npm", "brew"} {
		line, ok := t.Pin.Install(manager)
		if ok && t.Pin.Where("install."+manager) != t.Pin.Where("version") {
			add("install."+manager, line, t.adopt(line))
		}
	}
	return list
}

// adopt is an install line of the pinned version as one of the candidate.
func (t Tool) adopt(line string) string {
	old := t.Pin.Version // a package's, whole
	if !strings.Contains(line, old) {
		old = pins.Upstream(old)
	}
	return strings.ReplaceAll(line, old, t.Candidate.Version)
}

// askDistribution asks the package manager about the pins that name a package of
// it, all at once: it keeps what its sources offer, and needs no network.
func askDistribution(ctx context.Context, r host.Reader, list []Tool) {
	var named []pins.Pin
	var at []int
	for i, t := range list {
		if t.Pin.NamesPackage() {
			named, at = append(named, t.Pin), append(at, i)
		}
	}
	for n, p := range install.Packages(ctx, r, named) {
		if scheme, ok := pins.SchemeOf(string(p.Manager)); ok { // else upstream answers
			list[at[n]].take(scheme, p)
		}
	}
}

// take takes what the package manager says for upstream's answer.
func (t *Tool) take(scheme pins.Scheme, p *install.Package) {
	t.packaged = p
	if n := len(p.Evidence); n > 0 {
		t.Upstream.From = p.Evidence[n-1].Where
	}
	if p.Offered == "" {
		t.Err = fmt.Errorf("%s offers no version of it", p.Manager)
		if p.Stale {
			t.Err = fmt.Errorf("%s has no package lists", p.Manager)
		}
		return
	}
	offered := upstream.Release{Version: p.Offered}
	t.Upstream.Releases = []upstream.Release{offered}
	switch c, err := scheme.Compare(p.Offered, t.Pin.Version); {
	case err != nil: // the user's own override may name anything
		t.Err = err
	case c > 0:
		t.Candidate = &offered
	}
}
