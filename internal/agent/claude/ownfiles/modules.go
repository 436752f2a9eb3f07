// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hooks module is code in the agent itself, and is judged by what of the
// engine it names: it has nothing else. Measured with 2.1.332 in both launches, plain with 2.1.324:
// one of a plugin of the user's starts programs outside the sandbox, ./x in the project, sets BASH_ENV
// for them, sends to any host and socket, types /statusline, and answers prompts, also those of the
// policy; rules in deny hold. A module, and a file that it imports, is not read where it is a symlink.

package ownfiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// maxModules is how many files of a module are read.
const maxModules = 100

// What may stand between two words of such code: spaces and comments; and around the dot between
// two names, with what TypeScript adds: ($ as any).process!.run (all loaded by 2.1.332).
const (
	gap = `(?:[\s\p{Z}\x{feff}]|/\*(?:[^*]|\*+[^*/])*\*+/|//[^\n\r\x{2028}\x{2029}]*[\n\r\x{2028}\x{2029}])*`
	dot = `(?:\s+(?:as|satisfies)\s[^();]*)?` + gap + `(?:[!)]` + gap + `)*\.` + gap
)

var (
	// reaches is what of the engine a module names that starts programs, reads or writes files, or
	// decides about calls: "$.process", "'tool.check'" or "{ process } = $", or all events, "on('*',".
	// A hook may give it another name than $, and has to write NAME.part.event(): 2.1.332 loads no
	// module that does not.
	reaches = lazy.Regexp(strings.ReplaceAll(`\$DOT(?:`+claude.ModuleReaches+`)\b|["'`+"`"+`](?:`+claude.ModuleReaches+`)\.|`+
		`[\pL\pN_$)\]]DOT(?:`+claude.ModuleCalls+`)|`+
		`(?:^|[^.\pL\pN_$])[\pL_$][\pL\pN_$]*`+gap+`\(`+gap+`["'`+"`"+`]\*["'`+"`"+`]`+gap+`,|`+
		`\b(?:`+claude.ModuleReaches+`)\b[^{};=]*\}\s*=\s*(?:\$|await\b)`, "DOT", dot))
	imports = lazy.Regexp(`(?:\bfrom|\bimport)` + gap + `\(?` + gap + `["'](\.{1,2}/[^"']+)["']`)
	// escaped is a character in another spelling, in a name or a text.
	escaped = lazy.Regexp(`\\(?:u\{0*([0-9a-fA-F]{2})\}|u00([0-9a-fA-F]{2})|x([0-9a-fA-F]{2})|\r?\n|([^\sbfnrtvux0-9]))`)
)

// spelledOut is the text of a module with its escapes resolved.
func spelledOut(text string) string {
	return escaped().ReplaceAllStringFunc(text, func(s string) string {
		m := escaped().FindStringSubmatch(s)
		if n, err := strconv.ParseUint(m[1]+m[2]+m[3], 16, 8); err == nil {
			return string(rune(n))
		}
		return m[4]
	})
}

// lineOf is the line of a module in which stands what its text, spelled out, has at an offset.
func lineOf(text string, at int) int {
	for _, m := range escaped().FindAllStringIndex(text, -1) {
		if m[0] >= at {
			break
		}
		at += m[1] - m[0] - len(spelledOut(text[m[0]:m[1]]))
	}
	return 1 + strings.Count(text[:at], "\n")
}

// modules judges the hooks modules that a file of a plugin's hooks names.
func (w *ownWalk) modules(d *settings.Doc, v *settings.Value, what string) {
	for _, m := range settings.ItemsOf(v.Get(claude.HookModules)) {
		if m.Kind == settings.Str {
			w.module([]string{filepath.Join(filepath.Dir(d.Path), m.Text)}, d.Where(m), what)
		}
	}
}

// module judges files of a module and all that they import; where names it.
func (w *ownWalk) module(files []string, where, what string) {
	for i := 0; i < len(files); i++ {
		b, err := w.g.Host.Read(files[i])
		if err != nil || i >= maxModules {
			w.unread(where, fmt.Sprintf("%s of %s, or one of more than %d files of it, cannot be read",
				filepath.Base(files[i]), what, maxModules))
			return
		}
		text := spelledOut(string(b))
		if at := reaches().FindStringIndex(text); at != nil {
			line := fmt.Sprintf("%s:%d", files[i], lineOf(string(b), at[0]))
			w.found = append(w.found, opening.Opening{Status: report.Warn, Group: opening.UnknownProgram, Where: line,
				What: filepath.Base(files[i]),
				Opens: "A hooks module of " + what + " can start programs, read and write files, or answer prompts, outside the " +
					"sandbox, and steward-setup does not know what it does.",
				Remedy: report.DocLink{Title: "read what it does, or remove it from " + claude.HookModules, Target: where}})
			return
		}
		for _, m := range imports().FindAllStringSubmatch(text, -1) {
			if path := w.imported(filepath.Join(filepath.Dir(files[i]), m[1])); !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
}

// imported is the file that an import without a suffix means.
func (w *ownWalk) imported(path string) string {
	for _, suffix := range append([]string{""}, claude.ModuleSuffixes()...) {
		if info, err := w.g.Host.Stat(path + suffix); err == nil && info.Mode().IsRegular() {
			return path + suffix
		}
	}
	return path
}

// writtenMods names what the agent wrote for a session: it is loaded without a question when that
// is continued, also after the answer "Not now" (2.1.332).
func (w *ownWalk) writtenMods() {
	root := filepath.Join(w.g.Host.Places().AgentDir, claude.WrittenMods)
	sessions, _ := w.g.Host.ReadDir(root)
	for _, s := range sessions {
		dirs := []string{filepath.Join(root, s.Name())} // one mod, or a directory of them
		mods, _ := w.g.Host.ReadDir(dirs[0])
		for _, m := range mods {
			dirs = append(dirs, filepath.Join(dirs[0], m.Name()))
		}
		for _, dir := range dirs {
			if !projectcode.IsPlugin(w.g.Host, dir) {
				continue
			}
			w.found = append(w.found, opening.Opening{Status: report.Warn, Where: dir, What: filepath.Base(dir),
				Opens: "The agent wrote code (a mod) for a session of yours. It is loaded without a question, and runs " +
					"outside the sandbox, once you continue that session: " + dir,
				Step: "look at the mod, and remove its directory if it is not to run"})
			w.plugin(dir, dir, "the mod "+filepath.Base(dir))
		}
	}
}
