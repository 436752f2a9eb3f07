// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: exactly the approved package is fetched, into the cache
// alone. It lies beside, under another name, until it is whole; one that was
// killed is gone on with. The cache is bounded.

package engine

import (
	"cmp"
	"context"
	"encoding/json"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// partial begins the name of a directory that is being fetched into; NoNPM is
// said where nothing can be.
const partial, NoNPM = ".partial-", "npm is not on PATH"

// NpmCache is npm's own cache below the directory that is fetched into.
func NpmCache(into string) string { return filepath.Join(into, ".npm") }

// Fetch fetches a version of d, which an approved plan names, by the npm client
// of r. Of the versions in the cache at most keep stay. It is no error that the
// version is there already.
func (a Applier) Fetch(ctx context.Context, r host.Reader, d report.Download, version string, keep int) error {
	if !slices.Contains(d.Versions, version) || strings.ContainsAny(version, "/\\") || version == "" {
		return &report.Error{Code: report.ExitStale, Where: d.Package + "@" + version, What: "is not what the plan shows",
			Why: "only what was shown may be fetched; nothing was changed", Next: "make a new plan"}
	}
	if err := fs.Private(d.Into); err != nil {
		return err
	}
	unlock, err := fs.Lock(filepath.Join(d.Into, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	to, program := filepath.Join(d.Into, version), r.Places().Agent.Program
	if _, err := r.Stat(filepath.Join(to, program)); err == nil {
		return nil
	}
	clearPartial(d.Into)
	// A name of its own: an npm that outlived a run that was killed may still
	// write into that run's directory. What npm got is in its cache.
	dir, cache := filepath.Join(d.Into, partial+version+"-"+strconv.FormatInt(a.Now().UnixNano(), 36)), NpmCache(d.Into)
	got := filepath.Join(dir, "node_modules", d.Package)
	if err := fs.Private(dir); err != nil {
		return err
	}
	defer func() { _ = fs.Forget(dir) }()
	a.step("fetch")
	res := r.Run(ctx, proc.NpmFetch(dir, cache, d.Package+"@"+version))
	switch {
	case ctx.Err() != nil:
		return &report.Error{Code: report.ExitInterrupted, What: "interrupted",
			Why: "the version is not in the cache", Next: "the same command continues"}
	case res.Missing():
		return notFetched(d, version, NoNPM)
	case !res.OK():
		return notFetched(d, version, npmSaid(res))
	}
	if err := whole(r, d, version, dir, got); err != nil {
		return err
	}
	if err := fs.SyncFile(filepath.Join(got, program)); err != nil {
		return notFetched(d, version, err.Error())
	}
	a.step("settle")
	_ = fs.Forget(to) // what is there is not whole
	if err := fs.Settle(got, to); err != nil {
		return notFetched(d, version, err.Error())
	}
	_ = fs.Forget(cache)
	return bound(r, d.Into, version, keep)
}

func (a Applier) step(stage string) {
	if a.Step != nil {
		a.Step(stage)
	}
}

// whole says whether what npm fetched is what was approved: npm notes what it
// has checked in a lock file of its own.
func whole(r host.Reader, d report.Download, version, dir, got string) error {
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	b, err := r.Read(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil || json.Unmarshal(b, &lock) != nil {
		return notFetched(d, version, "npm did not note what it fetched")
	}
	p := lock.Packages["node_modules/"+d.Package]
	switch {
	case p.Version != version || p.Integrity == "":
		return notFetched(d, version, "npm fetched "+cmp.Or(p.Version, "nothing")+" without an integrity")
	case d.Integrity != "" && p.Integrity != d.Integrity:
		return notFetched(d, version, "its integrity is another than that of the plan")
	}
	program := r.Places().Agent.Program
	if info, err := r.Lstat(filepath.Join(got, program)); err != nil || !info.Mode().IsRegular() ||
		info.Mode()&0o111 == 0 {
		return notFetched(d, version, "the package has no executable "+program)
	}
	return nil
}

// npmSaid is the first line in which npm says what failed.
func npmSaid(res proc.Result) string {
	if res.Err != nil {
		return res.Err.Error()
	}
	for line := range strings.Lines(string(res.Stderr)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "npm error "); ok && !strings.HasPrefix(rest, "code ") &&
			!strings.HasPrefix(rest, "errno ") {
			return redact.Line(redact.Text(rest), 200)
		}
	}
	return redact.Line(redact.Text(res.Text()), 200)
}

func notFetched(d report.Download, version, why string) error {
	return &report.Error{Code: report.ExitLeft, Where: d.Package + "@" + version, What: "was not fetched: " + why,
		Why:  "the cache is unchanged; the installed version was not touched",
		Next: "fix the cause, then run the same command again"}
}

// clearPartial removes what fetches that were killed left. It needs the lock.
func clearPartial(dir string) {
	names, _ := fs.List(dir)
	for _, name := range names {
		if strings.HasPrefix(name, partial) {
			_ = fs.Forget(filepath.Join(dir, name))
		}
	}
}

// bound removes the versions that were fetched longest ago, but not the one
// that was fetched now, nor what is no version: the directory may be a symlink.
func bound(r host.Reader, dir, now string, keep int) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return n == now || !host.There(r, filepath.Join(dir, n, r.Places().Agent.Program))
	})
	age := func(name string) int64 {
		info, err := r.Lstat(filepath.Join(dir, name))
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(age(x), age(y)) })
	for _, name := range names[:max(0, len(names)-keep+1)] {
		_ = fs.Forget(filepath.Join(dir, name))
	}
	return nil
}

// ForgetFetched removes versions from the directory that Fetch fetched into, or
// all of it.
func (a Applier) ForgetFetched(dir string, versions []string, all bool) error {
	if err := fs.Private(dir); err != nil {
		return err
	}
	unlock, err := fs.Lock(filepath.Join(dir, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if all {
		return fs.Forget(dir)
	}
	clearPartial(dir)
	for _, v := range versions {
		if err := fs.Forget(filepath.Join(dir, v)); err != nil {
			return err
		}
	}
	return nil
}

// Filling takes the lock of a directory of the cache that is to be filled; its
// parents are made. The error says that another process fills it.
func Filling(dir string) (unlock func(), err error) { return fs.Lock(dir + ".lock") }

// ForgetCached removes a directory below the cache directory, which whoever
// asks holds the lock of. What a symlink in the cache leads out to stays.
func ForgetCached(cache, dir string) error {
	rel, err := filepath.Rel(cache, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return iofs.ErrInvalid
	}
	return fs.ForgetIn(cache, rel)
}

// Private makes a directory of the cache, and those above it.
func Private(dir string) error { return fs.Private(dir) }

// WithoutFilters makes git take files of the bare repository dir, which lies in
// the cache, as the commit holds them, whatever a .gitattributes or the user's
// settings say: no filter is started (gitattributes(5): info/attributes counts
// most, also for the working directories of the repository).
func WithoutFilters(dir string) error {
	return fs.Store(filepath.Join(dir, "info", "attributes"),
		[]byte("* -filter -text -eol -crlf -ident -working-tree-encoding\n"))
}

// fetched is what is kept of an answer of the network.
type fetched struct {
	From string          `json:"from"`
	At   time.Time       `json:"at"`
	Body json.RawMessage `json:"body"`
}

// KeepFetched keeps what an address answered, as JSON, under name.
func KeepFetched(cache, name, from string, now time.Time, body []byte) error {
	b, err := json.Marshal(fetched{from, now, body})
	if err != nil {
		return err
	}
	return fs.Cache(fetchedPath(cache, name), b)
}

// Fetched returns what is kept under name of that address, and since when. ok
// is false where nothing is, or nothing that is whole, or something from a time
// after now.
func Fetched(cache, name, from string, now time.Time) (body []byte, at time.Time, ok bool) {
	b, err := fs.Read(fetchedPath(cache, name))
	var f fetched
	if err != nil || json.Unmarshal(b, &f) != nil || f.From != from || f.At.After(now) {
		return nil, time.Time{}, false
	}
	return f.Body, f.At, true
}

func fetchedPath(cache, name string) string { return filepath.Join(cache, "upstream", name+".json") }
