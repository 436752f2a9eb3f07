// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a machine would be with another file is asked of that
// machine; nothing is written for it.

package host

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/fs"
)

// With is the machine r where the file at each of some paths holds content.
func With(r Reader, content []byte, paths ...string) Reader { return with{r, content, paths} }

type with struct {
	Reader
	content []byte
	paths   []string
}

// Read, Script and ReadAll implement Reader.
func (w with) Read(path string) ([]byte, error)    { return w.with(path, w.Reader.Read) }
func (w with) ReadAll(path string) ([]byte, error) { return w.with(path, w.Reader.ReadAll) }
func (w with) Script(path string) ([]byte, error) {
	b, err := w.with(path, w.Reader.Script)
	return fs.ScriptOf(b), err
}

func (w with) with(path string, read func(string) ([]byte, error)) ([]byte, error) {
	if slices.Contains(w.paths, path) {
		return w.content, nil
	}
	return read(path)
}
