// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: code of another language than a shell's is not understood. What it starts by a
// call whose words stand there in quotes is read as a command line; all else is passed over.

package commandline

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// afterName is a file's name behind that of what loads it.
const afterName = `\s*\(?\s*["']([^"'\n]+)`

// maxCode bounds a script whose calls are looked at, maxCall one call in it.
const maxCode, maxCall = 256 << 10, 600

var (
	// ofCode are the names of scripts that an interpreter is given, and notOwn directories of installed packages.
	ofCode = strings.Fields(".py .js .mjs .cjs .ts .mts .rb .pl .php .lua .fish")
	notOwn = lazy.Regexp(`/(node_modules|site-packages|dist-packages|venvs|\.venv|gems|\.cargo|\.rustup)/`)
	// starting is a call that starts a program, up to its first word; ruby and perl need no brackets.
	starting = lazy.Regexp(`\b(?:system|exec\w*|popen2?|Popen|spawn\w*|run|call|check_call|check_output|` +
		`getoutput|getstatusoutput|shlex\.split|capture[23]e?|create_subprocess_(?:exec|shell)|` +
		`shell_exec|passthru|proc_open)\s*\(\s*|\bopen\s*\(?\s*(?:my\s*)?\$?\w+\s*,\s*["']-\|["']\s*,\s*|` +
		"\\b(?:system|exec)\\s+[\"']|[$]`|%x[({\\[]|`")
	// quoted is a word of a call, and between what may stand before the next one.
	quoted  = lazy.Regexp(`^[fFrRbu]{0,2}(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|` + "`([^`\n]*)`)")
	between = lazy.Regexp(`^[\s,\[(]*`)
	// goes is the directory that a call names, of which inIt is the project's.
	goes = lazy.Regexp(`\b(?:cwd|chdir)["']?\s*(?:=>|[=:])\s*([^\n]*)`)
	inIt = claude.ProjectDirVariable + `|getcwd\(\)|process\.cwd\(\)|Path\.cwd\(\)|Dir\.pwd`
	here = lazy.Regexp(inIt + `|^["']\.["']`)
	// fromIt is the first word of a call, or the place of a module, put together from the project's directory.
	fromIt = lazy.Regexp(`^(?:\[\s*)?(?:[fF]?"[^"\n]*|[fF]?'[^'\n]*|` + "`[^`\n]*" + `|(?:str\(|(?:\w+\.)*join\(|(?:\w+\.)?Path\()` +
		`[^,\n]{0,80}?|)(?:` + inIt + `)`)
	loads = lazy.Regexp(`(?:\brequire|\bimport|sys\.path\.(?:insert|append))\s*\(\s*(?:\d+\s*,\s*)?`)
	// loadsHere is a file that a language runs from the directory that it is in (Kernel#load, perlfunc, runpy,
	// importlib.util, vm; PHP: include; Lua: dofile), where its name stands in quotes.
	loadsHere = map[string]func() *regexp.Regexp{
		"ruby": lazy.Regexp(`\brequire\b\s*\(?\s*["'](\.{1,2}/[^"'\n]+)|` +
			`\b(?:load|eval\s*\(?\s*(?:File|IO)\.read)\b` + afterName),
		"perl": lazy.Regexp(`\b(?:require|do)\b\s*\(?\s*["'](\.{1,2}/[^"'\n]+)`),
		"python": lazy.Regexp(`\b(?:run_path|execfile|exec\s*\(\s*(?:compile\s*\(\s*)?open|` +
			`spec_from_file_location\s*\(\s*["'][^"'\n]*["']\s*,)` + afterName),
		"node": lazy.Regexp(`\b(?:eval|runIn\w+|compileFunction)\s*\(\s*[\w.()"':]*\breadFileSync` + afterName),
		"php":  lazy.Regexp(`\b(?:include|require)(?:_once)?\b` + afterName),
		"lua":  lazy.Regexp(`\b(?:dofile|loadfile)\b` + afterName),
	}
	// piped is a command whose output perl reads (perlfunc, open).
	piped = lazy.Regexp(`\bopen\b[^\n"']*["']\s*([^"'\n|]+?)\s*\|\s*["']`)
	// inFish is what may stand in front of a command on a line of fish.
	inFish = lazy.Regexp(`^(?:(?:and|or|not|if|while|begin|else|time|builtin)\b;?\s*)+|^case\b.*`)
)

// Started is what code starts, and where in it that stands.
type Started struct {
	Reach shell.Reach
	At    int
}

// StartedBy lists what calls in code start that lies at path, in a place of the session.
func StartedBy(place shell.Place, path string, b []byte) (list []Started) {
	text, language := string(b), codeLanguage(path, b)
	if language == "fish" {
		return startedByFish(place, text)
	}
	for _, m := range starting().FindAllStringIndex(text, -1) {
		call, tick := text[m[1]:min(len(text), m[1]+maxCall)], ""
		switch begun := text[m[0]:m[1]]; {
		case commented(text, m[0]):
			continue
		case strings.HasSuffix(begun, "`"): // of ruby and perl; a template elsewhere, but for Bun's shell
			if tick = "`"; language == "node" && begun == "`" || language == "python" {
				continue
			}
		case strings.HasPrefix(begun, "%x"):
			tick = map[byte]string{'(': ")", '{': "}", '[': "]"}[begun[len(begun)-1]]
		case strings.HasSuffix(begun, `"`), strings.HasSuffix(begun, "'"):
			call = begun[len(begun)-1:] + call
		}
		if tick != "" {
			if line, _, ends := strings.Cut(call, tick); ends {
				list = append(list, Started{place.Line(line), m[0]})
			}
			continue
		}
		if end := strings.Index(call, "\n\n"); end >= 0 {
			call = call[:end]
		}
		if dir := goes().FindStringSubmatch(call); dir != nil && !here().MatchString(strings.TrimSpace(dir[1])) {
			continue
		}
		if fromIt().MatchString(call) {
			list = append(list, Started{runsAt(place, AnyFile), m[0]})
			continue
		}
		words := wordsOf(call)
		if len(words) == 0 {
			continue
		}
		reach := place.Line(words[0])
		if len(words) > 1 {
			reach = place.Exec(words[0], words[1:])
		}
		list = append(list, Started{reach, m[0]})
	}
	for _, m := range loads().FindAllStringIndex(text, -1) {
		call := text[m[1]:min(len(text), m[1]+maxCall)]
		if !commented(text, m[0]) && (fromIt().MatchString(call) || here().MatchString(call)) {
			list = append(list, Started{runsAt(place, AnyFile), m[0]})
		}
	}
	if load, is := loadsHere[language]; is {
		for _, m := range load().FindAllStringSubmatchIndex(text, -1) {
			for i := 2; i < len(m) && !commented(text, m[0]); i += 2 {
				if m[i] >= 0 {
					list = append(list, Started{runsAt(place, text[m[i]:m[i+1]]), m[0]})
				}
			}
		}
	}
	if language == "perl" {
		for _, m := range piped().FindAllStringSubmatchIndex(text, -1) {
			if !commented(text, m[0]) {
				list = append(list, Started{place.Line(text[m[2]:m[3]]), m[0]})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Started) int { return a.At - b.At })
	return list
}

// startedByFish lists what the lines of a script of fish start that are simple commands.
func startedByFish(place shell.Place, text string) (list []Started) {
	at := 0
	for line := range strings.Lines(text) {
		if command := inFish().ReplaceAllString(strings.TrimSpace(line), ""); command != "" && command[0] != '#' {
			list = append(list, Started{place.Line(command), at})
		}
		at += len(line)
	}
	return list
}

// runsAt is what a relative path comes to that code loads.
func runsAt(place shell.Place, path string) shell.Reach {
	return shell.Reach{Uses: []shell.Use{{Kind: shell.Runs, Path: pathname.From(place.Dir, path)}}}
}

// wordsOf are the words that a call begins with, and a path that is nothing of the project's in the place of one that
// the code computes.
func wordsOf(call string) (words []string) {
	for rest := call[len(between().FindString(call)):]; ; {
		w := quoted().FindStringSubmatch(rest)
		if w == nil {
			if len(words) > 0 && rest != "" && !strings.ContainsAny(rest[:1], "{") && !named().MatchString(rest) {
				words = append(words, "/-")
			}
			return words
		}
		words = append(words, w[1]+w[2]+w[3])
		rest = rest[len(w[0]):]
		gap := between().FindString(rest)
		if !strings.Contains(gap, ",") && !strings.Contains(gap, "[") {
			return words
		}
		rest = rest[len(gap):]
	}
}

// named begins an argument that is given by its name.
var named = lazy.Regexp(`^\w+\s*[=:]|^[\])]`)

// commented says whether a comment stands before a place on its line.
func commented(text string, at int) bool {
	line := strings.TrimSpace(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") ||
		strings.HasPrefix(line, "--")
}

// plainText is what a short file without a first line that names a program holds, which a shell reads then: nothing
// of one that is no text.
func plainText(g grants.Ground, path string) []byte {
	info, err := g.Host.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCode {
		return nil
	}
	b, err := g.Host.Read(path)
	if err != nil || bytes.IndexByte(b, 0) >= 0 {
		return nil
	}
	return b
}

// codeOpenings warns of the first thing that commands can change and that a script of the user's own starts, which
// is in another language.
func codeOpenings(g grants.Ground, path, what string, b []byte) []opening.Opening {
	if b == nil && slices.Contains(ofCode, filepath.Ext(path)) {
		b, _ = g.Host.Read(path)
	}
	if len(b) > maxCode || codeLanguage(path, b) == "" || notOwn().MatchString(grants.RealPath(g.Host, path)+"/") {
		return nil
	}
	place := Place(g)
	list := StartedBy(place, path, b)
	if words := shell.Interpreter(b); len(words) > 0 && !(slices.Contains(words, "--script") &&
		!needed().Match(b)) { // uv reads the configuration of its directory for the packages that a script needs
		list = slices.Insert(list, 0, Started{place.Exec(words[0], append(words[1:], path)), 0})
	}
	for _, s := range list {
		for _, u := range s.Reach.Uses {
			at := u.Path
			switch u.Kind {
			case shell.Decides, shell.Configures:
				at = filepath.Join(at, AnyFile)
			case shell.Runs, shell.Found:
			default:
				continue
			}
			name := filepath.Base(path) + " (" + what + ")"
			if _, yes := g.Writable(at); yes || u.Moves && u.Kind == shell.Runs {
				return []opening.Opening{{Status: report.Warn, Where: LineAt(path, string(b), s.At), What: path,
					Opens: fmt.Sprintf("%s starts what commands can change, outside the sandbox, unless it goes to another "+
						"directory first.", name), Step: ownFiles}}
			}
			if u.Kind == shell.Runs && at != path {
				if found := scriptOpenings(g, u, name); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// needed are packages that a Python script says that it needs (PEP 723).
var needed = lazy.Regexp(`(?m)^#\s*dependencies\s*=\s*\[[^\]]*["']`)

// codeLanguage is the language of a script, by its first line or its name.
func codeLanguage(path string, b []byte) string {
	for _, word := range shell.Interpreter(b) {
		name := filepath.Base(word)
		if language := shell.LanguageOf(name); language != "" {
			return language
		}
		if slices.Contains([]string{"php", "lua", "fish"}, name) {
			return name
		}
	}
	switch filepath.Ext(path) {
	case ".py":
		return "python"
	case ".rb":
		return "ruby"
	case ".pl":
		return "perl"
	case ".php", ".lua", ".fish":
		return filepath.Ext(path)[1:]
	case "":
		return ""
	}
	if slices.Contains(ofCode, filepath.Ext(path)) {
		return "node"
	}
	return ""
}
