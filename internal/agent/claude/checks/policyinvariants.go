// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everything in force that takes protection away is named
// with its place. What nobody can mean is a failure; what install offers at a
// price is an exposure, listed with it; the rest is a warning.

package checks

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// What several checks say, of what commands can change, of what is not to be
// seen, and of what claude-iso or claude is.
const (
	canMake, changedOutside  = "Commands can create or change ", " outside the sandbox, and commands can change it."
	notOfProject, noneHere   = ", which is not part of the project.", "there is no policy here"
	noReading, toCredentials = "it cannot be read", "is a symlink to a credential file: not opened"
	sandboxOff               = "the sandbox is off: "
	notOnPath, notDefined    = " is not on PATH", "claude-iso is not defined: "
	ownFunction, ownAlias    = "claude-iso is a function of your own", "claude-iso is an alias of your own"
	otherRuntime             = ", not the executable that was tested"
	unknownHarm              = ", which is unknown to be harmless"
)

// opening is one thing that is open.
type opening struct {
	status report.Status
	voids  bool
	// plain says that claude-iso does not load it.
	plain bool
	group openingGroup
	// where says "path:line:col"; path leads to the value there, and is
	// nil where the place is no setting.
	where string
	path  []string
	// what is the value, opens a sentence.
	what, opens string
	// remedy mends what is no setting; nil if path says it.
	remedy report.Remedy
}

func (o opening) evidence() report.Evidence {
	if o.path == nil {
		return report.FileEvidence(o.where, o.opens)
	}
	return valueEvidence(o.where, o.path, o.what, o.opens)
}

// valueEvidence says what a value is and what it opens; of a variable only the
// name is known. Nothing stands behind the value with a colon: a path that is
// called like a credential would have what follows hidden as its value.
func valueEvidence(where string, path []string, what, opens string) report.Evidence {
	value := settings.KeyPath(path)
	if what == path[len(path)-1] {
		value += " is set. "
	} else {
		value += " is " + what + ". "
	}
	return report.FileEvidence(where, value+opens)
}

// lowerFirst begins a sentence in small letters, unless it begins with a name
// in capitals.
func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// openingsIn lists everything that is open in a session.
func openingsIn(ctx context.Context, r host.Reader, s SessionSettings) []opening {
	return slices.Concat(
		openPaths(r, s), closesNothing(r, s), openSettings(r, s), skippedRules(s), memoryOpenings(r, s), planOpenings(r, s),
		linkOpenings(r, s), secondNames(r, s), sharedPackages(r, s), secretLinks(r, s), outsideOpenings(r, s),
		writablePrograms(r, s), answerOpenings(r, s), modeOpenings(r, s),
		pathOpenings(r, s), shellOpenings(r, s), rcOpenings(r, s),
		ownOpenings(ctx, r, s), configOpenings(r, s), gitOpenings(ctx, r, s),
		unknownKeys(ctx, r, s))
}

// checkWeakenings asks what takes protection away from the policy in force
// for the project around dir.
func checkWeakenings(ctx context.Context, r host.Reader, dir string) report.Finding {
	return judged(ctx, r, dir, func(s SessionSettings) report.Finding { return weakeningsOf(ctx, r, s, dir) })
}

// weakeningsOf judges what weakens the policy of a session around dir.
func weakeningsOf(ctx context.Context, r host.Reader, s SessionSettings, dir string) report.Finding {
	found := openingsIn(ctx, r, s)
	// The worst first; of equals the order is that of the documents.
	slices.SortStableFunc(found, func(a, b opening) int {
		return cmp.Compare(slices.Index(report.Statuses, a.status), slices.Index(report.Statuses, b.status))
	})
	f := report.Finding{Status: report.Pass, Summary: "nothing in the settings weakens it"}
	switch {
	case s.Lost != nil:
		f = Dropped(dir, s.Lost)
		f.Status, f.Summary = report.Unknown, "not judged: "+f.Summary
	case !s.inForce().Scalar(claude.KeySandboxEnabled...).Value.True():
		f = report.Finding{Status: report.Unknown, Summary: "not judged: no settings switch the sandbox on",
			Evidence: []report.Evidence{report.FileEvidence(s.dirs.Start, "sandbox.enabled is true nowhere")}}
	}
	base := f.Status
	for _, o := range found {
		f.Status, f.Voids = report.Worse(f.Status, o.status), f.Voids || o.voids
		f.Evidence = append(f.Evidence, o.evidence())
		f.Remedies = append(f.Remedies, o.mends()...)
	}
	f.Evidence = append(f.Evidence, report.EnvEvidence("your other programs",
		report.Counted(len(knownPrograms()), "the configuration of 1 program is judged",
			"the configuration of %d programs is judged (docs/iso.md)")+", that of others is not"))
	if len(found) > 0 {
		f.Summary = countOpenings(found)
		f.Launches = openingsByLaunch(f, found, base)
		return f
	}
	for _, l := range s.Layers {
		f.Evidence = append(f.Evidence, report.FileEvidence(l.Doc.Path, "looked at"))
	}
	f.Evidence = append(f.Evidence, pricedHosts(s)...)
	return f
}

// openingsByLaunch tells the launches apart where claude-iso does not load the
// worst of what is open; nil if they are the same. base is the status without
// what is open.
func openingsByLaunch(f report.Finding, found []opening, base report.Status) []report.LaunchStatus {
	hard := report.LaunchStatus{Launch: report.Iso, Status: base, Summary: "nothing that claude-iso loads weakens it"}
	var loads []opening
	for _, o := range found {
		if !o.plain {
			loads, hard.Status, hard.Voids = append(loads, o), report.Worse(hard.Status, o.status), hard.Voids || o.voids
		}
	}
	if hard.Status == f.Status && hard.Voids == f.Voids {
		return nil
	}
	if loads != nil {
		hard.Summary = countOpenings(loads)
	}
	return []report.LaunchStatus{{Launch: report.Plain, Status: f.Status, Summary: f.Summary, Voids: f.Voids}, hard}
}

// pathKinds are the kinds of policy.Weakening that openPaths judges better:
// with links resolved, and by scope.
var pathKinds = []string{"credential-path", "writable-outside", "user-scope-relative"}

// plainKey says whether claude-iso does not load an array of a project's
// settings by itself.
func plainKey(key string) bool { return key == allowKey || key == directoriesKey }

// plainKinds are kinds of policy.Weakening that claude-iso takes over from no
// project.
var plainKinds = []string{"excluded-any", "own-proxy"}

// openSettings lists what is open but for paths.
func openSettings(r host.Reader, s SessionSettings) []opening {
	var found []opening
	asks := sync.OnceValue(func() bool { return asksFirst(r, s) })
	for _, w := range s.Weakenings(s) {
		if slices.Contains(pathKinds, w.Kind) {
			continue
		}
		o := opening{status: report.Warn, where: w.Where, path: w.Path, what: w.Text, opens: w.Opens}
		o.plain = (w.Path[0] == claude.KeyEnv.Leaf() || w.Mode() || plainKey(settings.KeyPath(w.Path[:len(w.Path)-1])) ||
			slices.Contains(plainKinds, w.Kind)) &&
			w.Scope.OfProject()
		switch {
		case settings.KeyPath(w.Path) == "env.PATH":
			if why := otherSandbox(r, s); why != "" {
				o.status, o.voids, o.opens = report.Fail, true, why
			}
		case w.Kind == "unknown-variable":
			o.status, o.group = report.Unknown, openUnknownKey
		case w.Kind == "allow-outside" && asks():
			o.opens += " The bypass-warn hook still asks you."
		case w.Fails():
			o.status, o.voids = report.Fail, w.Voids() || w.Bypasses()
		}
		found = append(found, o)
	}
	return found
}

// asksFirst says whether the bypass-warn hook stands in front of runs outside
// the sandbox: its "ask" forces a question even where a rule would approve
// (measured with 2.1.329).
func asksFirst(r host.Reader, s SessionSettings) bool {
	if s.inForce().Scalar(claude.KeyDisableAllHooks...).Value.True() {
		return false
	}
	return slices.ContainsFunc(s.Layers, func(l settings.ScopedDoc) bool {
		return l.Scope == settings.User && Wired(l.Doc, r.Places(), Wires[0]) != nil
	})
}

// pricedHosts names the hosts in force that install offers and that have a
// price: most serve anyone's content.
func pricedHosts(s SessionSettings) []report.Evidence {
	prices := policy.Embedded().HostPrices()
	var evidence []report.Evidence
	for _, c := range s.inForce().List(claude.KeyAllowedDomains...) {
		if price := prices[c.Value.Text]; c.Ignored == "" && price != "" {
			evidence = append(evidence, report.FileEvidence(c.Where(), c.Value.Text+": "+price))
		}
	}
	return evidence
}

// entry is one element in force of an array of paths, or of rules that open
// one.
type entry struct {
	key, text string
	where     string
	path      []string
	scope     settings.Scope
	// named is the absolute path that it means, as it is written (it may
	// hold wildcards); real is the same with links resolved.
	named, real string
}

// plain says that claude-iso does not load it by itself.
func (e entry) plain() bool {
	return plainKey(e.key) && (e.scope == settings.Project || e.scope == settings.Local)
}

// inAgentDir says whether it means a place in the agent's own directory, and
// does not say so.
func (e entry) inAgentDir() bool {
	return e.scope == settings.User && strings.HasPrefix(e.key, "sandbox.") && isRelative(e.text)
}

// writesIn lists what commands may write: the entries of allowWrite, and what
// permissions.allow and additionalDirectories open beside them (measured, see
// policy.EditPath).
func writesIn(r host.Reader, s SessionSettings) []entry {
	return slices.Concat(entriesIn(r, s, allowWriteKey), entriesIn(r, s, allowKey), entriesIn(r, s, directoriesKey))
}

// keptIn lists the real paths that commands may not write, whatever is allowed
// above them.
func keptIn(r host.Reader, s SessionSettings) []string {
	var kept []string
	for _, e := range entriesIn(r, s, claude.KeyDenyWrite.String()) {
		kept = append(kept, strings.TrimSuffix(e.real, "/**"))
	}
	return kept
}

// entriesIn lists the elements in force of an array of paths in all documents.
func entriesIn(r host.Reader, s SessionSettings, key string) []entry {
	e := s.inForce()
	var list []entry
	for _, l := range s.Layers {
		path := strings.Split(key, ".")
		array := l.Doc.Get(path...)
		if array == nil {
			continue
		}
		for i, v := range array.Items {
			if v.Kind != settings.Str {
				continue
			}
			named := meant(s.dirs, key, v.Text, l.Scope)
			if named == "" { // so of thousands of rules the few are asked for that name a path
				continue
			}
			at := append(slices.Clone(path), strconv.Itoa(i))
			if !holds(e, l, at) {
				continue
			}
			list = append(list, entry{key, v.Text, l.Doc.Where(v), at, l.Scope, named, realPath(r, named)})
		}
	}
	return list
}

// meant is the absolute path that an element of an array means; "" if it means
// none, or (in settings given as text) none that anybody can name.
func meant(dirs settings.Dirs, key, text string, scope settings.Scope) string {
	if strings.HasPrefix(key, "sandbox.") {
		return dirs.Resolve(text, scope)
	}
	// These begin in the start directory, whatever their scope (measured with
	// 2.1.141 and 2.1.329).
	if key != directoriesKey {
		agent := ""
		if scope == settings.User {
			agent = dirs.Agent
		}
		p, ok := policy.EditPath(text, agent)
		if !ok {
			return ""
		}
		text = p
	}
	return dirs.Resolve(text, settings.Project)
}
