// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the verdict follows from the findings alone, and
// what is unknown never makes it better.

package report

// Verdict is the judgement over a whole report.
type Verdict string

// The verdicts, best first.
const (
	Protected   Verdict = "protected"
	Degraded    Verdict = "degraded"
	Unprotected Verdict = "unprotected"
)

// Exit is the exit code of a report with this verdict.
func (v Verdict) Exit() int {
	switch v {
	case Protected:
		return ExitOK
	case Degraded:
		return ExitDegraded
	}
	return ExitUnprotected
}

// Judge returns the verdict over findings. With strict a warning degrades too.
// No findings are nothing that was observed: Degraded.
func Judge(findings []Finding, strict bool) Verdict {
	if len(findings) == 0 {
		return Degraded
	}
	v := Protected
	for _, f := range findings {
		switch {
		case f.Status == Fail && f.Voids:
			return Unprotected
		case f.Status == Fail, f.Status == Unknown, f.Status == Warn && strict:
			v = Degraded
		}
	}
	return v
}

// A Launch is a way to start the agent; each is judged for itself.
type Launch string

// The launches.
const (
	Plain Launch = "plain" // claude
	Iso   Launch = "iso"   // claude-iso
)

// LaunchStatus is what a finding says of one launch.
type LaunchStatus struct {
	Launch  Launch `json:"launch"`
	Status  Status `json:"status"`
	Summary string `json:"summary"`
	// Voids is Finding.Voids for this launch alone.
	Voids bool `json:"voids,omitempty"`
}

// In returns what the finding says of one launch, and whether it tells the
// launches apart: one that does not holds for each of them.
func (f Finding) In(l Launch) (s LaunchStatus, apart bool) {
	for _, s := range f.Launches {
		if s.Launch == l {
			return s, true
		}
	}
	return LaunchStatus{Launch: l, Status: f.Status, Summary: f.Summary, Voids: f.Voids}, false
}

// Worsen takes a status with its summary if it is worse than that of the finding, or
// voids the verdict, which the finding did not.
func (f *Finding) Worsen(status Status, voids bool, summary string) (worse bool) {
	if worse = status.WorseThan(f.Status) || voids && !f.Voids; worse {
		f.Status, f.Summary, f.Voids = status, summary, f.Voids || voids
	}
	return worse
}

// Worsen does the same for one launch.
func (l *LaunchStatus) Worsen(status Status, voids bool, summary string) {
	f := Finding{Status: l.Status, Summary: l.Summary, Voids: l.Voids}
	f.Worsen(status, voids, summary)
	l.Status, l.Summary, l.Voids = f.Status, f.Summary, f.Voids
}

// Apart tells the launches apart, unless the finding's own status holds for
// claude-iso too.
func (f *Finding) Apart(iso LaunchStatus) {
	if plain, _ := f.In(Plain); plain.Status != iso.Status || plain.Voids != iso.Voids {
		f.Launches = []LaunchStatus{plain, iso}
	}
}

// JudgeLaunch returns the verdict over one launch. seen is false where no
// finding tells it apart.
func JudgeLaunch(findings []Finding, l Launch, strict bool) (v Verdict, seen bool) {
	own := make([]Finding, len(findings))
	for i, f := range findings {
		s, apart := f.In(l)
		own[i] = f
		own[i].Status, own[i].Voids, seen = s.Status, s.Voids, seen || apart
	}
	return Judge(own, strict), seen
}

// Count returns how many findings have each status.
func Count(findings []Finding) map[Status]int {
	n := make(map[Status]int, len(Statuses))
	for _, f := range findings {
		n[f.Status]++
	}
	return n
}

// Layers lists the layers in the order in which a report shows them.
var Layers = []Layer{LayerCleanEnv, LayerSandbox, LayerPermissions, LayerConfirmation, LayerVisibility, LayerTools}

// Weaker returns the worse of two verdicts.
func Weaker(a, b Verdict) Verdict {
	if b.Exit() > a.Exit() {
		return b
	}
	return a
}

// Status is the status whose sign stands for the verdict.
func (v Verdict) Status() Status {
	switch v {
	case Protected:
		return Pass
	case Degraded:
		return Warn
	}
	return Fail
}
