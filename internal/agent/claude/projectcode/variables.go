// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which variables of a project's settings decide what runs
// outside the sandbox, whom the agent talks to, or whom it trusts, the table of
// internal/agent/claude says. One that it does not hold is unknown. Values are
// never shown: they may be secrets.

package projectcode

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ofVariables takes the variables that a settings file of the project sets.
func (b *brought) ofVariables(l settings.ScopedDoc, root bool) {
	env := l.Doc.Get(claude.KeyEnv...)
	if env == nil {
		return
	}
	for _, m := range env.Members {
		at := settings.Source{Path: l.Doc.Path, Line: m.Line, Col: m.Col}.Where()
		v := claude.VariableSet(m.Key, m.Value.Text, root)
		switch {
		case v.From != claude.Any:
			b.harmless = append(b.harmless, report.FileEvidence(at, "sets "+m.Key+
				", which Claude Code ignores in a file of a project"))
		case v.Safe():
			b.harmless = append(b.harmless, report.FileEvidence(at, "sets "+m.Key+", which decides nothing outside the sandbox"))
		case v.Class == claude.Opens:
			b.weakens(at, "env."+m.Key, "env."+m.Key+" "+v.Effect, opening.RemoveKey(at, claude.KeyEnv.Below(m.Key)...))
		case !v.Acts():
			if b.add(report.FileEvidence(at, "env."+m.Key+" "+dotfiles.UnknownEffect)) {
				b.unclear = append(b.unclear, m.Key)
				b.remedies = append(b.remedies, opening.RemoveKey(at, claude.KeyEnv.Below(m.Key)...))
			}
		case b.add(report.FileEvidence(at, "env."+m.Key+" "+v.Effect)):
			b.variables = append(b.variables, m.Key)
			b.remedies = append(b.remedies, opening.RemoveKey(at, claude.KeyEnv.Below(m.Key)...))
		}
	}
}
