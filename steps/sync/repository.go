// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what becomes .git are the objects that were fetched and a
// configuration of our own. A remote's configuration and hooks have
// no part in it.

package sync

import (
	"errors"
	iofs "io/fs"
	"path"
	"path/filepath"
	"strings"

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
	branch := from.branch
	if branch == "" {
		branch = "main"
	}
	config := coreConfig
	if a.Text != "" {
		config += remoteConfig(a, branch)
	}
	files := []struct{ rel, text string }{{"HEAD", "ref: refs/heads/" + branch + "\n"}, {"config", config},
		{"objects/info/packs", "\n"}, {"refs/.keep", ""}}
	if from.commit != "" {
		files = append(files, struct{ rel, text string }{"refs/heads/" + branch, from.commit + "\n"},
			struct{ rel, text string }{"refs/remotes/origin/" + branch, from.commit + "\n"},
			struct{ rel, text string }{"refs/remotes/origin/HEAD", "ref: refs/remotes/origin/" + branch + "\n"})
	}
	for _, f := range files {
		p.gitFile(s, f.rel, []byte(f.text), 0o644)
	}
	if from.commit == "" {
		return release, nil
	}
	if err = p.objects(s, from); err == nil {
		err = p.checkout(s, from.tree, "", 0)
	}
	if err != nil {
		release()
		return func() {}, err
	}
	return release, nil
}

// gitFile adds a file of .git, unless a run that was stopped wrote it.
func (p *planner) gitFile(s *report.Section, rel string, b []byte, mode iofs.FileMode) {
	path := ".git/" + rel
	if _, err := p.r.Lstat(p.at(path)); err == nil {
		return
	}
	s.Items = append(s.Items, report.Change{ID: report.ID("sync/" + path), Why: "a file of git's", Path: p.known(path),
		Target: p.at(path), After: b, Mode: mode,
		Derived: rel == "index"})
}

// objects adds what was fetched to .git.
func (p *planner) objects(s *report.Section, from fetched) error {
	dir := filepath.Join(from.git, "objects", "pack")
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
		p.gitFile(s, "objects/pack/"+e.Name(), b, 0o644)
	}
	b, err := p.r.ReadAll(from.index)
	if err != nil {
		return unreadable(from.index, err)
	}
	p.gitFile(s, "index", b, 0o644)
	return nil
}

// checkout adds the files that were fetched.
func (p *planner) checkout(s *report.Section, tree, below string, depth int) error {
	list, err := p.r.ReadDir(filepath.Join(tree, below))
	if err != nil || depth > maxDepth {
		return errors.Join(err, p.ctx.Err())
	}
	for _, e := range list {
		rel := path.Join(below, e.Name())
		from := filepath.Join(tree, rel)
		switch {
		case rel == ".git":
		case e.IsDir():
			if err := p.checkout(s, tree, rel, depth+1); err != nil {
				return err
			}
		case e.Type()&iofs.ModeSymlink != 0:
			to := p.target(from)
			s.Items = append(s.Items, report.Change{ID: report.ID("sync/" + rel), Why: "a symlink of the repository",
				Path: p.known(rel), Target: p.at(rel), After: []byte(to), Mode: symlink})
			p.found(report.Warn, false, rel+" in the repository is a symlink: not linked", p.known(rel), "a symlink to "+to)
		case e.Type().IsRegular():
			info, err := e.Info()
			if err != nil {
				return unreadable(from, err)
			}
			b, err := p.r.ReadAll(from)
			if err != nil {
				return unreadable(from, err)
			}
			mode := iofs.FileMode(0o644)
			if info.Mode()&0o100 != 0 {
				mode = 0o755
			}
			c := p.add(rel, "from the remote", b, mode)
			if why, never := syncrepo.Ignored(rel); never {
				p.found(report.Warn, false, rel+" is tracked on the remote and must not be", p.known(rel), why)
			}
			s.Items = append(s.Items, c)
		}
	}
	return nil
}
