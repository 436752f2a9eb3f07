// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a change is data, not code. It names the bytes it was
// computed from, the bytes it would leave and why; its diff is its preview,
// and nobody can apply what it does not say. A command has no method that
// runs it: only the user may.

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
)

// Digest identifies the bytes of a file: "sha256:" and hex, or Absent.
type Digest string

// Absent is the digest of a file that does not exist.
const Absent Digest = "absent"

// DigestOf returns the digest of b; nil means that there is no file.
func DigestOf(b []byte) Digest {
	if b == nil {
		return Absent
	}
	sum := sha256.Sum256(b)
	return Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// Name are its first n digits, which name a file or tell two digests apart.
func (d Digest) Name(n int) string { return strings.TrimPrefix(string(d), "sha256:")[:n] }

// Change is one file (or symbolic link) as it would be written.
type Change struct {
	// ID is unique within a plan: "<section>/<name>".
	ID ID
	// Why is one sentence for the user, Price what approving it costs, "" where
	// that is not said apart.
	Why, Price string
	// Path is the absolute path as the user knows it; Target is the real
	// file that is written, different from Path when Path is a symbolic
	// link (dotfile repositories).
	Path, Target string
	// Within, if not empty, is the directory that Target must not leave
	// through a link: the worktree of a foreign repository.
	Within string
	// Before are the bytes that were read (nil: no file), After the bytes
	// that will be there (nil: the file is removed). For a symbolic link
	// (Mode has fs.ModeSymlink) both are link targets.
	Before, After []byte
	// Mode are the permission bits of a file that is created, or, with
	// SetMode, of the file that is there. fs.ModeSymlink makes a link.
	Mode fs.FileMode
	// SetMode asks to change the mode of an existing file too (a script
	// that lost its executable bit). Without it the mode stays.
	SetMode bool
	// ModeBefore are the permission bits of the file that was read.
	ModeBefore fs.FileMode
	// Turns says that Before is of the other kind: a regular file that a
	// symbolic link replaces, or a link that a regular file replaces.
	Turns bool
	// Emptied says that a directory gives way to the link: the changes before
	// this one removed its files. It is no longer empty, it stays.
	Emptied bool
	// Derived says that another program writes the file anew from others (git its
	// index): undo removes it whatever it holds then.
	Derived bool
}

// Base is the digest of the bytes that the change was computed from.
func (c Change) Base() Digest { return DigestOf(c.Before) }

// Result is the digest of the bytes that the change leaves.
func (c Change) Result() Digest { return DigestOf(c.After) }

// Link says whether the change leaves, or removes, a symbolic link.
func (c Change) Link() bool { return c.Mode&fs.ModeSymlink != 0 }

// WasLink says whether Before is the target of a symbolic link.
func (c Change) WasLink() bool { return c.Before != nil && c.Link() != c.Turns }

// Command is something only the user may run: sudo, a package install, a
// line for a shell rc file. Line is one line, ready to paste.
type Command struct {
	ID         ID
	Why, Line  string
	Privileged bool
	// Where, if not empty, says that the line is not to be run but to be
	// added to this file ("~/.zshrc").
	Where string
	// Optional commands are offered; they do not count as left undone.
	Optional bool
	// Words are the command and flags of this program that Line calls by its plain
	// name (Own); "" for another program's line, and where Line already leads to this
	// one as it is called here.
	Words string `json:",omitempty"`
	// Dir is the directory of the project that Words are about, as a word of a shell
	// line, "" for the one of this run; Before is what the same shell does first.
	Dir    string `json:",omitempty"`
	Before string `json:",omitempty"`
}

// Program is the plain name of this program.
const Program = "steward-setup"

// Line is a line of this program in a sentence: Words are its command and flags, as
// Own takes them, and After is said behind it. The zero Line is none.
type Line struct{ Words, After string }

// String is the line by the plain name of the program.
func (l Line) String() string {
	if l.Words == "" {
		return l.After
	}
	return Own(l.Words, Command{}).Line + l.After
}

// Own is c as a line of this program: words are its command and flags.
func Own(words string, c Command) Command {
	c.Words = words
	return c.From(Program + " " + words)
}

// From is c with call, a call of this program, in the place of its own.
func (c Command) From(call string) Command {
	if c.Line = call; c.Dir != "" {
		c.Line = "cd " + c.Dir + " && " + c.Line
	}
	if c.Before != "" {
		c.Line = c.Before + " && " + c.Line
	}
	return c
}

// Says is Why with its price.
func (c Change) Says() string {
	if c.Price == "" {
		return c.Why
	}
	return c.Why + ". Price: " + c.Price
}
