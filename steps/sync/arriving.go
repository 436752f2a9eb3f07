// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each file that arrives is a change like any other: shown,
// compared with what is there, its old bytes kept. What runs outside the
// sandbox is named, and asked about.

package sync

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// Pull computes what arrives. The error is a *report.Error: a conflict, or
// something that is not taken.
func (e *Exchange) Pull(ctx context.Context) error {
	e.to = e.from
	if e.theirs == "" || e.from != "" && e.ancestor(ctx, e.theirs, e.from) {
		return nil
	}
	arriving, err := e.commits(ctx, e.theirs, e.from)
	if err != nil {
		return err
	}
	e.Arriving = subjects(arriving)
	if err := e.plainFiles(ctx); err != nil {
		return err
	}
	// First what is between here and there, for the files that differ from the
	// last commit here: they are put on top, too.
	list, err := e.differences(ctx, cmp.Or(e.from, e.emptyTree), e.theirs)
	if err != nil {
		return err
	}
	merged, err := e.integrate(ctx, list)
	if err != nil {
		return err
	}
	if list, err = e.differences(ctx, cmp.Or(e.from, e.emptyTree), e.to); err != nil {
		return err
	}
	if err := e.propose(ctx, list, merged); err != nil {
		return err
	}
	return e.indexFits(ctx)
}

// refused is a file that is not taken, and why.
type refused struct{ path, why string }

// propose makes the changes of the arriving files.
func (e *Exchange) propose(ctx context.Context, list []treeEntry, merged map[string]object) error {
	var bad []refused
	e.readAhead(ctx, list)
	for _, x := range list {
		c, needed, err := e.change(ctx, x, merged[x.path])
		if err != nil {
			bad = append(bad, refused{x.path, err.Error()})
			continue
		}
		if !needed {
			continue
		}
		if (syncrepo.Executes(x.path) || x.newMode == execMode || x.newMode == linkMode) && !e.ours(x.path, c) {
			e.Asks = append(e.Asks, x.path)
		}
		e.Changes = append(e.Changes, c)
	}
	if len(bad) == 0 {
		return nil
	}
	next := e.compare("; change them on the machine that they are from")
	all := func(why error) bool {
		return !slices.ContainsFunc(bad, func(b refused) bool { return b.why != why.Error() })
	}
	switch {
	case all(errKind):
		next = e.git("pull --rebase") + "   takes it, once what git status lists is committed; then try again"
	case all(errUntracked):
		next = "move what is here out of " + e.dir + ", pull again, and take over by hand what you miss"
	}
	why := make([]string, 0, len(bad))
	for _, b := range bad {
		why = append(why, quoted(b.path)+" "+b.why)
	}
	also := ""
	if len(why) > 1 {
		also = ". Nor: " + strings.Join(why[1:min(len(why), 10)], "; ")
	}
	return &report.Error{Code: report.ExitLeft, Where: e.dir, What: "not pulled: " + why[0], Why: "nothing was changed" +
		also, Next: next}
}

// change is what one arriving file changes here. merged is what it is with the
// changes that are not committed here, if there are any.
func (e *Exchange) change(ctx context.Context, x treeEntry, merged object) (report.Change, bool, error) {
	none := report.Change{}
	if why := named(x.path); why != "" {
		return none, false, errors.New(why)
	}
	lock := x.path == syncrepo.LockPath("")
	if lock && x.newMode == noMode {
		return none, false, nil // untracked, and held right now
	}
	// The source document's script commits its own lock, which is empty.
	held := lock && x.newMode == fileMode && blobName(nil, x.newID) == x.newID
	if why, never := syncrepo.Ignored(x.path); never && !held && x.newMode != noMode && x.oldMode == noMode {
		return none, false, errors.New("must never be tracked: " + why)
	}
	if slices.Contains([]string{x.oldMode, x.newMode}, repoMode) {
		return none, false, errors.New("is a submodule, which is not synced")
	}
	if x.oldMode != noMode && x.newMode != noMode && (x.oldMode == linkMode) != (x.newMode == linkMode) {
		return none, false, errors.New("changes between a file and a symlink")
	}
	isMerged := merged.id != ""
	if isMerged {
		x.newMode, x.newID = merged.mode, merged.id
	}
	after, err := e.blob(ctx, x.newMode, x.newID)
	if err != nil {
		return none, false, err
	}
	if x.newMode == linkMode && leadsOut(x.path, string(after)) {
		return none, false, errors.New("is a symlink that leads out of the repository")
	}
	now, err := e.here(x.path)
	if errors.Is(err, errKind) && x.newMode == linkMode { // git alone would take it unseen
		err = errors.New("changes between a directory and a symlink")
	}
	if err != nil {
		return none, false, err
	}
	before := strings.TrimPrefix(x.oldMode, noMode)
	if now.mode == strings.TrimPrefix(x.newMode, noMode) && bytes.Equal(now.bytes, after) {
		return none, false, nil // it is there: a run that was stopped goes on
	}
	same := now.mode == before && (before == "" || blobName(now.bytes, x.oldID) == x.oldID)
	if !same && !isMerged {
		if before == "" {
			return none, false, errUntracked
		}
		return none, false, errors.New("changed here, and is not committed")
	}
	full := filepath.Join(e.dir, x.path)
	c := report.Change{ID: report.ID("pull/" + x.path), Why: e.why(x), Path: full, Target: full, Within: e.dir,
		Before: now.bytes, After: after, ModeBefore: now.perm}
	switch {
	case x.newMode == linkMode || x.oldMode == linkMode:
		c.Mode = iofs.ModeSymlink
	case x.newMode == execMode:
		c.Mode = 0o755
	case x.newMode == fileMode:
		c.Mode = 0o644
	}
	if now.bytes != nil && now.mode != x.newMode && !c.Link() && after != nil {
		c.SetMode, c.Mode = true, now.perm&^0o111
		if x.newMode == execMode {
			c.Mode = fs.Executable(c.Mode)
		}
	}
	return c, true, nil
}

func (e *Exchange) why(x treeEntry) string {
	what := map[bool]string{true: "changed", false: "new"}[x.oldMode != noMode]
	if x.newMode == noMode {
		what = "deleted"
	}
	what += " on another machine"
	if x.newMode == execMode && x.oldMode != execMode {
		what += ", executable"
	}
	if syncrepo.Executes(x.path) {
		what += "; runs outside the sandbox or is read as instructions"
	}
	return what
}

// ours says whether the change leaves, byte for byte, what this program would
// write: a script of today's version that calls this program.
func (e *Exchange) ours(rel string, c report.Change) bool {
	if c.After == nil || c.Link() {
		return false
	}
	s, ok := scripts.Recognize(c.After)
	if !ok || !s.Current || s.Name != path.Base(rel) || s.Binary == "" {
		return false
	}
	exe := e.r.System().Executable
	real, err := e.r.Resolve(s.Binary)
	return err == nil && slices.Contains([]string{exe, filepath.Join(filepath.Dir(exe), "steward-hook")}, real)
}

// converting are the attributes by which a file is another one on the disk than
// in the commit (gitattributes(5)).
var converting = []string{"filter", "eol", "ident", "working-tree-encoding", "crlf"}

// plainFiles refuses attributes that convert files or name a merge program.
func (e *Exchange) plainFiles(ctx context.Context) error {
	list, err := e.differences(ctx, e.emptyTree, e.theirs)
	if err != nil {
		return err
	}
	for _, x := range list {
		if path.Base(x.path) != ".gitattributes" || x.newMode != fileMode && x.newMode != execMode {
			continue
		}
		b, err := e.blob(ctx, x.newMode, x.newID)
		if err != nil {
			return e.notTaken(x.path, err.Error())
		}
		if word := converts(string(b)); word != "" {
			return e.notTaken(x.path, "sets "+word+", which would start a program or make files differ between machines")
		}
	}
	return nil
}

func (e *Exchange) notTaken(rel, why string) error {
	return &report.Error{Code: report.ExitLeft, Where: e.dir, What: "not pulled: " + quoted(rel) + " " + why,
		Why: "nothing was changed", Next: "remove it on the machine that it is from"}
}

// converts returns the first word of attributes that is not taken.
func converts(text string) string {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.HasPrefix(words[0], "#") {
			continue
		}
		for _, w := range words[1:] {
			name, value, set := strings.Cut(w, "=")
			merges := name == "merge" && set && !slices.Contains([]string{"text", "binary", "union"}, value)
			if merges || slices.Contains(converting, name) && w != "eol=lf" { // eol=lf is what the commit holds
				return fmt.Sprintf("%q", w)
			}
		}
	}
	return ""
}
