// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was fetched is kept below the cache directory, whole
// or not at all, by one process at a time.

package engine

import (
	"encoding/json"
	iofs "io/fs"
	"path/filepath"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
)

// Filling takes the lock of a directory of the cache that is to be filled; its
// parents are made. The error says that another process fills it.
func Filling(dir string) (unlock func(), err error) { return fs.Lock(dir + ".lock") }

// ForgetCached removes a directory below the cache directory, which whoever
// asks holds the lock of.
func ForgetCached(cache, dir string) error {
	if rel, err := filepath.Rel(cache, dir); err != nil || rel == "." || !filepath.IsLocal(rel) {
		return iofs.ErrInvalid
	}
	return fs.Forget(dir)
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
	return fs.Store(fetchedPath(cache, name), b)
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
