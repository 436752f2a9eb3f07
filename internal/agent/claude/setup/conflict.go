// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the user's value and the policy's differ, both are
// shown, and only the user decides; what a merge would open is said line by
// line.

package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

// mergeInto merges a policy into a file. With nothing to fit in with it is as it was
// built.
func mergeInto(f install.File, doc *settings.Doc, wanted policy.Wanted,
	takes func(settings.Conflict) bool) (want *settings.Doc, merged settings.Merged, err error) {
	if want, err = settings.Parse("the policy", wanted.Document); err == nil {
		merged, err = settings.Merge(doc, want, takes)
	}
	if f.Bytes == nil {
		merged.After = wanted.Document
	}
	return want, merged, err
}

// takes is the user's decision about a conflict.
func (p *proposer) takes(c settings.Conflict) bool {
	return slices.Contains(p.answers.Of(takeQuestion), settings.KeyPath(c.Path))
}

// refuseTakes refuses an answer that names no conflict. A key at which the
// policy's value stands, or will, is none either, but the answer holds there:
// the same line can be run again.
func refuseTakes(keys []string, m settings.Merged) error {
	var differ []string
	for _, c := range m.Conflicts {
		differ = append(differ, settings.KeyPath(c.Path))
	}
	settled := func(key string) bool {
		return slices.ContainsFunc(slices.Concat(m.Kept, m.Added), func(f settings.Fact) bool {
			return settings.KeyPath(f.Path) == key
		})
	}
	for _, key := range keys {
		if slices.Contains(differ, key) || settled(key) {
			continue
		}
		e := &report.Error{Code: report.ExitUsage, Where: "--take",
			What: fmt.Sprintf("%q is not a value in which your settings and the policy differ", key),
			Next: "leave it out: they do not differ"}
		if differ != nil {
			e.Next = "name one of these: " + strings.Join(differ, ", ")
		}
		return e
	}
	return nil
}

// choices is the question about the values that differ.
func choices(doc *settings.Doc, conflicts []settings.Conflict) report.Question {
	q := takeQuestion
	for _, c := range conflicts {
		key := settings.KeyPath(c.Path)
		q.Options = append(q.Options, report.Option{Value: key, Label: key,
			Note: fmt.Sprintf("yours is %s (line %d), the policy's %s", brief(c.Have), c.Have.Line, brief(c.Want))})
	}
	q.DefaultFrom = doc.Path
	return q
}

// conflict says what the user has and what the policy wants.
func conflict(doc *settings.Doc, c settings.Conflict) report.Finding {
	key := settings.KeyPath(c.Path)
	f := report.Finding{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Warn, Decide: true,
		Summary: fmt.Sprintf("%s: yours is kept, the policy wants %s", key, brief(c.Want)),
		Evidence: []report.Evidence{report.FileEvidence(fmt.Sprintf("%s:%d:%d", doc.Path, c.Have.Line, c.Have.Col),
			key+" is "+brief(c.Have))}, Remedies: []report.Remedy{report.Own("install --take="+scripts.Quote(key),
			report.Command{ID: report.ID("take/" + key), Optional: true, Why: "take the policy's value"})}}
	switch {
	case c.Taken:
		f.Decide, f.Remedies = false, nil
		f.Summary = fmt.Sprintf("%s: the policy's %s replaces yours", key, brief(c.Want))
	case key == claude.KeySandboxEnabled.String(), key == claude.KeyFailIfUnavailable.String():
		f.Status = report.Fail
	}
	return f
}

// brief is a value in one short line.
func brief(v *settings.Value) string {
	switch v.Kind {
	case settings.Array, settings.Object:
		return v.Kind.String()
	case settings.Str:
		return fmt.Sprintf("%q", v.Text)
	case settings.Null:
		return "null"
	default:
		return v.Text
	}
}

// opened lists what a file that already sandboxes would allow in addition.
func opened(doc *settings.Doc, m settings.Merged) []string {
	if !doc.Get(claude.KeySandboxEnabled...).True() {
		return nil
	}
	words := map[string]string{
		claude.KeyAllowRead.String():      "commands may read %s",
		claude.KeyAllowWrite.String():     "commands may write %s",
		claude.KeyAllowedDomains.String(): "commands may reach %s",
	}
	var lines []string
	for _, fact := range m.Added {
		if form, ok := words[settings.KeyPath(fact.Path[:len(fact.Path)-1])]; ok {
			lines = append(lines, fmt.Sprintf(form, fact.Value.Text))
		}
	}
	return lines
}
