// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everything that a session can read counts with its content.
// Times do not: a file is as old as the run, but for what was made old on
// purpose.

package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// whole is up to which size, in bytes, a file stands in a digest as it is: paths
// in it differ. A session's own record had 0.3 MB (2.1.330).
const whole = 4 << 20

// old is from when on a file was made old on purpose.
const old = 10 * time.Minute

// tree appends what lies at path: names, modes, owners, content. A socket is
// something that another process answers on: then ok is false.
func tree(out *strings.Builder, path string, aged bool) (ok bool) {
	ok = true
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", at, err)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&(fs.ModeSocket|fs.ModeNamedPipe) != 0 {
			ok = false
		}
		if aged && transcript.MatchString(at) {
			out.WriteString(begins)
			defer out.WriteString(ends)
		}
		fmt.Fprintf(out, "%s %v", at, info.Mode())
		if uid, gid, known := host.OwnerOf(info); known {
			if uid == os.Getuid() {
				out.WriteString(" own")
			} else {
				fmt.Fprintf(out, " %d", uid)
			}
			if gid != os.Getgid() {
				fmt.Fprintf(out, " %d", gid)
			}
		}
		if aged && !info.IsDir() && time.Since(info.ModTime()) > old {
			out.WriteString(" old")
		}
		switch {
		case info.Mode().IsRegular():
			out.WriteString(" " + content(at, info))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			fmt.Fprint(out, " ", to, err)
			if real, err := filepath.EvalSymlinks(at); err == nil {
				out.WriteString(" " + linked(real)) // wherever it lies
			}
		}
		out.WriteString("\n")
		if d.IsDir() && drawn[d.Name()] {
			ok = anyOrder(out, at, aged) && ok
			return filepath.SkipDir
		}
		return nil
	})
	return ok && err == nil
}

// drawn are the directories in which names are random (forms).
var drawn = map[string]bool{"approved": true, "policies": true}

// anyOrder appends what lies in such a directory, in the order of what the names stand for.
func anyOrder(out *strings.Builder, dir string, aged bool) (ok bool) {
	entries, err := os.ReadDir(dir)
	ok = err == nil
	var texts [][2]string
	for _, e := range entries {
		var text strings.Builder
		ok = tree(&text, filepath.Join(dir, e.Name()), aged) && ok
		texts = append(texts, [2]string{strings.ReplaceAll(text.String(), e.Name(), ""), text.String()})
	}
	slices.SortStableFunc(texts, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	for _, text := range texts {
		out.WriteString(text[1])
	}
	return ok
}

// content is what a file holds; of a large one, and of a program, its sum.
func content(path string, info fs.FileInfo) string {
	if info.Size() > whole {
		return summed(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	var b bytes.Buffer
	_, err = io.CopyN(&b, f, int64(len(elf)))
	if b.String() == elf {
		return summed(path)
	}
	if err == nil {
		_, err = io.Copy(&b, f)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err.Error()
	}
	return string(index(b.Bytes()))
}

// elf begins a program.
const elf = "\x7fELF"

// linked is what a link leads to, if that is a file.
func linked(real string) string {
	info, err := os.Stat(real)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return ""
	case ofSystem(real) && !ours(real):
		return part(ofMachine, sum(real))
	}
	return content(real, info)
}

// ours says that a file is the program under test, wherever it lies.
func ours(path string) bool {
	binary := testenv.Built()
	return binary != "" && sum(path) == sum(binary)
}

// summed is what is known of a large file: of the program under test, whose bytes hold
// the commit, what it is built from.
func summed(path string) string {
	if ours(path) {
		return part(ofProgram, os.Getenv(program))
	}
	return sum(path)
}

var sums sync.Map

// sum is the size and the CRC-32C of a large file: programs, packs of git. The
// runtime has 250 MB, which is summed once for as long as it stays the same.
func sum(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	type key struct {
		path string
		size int64
		at   time.Time
	}
	of, _ := sums.LoadOrStore(key{path, info.Size(), info.ModTime()}, sync.OnceValue(func() string {
		f, err := os.Open(path)
		if err != nil {
			return err.Error()
		}
		defer f.Close()
		h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		n, err := io.Copy(h, f)
		return fmt.Sprintf("%d bytes, %08x, %v", n, h.Sum32(), err)
	}))
	return of.(func() string)()
}

// Of an entry of git's index, the bytes before its mode are times, a device and an
// inode (gitformat-index(5)).
const (
	indexHead  = 12
	indexMode  = 24
	indexID    = 40
	indexName  = 62
	indexAlign = 8
)

// index is git's index without the times and the inodes of its files, by which git
// knows what it need not read again, and without the sum of it all. Anything else
// stays as it is.
func index(b []byte) []byte {
	if !bytes.HasPrefix(b, []byte("DIRC\x00\x00\x00\x02")) || len(b) < indexHead+20 {
		return b
	}
	out := bytes.Clone(b[:indexHead])
	at := indexHead
	for range int(b[10])<<8 | int(b[11]) {
		if at+indexName > len(b) {
			return b
		}
		name, _, _ := bytes.Cut(b[at+indexName:], []byte{0})
		out = fmt.Appendf(out, "\n%x %x %s", b[at+indexMode:at+indexMode+4], b[at+indexID:at+indexName], name)
		at += (indexName + len(name) + indexAlign) &^ (indexAlign - 1)
	}
	if at > len(b)-20 {
		return b
	}
	return append(out, b[at:len(b)-20]...)
}

// system is what every session sees of this machine: the kernel, the packages
// (dpkg's list has their versions), the programs beside them by sizes and times, and
// what stands in /etc.
var system = sync.OnceValue(func() string {
	var out strings.Builder
	kernel, err := os.ReadFile("/proc/version")
	fmt.Fprintf(&out, "%s%v\n", kernel, err)
	stat := func(path string, info fs.FileInfo) {
		fmt.Fprintln(&out, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
	}
	if _, err := os.Stat("/var/lib/dpkg/status"); err == nil {
		fmt.Fprintln(&out, "packages", sum("/var/lib/dpkg/status"))
	}
	for _, dir := range []string{"/etc", "/usr/local/bin", "/usr/bin", "/usr/sbin"} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what this user cannot see, the session does not see
			}
			switch info, err := d.Info(); {
			case err != nil || d.IsDir():
			case dir == "/etc":
				fmt.Fprintln(&out, path, info.Mode(), configured(path, info))
			default:
				stat(path, info)
			}
			return nil
		})
	}
	return out.String()
})

// configured is what stands in a file of /etc. Accounts of others, and the copies and
// locks of the programs that change them, are nothing that a session asks for.
func configured(path string, info fs.FileInfo) string {
	switch strings.TrimSuffix(filepath.Base(path), "-") {
	case "passwd", "group", "subuid", "subgid":
		if strings.HasSuffix(path, "-") {
			return ""
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		return accounts(string(b), fmt.Sprint(os.Getuid()), fmt.Sprint(os.Getgid()), os.Getenv("USER"))
	case "shadow", "gshadow", ".pwd.lock":
		return ""
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, _ := os.Readlink(path)
		return to
	}
	return sum(path)
}

// accounts are the lines with one of these names and numbers, and those of root.
func accounts(text string, own ...string) string {
	var list []string
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		counts := func(f string) bool { return f != "" && slices.Contains(own, f) }
		if fields[0] == "root" || slices.ContainsFunc(fields, counts) {
			list = append(list, line)
		}
	}
	return strings.Join(list, "")
}
