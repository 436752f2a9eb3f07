// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shell is asked in words that its start files do not
// redefine in passing: what they put in the place of builtins is taken away
// first, or not used.

package ownshell

import (
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// asking is the question in each shell's language, and the file that picks one:
// a start file may have started another shell. The answer is given by this
// program, which is called by its path and sees what is exported.
//
// bash: a variable is set whatever is redefined; with POSIXLY_CORRECT unset,
// readonly, trap and exec are found before functions of these names (bash(1),
// "POSIX mode"), so that what stands in the place of other builtins goes. What
// cannot go, since it is readonly, is told. zsh: parameters of zsh/parameter
// need no builtin; their types say whether they are the shell's own. fish: no
// function can be called builtin, eval or set. An abbreviation with an expression
// or a function is worked out as fish does it (abbr(1) of fish 3.6): the whole
// word has to match, and the function is called with it. One that says nothing
// may say something on another line: its name stands for that.
//
// sh, ksh: unset is found before a function of that name, and what it takes away
// is that function; in ksh it would take builtins away too, so that functions in
// the place of what asks are told there. csh cannot alias alias, and
// hands nothing on for an empty output: a word stands before it.
//
// WORD is asked about; there changes the directory, with the user's own cd.
var asking = map[string]string{
	"ask": `builtin test -n "$FISH_VERSION" && builtin source DIR/ask.fish
builtin test -n "$ZSH_VERSION" && builtin source DIR/ask.zsh
builtin test -n "$BASH_VERSION" && builtin source DIR/ask.bash
`,
	"there": `builtin test -n "$FISH_VERSION" && builtin source DIR/there.fish
builtin test -n "$FISH_VERSION" || builtin source DIR/there.sh
`,
	"there.sh": `cd THERE
[ "$PWD" = THERE ] || builtin cd THERE 2>/dev/null || \command cd THERE
`,
	"there.tcsh": `cd THERE
`,
	"there.fish": `cd THERE
builtin test "$PWD" = THERE; or builtin cd THERE
`,
	"ask.sh": `case ${BASH_VERSION:+b}${ZSH_VERSION:+z} in
b) . DIR/ask.bash ;;
z) . DIR/ask.zsh ;;
*) (
steward_kind=sh steward_functions=
case ${KSH_VERSION-} in
"") \unset -f command alias unalias typeset ;;
*MIRBSD*|*LEGACY*) steward_kind=mksh steward_functions=$(\typeset +f) ;;
*) steward_kind=ksh steward_functions=$(\typeset +f) ;;
esac
steward_alias=$(\alias WORD)
steward_body=$(\typeset -f WORD)
\unalias WORD
steward_word=$(\command -v WORD)
\exec SELF stage shell answer MARK $steward_kind "$steward_functions" "$steward_alias" "$steward_body" "$steward_word"
) >>ANSWERS 2>/dev/null </dev/null ;;
esac
`,
	"ask.tcsh": `if ($?prompt) SELF stage shell answer MARK tcsh alias "` + "`alias WORD`" + `" >>! ANSWERS </dev/null
`,
	"ask.bash": `[ -n "$BASH_VERSION" ] && (
POSIXLY_CORRECT=1
\trap - DEBUG ERR RETURN EXIT
\unset -f builtin unset unalias trap shopt alias declare hash exec readonly
steward_fixed=$(\readonly -f)
steward_body=$(\builtin declare -f WORD)
steward_alias=$(\builtin alias WORD)
steward_file=$(\builtin hash -t WORD)
\builtin shopt -s extdebug
steward_place=$(\builtin declare -F WORD)
\exec SELF stage shell answer MARK bash "$steward_fixed" "$steward_alias" "$steward_body" "$steward_place" "$steward_file"
) >>ANSWERS 2>/dev/null </dev/null
`,
	"ask.zsh": `SELF stage shell answer MARK zsh "${(t)functions}|${(t)aliases}|${(t)galiases}|${(t)commands}" "${aliases[WORD]-}" "${galiases[WORD]-}" "${functions[WORD]-}" "${functions_source[WORD]-}" "${commands[WORD]-}" "${zsh_scheduled_events-}$(builtin zle -F -L 2>/dev/null)" >>|ANSWERS 2>/dev/null </dev/null
`,
	"ask.fish": `begin
set -l body (builtin functions WORD 2>/dev/null | builtin string collect)
set -l place (builtin functions --details --verbose WORD 2>/dev/null | builtin string collect)
set -l short
for line in (builtin abbr --show 2>/dev/null)
set -l words
eval "builtin set words $line"
set -l pattern; set -l call; set -l name; set -l text
while set -q words[1]
switch $words[1]
case --regex
set pattern $words[2]; set -e words[1]
case --function
set call $words[2]; set -e words[1]
case --position
set -e words[1]
case --
set name $words[2]; set text $words[3..-1]; break
end
set -e words[1]
end
if set -q pattern[1]
builtin string match -qr -- "^(?:$pattern)\$" WORD; or continue
else if builtin test "$name" != WORD
continue
end
if set -q call[1]
set text ($call WORD 2>/dev/null </dev/null)
builtin test -n "$text"; or set text "$call WORD"
end
set -a short "$text"
end
SELF stage shell answer MARK fish "$body" "$place" $short >>ANSWERS 2>/dev/null </dev/null
end
`,
}

// rounds is how often a shell is asked. Each round has files and a mark of its
// own: what is typed while start files run is answered when they have ended, and
// is no answer to what is asked later.
const rounds = 2

// dirOf is where the files of a round lie.
func dirOf(round int) string { return inDir + "/" + strconv.Itoa(round) }

// markOf is what tells the answers of a round.
func markOf(mark string, round int) string { return mark + "." + strconv.Itoa(round) }

// typed are the lines that make a shell of that kind read a file of asking, in
// turn: the first that is understood counts.
func typed(file string, kind shellrc.Shell, round int) []string {
	all := dirOf(round) + "/" + file
	own := all + "." + string(kind)
	if _, ok := asking[file+"."+string(kind)]; !ok {
		own = all + ".sh"
	}
	sh, csh := ". "+all+".sh", "source "+all+".tcsh"
	switch {
	case kind == shellrc.Tcsh:
		return []string{csh, "builtin source " + all, sh}
	case kind.HasENV():
		return []string{sh, "builtin source " + all, csh}
	}
	return []string{"builtin source " + own, "builtin source " + all, "\\source " + own, ". " + own, sh, csh}
}

// question is a file of asking, filled in for a round.
func question(name, mark string, s Start, round int) string {
	return strings.NewReplacer("DIR", dirOf(round), "THERE", scripts.QuoteFor(name)(s.Then), "SELF", inSelf,
		"MARK", markOf(mark, round), "ANSWERS", answered, "WORD", s.Word).Replace(asking[name])
}
