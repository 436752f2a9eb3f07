// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program of the user's runs outside the sandbox, and so
// does what its configuration names. Neither the configuration nor what it
// starts lies where commands may write; a path that is only named is told apart.

package verify

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// How far configuration is looked through: files of one row, how deep they
// include and lie, bytes of one, and characters of a line.
const (
	maxConfigs     = 1000
	maxConfigDepth = 4
	maxConfigSize  = 1 << 20
	maxConfigLine  = 8 << 10
)

// homeJudge judges the configuration of other programs.
type homeJudge struct {
	ground
	seen  []string
	found []opening
}

// configOpenings lists what of the configuration of the user's own programs
// commands can change, and what of it leads to where they may write. It matters
// outside of any session, so it counts for both launches.
func configOpenings(r host.Reader, s Session) []opening {
	j := &homeJudge{ground: groundOf(r, s)}
	for _, row := range configurations() {
		var files []string
		for _, pattern := range row.files {
			files = j.expand(files, pattern)
		}
		if len(files) == 0 {
			continue
		}
		c := row.compiled()
		for _, path := range files {
			j.file(c, path, 0)
		}
	}
	return j.found
}

// expand adds what a pattern of a row means: files and directories that are
// there, and symlinks that lead nowhere.
func (j *homeJudge) expand(files []string, pattern string) []string {
	sys, home := j.r.System(), j.s.dirs.Home
	dir := func(variable, usual string) string {
		if set := sys.Get(variable); filepath.IsAbs(set) {
			return set
		}
		return filepath.Join(home, usual)
	}
	switch head, rest, _ := strings.Cut(pattern, "/"); {
	case head == "": // a place of the system
		if user := sys.Get("USER"); user != "" && !strings.ContainsAny(user, `/\*?[`) {
			files = j.glob(files, filepath.Join(sys.Root, "/"), strings.ReplaceAll(rest, "$USER", user))
		}
		return files
	case head == "C":
		return j.glob(files, dir("XDG_CONFIG_HOME", ".config"), rest)
	case head == "D":
		return j.glob(files, dir("XDG_DATA_HOME", ".local/share"), rest)
	case head == "S":
		return j.glob(files, dir("XDG_STATE_HOME", ".local/state"), rest)
	case strings.HasPrefix(head, "$"):
		if set := sys.Get(head[1:]); filepath.IsAbs(set) {
			return j.glob(files, set, rest)
		}
		return files
	}
	return j.glob(files, home, pattern)
}

// glob adds what matches a pattern below a directory.
func (j *homeJudge) glob(files []string, dir, pattern string) []string {
	if pattern == "" {
		return append(files, filepath.Clean(dir))
	}
	if info, err := j.r.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 && j.leads(dir) {
		return append(files, dir) // whatever is below it, or is yet to be
	}
	name, rest, more := strings.Cut(pattern, "/")
	if ext, all := strings.CutPrefix(name, "**"); all {
		return j.below(files, dir, ext, 0)
	}
	if !strings.ContainsAny(name, "*?[") {
		at := filepath.Join(dir, name)
		if more {
			return j.glob(files, at, rest)
		}
		if j.exists(at) {
			files = append(files, at)
		}
		return files
	}
	entries, _ := j.r.ReadDir(dir)
	for _, e := range entries {
		if is, _ := filepath.Match(name, e.Name()); !is || len(files) > maxConfigs {
			continue
		}
		if at := filepath.Join(dir, e.Name()); more {
			files = j.glob(files, at, rest)
		} else {
			files = append(files, at)
		}
	}
	return files
}

// below adds a directory's files of an extension; symlinks count whatever they
// are called.
func (j *homeJudge) below(files []string, dir, ext string, depth int) []string {
	entries, _ := j.r.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		switch {
		case len(files) > maxConfigs:
			return files
		case e.IsDir() && depth < maxConfigDepth:
			files = j.below(files, at, ext, depth+1)
		case e.Type()&fs.ModeSymlink != 0, strings.HasSuffix(e.Name(), ext):
			files = append(files, at)
			if info, err := j.r.Stat(at); err == nil && info.IsDir() && depth < maxConfigDepth && !j.leads(at) {
				files = j.below(files, at, ext, depth+1)
			}
		}
	}
	return files
}

// file judges one file: where it lies, then its lines.
func (j *homeJudge) file(c rowText, path string, depth int) {
	real := realPath(j.r, path)
	if depth > maxConfigDepth || slices.Contains(j.seen, real) {
		return
	}
	j.seen = append(j.seen, real)
	if j.leads(path) {
		named := path
		if real != path {
			named += " (" + real + ")"
		}
		j.add(report.Fail, path, path, "Commands can create or change "+named+", which "+c.program+" reads or runs outside the sandbox.")
		return
	}
	if c.closed {
		return
	}
	info, err := j.r.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigSize {
		return
	}
	b, err := j.r.Read(path)
	if err != nil || bytes.ContainsRune(b, 0) {
		return
	}
	for _, l := range configLines(c, string(b)) {
		where := fmt.Sprintf("%s:%d", path, l.number)
		if is(c.anywhere, l.text) {
			j.add(report.Warn, where, path, "This line lets "+c.program+" run configuration of the directory that it starts in, outside the sandbox, and commands can put one into the project.")
		}
		if !slices.ContainsFunc(j.found, func(o opening) bool { return o.where == where }) {
			j.line(c, path, where, l, depth)
		}
	}
}

// configLine is a line that means something; of is the key whose value it
// belongs to.
type configLine struct {
	number   int
	text, of string
}

// configKey begins a line with the name of what it sets.
var configKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*["']?[A-Za-z_][\w.-]*["']?\s*[=:]`) })

// configLines are the lines of a file without comments. One that ends in a
// backslash goes on; one within a list belongs to the key before it.
func configLines(c rowText, text string) (lines []configLine) {
	open, key, joined := 0, "", ""
	from := 0
	for i, line := range strings.Split(text, "\n") {
		if joined == "" {
			from = i + 1
		}
		if is(c.comment, line) {
			continue
		}
		if rest, more := strings.CutSuffix(line, `\`); more && len(joined) < maxConfigLine {
			joined += rest + " "
			continue
		}
		line, joined = joined+line, ""
		if len(line) > maxConfigLine {
			line = line[:maxConfigLine]
		}
		of := ""
		if open > 0 && !configKey().MatchString(line) {
			of = key
		} else {
			key, open = line, 0
		}
		open += strings.Count(line, "[") + strings.Count(line, "{") - strings.Count(line, "]") - strings.Count(line, "}")
		lines = append(lines, configLine{from, line, of})
	}
	return lines
}

// line judges one line by the paths that it names.
func (j *homeJudge) line(c rowText, path, where string, l configLine, depth int) {
	text, whole := l.text, strings.TrimSpace(l.of+" "+l.text)
	if c.data != nil {
		if l.of != "" && c.data.MatchString(l.of) {
			return
		}
		text = c.data.ReplaceAllString(text, " ")
	}
	if !strings.ContainsAny(text, "/~") && c.command == nil {
		return
	}
	paths := j.paths(text, filepath.Dir(path))
	if is(c.trusts, whole) {
		i := slices.IndexFunc(paths, func(p string) bool { return j.leads(p) || below(j.s.dirs.Start, realPath(j.r, beforeWildcard(p))) })
		if i >= 0 {
			j.add(report.Fail, where, paths[i], "This line lets "+c.program+" run what lies below "+paths[i]+" without asking, outside the sandbox, and commands can write there.")
			return
		}
	}
	if is(c.includes, whole) {
		for _, p := range paths {
			for _, file := range j.glob(nil, "/", strings.TrimPrefix(p, "/")) {
				if !j.leads(file) {
					j.file(c, file, depth+1)
				}
			}
		}
	}
	if c.variables {
		j.variable(c, where, text)
		return
	}
	runs := is(c.runs, whole) && !is(c.later, l.text)
	if c.command != nil {
		if at := c.command.FindStringIndex(text); at != nil {
			j.commandLine(c, where, text[at[1]:])
			return
		}
	}
	i := slices.IndexFunc(paths, j.mayLead)
	switch {
	case i < 0:
	case runs:
		j.add(report.Fail, where, paths[i], c.program+" runs "+paths[i]+", or reads it as configuration, outside the sandbox, and commands can change it.")
	default:
		j.names(c, where, paths[i])
	}
}

// names warns of a path of which it is not known what it is for.
func (j *homeJudge) names(c rowText, where, path string) {
	before := len(j.found)
	j.add(report.Warn, where, path, "The configuration of "+c.program+" names "+path+", which commands may write. Whether "+c.program+" runs it outside the sandbox is not known.")
	if len(j.found) > before {
		j.found[before].group = openUnresolved
	}
}

// commandLine judges a command that a program starts: in the home, or wherever.
func (j *homeJudge) commandLine(c rowText, where, text string) {
	text = strings.TrimSpace(homeNamed().ReplaceAllString(text, j.s.dirs.Home+"/"))
	if strings.Count(text, `"`)%2 == 1 {
		text = strings.TrimSuffix(text, `"`)
	}
	place := shell.Place{Home: j.s.dirs.Home, Dir: j.s.dirs.Home, Look: j.look, Getenv: j.r.System().Get}
	known := map[string]bool{}
	for _, u := range place.Line(text).Uses {
		path := u.Path
		switch u.Kind {
		case shell.Runs, shell.Found:
		case shell.Decides, shell.Configures, shell.Repository:
			path = filepath.Join(path, anyFile)
		case shell.Reads:
			known[u.Path] = true
			continue
		default:
			continue
		}
		if j.leads(path) {
			j.add(report.Fail, where, u.Path, c.program+" runs "+redact.Command(u.Path)+" outside the sandbox, and commands can change it.")
			return
		}
	}
	for _, path := range j.paths(text, j.s.dirs.Home) {
		if j.mayLead(path) && !known[path] {
			j.names(c, where, path)
			return
		}
	}
}

// variable judges a line that sets one for every program of the login.
func (j *homeJudge) variable(c rowText, where, text string) {
	name := strings.TrimLeft(text, " \t")
	if i := strings.IndexFunc(name, func(r rune) bool { return r == '=' || r == ' ' || r == '\t' || r == '+' }); i > 0 {
		name, text = name[:i], name[i+1:]
	}
	paths := j.paths(text, j.s.dirs.Home)
	i := slices.IndexFunc(paths, j.mayLead)
	switch {
	case i < 0:
	case name == "PATH":
		j.add(report.Warn, where, paths[i], "PATH leads to "+paths[i]+", and commands can put a program there.")
	case loadsInto(name) != "" && !oneOf(trusted, name):
		j.add(report.Fail, where, paths[i], name+" leads to "+paths[i]+", which commands may write, and it "+loadsInto(name)+".")
	case oneOf(loaders, name):
		j.names(c, where, paths[i])
	}
}

// homeNamed are other ways to write the home in front of a path: specifiers of
// systemd and ssh, variables of editors and of PAM.
var homeNamed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:%[hd]|\$\{env:HOME\}|\$\{userHome\}|@\{HOME\}|\$ENV\{HOME\})/`)
})

// configText are patterns of paths in a line: signs that surround a value, the
// home, and a path that is relative to the file or to the home.
var configText = sync.OnceValue(func() (p struct{ signs, tilde, relative *regexp.Regexp }) {
	p.signs = regexp.MustCompile(`["'\x60,\[\]]`)
	p.tilde = regexp.MustCompile(`(^|[^A-Za-z0-9_/.])~/`)
	p.relative = regexp.MustCompile(`(?:^|[\s=:(<>])((?:\.\./|[\w@+-][\w.@+-]*/)[^\s;|&<>()]*)`)
	return p
})

// paths lists the paths that a line may name. A relative one counts from the
// file and from the home, as one does that a program puts behind the home
// itself.
func (j *homeJudge) paths(text, dir string) (paths []string) {
	home := j.s.dirs.Home
	text = configText().signs.ReplaceAllString(homeNamed().ReplaceAllString(text, strings.ReplaceAll(home, "$", "$$")+"/"), " ")
	text = configText().tilde.ReplaceAllString(text, "${1}"+strings.ReplaceAll(home, "$", "$$")+"/")
	for _, p := range j.named(nil, text) {
		if paths = append(paths, p); !below(p, home) {
			paths = append(paths, filepath.Join(home, p))
		}
	}
	for _, m := range configText().relative.FindAllStringSubmatch(text, -1) {
		paths = append(paths, filepath.Join(dir, m[1]), filepath.Join(home, m[1]))
	}
	return paths
}

// add notes an opening of both launches, one for each place.
func (j *homeJudge) add(status report.Status, where, path, opens string) {
	if slices.ContainsFunc(j.found, func(o opening) bool { return o.where == where }) {
		return
	}
	j.found = append(j.found, opening{status: status, voids: status == report.Fail, where: where, what: path, opens: opens,
		remedy: report.DocLink{Title: "let it name only what lies outside of projects, or add the path to sandbox.filesystem.denyWrite", Target: where}})
}
