// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: commands write git's references, index and objects, so what a
// person's next step checks out may hold what they could not write as files.

package gitruns

import (
	"bytes"
	"context"
	"fmt"
	iofs "io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// worktreeBases are the references at which "claude -w" starts, the first that
// exists: read from the runtime, and measured with 2.1.330. HEAD comes last, and is
// the only one with "baseRef": "head".
var worktreeBases = []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
	"HEAD"}

// checkedOut are the files that a commit or the index puts into a project, and that
// commands cannot write there. As a file, the first is a symlink.
var checkedOut = []string{claude.Dir, filepath.ToSlash(session.PolicyFile), claude.Dir + "/settings.local.json",
	claude.ServersFile}

// baseOpenings names what the commit at which "claude -w" starts, the one that is
// checked out, or the index has in the place of settings and files that run outside
// the sandbox. claude-iso takes nothing of it. Of what they only lack, the policy is
// told, where "claude -w" would start without any: shared says that the settings of
// the project alone switch the sandbox on. leftOut is the policy that git left out of this
// work tree, nil if it did not: that is told elsewhere, and what differs from it here.
func (c checkouts) baseOpenings(ctx context.Context, leftOut []byte, onlyHead, shared bool) (found []opening.Opening) {
	if c.tree.Root == "" {
		return nil
	}
	c.leftOut = leftOut
	stashed, back := slices.Concat(stashes(), c.linked(stashes())), slices.Concat(goesBack, c.linked(goesBack))
	back = append(back, c.mailBase()...)
	picks, longer := c.picks()
	known := c.contents(ctx, append(usualNames(), kepts(stashed, back, picks)...)...)
	for _, ref := range worktreeBases {
		if known[ref+"^{commit}"] == nil || onlyHead && ref != "HEAD" {
			continue
		}
		if file := c.other(ctx, ref, ""); file != "" {
			found = append(found, c.comes(ctx, ref, file, "git diff "+ref, "claude -w starts there"))
		} else if shared && !c.sandboxed(ctx, ref) {
			found = append(found, c.without(ctx, ref))
		}
		break
	}
	for _, of := range []struct{ ref, since, shows, step string }{
		{"HEAD", "", "git diff HEAD", "git stash or git reset --hard of yours puts it there"},
		{"", "HEAD", "git diff", "git restore or git checkout of yours puts it there"},
	} {
		for _, name := range checkedOut {
			text, is := known[of.ref+":"+name]
			tracked := is || of.ref != "" && known[":"+name] != nil
			switch {
			case len(found) > 0:
			case is && c.differs(name, text, false, true):
				found = append(found, c.comes(ctx, of.ref, name, of.shows, of.step))
			case tracked && name == checkedOut[1] && (shared || of.ref == "") && c.loses(ctx, of.ref, of.since):
				found = append(found, c.less(ctx, of.ref, of.shows, of.step))
			case is && name == checkedOut[1] && of.ref == "HEAD" && c.holdsLess(ctx, of.ref):
				found = append(found, c.less(ctx, of.ref, of.shows, of.step))
			}
		}
	}
	puts := func(k kept, ref, since, shows string) {
		if len(found) > 0 {
			return
		}
		if file := c.other(ctx, ref, since); file != "" {
			found = append(found, c.comes(ctx, k.ref, file, shows, k.step+" of yours puts it there"))
		} else if ref == k.ref && c.loses(ctx, ref, since) {
			found = append(found, c.less(ctx, ref, shows, k.step+" of yours puts it there"))
		}
	}
	for _, s := range stashed {
		if known[s.ref+"^1"] == nil {
			continue
		}
		puts(s, s.ref, s.ref+"^1", "git diff "+s.ref+"^1 "+s.ref)
		if known[s.ref+"^3"] != nil {
			puts(s, s.ref+"^3", "", "git show "+s.ref+"^3")
		}
	}
	for _, b := range back {
		if known[b.ref+"^{commit}"] != nil {
			puts(b, b.ref, "", "git diff "+b.ref)
		}
	}
	for _, p := range picks {
		if known[p.ref+"^{commit}"] != nil {
			puts(p, p.ref, p.ref+"^1", "git show "+p.ref)
		}
	}
	if len(found) == 0 {
		found = append(longer, c.patches()...)
	}
	return found
}

// maxStashes is how many of what is stashed are looked at, the last ones first.
const maxStashes = 10

// kept is a commit that git's own directory names, and the step that puts it into the work
// tree. As git finds a reference by its path, ref is that of the file.
type kept struct{ ref, step string }

// goesBack are what git checks out where an operation is given up (seen with git 2.39).
var goesBack = []kept{{"rebase-merge/orig-head", "git rebase --abort"},
	{"rebase-apply/orig-head", "git rebase --abort"}, {"sequencer/head", "git cherry-pick --abort"},
	{"BISECT_START", "git bisect reset"}}

// stashes are what was stashed: commits whose first parent they are a change of, and whose
// third has the files that were not tracked (git-stash(1)). The last one needs no log. The
// first three git applies by itself, MERGE_AUTOSTASH at each commit (seen with git 2.39).
func stashes() []kept {
	list := []kept{{"MERGE_AUTOSTASH", "git commit, git merge or git pull"},
		{"rebase-merge/autostash", "git rebase --continue or --abort"},
		{"rebase-apply/autostash", "git rebase --continue or --abort"}, {"refs/stash", "git stash pop"}}
	for i := 1; i < maxStashes; i++ {
		list = append(list, kept{fmt.Sprintf("stash@{%d}", i), "git stash pop"})
	}
	return list
}

// linked are those of these commits that a linked worktree of the project has, by the
// name that git has for them there (gitrepository-layout(5), seen with git 2.39).
func (c checkouts) linked(of []kept) (list []kept) {
	for _, git := range c.tree.Linked(c.r) {
		for _, k := range of {
			if info, err := c.r.Lstat(filepath.Join(git, k.ref)); err == nil && info.Mode().IsRegular() {
				list = append(list, kept{"worktrees/" + filepath.Base(git) + "/" + k.ref, k.step + c.where(git)})
			}
		}
	}
	return list
}

// comes is the warning that a file which commands cannot write comes from a commit,
// or from the index.
func (c checkouts) comes(ctx context.Context, ref, file, shows, step string) opening.Opening {
	path, from := filepath.Join(c.tree.Root, filepath.FromSlash(file)), ref
	if ref == "" {
		from = "git's index"
	}
	has := from + " has another " + file + c.hadBefore(ctx, ref, file) + ", and " + step + ". A command can make that. "
	if !host.There(c.r, path) {
		has = from + " has " + file + ", which is not here, and " + step + ". A command can make that. "
	}
	o := opening.Opening{Status: report.Warn, Plain: true, Group: opening.Unsandboxed, Where: path, What: file,
		Opens: has + "The session that follows may have no sandbox, and run what the file names outside it.",
		Step:  "compare: " + shows + " -- " + claude.Dir + " .mcp.json; claude-iso keeps to the approved policy"}
	if c.sandboxed(ctx, ref) && file == checkedOut[1] {
		o.Group = opening.Exposed
		o.Opens = has + "The session that follows has its sandbox, and what the file opens more."
	}
	return o
}

// hadBefore says so of a file that a run of this program found or wrote: after undo, or an edit of
// yours, it is most likely your own.
func (c checkouts) hadBefore(ctx context.Context, ref, file string) string {
	name := ref + ":" + file
	text := c.contents(ctx, name)[name]
	receipts, err := engine.Applier{State: c.r.Places().State}.History()
	if err != nil || text == nil || !had(receipts, text) {
		return ""
	}
	return ", which you had before"
}

// without is the warning that a worktree of "claude -w" has no policy.
func (c checkouts) without(ctx context.Context, ref string) opening.Opening {
	path := filepath.Join(c.tree.Root, session.PolicyFile)
	short := strings.TrimPrefix(ref, "refs/remotes/")
	step := "merge the policy into the default branch, push that, then git fetch"
	switch {
	case ref == "HEAD":
		step = "commit the policy"
	case !c.sandboxed(ctx, "HEAD"):
		step = "commit the policy, merge it into the default branch, push that, then git fetch"
	}
	o := opening.Opening{Status: report.Warn, Plain: true, Group: opening.Unsandboxed, Where: path,
		What:  session.PolicyFile,
		Opens: "claude -w starts at " + short + ", which has no policy: that session has no sandbox.",
		Step:  step + ", or use claude-iso -w"}
	if line, ok := c.commits(ctx); ok && ref == "HEAD" {
		o.Remedy = line
	}
	return o
}

// sandboxed says whether the settings at a reference switch the sandbox on.
func (c checkouts) sandboxed(ctx context.Context, ref string) bool {
	name := ref + ":" + checkedOut[1]
	return switchesOn(c.contents(ctx, name)[name])
}

// checkouts compares what git would put into a work tree with what is there.
type checkouts struct {
	r host.Reader
	// tree is that work tree, which has nothing outside of one.
	tree host.Tree
	// leftOut is there in the place of the policy, if it is not nil.
	leftOut []byte
	// asked has what git was asked for by its name, nil where it has nothing.
	asked map[string][]byte
}

// newCheckouts asks git once for what most questions need.
func newCheckouts(ctx context.Context, r host.Reader, t host.Tree) checkouts {
	c := checkouts{r: r, tree: t, asked: map[string][]byte{}}
	names := usualNames()
	for _, dir := range attributesIn {
		names = append(names, attributesOf(dir)...)
	}
	c.contents(ctx, names...)
	return c
}

// usualNames are git's names for what stands at a worktree's bases, in the commit that is
// checked out, in the index, and for what was stashed.
func usualNames() (list []string) {
	for _, ref := range worktreeBases {
		list = append(list, ref+"^{commit}")
	}
	for _, name := range checkedOut {
		list = append(list, "HEAD:"+name, ":"+name)
	}
	return append(list, kepts(stashes(), goesBack)...)
}

// kepts are the names by which git is asked for stashes, and for other commits.
func kepts(stashed []kept, commits ...[]kept) (names []string) {
	for _, s := range stashed {
		names = append(names, s.ref+"^1", s.ref+"^3")
	}
	for _, k := range slices.Concat(commits...) {
		names = append(names, k.ref+"^{commit}")
	}
	return names
}

// contents is gitrepo.Contents, with each name asked once.
func (c checkouts) contents(ctx context.Context, names ...string) map[string][]byte {
	if c.tree.Root == "" {
		return nil
	}
	known := map[string][]byte{}
	var more []string
	for _, name := range names {
		if text, asked := c.asked[name]; !asked {
			more = append(more, name)
		} else if text != nil {
			known[name] = text
		}
	}
	got := gitrepo.Contents(ctx, c.r, c.tree.Root, more...)
	for _, name := range more {
		if c.asked[name] = got[name]; got[name] != nil {
			known[name] = got[name]
		}
	}
	return known
}

// other is the first file of a commit that differs from the one here and decides
// what runs outside the sandbox; what the commit since has as well is left out.
func (c checkouts) other(ctx context.Context, ref, since string) string {
	var files []gitrepo.Tracked
	var names []string
	for _, f := range gitrepo.FilesIn(ctx, c.r, c.tree.Root, ref, claude.Dir, claude.ServersFile) {
		if _, text := textKind(f.Path); text || isSettings(f.Path) || f.Path == claude.ServersFile || f.Path == claude.Dir {
			files, names = append(files, f), append(names, ref+":"+f.Path)
			if since != "" {
				names = append(names, since+":"+f.Path)
			}
		}
	}
	known := c.contents(ctx, names...)
	for _, f := range files {
		text, read := known[ref+":"+f.Path]
		if was, is := known[since+":"+f.Path]; since != "" && is && bytes.Equal(was, text) {
			continue
		}
		if !read || c.differs(f.Path, text, f.Link, false) {
			return f.Path
		}
	}
	return ""
}

func isSettings(name string) bool { return name == checkedOut[1] || name == checkedOut[2] }

// textKind is the kind of texts in the directory of .claude that a path leads to.
func textKind(name string) (claude.Text, bool) {
	for _, d := range claude.TextDirs {
		if rest, in := pathname.Below(name, claude.Dir+"/"+d.Name); in {
			if _, part, _ := strings.Cut(rest, "/"); d.Kind == claude.Skill && strings.HasPrefix(part, claude.AgentsDir) {
				return claude.Agent, true
			}
			return d.Kind, true
		}
	}
	return "", false
}

// differs says whether a file would open what the one here does not: text is its
// content. Edits is for a commit that the files here are edits of: a server that was
// changed since is none.
func (c checkouts) differs(name string, text []byte, link, edits bool) bool {
	at := filepath.Join(c.tree.Root, filepath.FromSlash(name))
	if to, err := c.r.Readlink(at); err == nil && to == string(text) {
		return false
	}
	if link || name == claude.Dir {
		return true
	}
	var here []byte
	err := iofs.ErrPermission
	if pathname.Within(host.Real(c.r, at), host.Real(c.r, c.tree.Root)) { // what a symlink leads out to is not read
		here, err = c.r.ReadIn(c.tree.Root, filepath.FromSlash(name))
	}
	if c.leftOut != nil && name == checkedOut[1] {
		here, err = c.leftOut, nil
	}
	if err == nil && bytes.Equal(lines(here), lines(text)) {
		return false
	}
	kind, isText := textKind(name)
	switch {
	case isSettings(name):
		return opensMore(here, text, c.r.Places().Home)
	case name == claude.ServersFile:
		return !(edits && err == nil) && moreServers(here, text)
	case isText && claude.IsText(name):
		keys, doubt := frontmatter.Read(kind, text)
		had, _ := frontmatter.Read(kind, here)
		return doubt != nil && !claude.IsMaterial(name) || slices.ContainsFunc(keys, func(k frontmatter.Key) bool {
			return (k.Class == claude.Runs || k.Path == claude.FrontIsolation && claude.Isolates(k.Values)) &&
				!slices.ContainsFunc(had, k.Same)
		})
	}
	return isText && ofPlugin(name)
}

// ofPlugin says whether a file is one from which the runtime takes a plugin.
func ofPlugin(name string) bool {
	for file := range claude.PluginFiles() {
		if strings.HasSuffix(name, "/"+file) {
			return true
		}
	}
	return path.Base(path.Dir(name)) == claude.ManifestDir
}

// lines are a text with the ends of lines that git stores.
func lines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
