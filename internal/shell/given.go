// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word that only the running shell knows may be an option, or an
// order, to a program that has some which start a program.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// switches are letters of options without a value, by program: a word behind one is
// no value (curl(1), wget(1), rg(1), openssl(1)).
var switches = map[string]string{"curl": "sSfLkvgNiIjO#460", "wget": "qcNnvdS", "rg": "ilnwFSuvocrH0NpUzL"}

// givenOption is the first of a program's words that may be an option of somebody
// else's: one that begins with what only the running shell knows, and that is
// neither behind "--" nor, in quotes, the value of an option. "" if there is none.
func givenOption(name string, words []word) string {
	if !slices.Contains(steered, name) && !slices.Contains([]string{"find", "rg", "openssl"}, name) {
		return ""
	}
	for i := 1; i < len(words); i++ {
		w, before := words[i], words[i-1]
		switch {
		case w.first() == "--":
			return ""
		case w.ok || !strings.HasPrefix(strings.TrimLeft(w.src, `"`), "$") && !strings.HasPrefix(strings.TrimLeft(w.src, `"`), "`"):
		case i > 1 && strings.HasPrefix(w.src, `"`) && takesValue(name, before.first()):
		default:
			return w.src
		}
	}
	return ""
}

// takesValue says whether the next word may only be the value of an option.
func takesValue(name, option string) bool {
	letters, short := strings.CutPrefix(option, "-")
	switch known, is := quiet[name]; {
	case !short || letters == "":
		return false
	case strings.HasPrefix(letters, "-"):
		return true
	case is:
		return strings.Contains(known.valued, letters[len(letters)-1:])
	}
	return strings.Trim(letters, switches[name]) != ""
}

// commander is a program among data that starts programs which its words name: words
// that match starts do; with data, a word that only the running shell knows may be
// such a word wherever it stands.
type commander struct {
	starts string
	data   bool
}

// commanders are from the manuals: sway(5), i3(5), hyprctl, xdotool(1), ydotool(1),
// terminal-notifier, mpv(1), ffplay(1), nc(1), ncat(1), gum, sox(1), ip-netns(8),
// dbus-send(1), gdbus(1), busctl(1), festival(1), open(1), xdg-open(1).
var commanders = map[string]commander{
	"swaymsg": {`\bexec|bindsym|for_window|assign|include`, true}, "i3-msg": {`\bexec|bindsym|for_window`, true},
	"hyprctl": {`exec|keyword|plugin|--batch`, true}, "xdotool": {`exec|behave|^-$|/`, true}, "ydotool": {`/`, true},
	"terminal-notifier": {`^-(execute|open|activate)$`, false},
	"mpv":               {`script|lua|include|config|input-|hook|ytdl|^--o=`, true},
	"nc":                {`^-[a-zA-Z]*[ec]|exec`, true}, "gum": {`^(spin|pager|file)$`, false},
	"play": {`\|`, true}, "ip": {`exec|^-b`, true},
	"dbus-send": {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"gdbus":     {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"busctl":    {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"qdbus":     {`systemd|exec|Exec|RunCommand|ActivateAction`, false},
	"festival":  {`system|load|\(\s*set`, true}, "open": {`^-a$|\.(command|tool|app|terminal|workflow|scpt)$`, true},
	"xdg-open": {`\.desktop$`, true}, "cowsay": {`^-f|/`, false}, "pass": {`^(git|edit|init)$`, false},
}

// startsByWord compiles the patterns once.
var startsByWord = sync.OnceValue(func() map[string]*regexp.Regexp {
	m := map[string]*regexp.Regexp{}
	for name, c := range commanders {
		m[name] = regexp.MustCompile(c.starts)
	}
	return m
})

// commanding is the first word with which such a program may start another one; ""
// if there is none. Between quotes behind an option, a word is its value.
func commanding(name string, words []word) string {
	c, is := commanders[name]
	if !is {
		return ""
	}
	for i, w := range words[1:] {
		value := strings.HasPrefix(w.src, `"`) && strings.HasPrefix(words[i].first(), "-")
		switch {
		case w.ok && startsByWord()[name].MatchString(w.first()):
			return w.src
		case !w.ok && (c.data || !value && strings.HasPrefix(w.src, "$")):
			return w.src
		}
	}
	return ""
}

// told says whether the words of an instructed program hold what it is to do; without
// them it reads that from its standard input: a statement behind the name of a
// database, or an option that has one.
func told(name string, words []word) bool {
	operands := 0
	for _, w := range words[1:] {
		text := w.first()
		switch {
		case slices.Contains([]string{"-c", "-e", "-f", "-cmd", "--command", "--execute", "--eval", "--file",
			"--version"}, text),
			strings.HasPrefix(text, "--command="), strings.HasPrefix(text, "--execute="), strings.HasPrefix(text, "--eval="),
			strings.HasPrefix(text, "--file="), strings.HasPrefix(text, "-e") && name != "ed":
			return true
		case strings.HasPrefix(text, "-"):
		default:
			operands++
		}
	}
	switch name {
	case "sqlite3", "sqlplus":
		return operands > 1
	case "psql", "mysql", "mariadb", "ed":
		return false
	}
	return operands > 0
}

// variable is a name in an expansion, substituted the beginning of a command in one,
// and mild one of a program that prints nobody's words, or, as basename(1), no slash.
var (
	variable    = lazy.Regexp(`\$\{?([A-Za-z_]\w*)`)
	substituted = lazy.Regexp("\\$\\([^(]|`")
	mild        = lazy.Regexp(`\$\((date|basename|hostname|whoami|id|uuidgen|mktemp)\b[^()]*\)`)
)

// assigned says whether a word that only the running shell knows holds what a command
// printed, or a variable of the line does.
func (r *reader) assigned(w word, st *state) bool {
	src := mild().ReplaceAllString(w.src, "")
	return substituted().MatchString(src) || slices.ContainsFunc(variable().FindAllStringSubmatch(src, -1),
		func(m []string) bool {
			values, set := st.vars[m[1]]
			return set && values == nil
		})
}
