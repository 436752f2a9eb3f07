// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what becomes .git are the objects that were fetched and a
// configuration of our own. A remote's configuration and hooks have
// no part in it.

package sync

import (
	"bytes"
	"cmp"
	"errors"
	iofs "io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

const coreConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = " +
	"true\n"

// remoteConfig are the sections of a git configuration for the remote.
func remoteConfig(a syncrepo.Address, branch string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.Text)
	text := "[remote \"origin\"]\n\turl = \"" + quoted + "\"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	if branch != "" && branchName.MatchString(branch) {
		text += "[branch \"" + branch + "\"]\n\tremote = origin\n\tmerge = refs/heads/" + branch + "\n"
	}
	return text
}

// newRepository adds a repository, with what the remote has.
func (p *planner) newRepository(s *report.Section, a syncrepo.Address) (release func(), err error) {
	release = func() {}
	var from fetched
	if a.Text != "" {
		at, err := ask(p.ctx, p.r, a)
		if err != nil {
			return release, err
		}
		if at.commit != "" {
			if from, release, err = fetch(p.ctx, p.r, a, at); err != nil {
				return func() {}, err
			}
		}
	}
	branch := cmp.Or(from.branch, "main")
	config := coreConfig
	if a.Text != "" {
		config += remoteConfig(a, branch)
	}
	var late []report.Item
	put := func(list *[]report.Item, rel, text string) {
		if err == nil {
			err = p.gitFile(list, rel, []byte(text))
		}
	}
	put(&s.Items, "objects/info/packs", "\n") // first: begun knows a stopped run by .git
	if from.commit != "" && err == nil {
		if err = p.objects(s, from); err == nil {
			err = p.checkout(s, from)
		}
		put(&late, "refs/remotes/origin/"+branch, from.commit+"\n")
		put(&late, "refs/remotes/origin/HEAD", "ref: refs/remotes/origin/"+branch+"\n")
		put(&late, "refs/heads/"+branch, from.commit+"\n")
	}
	put(&late, "refs/.keep", "")
	put(&late, "config", config)
	put(&late, "HEAD", "ref: refs/heads/"+branch+"\n")
	if err != nil {
		release()
		return func() {}, err
	}
	p.late = late
	return release, nil
}

// finish adds what makes the directory a repository, once all of its files are
// there, and refuses one that holds something else than a stopped run left.
func (p *planner) finish(s *report.Section) error {
	if p.late == nil {
		return nil
	}
	s.Items = append(s.Items, p.late...)
	return p.strangers("", 0)
}

func (p *planner) strangers(rel string, depth int) error {
	list, err := p.r.ReadDir(p.at(rel))
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	if err != nil || depth > 2*maxDepth {
		return unreadable(p.at(rel), err)
	}
	for _, e := range list {
		at := path.Join(rel, e.Name())
		switch {
		case e.IsDir():
			if err := p.strangers(at, depth+1); err != nil {
				return err
			}
		case p.made[at] || temporary(e.Name()) || p.at(at) == syncrepo.LockPath(p.real):
		default:
			b, err := p.r.ReadAll(p.at(at))
			if err != nil || at != ".gitignore" && at != "README.md" || e.Type()&iofs.ModeSymlink != 0 ||
				at == "README.md" && string(b) != readme || string(syncrepo.Gitignore(b)) != string(b) && at == ".gitignore" {
				return p.other(at)
			}
		}
	}
	return nil
}

// other refuses a directory that has a file which this plan would not write.
func (p *planner) other(rel string) error {
	return &report.Error{Code: report.ExitLeft, Where: p.known(rel),
		What:  "is not what a stopped init of this remote left",
		Why:   p.home(p.dir) + " is no git repository, and not empty; nothing was changed",
		Next:  "move the directory away, then run this again; or revert the stopped run:  ",
		Lines: []report.Line{{Words: "undo"}}}
}

// gitFile adds a file of .git, unless a run that was stopped wrote it.
func (p *planner) gitFile(list *[]report.Item, rel string, b []byte) error {
	path := ".git/" + rel
	p.made[path] = true
	if host.There(p.r, p.at(path)) {
		if now, err := p.r.ReadAll(p.at(path)); err != nil || !bytes.Equal(now, b) {
			return p.other(path)
		}
		return nil
	}
	*list = append(*list, report.Change{ID: report.ID("sync/" + path), Why: "a file of git's", Path: p.known(path),
		Target: p.at(path), Within: p.real, After: b, Mode: 0o644, Derived: rel == "index"})
	return nil
}

// objects adds what was fetched to .git.
func (p *planner) objects(s *report.Section, from fetched) error {
	dir := filepath.Join(from.own.Dir, "objects", "pack")
	list, err := p.r.ReadDir(dir)
	if err != nil {
		return unreadable(dir, err)
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), "pack-") || path.Ext(e.Name()) == ".rev" || !e.Type().IsRegular() {
			continue
		}
		b, err := p.r.ReadAll(filepath.Join(dir, e.Name()))
		if err != nil {
			return unreadable(filepath.Join(dir, e.Name()), err)
		}
		if err := p.gitFile(&s.Items, "objects/pack/"+e.Name(), b); err != nil {
			return err
		}
	}
	b, err := p.r.ReadAll(from.index)
	if err != nil {
		return unreadable(from.index, err)
	}
	return p.gitFile(&s.Items, "index", b)
}

// checkout adds the files that were fetched, by the refusals that pull has. They
// are read as objects: no attribute of the remote converts them or starts a
// program.
func (p *planner) checkout(s *report.Section, from fetched) error {
	e := &Exchange{r: p.r, dir: p.real, own: from.own, theirs: from.commit}
	var ok bool
	if e.emptyTree, ok = e.r.Run(p.ctx, e.own.EmptyTree()).Answer(); !ok {
		return unreadable(from.own.Dir, p.ctx.Err())
	}
	if err := e.plainFiles(p.ctx); err != nil {
		return err
	}
	list, err := e.differences(p.ctx, e.emptyTree, e.theirs)
	if err != nil {
		return err
	}
	if len(list) > maxFiles {
		return p.tooMany("the remote ", "; nothing was changed")
	}
	e.readAhead(p.ctx, list)
	var bad []string
	links := map[string]string{}
	for _, x := range list {
		if why := p.arrives(s, e, x, links); why != "" {
			bad = append(bad, quoted(x.path)+" "+why)
		}
	}
	if err := p.ctx.Err(); err != nil || len(bad) == 0 {
		p.follow(links)
		return err
	}
	return &report.Error{Code: report.ExitLeft, Where: p.dir, What: "the remote is not cloned: " + bad[0],
		Why:  "nothing was changed. Not taken: " + strings.Join(bad[:min(len(bad), 10)], "; "),
		Next: "remove it from the remote (git rm --cached, commit, push), then run this again"}
}

// arrives adds one file of the remote, or says why it is not taken.
func (p *planner) arrives(s *report.Section, e *Exchange, x treeEntry, links map[string]string) (why string) {
	top := slices.ContainsFunc(syncrepo.Layout(p.r.Places()), func(part syncrepo.Part) bool {
		return part.Name == x.path && (part.Dir || part.Name == ".gitignore")
	})
	if top && x.newMode == linkMode {
		return "is a symlink, where the repository has files of its own"
	}
	p.made[x.path] = true
	if x.path == ".gitignore" { // a stopped run wrote it with what scaffold adds
		b, err := e.blob(p.ctx, x.newMode, x.newID)
		now, hereErr := e.here(x.path)
		if err == nil && hereErr == nil && now.mode == fileMode && bytes.Equal(now.bytes, syncrepo.Gitignore(b)) {
			return ""
		}
	}
	c, needed, err := e.change(p.ctx, x, object{})
	if err != nil {
		return err.Error()
	}
	if !needed {
		return ""
	}
	c.ID, c.Why, c.Path = report.ID("sync/"+x.path), "from the remote", p.known(x.path)
	if c.Link() {
		c.Why, links[x.path] = "a symlink of the repository", string(c.After)
	} else {
		p.entries[x.path] = entry{c.After, c.Mode.Perm()}
	}
	s.Items = append(s.Items, c)
	return ""
}

// follow counts the symlinks of the remote as the files that they lead to; the
// others are named.
func (p *planner) follow(links map[string]string) {
	for _, rel := range slices.Sorted(maps.Keys(links)) {
		if e, ok := p.entries[path.Join(path.Dir(rel), links[rel])]; ok {
			p.entries[rel] = e
			continue
		}
		p.found(report.Warn, false, rel+" in the repository is a symlink: not linked", p.known(rel),
			"a symlink to "+links[rel])
	}
}
