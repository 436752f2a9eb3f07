// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path is judged by what it reaches, however it is spelled:
// with ~, with .., with a trailing slash, as a pattern, as a directory above the
// thing itself, or by way of a link.

// Package sensitive knows the places whose content is secret, or runs outside of any
// sandbox, and whether a path reaches one.
//
// Contract: what it says follows from a path and where links lead; nothing is opened
// that lies in such a place.
package sensitive

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// CredentialPath says whether p reaches credentials, and which: a path inside
// one of the usual places, one of these places, or a directory above one. p is
// an entry of allowRead or allowWrite as it stands there, or an absolute path;
// home is the home directory.
func CredentialPath(p, home string) (which string, ok bool) {
	n := Normal(p, home)
	if which, ok := usual(n, home); ok {
		return which, true
	}
	return called(n)
}

// usual says whether a normal path is a root, or reaches one of the usual places.
func usual(n, home string) (which string, ok bool) {
	rest, below := pathname.Below(n, "~")
	if which, ok = Whole(n, home); ok || !below {
		return which, ok
	}
	return reaches(rest, places().credentials)
}

// CredentialPlaces lists the usual places of credentials below the home
// directory, spelled "~/x", with what is there: the caller follows their links.
func CredentialPlaces() map[string]string {
	list := map[string]string{}
	for _, row := range places().credentials {
		for _, path := range row[1:] {
			list["~/"+path] = row[0]
		}
	}
	return list
}

// Reaches is CredentialPath for an absolute path that may lie in one of the
// project's own directories, own: there, what the directories above are called
// says nothing, only what lies in them does.
func Reaches(p, home string, own []string) (which string, ok bool) {
	for _, dir := range own {
		if !pathname.Within(p, dir) {
			continue
		}
		if which, ok := usual(Normal(p, home), home); ok {
			return which, true
		}
		return called(strings.TrimPrefix(p, dir))
	}
	return CredentialPath(p, home)
}

// called says whether a part of a path is called like credentials.
func called(p string) (which string, ok bool) {
	for part := range strings.SplitSeq(p, "/") {
		if slices.Contains(templatesOfEnv, part) || strings.Trim(part, "*") == "" {
			continue
		}
		for _, row := range names {
			for _, name := range row[1:] {
				if Matches(name, part) || Matches(part, strings.ReplaceAll(name, "*", "")) {
					known, _ := reaches(name, places().credentials)
					return cmp.Or(row[0], known), true
				}
			}
		}
	}
	return "", false
}

// RunsOutside says whether what is written at p runs, or is trusted, outside
// the sandbox.
func RunsOutside(p, home string) (which string, ok bool) {
	n := Normal(p, home)
	if which, ok := Whole(n, home); ok {
		return which, true
	}
	rows := system
	rest, root := strings.CutPrefix(n, "/")
	if !root {
		rows = places().outside
		if rest, ok = pathname.Below(n, "~"); !ok {
			return "", false
		}
	}
	return reaches(rest, rows)
}

// Whole says whether a normal path is a root: of the file system, or of
// everything that is yours.
func Whole(n, home string) (which string, ok bool) {
	switch {
	case n == "/":
		return "everything", true
	case n == "~", strings.HasPrefix(n, "/") && home != "" && pathname.Within(path.Clean(home), n):
		return "the whole home directory", true
	case n == "..", strings.HasPrefix(n, "../"):
		return "directories above the project", true
	}
	return "", false
}

// Normal spells p in one way: "~" and "~/x" for what is in the home directory,
// "/x" for what is elsewhere, "x" for what is relative to a start directory.
func Normal(p, home string) string {
	home = path.Clean(cmp.Or(home, "/~")) // no such place: only the spelling is folded
	a := directory(absolute(p, home))
	if home == "/" && a != home {
		return a
	}
	return pathname.Tilde(a, home)
}

// directory takes the wildcards off a clean path that stand for all there is
// in a directory: "x/**" is x.
func directory(p string) string {
	for {
		cut := strings.TrimSuffix(strings.TrimSuffix(p, "/**"), "/*")
		switch cut {
		case p:
			return p
		case "":
			return "/"
		}
		p = cut
	}
}

// absolute resolves an entry as the runtime does (2.1.329): ~ is the home
// directory, // and / are the root, the rest is relative; blanks around it do not count
// (2.1.330).
func absolute(p, home string) string {
	p = strings.TrimSpace(p)
	switch at, tilde := pathname.Expand(p, home); {
	case tilde:
		return at
	case strings.HasPrefix(p, "/"):
		return path.Clean("/" + strings.TrimLeft(p, "/"))
	}
	return path.Join(p)
}

// reaches says what is at the first place that rest, a path below the home
// directory that may be a pattern, lies in, is, or lies above.
func reaches(rest string, places [][]string) (which string, ok bool) {
	parts := strings.Split(rest, "/")
	for _, row := range places {
		for _, place := range row[1:] {
			if meets(parts, strings.Split(place, "/")) {
				return row[0], true
			}
		}
	}
	return "", false
}

func meets(parts, place []string) bool {
	for i, want := range place {
		if i >= len(parts) || parts[i] == "**" {
			break
		}
		if !Matches(parts[i], want) {
			return false
		}
	}
	return true
}

// Matches compares one part of a path without regard to case: macOS does not
// know the difference, and elsewhere a doubt counts as a hit.
func Matches(pattern, name string) bool {
	return pathname.Like(strings.ToLower(name), strings.ToLower(pattern))
}

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
	real, home := host.Resolved(h, path), h.Places().Home // what is not resolved is not opened either
	realHome := host.Resolved(h, home)
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
