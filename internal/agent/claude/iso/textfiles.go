// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a text whose front matter starts hooks and servers has one name,
// as settings have.

package iso

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
)

// How far texts are walked; where there is more, what it runs is not known.
const (
	MaxTexts     = 2000
	MaxTextDepth = 8
)

// maxPluginFiles bounds how many files of plugins are looked at.
const maxPluginFiles = 5_000

// InstalledFiles lists the regular files of the installed plugins and marketplaces of an
// agent directory: a session of both launches runs hooks and servers of theirs (measured
// with 2.1.330). At most maxPluginFiles, and maxInPlace entries of a directory, count.
func InstalledFiles(r host.Reader, agent string) (list []string) {
	plugins := filepath.Join(agent, "plugins")
	list = filesIn(r, plugins)
	queue := []string{filepath.Join(plugins, "cache"), filepath.Join(plugins, "marketplaces")}
	for ; len(queue) > 0 && len(list) < maxPluginFiles; queue = queue[1:] {
		entries, _ := r.ReadDir(queue[0]) // none, if it cannot be read
		for _, e := range entries[:min(len(entries), maxInPlace)] {
			path := filepath.Join(queue[0], e.Name())
			switch {
			case e.IsDir() && e.Name() != ".git":
				queue = append(queue, path)
			case e.Type().IsRegular():
				list = append(list, path)
			}
		}
	}
	return list
}

// TextFiles lists the regular files of an agent directory that a session loads as
// skills, agents, commands or rules, and all files of a skill that is a plugin.
// Output styles are left out: neither hooks nor imports take effect there. Symlinks
// are judged elsewhere. At most maxInPlace entries of a directory count.
func TextFiles(r host.Reader, agent string) (list []string) {
	var walk func(dir string, takes func(name string) bool, depth int)
	walk = func(dir string, takes func(name string) bool, depth int) {
		entries, _ := r.ReadDir(dir) // none, if it cannot be read
		for _, e := range entries[:min(len(entries), maxInPlace)] {
			if e.Name() == claude.ManifestDir {
				takes = func(string) bool { return true }
			}
		}
		for _, e := range entries[:min(len(entries), maxInPlace)] {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir() && depth < MaxTextDepth && e.Name() != ".git":
				walk(path, takes, depth+1)
			case e.Type().IsRegular() && takes(e.Name()):
				list = append(list, path)
			}
		}
	}
	for _, d := range claude.TextDirs {
		takes := claude.IsText
		if d.Name == claude.SkillsDir {
			takes = claude.IsSkill
		}
		if d.Kind != claude.Style {
			walk(filepath.Join(agent, d.Name), takes, 0)
		}
	}
	walk(filepath.Join(agent, "rules"), claude.IsText, 0)
	return list
}
