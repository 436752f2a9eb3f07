// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a function that the shell calls by itself, at a prompt or
// when the directory changes, runs like a line of the start file, and so does
// every function that it calls.

package rcfiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// hookLists are zsh's lists of functions that it calls by itself (zshmisc(1)
// "Hook Functions").
var hookLists = []string{"precmd_functions", "preexec_functions", "chpwd_functions", "periodic_functions",
	"zshexit_functions", "zshaddhistory_functions"}

// Registers are commands whose words name what the shell runs later.
var Registers = []string{"trap", "zle", "sched", "add-zsh-hook", "add-zle-hook-widget", "eval"}

// maxUnasked bounds how many functions are followed.
const maxUnasked = 500

// rcFunction is a function, and the file that has it.
type rcFunction struct {
	shellrc.Def
	of shellrc.File
}

// Names of functions in a line: of those that it calls, and of all
// words.
var (
	calledNames = lazy.Regexp(`(?:^|[;&|({` + "`" +
		`]|\b(?:then|do|else|and|or|not|if|while|eval|builtin|command)\b)\s*([A-Za-z_][\w.:+-]*)`)
	allNames = lazy.Regexp(`[A-Za-z_][\w.:+-]*`)
)

// unasked judges these functions. What the user's own word does is the user's
// wish (word).
func (j *rcJudge) unasked(files []shellrc.File) {
	j.substitutes = substitutesPrompts(files)
	user := shellrc.User{Home: j.Session.Dirs.Home, Getenv: j.Host.System().Get}
	named, seen, gave := map[string][]rcFunction{}, map[string]bool{}, map[string]bool{}
	var next []string
	reach := func(names ...string) {
		for _, name := range names {
			if named[name] != nil && !seen[name] && len(next) < maxUnasked {
				seen[name] = true
				next = append(next, name)
			}
		}
	}
	var texts []rcFunction // that no function holds
	calls := func(f shellrc.File) {
		text := shellrc.File{Shell: f.Shell, Sets: f.Sets}
		for _, set := range f.Sets {
			for _, code := range promptTexts(set) {
				texts = append(texts, rcFunction{atPrompt(set, code), text})
			}
			if isHook(set.Name) || slices.Contains(hookLists, set.Name) {
				reach(allNames().FindAllString(set.Value, -1)...)
			}
		}
		for _, c := range f.Calls {
			if !gave[c.Value] && len(gave) < maxUnasked {
				gave[c.Value] = true
				texts = append(texts, given(c, f.Sets, named)...)
			}
			if word, _, _ := strings.Cut(c.Value, " "); slices.Contains(Registers, word) {
				reach(allNames().FindAllString(c.Value, -1)...)
				continue
			}
			for _, m := range calledNames().FindAllStringSubmatch(c.Value, -1) {
				reach(m[1])
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Functions {
			if d.Body != "" && !j.Leads(f.Path) {
				named[d.Name] = append(named[d.Name], rcFunction{d, f})
			}
		}
	}
	for _, f := range files {
		if j.Leads(f.Path) {
			continue // its lines are no better than itself
		}
		calls(f)
		j.expanded(f, f.Sets, named)
		j.lineByLine(shellrc.Def{File: f.Path, Line: 1}, j.atStart(f))
		for _, d := range f.Aliases {
			if slices.Contains(changers, d.Name) {
				texts = append(texts, rcFunction{atPrompt(d, d.Value), f})
			}
		}
		for _, d := range f.Functions {
			if d.Event || byItself(d.Name) {
				reach(d.Name)
			}
		}
	}
	j.later = true
	defer func() { j.later = false }()
	for len(next)+len(texts) > 0 {
		list := texts
		if texts = nil; len(list) == 0 {
			list, next = named[next[0]], next[1:]
		}
		for _, fn := range list {
			j.lineByLine(fn.Def, fn.Body)
			body := fn.of.Inside(user, fn.Def)
			sets := slices.Concat(body.Sets, fn.of.Sets)
			j.sources(body, sets)
			for _, c := range body.Calls {
				j.call(body, c, false)
			}
			j.expanded(body, sets, named)
			for _, set := range body.Sets {
				j.set(set)
			}
			calls(body)
		}
	}
}

// given are the functions that a call gives files of the directory to, with these in
// place of their parameters.
func given(call shellrc.Def, sets []shellrc.Def, named map[string][]rcFunction) (list []rcFunction) {
	words := strings.Fields(call.Value)
	var here []string
	for n := 1; n < len(words) && n < 10; n++ {
		if path := literalPath(fromHere(words[n], sets)); path != "" {
			here = append(here, fmt.Sprintf("${%d}", n), path, fmt.Sprintf("$%d", n), path)
		}
	}
	if here == nil {
		return nil
	}
	for _, fn := range named[words[0]] {
		fn.Body = strings.NewReplacer(here...).Replace(fn.Body)
		list = append(list, fn)
	}
	return list
}

// atPrompt is a text as the body of a function.
func atPrompt(d shellrc.Def, text string) shellrc.Def {
	return shellrc.Def{File: d.File, Line: d.Line, Name: d.Name, Body: text}
}

// quotedText is a word in quotes.
var quotedText = lazy.Regexp(`"((?:[^"\\]|\\.)*)"|'([^']*)'`)

// promptTexts are the commands in a variable that the shell reads at each prompt:
// its value, or what a prompt substitutes (bash(1) PROMPT_COMMAND, PROMPTING).
func promptTexts(set shellrc.Def) (texts []string) {
	switch {
	case !isHook(set.Name):
		return nil
	case strings.HasPrefix(set.Value, "("): // an array of commands
		for _, m := range quotedText().FindAllStringSubmatch(set.Value, -1) {
			texts = append(texts, m[1]+m[2])
		}
		return append(texts, set.Value)
	case set.Name == "PROMPT_COMMAND", strings.HasSuffix(set.Name, "_user_func"),
		strings.HasPrefix(set.Name, customSegment):
		return []string{set.Value}
	}
	for text := set.Value; text != ""; {
		n := expansion(text)
		switch {
		case n > 3 && strings.HasPrefix(text, "$("):
			texts = append(texts, text[2:n-1])
		case n > 2 && text[0] == '`':
			texts = append(texts, text[1:n-1])
		}
		text = text[max(n, 1):]
	}
	return texts
}
