// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file of the project that leads to a secret is not opened
// (DESIGN, law 5): whoever wrote the project chose where it leads.

package sensitive

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// LinkError says that a file of the project was not opened, since it leads to
// a place of credentials.
type LinkError struct {
	// Path is the file of the project, To what it leads to, What what lies
	// there.
	Path, To, What string
}

func (e *LinkError) Error() string {
	return "is a symlink to a credential file: not opened (" + e.To + ", " + e.What + ")"
}

// ReadProject reads a file of a project: one that leads to a place of
// credentials is a *LinkError and is not opened. root is the root of the work
// tree, "" if there is none; in it, a path is judged by its part below root.
func ReadProject(h host.Reader, root, path string) ([]byte, error) {
	if e, secret := Secret(h, root, path); secret {
		return nil, e
	}
	return h.Read(path)
}

// Linked says whether the path of a file goes by way of a link in itself or
// in its directory.
func Linked(h host.Reader, path string) bool {
	dir := filepath.Dir(filepath.Dir(path))
	base, err := h.Resolve(dir)
	if err != nil {
		return true
	}
	real, err := h.Resolve(path)
	return err == nil && real != filepath.Join(base, strings.TrimPrefix(path, dir))
}

// Secret says whether a file of a project is a link to credentials. Nothing is
// opened.
func Secret(h host.Reader, root, path string) (*LinkError, bool) {
	if !Linked(h, path) {
		return nil, false
	}
	return Credential(h, root, path)
}

// Credential says whether a path leads to credentials, by way of a link or
// not. Nothing is opened.
func Credential(h host.Reader, root, path string) (*LinkError, bool) {
	real, err := h.Resolve(path)
	if err != nil {
		real = path // nor can it be opened
	}
	home := h.Places().Home
	realHome, err := h.Resolve(home)
	if err != nil {
		realHome = home
	}
	if rel, ok := pathname.Below(real, root); ok && root != home && root != realHome {
		what, secret := CredentialPath(rel, home)
		return &LinkError{path, real, what}, secret
	}
	for _, home := range []string{home, realHome} {
		if what, secret := CredentialPath(real, home); secret {
			return &LinkError{path, real, what}, true
		}
	}
	return nil, false
}
