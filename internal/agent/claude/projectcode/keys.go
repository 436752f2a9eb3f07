// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each key that a project sets has a class in the tables of
// internal/agent/claude. What runs or redirects fails, what opens is a
// warning, and a key that is in no table is said: the versions that the tables
// were compared with ignore it, a newer one may not.

package projectcode

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
)

// elsewhere are keys whose values are judged elsewhere: variables one by one
// (ofVariables), hooks as items, the rest by policy-invariants.
var elsewhere = []string{claude.KeyEnv.Leaf(), claude.KeyHooks.Leaf(), claude.KeySandbox.Leaf(),
	claude.KeyPermissions.Leaf(), claude.KeyDisableAllHooks.Leaf(), claude.KeyPlansDirectory.Leaf()}

// serverKeys start servers of .mcp.json, where there are any.
var serverKeys = []string{claude.KeyEnableAllProjectMcpServers.String(), claude.KeyEnabledMcpjsonServers.String()}

// serversAround says whether .mcp.json of a directory, or of one above it, names
// a server, or cannot be read.
func serversAround(r host.Reader, dir string) bool {
	for dir := range pathname.Upward(dir) {
		if host.There(r, filepath.Join(dir, claude.ServersFile)) {
			return true
		}
	}
	return false
}

// ofKeys takes the keys of a settings file of the project.
func (b *brought) ofKeys(l settings.ScopedDoc) {
	eachKey(nil, l.Doc.Root, func(path []string, m settings.Member) {
		k := claude.Setting(path...)
		at := l.Doc.WhereKey(m)
		name := settings.KeyPath(path)
		switch {
		case k.Class == claude.Unknown:
			b.take(&b.unknown, name, report.FileEvidence(at, name+KeyIsUnknown),
				opening.KeyRemedy("correct or remove %s", at, path))
		case len(path) > 1 && k.Path != claude.KeyRipgrep.String() || len(path) == 1 && slices.Contains(elsewhere, k.Path):
		case slices.Contains(serverKeys, k.Path) && b.noServers:
			b.harmless = append(b.harmless, report.FileEvidence(at, name+" starts nothing: no .mcp.json names a server"))
		case (k.Class == claude.Runs || k.Class == claude.Redirects) && TakesEffect(k, m.Value):
			b.take(&b.settings, name, report.FileEvidence(l.Doc.Where(m.Value), name+" "+k.Effect+commandOf(m.Value)),
				opening.RemoveKey(l.Doc.Where(m.Value), path...))
		case k.Class == claude.Opens && k.From == claude.Any && TakesEffect(k, m.Value):
			b.weakens(at, name, name+" "+k.Effect, opening.RemoveKey(at, path...))
		case k.Class == claude.Protects && k.From == claude.Any && m.Value.Kind == settings.Bool && !m.Value.True():
			b.weakens(at, name, name+" is false: it no longer "+k.Effect, opening.RemoveKey(at, path...))
		}
	})
}

// KeyIsUnknown is said of a key that is in no table.
const KeyIsUnknown = " is unknown: it has no effect up to Claude Code " + claude.Newest +
	"; a newer version may know it"

// weakens takes what takes protection away.
func (b *brought) weakens(at, name, text string, mends report.Remedy) {
	b.take(&b.opens, name, report.FileEvidence(at, text), mends)
}

// eachKey calls f for each member of an object, and of the objects in it whose
// keys are known.
func eachKey(path []string, v *settings.Value, f func([]string, settings.Member)) {
	for _, m := range v.Members {
		p := append(slices.Clone(path), m.Key)
		f(p, m)
		if m.Value.Kind == settings.Object && claude.Nested(p...) {
			eachKey(p, m.Value, f)
		}
	}
}

// TakesEffect says whether a value switches on what its key does. A plugin
// that is set to false is off.
func TakesEffect(k claude.Key, v *settings.Value) bool {
	switch v.Kind {
	case settings.Null:
		return false
	case settings.Bool:
		return v.True()
	case settings.Str:
		return v.Text != "" && (k.Only == "" || v.Text == k.Only)
	case settings.Array:
		return len(v.Items) > 0
	case settings.Object:
		return slices.ContainsFunc(v.Members, func(m settings.Member) bool {
			return m.Value.Kind != settings.Bool || m.Value.True()
		})
	}
	return true
}

// ClaudeKnown says whether the runtime is one whose keys are all in the
// tables.
func ClaudeKnown(ctx context.Context, r host.Reader) bool {
	version, _ := access.Version(ctx, r)
	order, err := pins.Compare(claude.Name, version, claude.Newest)
	return err == nil && order <= 0
}

// UnknownKeys lists the keys of the user's and of managed settings that are in
// no table. Those of a project are project-code's.
func UnknownKeys(ctx context.Context, r host.Reader, s session.Settings) (found []opening.Opening) {
	for _, l := range s.Layers {
		if l.Scope.OfProject() {
			continue
		}
		eachKey(nil, l.Doc.Root, func(path []string, m settings.Member) {
			if claude.Setting(path...).Class == claude.Unknown {
				at := l.Doc.WhereKey(m)
				found = append(found, opening.Opening{Status: report.Warn, Group: opening.UnknownKey, Where: at, Path: path,
					What:  m.Key,
					Opens: "It has no effect up to Claude Code " + claude.Newest + "; a newer version may know it."})
			}
		})
	}
	return Newer(ctx, r, found)
}

// Newer are openings in which the unknown keys are unknown to this program, too, where the runtime is newer than the
// tables.
func Newer(ctx context.Context, r host.Reader, found []opening.Opening) []opening.Opening {
	unknown := func(o opening.Opening) bool { return o.Group == opening.UnknownKey }
	if slices.ContainsFunc(found, unknown) && !ClaudeKnown(ctx, r) {
		for i := range found {
			if unknown(found[i]) {
				found[i].Status = report.Unknown
			}
		}
	}
	return found
}

// ofText takes a key of the front matter of a text, in a session with these settings.
func (b *brought) ofText(r host.Reader, s session.Settings, w *textWalk, k textKey) {
	rel, _ := filepath.Rel(w.project.Root, k.at.Path)
	if w.why != "" {
		rel = pathname.Tilde(k.at.Path, r.Places().Home)
	}
	switch {
	case k.Class == claude.Unknown && !claude.IsMaterial(rel):
		b.take(&b.unknown, k.Path, report.FileEvidence(k.at.Where(), k.Path+KeyIsUnknown),
			report.DocLink{Title: "correct or remove " + k.Path, Target: k.at.Where()})
	case slices.Equal(k.Values, []string{""}): // sets nothing
	case k.Class == claude.Runs:
		b.take(&b.texts, rel, report.FileEvidence(k.at.Where(), w.says("the front matter "+k.Effect)), k.remove())
	case k.Path == claude.FrontAllowedTools:
		for _, opens := range prompts.InText(r, s, frontmatter.Rules(k.Values)) {
			b.weakens(k.at.Where(), rel, w.says("allowed-tools "+opens.Text+". "+opens.Opens), k.remove())
		}
	case k.Path == claude.FrontPermissionMode:
		if slices.ContainsFunc(k.Values, claude.AsksNothing) {
			b.weakens(k.at.Where(), rel, w.says("permissionMode "+strings.Join(k.Values, "")+
				" asks for no approval"), k.remove())
		}
	case k.Path == claude.FrontIsolation && !claude.Isolates(k.Values),
		k.Path == claude.FrontInitialPrompt && !claude.Orders(k.Values): // opens nothing
	case k.Path == claude.FrontIsolation, k.Path == claude.FrontInitialPrompt, k.Class == claude.Opens:
		b.weakens(k.at.Where(), rel, w.says("the front matter "+k.Effect), k.remove())
	}
}

// IsPlugin says whether a directory among the skills is loaded as a plugin.
func IsPlugin(r host.Reader, dir string) bool {
	_, err := r.Stat(filepath.Join(dir, claude.ManifestDir, string(claude.Plugin)))
	return err == nil
}

// ofVariables takes the variables that a settings file of the project sets.
func (b *brought) ofVariables(l settings.ScopedDoc, root bool) {
	for _, m := range settings.MembersOf(l.Doc.Get(claude.KeyEnv...)) {
		at := l.Doc.WhereKey(m)
		name, remove := "env."+m.Key, opening.RemoveKey(at, claude.KeyEnv.Below(m.Key)...)
		v := claude.VariableSet(m.Key, m.Value.Text, root)
		switch {
		case v.From != claude.Any:
			b.harmless = append(b.harmless, report.FileEvidence(at, "sets "+m.Key+
				", which Claude Code ignores in a file of a project"))
		case v.Safe():
			b.harmless = append(b.harmless, report.FileEvidence(at, "sets "+m.Key+", which decides nothing outside the sandbox"))
		case v.Class == claude.Opens:
			b.weakens(at, name, name+" "+v.Effect, remove)
		case !v.Acts():
			b.take(&b.unclear, m.Key, report.FileEvidence(at, name+" "+dotfiles.UnknownEffect), remove)
		default:
			b.take(&b.variables, m.Key, report.FileEvidence(at, name+" "+v.Effect), remove)
		}
	}
}
