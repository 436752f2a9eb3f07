// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a document follows from its path and its text alone, and is
// never changed after it was made; so it is remembered by them, and by nothing
// that may be something else a moment later.

package settings

import (
	"slices"
	"sync"
)

// maxRemembered bounds what is remembered, in bytes of text. One command reads
// few files, and each of them for many checks.
const maxRemembered = 16 << 20

// remembered are the documents that were read last. What was refused is read
// again: it is short work, and nobody asks it often.
var remembered memory

type memory struct {
	mu   sync.Mutex
	size int
	docs map[written]*Doc
}

// written is a file's text with its path.
type written struct{ path, body string }

// doc returns the document of a text, which read makes where it is not known.
func (m *memory) doc(path string, b []byte, read func(string, []byte) (*Doc, error)) (*Doc, error) {
	if len(b) == 0 { // no file and an empty one are two documents
		return read(path, b)
	}
	key := written{path, string(b)}
	m.mu.Lock()
	d := m.docs[key]
	m.mu.Unlock()
	if d != nil {
		return d, nil
	}
	d, err := read(path, []byte(key.body)) // the caller's bytes may change
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if first := m.docs[key]; first != nil {
		return first, nil
	}
	if m.size += len(key.body) + len(key.path); m.docs == nil || m.size > maxRemembered {
		m.docs, m.size = map[written]*Doc{}, len(key.body)+len(key.path)
	}
	m.docs[key] = d
	return d, nil
}

// maxTogether bounds how many sets of documents are remembered: one for each
// start that a command judges, and those of the settings as planned.
const maxTogether = 64

// together are the sets of documents that were combined last.
var together sets

type sets struct {
	mu   sync.Mutex
	last []combined
}

// combined is what documents make together in places. Documents that are the
// same are one (memory).
type combined struct {
	layers []Layer
	dirs   Dirs
	made   *Effective
}

// of returns what documents make together, which unite works out where it is
// not known.
func (t *sets) of(layers []Layer, dirs Dirs, unite func([]Layer, Dirs) *Effective) *Effective {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.last {
		if c.dirs == dirs && slices.Equal(c.layers, layers) {
			return c.made
		}
	}
	made := unite(layers, dirs)
	if len(t.last) == maxTogether {
		t.last = slices.Delete(t.last, 0, 1)
	}
	t.last = append(t.last, combined{slices.Clone(layers), dirs, made})
	return made
}
