// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a baseline is a policy that somebody chose; what is in
// force is never weaker than it without a failure, and stronger is no fault.

package checks

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// ReadBaseline reads a policy, or that of a framework's checkout if path is a
// directory. The error is a *report.Error: the file is not there (exit code
// 64), or is not understood (65).
func ReadBaseline(r host.Reader, path string) (*verify.Baseline, error) {
	path = pathname.From(r.System().Cwd, path)
	if info, err := r.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, session.PolicyFile)
	}
	b, err := r.Read(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return nil, &report.Error{Code: report.ExitUsage, Where: path, What: "does not exist",
			Next: "name a settings.json with a policy, or a checkout that has one"}
	case err != nil:
		return nil, &report.Error{Code: report.ExitMalformed, Where: path, What: fs.NotRead, Err: err}
	}
	if _, err := settings.Check(path, b); err != nil {
		if e, ok := errors.AsType[*report.Error](err); ok { // it is no settings file that the runtime reads
			said := *e
			said.Why = "without a baseline that is understood, nothing is compared"
			return nil, &said
		}
		return nil, err
	}
	if _, _, err := policy.Embedded().Compare(b, path, nil, r.Places().Home); err != nil {
		return nil, err
	}
	return &verify.Baseline{Path: path, Bytes: b}, nil
}

// baselineOf asks whether a session in the project is weaker than the baseline.
func baselineOf(r host.Reader, s session.Settings, b *verify.Baseline) report.Finding {
	e := s.InForce()
	weaker, stronger, err := policy.Embedded().Compare(b.Bytes, b.Path, session.Merged(e), r.Places().Home)
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "the baseline is not understood",
			Evidence: []report.Evidence{report.ErrorEvidence(b.Path, err)}}
	}
	weaker = slices.DeleteFunc(weaker, func(d policy.Difference) bool { // every worktree has its own root
		return d.Line == 0 && d.Key == claude.KeyAllowRead.String() && filepath.Clean(d.Value.Text) == s.Dirs.Start
	})
	f := report.Finding{Status: report.Pass, Summary: "not weaker than the baseline",
		Evidence: []report.Evidence{report.FileEvidence(b.Path, "the baseline")}}
	if len(stronger) > 0 {
		f.Summary += fmt.Sprintf(", and stronger in %d", len(stronger))
	}
	if len(weaker) > 0 {
		f.Status, f.Summary = report.Fail, "weaker than the baseline: "+weaker[0].Text
		if n := len(weaker) - 1; n > 0 {
			f.Summary += fmt.Sprintf(", and %d more", n)
		}
		f.Evidence = nil
		f.Remedies = []report.Remedy{report.DocLink{Title: "take over what the baseline has, or name another baseline",
			Target: b.Path}}
	}
	for _, d := range weaker {
		f.Evidence = append(f.Evidence, report.FileEvidence(differs(e, b, d), "weaker: "+d.Text))
	}
	f.Evidence = append(f.Evidence, grouped(e, b, stronger)...)
	return f
}

// grouped says what is stronger, a line for each key: what is no fault is not a
// list of findings.
func grouped(e *settings.Effective, b *verify.Baseline, stronger []policy.Difference) (list []report.Evidence) {
	for i := 0; i < len(stronger); {
		first, n := stronger[i], 0
		for i+n < len(stronger) && stronger[i+n].Key == first.Key && (stronger[i+n].Line > 0) == (first.Line > 0) {
			n++
		}
		text := "stronger: " + first.Text
		if n > 1 {
			text += fmt.Sprintf(", and %d more", n-1)
		}
		list = append(list, report.FileEvidence(differs(e, b, first), text))
		i += n
	}
	return list
}

// differs is the place of a difference: the line of the baseline, or of the
// settings that have the value.
func differs(e *settings.Effective, b *verify.Baseline, d policy.Difference) string {
	if d.Line > 0 {
		return fmt.Sprintf("%s:%d", b.Path, d.Line)
	}
	path := strings.Split(d.Key, ".")
	for _, c := range e.Taken(path...) {
		if c.Value.Kind == settings.Str && c.Value.Equal(d.Value) {
			return c.Where()
		}
	}
	if s := e.Scalar(path...); s.Value != nil {
		return s.Where()
	}
	return b.Path
}
