// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git does not write each file of a commit into a work tree as it
// is there. Attributes have it written otherwise, a sparse checkout leaves it out.

package gitrepo

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Attributes is a file of attributes: Dir is the directory of the work tree that its
// patterns begin in, with slashes, "" for the root.
type Attributes struct {
	Text []byte
	Dir  string
}

// Conversion is a line of the attributes File by which git writes a file otherwise
// than a commit has it. Lines count from 1.
type Conversion struct {
	File, Line int
	Attribute  string
}

// Conversions are the lines that have the file name written in another encoding or
// through a filter (gitattributes(5) of git 2.39): in each file the last that decides.
// Which of several files counts is not asked; a pattern that is not understood is
// taken to match.
func Conversions(files []Attributes, name string) (found []Conversion) {
	macros := map[string]map[string]string{}
	for _, f := range files {
		eachAttribute(f.Text, func(_ int, glob string, attributes []string) {
			if macro, is := strings.CutPrefix(glob, "[attr]"); is {
				macros[macro] = converting(attributes, macros)
			}
		})
	}
	for i, f := range files {
		rel, below := pathname.Below("/"+name, "/"+f.Dir)
		if !below {
			continue
		}
		last := map[string]Conversion{}
		eachAttribute(f.Text, func(line int, glob string, attributes []string) {
			if strings.HasPrefix(glob, "[attr]") || !fits(glob, rel) {
				return
			}
			for attribute, what := range converting(attributes, macros) {
				last[attribute] = Conversion{i, line, what}
			}
		})
		for _, attribute := range slices.Sorted(maps.Keys(last)) {
			if last[attribute].Attribute != "" {
				found = append(found, last[attribute])
			}
		}
	}
	return found
}

// eachAttribute calls do with the pattern and the attributes of each line.
func eachAttribute(text []byte, do func(line int, glob string, attributes []string)) {
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		glob, rest := line, ""
		if quoted, err := strconv.QuotedPrefix(line); err == nil && line[0] == '"' {
			glob, _ = strconv.Unquote(quoted)
			rest = line[len(quoted):]
		} else if end := strings.IndexAny(line, " \t"); end >= 0 {
			glob, rest = line[:end], line[end:]
		}
		do(i+1, glob, strings.Fields(rest))
	}
}

// converting is what attributes say of those that change what is written, by
// themselves or as a macro: "" where they are taken back.
func converting(attributes []string, macros map[string]map[string]string) map[string]string {
	said := map[string]string{}
	for _, a := range attributes {
		name, value, valued := strings.Cut(strings.TrimLeft(a, "-!"), "=")
		switch {
		case macros[a] != nil:
			maps.Copy(said, macros[a])
		case name != "filter" && name != "working-tree-encoding":
		case valued && !(name != "filter" && slices.Contains([]string{"utf-8", "utf8"}, strings.ToLower(value))):
			said[name] = a
		default:
			said[name] = ""
		}
	}
	return said
}

// fits says whether a pattern of attributes or ignored files matches a path, which
// has no slash at its ends: without a slash in it by the last name, otherwise whole.
func fits(glob, name string) bool {
	if !strings.Contains(glob, "/") {
		name = path.Base(name)
	}
	expr, err := pattern.Regexp(strings.TrimPrefix(glob, "/"), pattern.Filenames|pattern.EntireString|
		pattern.GlobLeadingDot)
	if err != nil {
		return true
	}
	re, err := regexp.Compile(expr)
	return err != nil || re.MatchString(name)
}

// LeftOut says whether the sparse checkout of a work tree leaves out the file name,
// with slashes, and where: path:line, or the path where no line names it.
func LeftOut(ctx context.Context, h host.Reader, t host.Tree, name string) (where string, out bool) {
	rel := filepath.Join("info", "sparse-checkout")
	text, err := h.ReadIn(t.Git, rel)
	if err != nil || strings.TrimSpace(string(h.Run(ctx, proc.GitSparse(t.Root)).Stdout)) != "true" {
		return "", false
	}
	where = filepath.Join(t.Git, rel)
	line, in := sparse(string(text), name)
	if line > 0 {
		where = fmt.Sprintf("%s:%d", where, line)
	}
	return where, !in
}

// sparse is the line of a list of patterns that decides about a file, and whether it
// is checked out: the last that matches it, then its directory, and so on; 0 if none
// does, and it is not (git 2.39, path_in_sparse_checkout).
func sparse(text, name string) (line int, in bool) {
	lines := strings.Split(text, "\n")
	for dir := false; name != "." && name != "/"; name, dir = path.Dir(name), true {
		for i, l := range slices.Backward(lines) {
			l = strings.TrimRight(l, " \t\r")
			glob, leaves := strings.CutPrefix(l, "!")
			glob, onlyDirs := strings.CutSuffix(glob, "/")
			if glob != "" && glob[0] != '#' && (dir || !onlyDirs) && fits(glob, name) {
				return i + 1, !leaves
			}
		}
	}
	return 0, false
}
