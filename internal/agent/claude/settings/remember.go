// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a document follows from its path and its text alone, and is
// never changed after it was made; so it is remembered by them, and by nothing
// that may be something else a moment later.

package settings

import "sync"

// maxRemembered bounds what is remembered, in bytes: text, and perValue for each
// value. One command reads few files, and each of them for many checks. A
// document of more than manyValues, which no person wrote, is read again.
const (
	maxRemembered = 16 << 20
	perValue      = 120
	manyValues    = 10_000
)

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

// doc returns the document of a text, which read makes where it is unknown.
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
	if d.values > manyValues {
		return d, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if first := m.docs[key]; first != nil {
		return first, nil
	}
	cost := len(key.body) + len(key.path) + perValue*d.values
	if m.size += cost; m.docs == nil || m.size > maxRemembered {
		m.docs, m.size = map[written]*Doc{}, cost
	}
	m.docs[key] = d
	return d, nil
}
