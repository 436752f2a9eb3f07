// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a row of the table means every file that the program would
// read, and a line every path that it may name, symlinks and all. A relative
// path in the configuration of a program counts from where the program is
// started, and a user starts programs in the project.

package dotfiles

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// expand adds what a pattern of a row means: files and directories that are
// there, and symlinks that lead nowhere. A variable that leads to where commands
// may write is the cause of all that lies there, and named in place of it.
func (j *homeJudge) expand(files []string, pattern string) []string {
	sys, home := j.Host.System(), j.Session.Dirs.Home
	in := func(variable, usual, rest string) []string {
		switch set := sys.Get(variable); {
		case !filepath.IsAbs(set):
			return j.glob(files, filepath.Join(home, usual), rest)
		case j.Leads(set):
			return files
		default:
			return j.glob(files, set, rest)
		}
	}
	switch head, rest, _ := strings.Cut(pattern, "/"); {
	case head == "": // a place of the system
		if user := sys.Get("USER"); user != "" && !strings.ContainsAny(user, `/\*?[`) {
			files = j.glob(files, filepath.Join(sys.Root, "/"), strings.ReplaceAll(rest, "$USER", user))
		}
		return files
	case head == "C":
		return in("XDG_CONFIG_HOME", ".config", rest)
	case head == "D":
		return in("XDG_DATA_HOME", ".local/share", rest)
	case head == "S":
		return in("XDG_STATE_HOME", ".local/state", rest)
	case strings.HasPrefix(head, "$"):
		if set := sys.Get(head[1:]); filepath.IsAbs(set) {
			return j.glob(files, set, rest)
		}
		return files
	}
	return j.glob(files, home, pattern)
}

// creates says whether commands can create a file that is not there, where an entry
// opens a directory above it: an entry for what is not there opens nothing.
func (j *homeJudge) creates(at string) bool {
	return j.Leads(host.Standing(j.Host, filepath.Dir(at))) && j.Leads(at)
}

// glob adds what matches a pattern below a directory.
func (j *homeJudge) glob(files []string, dir, pattern string) []string {
	if pattern == "" {
		return append(files, filepath.Clean(dir))
	}
	if info, err := j.Host.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 && j.Leads(dir) {
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
		switch {
		case j.Exists(at):
			files = append(files, at)
		case j.missing == "" && j.creates(at):
			j.missing = at
		}
		return files
	}
	entries, _ := j.Host.ReadDir(dir)
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
	entries, _ := j.Host.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		switch {
		case len(files) > maxConfigs:
			return files
		case e.IsDir() && depth < maxConfigDepth:
			files = j.below(files, at, ext, depth+1)
		case e.Type()&fs.ModeSymlink != 0, strings.HasSuffix(e.Name(), ext):
			files = append(files, at)
			if info, err := j.Host.Stat(at); err == nil && info.IsDir() && depth < maxConfigDepth && !j.Leads(at) {
				files = j.below(files, at, ext, depth+1)
			}
		}
	}
	return files
}

// configLine is a line that means something; of is the key whose value it
// belongs to.
type configLine struct {
	number   int
	text, of string
}

// configKey begins a line with the name of what it sets.
var configKey = lazy.Regexp(`^\s*["']?[A-Za-z_][\w.-]*["']?\s*[=:]`)

// configLines are the lines of a file without comments. One that ends in a
// backslash goes on; one within a list belongs to the key before it.
func configLines(c configured, text string) (lines []configLine) {
	open, key, joined := 0, "", ""
	from := 0
	for i, line := range strings.Split(text, "\n") {
		if joined == "" {
			from = i + 1
		}
		if c.comments(line) {
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

// homeNamed are other ways to write the home in front of a path: specifiers of
// systemd and ssh, variables of editors and of PAM.
var homeNamed = lazy.Regexp(`(?:%[hd]|\$\{env:HOME\}|\$\{userHome\}|@\{HOME\}|\$ENV\{HOME\})/`)

// atHome is a text with the home itself in their place.
func (j *homeJudge) atHome(text string) string {
	return homeNamed().ReplaceAllLiteralString(text, j.Session.Dirs.Home+"/")
}

// Patterns of paths in a line: signs that surround a value, the
// home, and a path that is relative to the file or to the home.
var (
	configSigns    = lazy.Regexp(`["'\x60,\[\]]`)
	configTilde    = lazy.Regexp(`(^|[^A-Za-z0-9_/.])~/`)
	configRelative = lazy.Regexp(`(?:^|[\s=:(<>])((?:\.\./|[\w@+-][\w.@+-]*/)[^\s;|&<>()]*)`)
)

// paths lists the paths that a line may name. A relative one counts from the
// file and from the home, as one does that a program puts behind the home
// itself.
func (j *homeJudge) paths(text, dir string) (paths []string) {
	home := j.Session.Dirs.Home
	text = configSigns().ReplaceAllString(j.atHome(text), " ")
	text = configTilde().ReplaceAllString(text, "${1}"+strings.ReplaceAll(home, "$", "$$")+"/")
	for _, p := range j.Named(nil, text) {
		if paths = append(paths, p); !pathname.Within(p, home) {
			paths = append(paths, filepath.Join(home, p))
		}
	}
	for _, m := range configRelative().FindAllStringSubmatch(text, -1) {
		paths = append(paths, filepath.Join(dir, m[1]), filepath.Join(home, m[1]))
	}
	return paths
}

// Patterns of relative paths: one that is written as such, and a
// file behind a word that reads it.
var (
	hereDotted = lazy.Regexp(`(?:^|[\s"'=(!;|&,{:^])(\.\.?/(?:\.\./)*\.?[\w@%+][^\s"'|;&)]*)`)
	hereRead   = lazy.Regexp(`(?:^|[\s"'|{;])(?:so|source|source-file|luafile|pyfile|py3file|command script import|\\i|\.read)!?(?:\s+-\w+)*\s+["']?([\w.][\w./-]*)` +
		`|\b(?:eval\s*\(\s*(?:slurp\s*<|cat)|open)\s+([\w.][\w./-]*)\s*(?:\)|\|[^;]*\b(?:load-env|slurp)\b)` +
		`|^(?i:\s*(?:pkcs11provider|securitykeyprovider|xauthlocation)[\s="]+)(\w[\w.-]*/\S*)`)
)

// paneHere are tmux's names for directories that a user is in (tmux(1) FORMATS).
var paneHere = strings.NewReplacer("#{pane_current_path}", ".", "#{q:pane_current_path}", ".", "#{session_path}", ".",
	"#{pane_start_path}", ".")

// relative judges a line that runs what it names by a relative path.
func (j *homeJudge) relative(c configured, path, where, text string) bool {
	// Of a command line commandLine knows more, and ssh(1) includes from its own directory.
	if c.command != "" && (is(c.command, text) || is(c.includes, text)) {
		return false
	}
	text = paneHere.Replace(text)
	m, status := hereDotted().FindStringSubmatch(text), report.Fail
	if m == nil {
		m, status = hereRead().FindStringSubmatch(text), report.Warn
	}
	if m == nil {
		return false
	}
	j.add(status, where, path, c.program+" runs "+cmp.Or(m[1:]...)+" of the directory in which it is started, outside "+
		"the sandbox. In the project, commands can put that there.")
	return true
}

// startDirs are the directories in which the commands of a file may start.
func (j *homeJudge) startDirs(c configured, lines []configLine) []string {
	dirs := []string{j.Session.Dirs.Home}
	if c.here {
		dirs = append(dirs, j.Session.Dirs.Start)
	}
	if c.startsIn == "" {
		return dirs
	}
	for _, l := range lines {
		if m := lazy.Compiled(c.startsIn).FindStringSubmatch(l.text); m != nil {
			set := strings.Trim(j.atHome(strings.TrimSpace(m[1])+"/"), `"'`)
			set, _ = pathname.Expand(set, j.Session.Dirs.Home)
			if dir := filepath.Clean(set); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// vimCommands lists the paths that the commands of vim in a variable of that name
// lead to, when vim is started in dir.
func vimCommands(g grants.Ground, dir, name, value string) (paths []string) {
	j := &homeJudge{Ground: g}
	i := slices.IndexFunc(configurations(), func(c configured) bool { return c.program == "vim" })
	vim := configurations()[i]
	for line := range strings.SplitSeq(value, "|") {
		for _, relative := range []*regexp.Regexp{hereDotted(), hereRead()} {
			if m := relative.FindStringSubmatch(line); m != nil && is(vim.runs, line) {
				paths = append(paths, filepath.Join(dir, m[1]))
			}
		}
		if is(vim.anywhere, line) {
			paths = append(paths, filepath.Join(dir, ".exrc"))
		}
		j.line(vim, filepath.Join(dir, ".exrc"), name, configLine{text: line}, 0)
	}
	for _, o := range j.found {
		paths = append(paths, o.What)
	}
	return paths
}
