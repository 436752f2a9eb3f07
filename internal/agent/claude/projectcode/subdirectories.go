// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: files of a subdirectory count as well: its instructions
// are read as soon as the agent reads a file there, its .mcp.json by a session
// that starts there. How far was looked is said.

package projectcode

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// maxBulky bounds how many entries of the directories of others (iso.Bulky) are
// looked through of all: last, and of .git only tracked files.
const maxBulky = 10_000

// nestedNames are the names by which a subdirectory is told to be of interest.
var nestedNames = []string{claude.Instructions, claude.LocalInstructions, claude.OtherInstructions, claude.Dir,
	claude.ServersFile, ".git"}

// Nested lists the directories below root that hold files which a session may
// load, or are repositories of their own; missed are those which there were too many files to look at.
func Nested(ctx context.Context, r host.Reader, root string) (dirs, missed []string) {
	if repo, err := gitrepo.Open(ctx, r, root); err == nil && repo.Root == root {
		for _, rel := range repo.Files(ctx) {
			for dir := filepath.Dir(rel); ; rel, dir = dir, filepath.Dir(dir) {
				if slices.Contains(nestedNames, filepath.Base(rel)) && dir != "." {
					dirs = append(dirs, filepath.Join(root, dir))
				}
				if dir == "." {
					break
				}
			}
		}
	}
	seen := 0
	var later []string
	for queue := []string{root}; len(queue) > 0 || len(later) > 0; queue = queue[1:] {
		if len(queue) == 0 {
			queue, later, seen = later, nil, max(seen, iso.MaxLooked-maxBulky)
		}
		entries, err := r.ReadDir(queue[0])
		if err != nil {
			continue // nor does the agent read files there
		}
		if seen += len(entries); seen > iso.MaxLooked {
			return dirs, slices.Concat(queue, later)
		}
		for _, e := range entries {
			switch {
			case slices.Contains(nestedNames, e.Name()) && queue[0] != root:
				dirs = append(dirs, queue[0])
			case e.IsDir() && e.Name() == ".git":
			case e.IsDir() && slices.Contains(iso.Bulky, e.Name()):
				later = append(later, filepath.Join(queue[0], e.Name()))
			case e.IsDir():
				queue = append(queue, filepath.Join(queue[0], e.Name()))
			}
		}
	}
	return dirs, nil
}

// NotLookedAt says which directories of a large project nobody looked at, and
// how their settings are found.
func NotLookedAt(root string, missed []string) report.Evidence {
	names := make([]string, 0, len(missed))
	for _, dir := range missed {
		rel, _ := filepath.Rel(root, dir)
		names = append(names, rel)
	}
	return report.FileEvidence(root, fmt.Sprintf("more than %d entries: of these directories only tracked files were "+
		"looked at: %s. Run: find %s -path '*/.claude/settings*.json'",
		iso.MaxLooked, report.Few(names), scripts.Quote(root)))
}

// ofNested takes what subdirectories of the project bring. Of their
// instructions symlinks alone count: measured with 2.1.324 and 2.1.329, what
// those of a subdirectory import from outside is not read, nor is a rule there
// that is a symlink; the rules of a .claude that is one are (measured with 2.1.332
// and 2.1.324). A Read rule or blockReadsOutsideWorkingDirectories that covers the
// file keeps it out.
func (b *brought) ofNested(ctx context.Context, r host.Reader, starts []string) {
	tree := host.FindTree(r, starts[0])
	root := cmp.Or(tree.Root, starts[0])
	if pathname.Within(r.Places().Home, root) {
		return
	}
	dirs, missed := Nested(ctx, r, root)
	if missed != nil {
		b.harmless = append(b.harmless, NotLookedAt(root, missed))
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if slices.ContainsFunc(starts, func(start string) bool { return pathname.Within(start, dir) }) {
			continue // looked at as the directory of a start, or above one
		}
		b.ofInstructionsBelow(iso.Project{Reader: r, Root: root, Main: tree.Main}, dir)
		for _, i := range iso.ServersIn(r, root, dir) {
			if i.Kind != iso.Server {
				continue
			}
			text := fmt.Sprintf("the MCP server %q runs outside the sandbox in a plain session that starts in this directory",
				i.Name)
			if rel, err := filepath.Rel(root, session.FileOf(report.FileEvidence(i.Where, ""))); err == nil &&
				b.add(report.FileEvidence(i.Where, text)) && !slices.Contains(b.elsewhere, rel) {
				b.elsewhere = append(b.elsewhere, rel)
				b.remedies = append(b.remedies, report.DocLink{Title: "remove the file, or start claude-iso there, which loads " +
					"only what is approved", Target: filepath.Join(root, rel)})
			}
		}
		b.ofSettingsBelow(r, tree, root, dir)
	}
}

// ofInstructionsBelow takes the instructions of a subdirectory that lead elsewhere. Of rules
// that count the .claude is named that leads to them, once.
func (b *brought) ofInstructionsBelow(p iso.Project, dir string) {
	own, rules := filepath.Join(dir, claude.Dir), false
	for _, l := range p.Instructions([]string{dir}) {
		rel, below := pathname.Below(l.File, filepath.Join(own, "rules"))
		switch {
		case l.Import || l.Unread:
		case !below:
			b.ofLead(l, ": a plain session sends it to the model when the agent reads a file in this directory")
		case l.To == filepath.Join(host.Real(p, own), "rules", rel): // is itself no symlink
			rules = true
		}
	}
	if !rules {
		return
	}
	for _, l := range p.Linked(own) {
		b.ofLead(l, ": a plain session sends the rules there to the model when the agent reads a file in this directory")
	}
}

// ofSettingsBelow takes what the settings and texts of a subdirectory run or open in a plain
// session that starts there and has a sandbox: by them, by the user's own settings, or by the
// local ones of the main checkout. Where it has none, that is said.
//
// A command writes .git of a subdirectory, and with it the main checkout whose local settings
// a start there follows, outside the project too (measured with 2.1.332, in print mode; on a
// terminal after the runtime asked for trust), and whose texts it loads (textsAround).
func (b *brought) ofSettingsBelow(r host.Reader, around host.Tree, root, dir string) {
	tree := host.FindTree(r, dir)
	main := cmp.Or(tree.Main, tree.Common)
	if main == cmp.Or(around.Main, around.Common) || main == dir || main == root {
		main = "" // its local settings and texts are said of the root, or are those of dir
	}
	if main == "" && !host.There(r, filepath.Join(dir, claude.Dir)) {
		return
	}
	s := session.At(r, dir)
	if !s.InForce().Scalar(claude.KeySandboxEnabled...).Value.True() {
		return
	}
	own := brought{noServers: true}
	for _, l := range s.Layers {
		if !l.Scope.OfProject() {
			continue
		}
		own.ofSettings(l, s.ByRoot)
		hooks, _ := iso.HooksIn(l.Doc) // of a file that is dropped nothing runs
		for _, h := range hooks {
			own.add(report.FileEvidence(h.Where, fmt.Sprintf("the hook %q runs outside the sandbox", h.Name)))
		}
	}
	for _, w := range s.Weakenings(s) {
		own.add(opening.ValueEvidence(w.Where, w.Path, w.Text, w.Opens))
	}
	for _, unread := range own.ofTexts(r, dir) {
		own.add(unread)
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return
	}
	for _, e := range own.evidence {
		file := session.FileOf(e)
		name, target, starts := "", file, "here: "
		switch {
		case strings.HasSuffix(e.Text, KeyIsUnknown): // has no effect
		case pathname.Within(file, filepath.Join(dir, claude.Dir)):
			name, _ = filepath.Rel(root, file)
		case main != "" && pathname.Within(file, filepath.Join(main, claude.Dir)):
			name, target = filepath.Join(rel, ".git"), filepath.Join(dir, ".git")
			starts = "in " + rel + ", whose .git leads to this main checkout: "
		}
		if e.Text = "a plain session that starts " + starts + e.Text; name == "" {
			continue // is said of the root
		}
		if b.add(e) && !slices.Contains(b.below, name) {
			b.below = append(b.below, name)
			b.remedies = append(b.remedies, report.DocLink{Target: target,
				Title: "look at it, or start claude-iso there, which does not load it"})
		}
	}
}
