// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a script that looks for others beside itself says where they are: its own
// path is known to who reads it.

package commandline

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// itsDir are the ways in which a script of a shell writes the directory that it lies in; absolute
// is what makes of a directory one with no symlinks.
var (
	itsDir = lazy.Regexp(`\$\(dirname (?:-- )?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\)|` +
		`\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}|\$\{0:[aA]:h\}`)
	absolute = lazy.Regexp(`\$\(cd (?:-P )?(?:-- )?"?(/[\w./-]*)"? *(?:>/dev/null(?: 2>&1)? *)?&& *pwd(?: -P)?\)`)
)

// InItsPlace is the text of a script at a path, with its directory by name.
func InItsPlace(path string, text []byte) []byte {
	return absolute().ReplaceAll(itsDir().ReplaceAllLiteral(text, []byte(filepath.Dir(path))), []byte("$1"))
}
