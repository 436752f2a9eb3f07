// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what differs in two runs of the same test has a word by its
// position: the first canary is N1 in both. Nothing is left out.

package sessions

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// words are what differs, and what stands for it.
type words struct{ out, in *strings.Replacer }

// named are the places that a run of the tests has for all of them.
func named() (list [][2]string) {
	own, _ := os.Executable() // "" is no place
	list = [][2]string{{"own", own}, {"home", os.Getenv("HOME")}, {"tmp", temporary()}}
	for _, name := range []string{"STEWARD_TEST_CLAUDE", "STEWARD_TEST_CLAUDE_FLOOR", "STEWARD_TEST_CLAUDE_OLD",
		"STEWARD_TEST_LEFTHOOK", "STEWARD_TEST_ANSWERS"} { // test.sh
		list = append(list, [2]string{name, os.Getenv(name)})
	}
	list = append(list, [2]string{"STEWARD_TEST_BINARY", testenv.Built()})
	// A short one may stand in a text by chance, with dashes.
	return slices.DeleteFunc(list, func(v [2]string) bool { return strings.Count(v[1], "/") < 2 })
}

// sources is the top of this tree, "" if it is not there: what a session would read
// of it has no part in a digest.
var sources = sync.OnceValue(func() string {
	dir, _ := os.Getwd()
	for ; len(dir) > 1; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	return ""
})

// temporary is where tests have their machines, links resolved.
var temporary = sync.OnceValue(func() string {
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return os.TempDir()
	}
	return dir
})

// forms are a canary (stage.Nonce), also in hexadecimal alone, the key of a session with the nonce of its
// run, the names of what is approved in one (iso.Approval) and of its copies, and a directory of one test:
// all that is random in what a session is given. Each begins with words that are looked for quickly.
var forms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`canary[0-9a-f]{26}`), regexp.MustCompile(`63616e617279(?:3[0-9]|6[1-6]){26}`),
		regexp.MustCompile(`sk-ant-[0-9a-f]{12,}`), regexp.MustCompile(`policies/[0-9a-f]{16}\b`),
		regexp.MustCompile(`approved/[0-9a-f]{32}\b`), directory(),
	}
})

// directory is one of one test. The testing package cuts its name off, also behind a comma.
var directory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(temporary()) + `/(?:[A-Za-z0-9_.%#=-]|,[_0-9])+(?:/\d{3}\b)?`)
})

// random are the words of forms in a text, in its order.
func random(text string) (list []string) {
	var at [][]int
	for _, form := range forms() {
		at = append(at, form.FindAllStringIndex(text, -1)...)
	}
	slices.SortFunc(at, func(a, b []int) int { return a[0] - b[0] })
	end := 0
	for _, found := range at {
		if found[0] >= end {
			list, end = append(list, text[found[0]:found[1]]), found[1]
		}
	}
	return list
}

var noLetter = regexp.MustCompile(`[^A-Za-z0-9]`)

// wordsOf finds what differs in a text. All of it is also written in hexadecimal
// (rehearsal's sealed words), a place by the runtime with dashes. own are pairs of what
// differs besides and its word.
func wordsOf(text string, own ...[2]string) words {
	list := slices.Clone(own)
	differs := func(word, text string) {
		list = append(list, [2]string{text, "«" + word + "»"}, [2]string{hex.EncodeToString([]byte(text)), "«" + word + "#»"})
	}
	place := func(word, path string) {
		differs(word, path)
		list = append(list, [2]string{noLetter.ReplaceAllString(path, "-"), "«" + word + "-»"})
	}
	for _, v := range named() {
		place(v[0], v[1])
	}
	seen, numbers := map[string]bool{}, map[byte]int{}
	// What a recording's name lacks has no part in the numbers of the rest.
	for _, found := range random(parts.ReplaceAllString(text, "") + "\n" + text) {
		if canary, err := hex.DecodeString(found); err == nil {
			found = string(canary)
		}
		if seen[found] {
			continue
		}
		seen[found] = true
		kind := found[0]
		numbers[kind]++
		word := fmt.Sprintf("%c%d", kind, numbers[kind]) // "/1", "c1", …
		switch kind {
		case 'c', 'p', 'a':
			differs(word, found)
		case 's':
			differs(word, strings.TrimPrefix(found, "sk-ant-"))
		default:
			place("d"+word[1:], found)
		}
	}
	// The longest first: one may begin another.
	slices.SortStableFunc(list, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	var out, in []string
	for _, w := range list {
		out, in = append(out, w[0], w[1]), append(in, w[1], w[0])
	}
	return words{strings.NewReplacer(out...), strings.NewReplacer(in...)}
}

// machines are the directories of one test that a text names; what the run has for
// all tests is none.
func machines(text string) (list []string) {
	for _, found := range directory().FindAllString(text, -1) {
		if !slices.Contains(list, found) &&
			!slices.ContainsFunc(named(), func(v [2]string) bool { return pathname.Within(v[1], found) }) {
			list = append(list, found)
		}
	}
	return list
}
