// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a pattern in allowWrite opens at most what it matches when
// a session starts: the sandbox mounts paths that are there. On Linux one with
// a wildcard other than a last "/**" opens nothing (measured with 2.1.329);
// macOS goes by patterns, also for what is made later, and settings are
// shared. What denyRead hides outside of the home is hidden for a reason, and
// an entry that opens a part of it again is named with what it opens.

package checks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// maxMatches bounds what is looked at for one pattern.
const maxMatches = 1000

// matchesOf lists the paths that an entry means and that are there. known is
// false where that was not found out: for "**", in directories that cannot be
// listed, and of too many.
func matchesOf(r host.Reader, pattern string) (list []string, known bool) {
	if strings.Contains(pattern, "**") {
		return nil, false
	}
	list = []string{"/"}
	for name := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		var next []string
		for _, dir := range list {
			if !strings.ContainsAny(name, "*?[") {
				if _, err := r.Lstat(filepath.Join(dir, name)); err == nil {
					next = append(next, filepath.Join(dir, name))
				}
				continue
			}
			if info, err := r.Stat(dir); err != nil || !info.IsDir() {
				continue
			}
			entries, err := r.ReadDir(dir)
			if err != nil {
				return nil, false
			}
			for _, e := range entries {
				if ok, err := filepath.Match(name, e.Name()); ok || err != nil {
					next = append(next, filepath.Join(dir, e.Name()))
				}
			}
		}
		if list = next; len(list) > maxMatches {
			return nil, false
		}
	}
	return list, true
}

// spread puts what patterns match in their place, where the sandbox mounts.
func spread(r host.Reader, entries []entry) []entry {
	if r.System().GOOS != "linux" {
		return entries
	}
	var list []entry
	for _, e := range entries {
		found, known := matchesOf(r, e.real)
		if !known || !strings.ContainsAny(e.real, "*?[") {
			list = append(list, e)
			continue
		}
		for _, path := range found {
			e.real = realPath(r, path)
			list = append(list, e)
		}
	}
	return list
}

// opensNothing says whether nothing is there that an entry means, and no
// command can make it: what is hidden below the home is memory to them, where
// the sandbox mounts.
func (j *pathJudge) opensNothing(e entry) bool {
	if j.r.System().GOOS != "linux" {
		return false
	}
	found, known := matchesOf(j.r, e.real)
	if !known || len(found) > 0 {
		return false
	}
	for dir := filepath.Dir(pathname.BeforeWildcard(e.real)); ; dir = filepath.Dir(dir) {
		if _, err := j.r.Lstat(dir); err == nil || dir == "/" {
			return under(dir, j.hidden) && !under(dir, j.own)
		}
	}
}

// calledLikePattern judges an entry that is no pattern, in a project that is called
// like one. Measured with 2.1.330: "." of ~/code/a*b, a?b or a[1] in allowRead opens
// each directory that the name matches, for reading; braces and "!" mean themselves,
// and what the policy denies holds. o opens nothing where no other directory is so called.
func (j *pathJudge) calledLikePattern(e entry, o opening) (_ opening, is bool) {
	if !strings.ContainsAny(e.real, "*?[") || strings.ContainsAny(e.text, "*?[") {
		return o, false
	}
	others, known := matchesOf(j.r, e.real)
	others = slices.DeleteFunc(others, func(path string) bool { return path == e.named || path == e.real })
	switch {
	case !known:
		others = []string{"all that it matches"}
	case len(others) == 0:
		return o, true
	}
	o.status, o.opens = report.Warn, "The runtime reads the name of this directory as a pattern: commands can also read "+
		others[0]+"."
	o.remedy = report.DocLink{Title: "rename the directory, so that its path has no *, ? or [", Target: e.named}
	return o, true
}

// closesNothing lists the patterns in denyWrite. Measured with 2.1.330 on Linux, for
// files that were there and for new ones: commands write what *, ?, [] and ** match;
// only a last "/**" closes the directory before it. macOS goes by patterns.
func closesNothing(r host.Reader, s SessionSettings) (found []opening) {
	if r.System().GOOS != "linux" {
		return nil
	}
	for _, e := range entriesIn(r, s, claude.KeyDenyWrite.String()) {
		if e.text == "**" || !strings.ContainsAny(strings.TrimSuffix(e.text, "/**"), "*?[") {
			continue
		}
		found = append(found, opening{status: report.Warn, group: openIneffective, where: e.where, path: e.path, what: e.text,
			opens: "On Linux this pattern closes nothing: commands can write what it matches. Name the files, or a directory.",
			plain: e.plain()})
	}
	return found
}

// reopens judges an entry that opens what a denyRead in force hides outside of
// the home; in the home all is hidden, and what is open there is judged by what
// it is. Measured with 2.1.324 and 2.1.329: allowRead, allowWrite and
// permissions open a hidden place and what is below it; an entry above it
// leaves it hidden.
func (j *pathJudge) reopens(e entry, o opening) (opening, bool) {
	if under(e.real, j.own) {
		return o, false // the project may lie there
	}
	for _, hidden := range j.hidden {
		if pathname.Within(hidden, j.realHome) || pathname.Within(j.realHome, hidden) || !inPattern(e.real, hidden) {
			continue
		}
		o.status, o.opens = report.Warn, "denyRead hides "+hidden+", and this entry opens it to commands again."
		for _, p := range []string{e.real, hidden} {
			if which, ok := sensitive.CredentialPath(p, j.realHome); ok {
				o.status, o.voids, o.opens = report.Fail, true, "Commands can read "+which+", which denyRead hides."
			}
		}
		return o, true
	}
	return o, false
}

// inPattern says whether path may be what a pattern means, or lie below that;
// both may hold wildcards.
func inPattern(path, pattern string) bool {
	names, parts := strings.Split(path, "/"), strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if len(names) < len(parts) {
		return false
	}
	may := func(part, name string) bool { ok, err := filepath.Match(part, name); return ok || err != nil }
	for i, part := range parts {
		if names[i] == "**" && slices.Equal(names[:i], parts[:i]) {
			return true
		}
		if !may(part, names[i]) && !may(names[i], part) {
			return false
		}
	}
	return true
}
