// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is to be laid on a stage is data; nothing is written
// by naming it.

package fs

import iofs "io/fs"

// Laid is one thing on a stage: a file with its bytes, a link, or, with
// neither Data nor Link and a mode that says so, a directory.
type Laid struct {
	Path string        `json:"path"`
	Mode iofs.FileMode `json:"mode"`
	Data []byte        `json:"data,omitempty"`
	Link string        `json:"link,omitempty"`
}

// Directory is a directory to be laid.
func Directory(path string) Laid { return Laid{Path: path, Mode: 0o755 | iofs.ModeDir} }
