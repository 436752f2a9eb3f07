// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a plan would leave is read as if it were there.

package host

import (
	iofs "io/fs"
	"path/filepath"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Planned is a file as a plan would leave it: nil Bytes for none; Mode are the
// permissions of a new one.
type Planned struct {
	Bytes []byte
	Mode  iofs.FileMode
}

// With is the machine r with some planned files, by their real paths, which it looks up
// as it is asked.
func With(r Reader, planned map[string]Planned) Reader { return with{r, planned} }

// Changed is the machine r as a change would leave it; its Target may lie behind a
// symlink, as git's own files do where .git is one.
func Changed(r Reader, c report.Change) Reader {
	return With(r, map[string]Planned{Resolved(r, c.Target): {c.After, c.Mode}})
}

type with struct {
	Reader
	planned map[string]Planned
}

// at is what the plan leaves at path, if it writes there.
func (w with) at(path string) (p Planned, ok bool) {
	if target, err := w.Reader.Resolve(path); err == nil {
		p, ok = w.planned[target]
	}
	return p, ok
}

func (w with) Read(path string) ([]byte, error)    { return w.bytes(path, w.Reader.Read) }
func (w with) ReadAll(path string) ([]byte, error) { return w.bytes(path, w.Reader.ReadAll) }

func (w with) Script(path string) ([]byte, error) {
	b, err := w.bytes(path, w.Reader.Script)
	return fs.ScriptOf(b), err
}

func (w with) ReadIn(root, rel string) ([]byte, error) {
	return w.bytes(filepath.Join(root, rel), func(string) ([]byte, error) { return w.Reader.ReadIn(root, rel) })
}

func (w with) bytes(path string, read func(string) ([]byte, error)) ([]byte, error) {
	if p, ok := w.at(path); ok {
		return p.Bytes, nil
	}
	return read(path)
}

// Stat and Lstat describe a file that is there as it is, and one that the plan makes.
func (w with) Stat(path string) (iofs.FileInfo, error)  { return w.info(path, w.Reader.Stat) }
func (w with) Lstat(path string) (iofs.FileInfo, error) { return w.info(path, w.Reader.Lstat) }

func (w with) info(path string, look func(string) (iofs.FileInfo, error)) (iofs.FileInfo, error) {
	info, err := look(path)
	if p, ok := w.at(path); err != nil && ok {
		return plannedInfo{filepath.Base(path), p}, nil
	}
	return info, err
}

// plannedInfo is a regular file that is not written yet.
type plannedInfo struct {
	name string
	f    Planned
}

func (i plannedInfo) Name() string        { return i.name }
func (i plannedInfo) Size() int64         { return int64(len(i.f.Bytes)) }
func (i plannedInfo) Mode() iofs.FileMode { return i.f.Mode }
func (i plannedInfo) ModTime() time.Time  { return time.Time{} }
func (i plannedInfo) IsDir() bool         { return false }
func (i plannedInfo) Sys() any            { return nil }
