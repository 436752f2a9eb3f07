// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs or decides outside the sandbox is closed to the
// agent's file tools where it really lies. The project's policy is everyone's
// and names the usual places; what is different on this machine belongs in the
// user's own settings.

package setup

import (
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// editDenials lists the Edit rules for permissions.deny of user scope: one for
// each of the runtime's settings, state, plugins, hook scripts, wrapper and programs
// that lies, or is linked to, elsewhere than the project's policy says (~/.claude). It is
// empty where nothing does. An Edit rule holds for every tool that writes
// files. Measured with 2.1.329: it follows a link in its own path, and none
// below it; a rule that names the real place depends on neither.
func (p *proposer) editDenials() []string {
	places, usual := p.r.Places(), p.r.Places()
	usual.AgentDir = filepath.Join(places.Home, claude.Dir)
	state := usual.AgentDir + ".json"
	files, dirs := runsOrDecides(usual)
	d := denials{p: p, named: slices.Concat([]string{state}, files, dirs)}
	if places.AgentDir != usual.AgentDir {
		state = filepath.Join(places.AgentDir, claude.StateFile)
	}
	files, dirs = runsOrDecides(places)
	for _, file := range slices.Insert(files, 1, state) {
		d.file(file)
	}
	for _, dir := range dirs {
		d.tree(dir)
		d.links(dir)
	}
	if sync, err := p.syncScripts(); err == nil && sync != "" {
		d.tree(sync)
	}
	return d.rules
}

// runsOrDecides are the files and directories in the agent's directory that the policy
// has Edit rules for.
func runsOrDecides(p env.Places) (files, dirs []string) {
	return []string{p.UserSettings(), filepath.Join(p.AgentDir, claude.OtherStateFile)},
		[]string{filepath.Join(p.AgentDir, "plugins"), filepath.Join(p.AgentDir, claude.WrittenMods),
			filepath.Join(p.AgentDir, "hooks"), p.Scripts(), p.Isolation(),
			filepath.Join(p.AgentDir, claude.LocalInstall), filepath.Join(p.AgentDir, claude.BrowserHost)}
}

type denials struct {
	p *proposer
	// named are the files and directories that the project's policy has rules for.
	named []string
	rules []string
}

func (d *denials) file(path string) { d.deny(path, "") }

func (d *denials) tree(path string) { d.deny(path, "/**") }

// deny adds the rules for a path as it is spelled and as it really is.
func (d *denials) deny(path, suffix string) {
	spelled := []string{path}
	if real, err := d.p.r.Resolve(path); err == nil {
		spelled = append(spelled, real)
	}
	for _, s := range spelled {
		rule := "Edit(/" + literal(s) + suffix + ")"
		if !pathname.WithinAny(s, d.named) && !slices.Contains(d.rules, rule) {
			d.rules = append(d.rules, rule)
		}
	}
}

// links adds what single files of a directory lead to.
func (d *denials) links(dir string) {
	entries, err := d.p.r.ReadDir(dir)
	if err != nil {
		return // there is nothing in it yet
	}
	for _, e := range entries {
		if e.Type()&iofs.ModeSymlink != 0 {
			d.file(filepath.Join(dir, e.Name()))
		}
	}
}

// literal is an absolute path as a rule can name it. A character that means
// something in a pattern becomes the one that stands for any: the rule then
// holds for the path and for its like, which is the safe side of a denial.
func literal(path string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*?[]{}()!\`, r) || !unicode.IsGraphic(r) {
			return '?'
		}
		return r
	}, path)
}
