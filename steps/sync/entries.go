// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git's answers are read strictly; what has another form is
// an error, and the bytes of an object are those that its name says. What
// moves into the repository is a regular file of a place that belongs to the
// layout, and nothing that the repository has.

package sync

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// The modes of git's entries.
const (
	noMode   = "000000"
	fileMode = "100644"
	execMode = "100755"
	linkMode = "120000"
	repoMode = "160000"
)

// treeEntry is one file that differs between two trees.
type treeEntry struct {
	path             string
	oldMode, newMode string
	oldID, newID     string
}

// commit is one commit with the files that it changed.
type commit struct {
	id, subject, message string
	entries              []treeEntry
}

// parseEntries reads git-diff-tree(1)'s raw format with -z.
func parseEntries(fields []string) (list []treeEntry, rest []string, err error) {
	for len(fields) > 1 && strings.HasPrefix(fields[0], ":") {
		words := strings.Fields(fields[0][1:])
		if len(words) != 5 || fields[1] == "" || len(words[4]) != 1 || !strings.Contains("AMDT", words[4]) {
			return nil, nil, syncrepo.OtherForm(fields[0])
		}
		list = append(list, treeEntry{fields[1], words[0], words[1], words[2], words[3]})
		fields = fields[2:]
	}
	return list, fields, nil
}

// parseCommits reads the answer to proc.Bare.CommitEntries, newest first.
func parseCommits(out string) (list []commit, err error) {
	for part := range strings.SplitSeq(out, "\x00commit\x00") {
		if strings.Trim(part, "\x00\n") == "" {
			continue
		}
		fields := strings.Split(part, "\x00")
		if len(fields) < 3 {
			return nil, syncrepo.ErrCut
		}
		c := commit{id: fields[0], subject: fields[1], message: fields[2]}
		rest := fields[3:]
		for len(rest) > 0 && strings.Trim(rest[0], "\n") == "" {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			rest[0] = strings.TrimLeft(rest[0], "\n")
		}
		if c.entries, rest, err = parseEntries(rest); err != nil {
			return nil, err
		}
		if strings.Trim(strings.Join(rest, ""), "\n") != "" {
			return nil, syncrepo.OtherForm(rest[0])
		}
		list = append(list, c)
	}
	return list, nil
}

// differences lists the files that differ between two trees.
func (e *Exchange) differences(ctx context.Context, from, to string) ([]treeEntry, error) {
	res := e.r.Run(ctx, e.own.Entries(from, to))
	var list []treeEntry
	if res.OK() {
		list, _, res.Err = parseEntries(strings.Split(string(res.Stdout), "\x00"))
	}
	if !res.OK() {
		return nil, e.inGit(ctx, "the commits cannot be compared", res)
	}
	return list, nil
}

// errTooLarge says that an object has more bytes than are read.
var errTooLarge = errors.New("is larger than 64 MiB")

// readAhead reads what the files of a list hold with one question, not one each; what
// is missing from the answer is asked for, and said, by blob.
func (e *Exchange) readAhead(ctx context.Context, list []treeEntry) {
	var ids []string
	for _, x := range list {
		if slices.Contains([]string{fileMode, execMode, linkMode}, x.newMode) {
			ids = append(ids, x.newID)
		}
	}
	e.ahead = gitrepo.Batch(ids, func(ids []string) proc.Result { return e.r.Run(ctx, e.own.Blobs(ids...)) })
}

// blob returns the bytes of an object, nil for none.
func (e *Exchange) blob(ctx context.Context, mode, id string) ([]byte, error) {
	if mode == noMode || mode == "" {
		return nil, nil
	}
	if b, ok := e.ahead[id]; ok && blobName(b, id) == id {
		return append([]byte{}, b...), nil
	}
	res := e.r.Run(ctx, e.own.Blob(id))
	switch {
	case errors.Is(res.Err, proc.ErrCut):
		return nil, errTooLarge
	case !res.OK():
		return nil, errors.New(lastWords(res))
	case blobName(res.Stdout, id) != id:
		return nil, errors.New("is damaged: its bytes are not those that its name says")
	}
	return append([]byte{}, res.Stdout...), nil
}

// blobName is git's name for bytes, in the form of another name.
func blobName(b []byte, like string) string {
	head := fmt.Appendf(nil, "blob %d\x00", len(b))
	if len(like) == 2*sha256.Size {
		sum := sha256.Sum256(append(head, b...))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(append(head, b...)) // git's name for an object
	return hex.EncodeToString(sum[:])
}

// at is one path of a commit; an empty mode means that it is not there.
func (e *Exchange) at(ctx context.Context, commit, path string) (mode, id string, err error) {
	if commit == "" {
		return "", "", nil
	}
	res := e.r.Run(ctx, e.own.Find(commit, path))
	if !res.OK() {
		return "", "", errors.New(lastWords(res))
	}
	head, name, _ := strings.Cut(strings.TrimSuffix(string(res.Stdout), "\x00"), "\t")
	words := strings.Fields(head)
	if name != path || len(words) != 3 {
		return "", "", nil
	}
	return words[0], words[2], nil
}

// moveIn adds the files that lie in the places of the layout to the repository;
// linkParts then puts links in their place.
func (p *planner) moveIn(s *report.Section) error {
	for _, part := range syncrepo.Layout(p.r.Places()) {
		if part.Place == "" || part.Name == syncrepo.Memory || part.Name == syncrepo.Bin {
			continue
		}
		if err := p.takeIn(s, part.Name, part.Place, 0); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) takeIn(s *report.Section, rel, path string, depth int) error {
	info, err := p.r.Lstat(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return nil
	case err != nil:
		return unreadable(path, err)
	case info.Mode()&iofs.ModeSymlink != 0:
		if real, err := p.r.Resolve(path); err == nil && !pathname.Within(real, p.real) && !p.has(rel) {
			p.found(report.Warn, false, p.home(path)+ownLink, path, "a symlink to "+p.target(path))
		}
		return nil
	case info.IsDir() && depth < maxDepth:
		list, err := p.r.ReadDir(path)
		if err != nil {
			return unreadable(path, err)
		}
		for _, e := range list {
			if err := p.takeIn(s, rel+"/"+e.Name(), filepath.Join(path, e.Name()), depth+1); err != nil {
				return err
			}
		}
		return nil
	case !info.Mode().IsRegular() || p.has(rel):
		return nil
	case info.Size() > fs.MaxRead:
		p.found(report.Warn, false, p.home(path)+" is larger than 8 MB and stays", path,
			"a file of this size does not belong into the repository")
		return nil
	}
	if why, never := syncrepo.Ignored(rel); never {
		p.found(report.Warn, false, p.home(path)+" is never tracked and stays", path, why)
		return nil
	}
	if real, err := p.r.Resolve(path); err != nil || pathname.Within(real, p.real) {
		return nil //nolint:nilerr // what leads nowhere moves nowhere
	}
	if p.leaves(rel) {
		p.leadsOut(path, "stays")
		return nil
	}
	b, err := p.r.ReadAll(path)
	if err != nil {
		return unreadable(path, err)
	}
	if b == nil {
		b = []byte{}
	}
	s.Items = append(s.Items, p.add(rel, "moves into the repository; a symlink takes its place", b, info.Mode().Perm()))
	if p.instructions(rel) {
		return p.backup(s, path, b, info.Mode().Perm())
	}
	return nil
}
