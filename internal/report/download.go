// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a download is data, like a change: what, from where, how
// large, into which directory of this program's own. Nobody can fetch what it
// does not say.

package report

// Download is one package as it would be fetched into this program's cache.
type Download struct {
	ID  ID
	Why string
	// Package is its name in the registry, Versions are those that may be
	// fetched, at most AtMost of them: more than one only where which of them
	// is found out on the way.
	Package  string
	Versions []string
	AtMost   int
	// From is the address that the registry gives, Integrity what the bytes
	// have to be (SRI, as npm checks it); both "" where there are several
	// versions: the client checks each against the registry's own word.
	From, Integrity string
	// Bytes is how large one version is, unpacked; 0 if the registry does not
	// say it.
	Bytes int64
	// Into is the directory of the cache.
	Into string
}

func (Download) item() {}

// Key is the item's id within its plan.
func (d Download) Key() ID { return d.ID }

// Downloads lists what a plan would fetch.
func (p Plan) Downloads() []Download { return of[Download](p) }
