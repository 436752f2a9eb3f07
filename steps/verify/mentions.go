// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether the runtime attaches files that nobody was asked
// about is said for each launch, and where it does, what closes it.

package verify

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// mentionOpenings is the opening that the runtime attaches the files that the
// text or the arguments of a skill name with @. Nothing but a Read rule is asked
// about them: not the permission mode, and no hook. Measured with 2.1.324 and
// 2.1.329 (TestFilesThatASkillAttaches).
func mentionOpenings(r host.Reader, s Session) []opening {
	e := s.inForce()
	if s.Lost != nil || e.AnyTrue("permissions", "blockReadsOutsideWorkingDirectories") {
		return nil
	}
	plain, hard := r.System().Get(claude.MentionsVariable), "1" // what claude-iso sets
	set := e.Scalar("env", claude.MentionsVariable)
	if set.Value != nil { // settings win over the environment
		plain, hard = text(set.Value), text(set.Value)
	}
	if claude.SwitchedOn(plain) {
		return nil // and then claude-iso's is on, too
	}
	o := opening{status: report.Fail, group: openMissing, plain: claude.SwitchedOn(hard), where: r.Places().UserSettings(), what: "env." + claude.MentionsVariable,
		opens: "The agent sends files of your home that no Read rule names to the model without a prompt, by naming them with @ for a skill.", remedy: Again()}
	if set.Value != nil {
		o.where = set.Where()
	}
	for _, rule := range e.Rules() {
		if rule.Ignored == "" && rule.List != "allow" && slices.Contains([]string{"Skill", "Skill(*)"}, rule.Value.Text) {
			o.status, o.opens = report.Warn, "A skill that you start or approve sends files of your home that no Read rule names, if its text or a file that it prints names them with @."
		}
	}
	return []opening{o}
}
