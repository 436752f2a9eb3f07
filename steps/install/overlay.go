// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever reads through the overlay sees the disk as the
// plan would leave it.

package install

import (
	iofs "io/fs"
	"path/filepath"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
)

// overlay is a host.Reader over a draft.
type overlay struct {
	host.Reader
	d *draft
}

// pending returns what the plan leaves at path, if it writes there.
func (o overlay) pending(path string) (pendingFile, bool) {
	target, err := o.Reader.Resolve(path)
	if err != nil {
		return pendingFile{}, false
	}
	p, ok := o.d.pending[target]
	return p, ok
}

// Read returns a file's bytes as the plan would leave them.
func (o overlay) Read(path string) ([]byte, error) {
	if p, ok := o.pending(path); ok {
		return p.bytes, nil
	}
	return o.Reader.Read(path)
}

// ReadIn is Read for a file below root.
func (o overlay) ReadIn(root, rel string) ([]byte, error) {
	if p, ok := o.pending(filepath.Join(root, rel)); ok {
		return p.bytes, nil
	}
	return o.Reader.ReadIn(root, rel)
}

// Stat describes a file as the plan would leave it.
func (o overlay) Stat(path string) (iofs.FileInfo, error) {
	if p, ok := o.pending(path); ok {
		return plannedInfo{filepath.Base(path), p}, nil
	}
	return o.Reader.Stat(path)
}

// Lstat is Stat where path itself is no link; a link stays what it is.
func (o overlay) Lstat(path string) (iofs.FileInfo, error) {
	info, err := o.Reader.Lstat(path)
	if err == nil {
		return info, nil
	}
	p, ok := o.pending(path)
	if !ok {
		return nil, err
	}
	info = plannedInfo{filepath.Base(path), p}
	return info, nil
}

// plannedInfo is a regular file that is not written yet.
type plannedInfo struct {
	name string
	f    pendingFile
}

func (i plannedInfo) Name() string        { return i.name }
func (i plannedInfo) Size() int64         { return int64(len(i.f.bytes)) }
func (i plannedInfo) Mode() iofs.FileMode { return i.f.mode }
func (i plannedInfo) ModTime() time.Time  { return time.Time{} }
func (i plannedInfo) IsDir() bool         { return false }
func (i plannedInfo) Sys() any            { return nil }
