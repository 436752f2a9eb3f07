// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command of a terminal multiplexer is a message only where every
// word of it is in the line: in a word that only the running shell knows may stand a
// command, as the multiplexer expands it (tmux(1), FORMATS).

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// messages are the commands of terminal multiplexers that show something, or name a
// window, and start nothing (tmux(1), screen(1), zellij's reference). Of tmux, set-option
// is judged by its option.
var messages = map[string]string{
	"tmux": "display-message display rename-window renamew rename-session rename select-window selectw select-pane " +
		"selectp refresh-client refresh wait-for wait has-session has list-sessions ls list-windows lsw list-panes lsp " +
		"resize-pane resizep",
	"screen": "title wall bell_msg",
	"zellij": "rename-tab rename-pane go-to-tab",
}

// tmuxSets are the commands of tmux that set an option.
var tmuxSets = strings.Fields("set-option set set-window-option setw")

// Message says whether the words of a multiplexer, the program first, are such a command.
func Message(words []string) bool {
	if len(words) < 3 || slices.ContainsFunc(words, startsInFormat) {
		return false
	}
	switch name, rest := words[0], words[1:]; name {
	case "tmux":
		return listed(messages[name], rest[0]) || slices.Contains(tmuxSets, rest[0]) && showsOnly(rest[1:])
	case "screen":
		return len(rest) > 2 && rest[0] == "-X" && listed(messages[name], rest[1])
	case "zellij":
		return rest[0] == "action" && listed(messages[name], rest[1])
	}
	return false
}

// startsInFormat says whether a word of tmux's ends a command, starts a program in a
// format, or expands another text once more (tmux(1), PARSING SYNTAX and FORMATS).
func startsInFormat(text string) bool {
	return text == ";" || strings.HasSuffix(text, ";") || strings.Contains(text, "#(") || expanded().MatchString(text)
}

// expanded finds what is expanded once more, also among other modifiers: #{E:x}, #{E;=9:x}.
var expanded = lazy.Regexp(`#\{([^{}]*;)?[ET][;:]`)

// showsOnly says whether set-option is given an option of the user's own, a style, or the
// way in which windows are named.
func showsOnly(words []string) bool {
	i := 0
	for ; i < len(words) && strings.HasPrefix(words[i], "-"); i++ {
		switch {
		case words[i] == "-t":
			i++
		case strings.Trim(words[i], "-agopquUws") != "":
			return false
		}
	}
	return i < len(words) && (strings.HasPrefix(words[i], "@") || strings.HasSuffix(words[i], "-style") ||
		slices.Contains([]string{"automatic-rename", "allow-rename", "monitor-bell", "monitor-activity"}, words[i]))
}

// multiplexer reads the words of one: what is no message is not resolved.
func (r *reader) multiplexer(words []word, st *state) {
	if !slices.ContainsFunc(words, func(w word) bool { return !w.ok || w.glob || len(w.texts) != 1 }) &&
		Message(firsts(words)) {
		return
	}
	r.opaque(words, st)
}
