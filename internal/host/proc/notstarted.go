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
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

// NotStarted is the error of a program that is there and that the system does
// not start.
type NotStarted struct{ Path, Why string }

func (e *NotStarted) Error() string { return e.Path + " could not be started: " + e.Why }

// notStarted is the error of a start of path in dir that err ended.
func notStarted(path, dir string, err error) error {
	switch _, gone := os.Stat(path); {
	case gone != nil:
	case errors.Is(err, syscall.ENOEXEC):
		return &NotStarted{path, kind(path)}
	case errors.Is(err, syscall.ENOENT):
		if _, noDir := os.Stat(dir); noDir == nil {
			return &NotStarted{path, "the interpreter or loader that it names is not there"}
		}
	case errors.Is(err, syscall.EACCES):
		return &NotStarted{path, "it may not be executed: " + syscall.EACCES.Error()}
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
