// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that is there and that the system does not start
// is not missing; what it is says why.

package proc

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// NotStarted is the error of a program that is there and that the system does
// not start.
type NotStarted struct {
	Path, Why string
	found     error // what Look answers for it; nil where it was tried
}

func (e *NotStarted) Error() string { return e.Path + " could not be started: " + e.Why }

// Unwrap is fs.ErrNotExist where a search of PATH goes past the file.
func (e *NotStarted) Unwrap() error { return e.found }

// notExecutable says why a shell goes past a file of PATH; nil where there is
// none, or a directory.
func notExecutable(path string) error {
	if info, _ := os.Lstat(path); info == nil {
		return nil
	}
	var why string
	switch target, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		to, _ := os.Readlink(path)
		why = "it " + pathname.BrokenLink(to)
	case err != nil:
		why = "it is a symlink that cannot be followed"
	case target.IsDir():
		return nil
	case !target.Mode().IsRegular():
		why = "it is not a file"
	default:
		why = fmt.Sprintf("it is not executable (mode %04o)", target.Mode().Perm())
	}
	return &NotStarted{path, why, fs.ErrNotExist}
}

// notStarted is the error of a start of path in dir that err ended.
func notStarted(path, dir string, err error) error {
	switch _, gone := os.Stat(path); {
	case gone != nil:
	case errors.Is(err, syscall.ENOEXEC):
		return &NotStarted{Path: path, Why: kind(path)}
	case errors.Is(err, syscall.ENOENT):
		if _, noDir := os.Stat(dir); noDir == nil {
			return &NotStarted{Path: path, Why: "the interpreter or loader that it names is not there"}
		}
	case errors.Is(err, syscall.EACCES):
		return &NotStarted{Path: path, Why: "it may not be executed: " + syscall.EACCES.Error()}
	}
	return fmt.Errorf("%s could not be started: %w", path, err)
}

// kind says what a file is that the system takes for no program.
func kind(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	switch {
	case n == 0:
		return "it is empty"
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		if e, err := elf.NewFile(f); err == nil {
			return "it is built for another platform: " + strings.ToLower(strings.TrimPrefix(e.Machine.String(), "EM_"))
		}
		return "it is a damaged executable"
	case bytes.HasPrefix(head, []byte("MZ")):
		return "it is built for Windows"
	}
	if m, err := macho.NewFile(f); err == nil {
		return "it is built for another platform: macOS, " + m.Cpu.String()
	}
	if fat, err := macho.NewFatFile(f); err == nil && len(fat.Arches) > 0 {
		return "it is built for macOS"
	}
	if !bytes.ContainsRune(head, 0) && (utf8.Valid(head) || n == cap(head)) {
		return "it is a text without an interpreter (#!)"
	}
	return "it is no program for this system"
}
