// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who asks about a text gets an answer, also where a hook
// would keep silent; what speaks against it is part of the answer.

package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Answer is the entry that a text is about.
type Answer struct {
	Entry Entry
	// Line is the line, or lines, of the text that told; "" where the text
	// names the entry.
	Line string
	// If says what else must be so for the text to mean this; "" if the
	// text is enough. Confirm and Witness say it to a program.
	If      string
	Confirm Confirm
	Witness string
	// Paths are what the line may be about, the likeliest first, as it names
	// them; Host is the host that it is about. Most texts name neither.
	Paths []string
	Host  string
	// Elsewhere says that the entry does not speak of the platform that was
	// asked about.
	Elsewhere bool
	// Verdict says whether the sandbox made this error; "" where the text
	// names the entry. Looked are the words for what was seen of If on the
	// machine that was asked about; "" where nobody looked.
	Verdict Verdict
	Looked  string
	// Here says of each fix what it comes to there; nil where nobody looked.
	Here []Here
}

// Verdict is whether the sandbox made an error.
type Verdict string

// The verdicts. Silent is for a symptom that, with what else the text says, is
// none: it is passed over.
const (
	Sandboxed Verdict = "sandbox"  // the text is enough, or the machine confirms it
	Ordinary  Verdict = "ordinary" // the machine shows another cause
	Undecided Verdict = "unknown"  // neither
	Silent    Verdict = "silent"
)

// Looking says what the machine shows of an answer, in words.
type Looking func(Answer) (v Verdict, words string)

// textOnly is Looking where nobody looks.
func textOnly(a Answer) (Verdict, string) {
	switch {
	case a.Confirm == Sure:
		return Ordinary, ""
	case a.Entry.Layer == None && a.Confirm != Explain && a.Confirm != Shown &&
		a.Confirm != Reached && a.Confirm != Absent:
		return Silent, ""
	case a.Confirm == Nothing || a.Confirm == Sandbox || a.Confirm == Words:
		return Sandboxed, ""
	}
	return Undecided, ""
}

// Here is what a fix comes to on the machine that was asked about.
type Here struct {
	// Refuted says why it cannot help there, Refused what it would open that
	// verify fails; "" where nothing speaks against it.
	Refuted, Refused string
	// Change is what it would write, and Command a line that brings the same
	// about, which is shown instead; both are nil where what the fix names is
	// not known.
	Change  *report.Change
	Command *report.Command
	// First is to be run before, nil if nothing is.
	First *report.Command
	// Held counts the denials that held with it in a rehearsal, 0 where it was
	// not tried; Untried says why.
	Held    int
	Untried string
	// Wide says that it opens every unix socket: whatever else leads on comes first.
	Wide bool
}

// At is what the fix number i of its entry comes to there.
func (a Answer) At(i int) (h Here) {
	if i < len(a.Here) {
		h = a.Here[i]
	}
	return h
}

// Closed says whether it is not offered there.
func (h Here) Closed() bool { return h.Refuted != "" || h.Refused != "" }

const mayWrite = "you may write there outside the sandbox"

// ifs say what must be so outside the sandbox for a text to count.
var ifs = map[Confirm]string{
	Exists:     "the file is there outside the sandbox",
	Allowed:    "you may read and write the file outside the sandbox",
	Writable:   mayWrite,
	Temporary:  mayWrite,
	Socket:     "the service runs, so that its socket is there outside the sandbox",
	Listener:   "something listens on that port outside the sandbox",
	Repository: "the directory lies in a git repository",
	Program:    "the program is on PATH outside the sandbox",
	Owned:      "the file belongs to root outside the sandbox, and nobody else may write it",
	Witness:    "it is there outside the sandbox",
	Inside:     "the command ran in the sandbox, and works outside: the text has ordinary causes too",
	Explain:    "it works outside the sandbox: the text has ordinary causes too",
	Foreign:    "the host that refused is another machine",
	LowPort:    "the port is one that only root may open here",
	Login:      "your login lies in one of these, and the policy hides it: ${WITNESS}",
	Shown:      "the policy hides none of these from commands: ${WITNESS}",
	Barred:     "you may not write there outside the sandbox either",
	Disk:       "the path lies on a disk, and not in a directory that the policy hides",
	Mode:       "the file has no execute permission",
	Absent:     "the file is not there outside the sandbox either",
	Reached:    "the program did not run in the sandbox, which opens no unix socket",
}

// hintMark begins the line that the error-hint hook adds.
const hintMark = "[sandbox-hint] "

// Recognise finds the entry that text is about on a platform: an id, a hint of
// the hook, an error, or a tool result with one in it, also as JSON and in
// colour. Of several errors the first that look confirms counts, else the first
// that is undecided, else the first that is known to have another cause, else the
// first that may have another, else a warning before an error, else the first
// that look finds ordinary; look may be nil. What another error of the text explains
// does not count. Where nothing is found, lines that a screen broke are joined.
// An error that only another platform knows counts if its text is enough.
func Recognise(entries []Entry, text, platform string, look Looking) (Answer, bool) {
	text = unquoted(strings.TrimSpace(uncoloured(unpacked(uncoloured(text)))))
	id := text
	if _, hint, ok := strings.Cut(text, hintMark); ok {
		id, _, _ = strings.Cut(hint, ":")
	}
	if i := indexOf(entries, strings.ToLower(id)); i >= 0 {
		return Answer{Entry: entries[i], Elsewhere: !slices.Contains(entries[i].Platforms, platform)}, true
	}
	if look == nil {
		look = textOnly
	}
	doc := read(text)
	best := recognised(entries, text, doc, platform, look)
	if wide := joined(text); len(best) == 0 && !doc.written() && wide != text {
		best = recognised(entries, wide, doc, platform, look)
	}
	for _, v := range []Verdict{Sandboxed, Undecided, other, open, warned, Ordinary, elsewhere} {
		if a, ok := best[v]; ok {
			if v == elsewhere {
				a.Verdict = Undecided
			}
			if a.Host == "" && a.Entry.asks("${HOST}") { // no verdict rests on another line
				a.Host = cmp.Or(onlyHost(text), UsualHost(text))
			}
			return a, true
		}
	}
	return Answer{}, false
}

func indexOf(entries []Entry, id string) int {
	return slices.IndexFunc(entries, func(e Entry) bool { return e.ID == id })
}

// recognised are the first answers of each rank in a text. An error that another
// one in it explains is none of them.
func recognised(entries []Entry, text string, doc document, platform string, look Looking) map[Verdict]Answer {
	about := func(f Found) Entry { return entries[indexOf(entries, f.Hint.ID)] }
	var found []Found
	away := foreign(text)
	Match(text, typed(text), func(f Found) bool {
		if _, silent := doc.tells(f.Text); !silent && !literal(f.Text, f.in) && !away(about(f), f.Text) {
			found = append(found, f)
		}
		return false
	})
	found = slices.DeleteFunc(found, explained(found, func(f Found) bool {
		a := answer(about(f), f, platform)
		written, _ := doc.tells(f.Text)
		if a.Elsewhere || written || quotation(f.Text) || prose(f.Text) {
			return false
		}
		v, _ := look(a)
		return v != Silent
	}))
	best := map[Verdict]Answer{}
	for _, f := range found {
		a := answer(about(f), f, platform)
		if a.Host == "" && a.Entry.asks("${HOST}") {
			a.Host = HostIn(typed(text)) // that of the command that was pasted with it
		}
		if a.Elsewhere {
			if v, _ := textOnly(a); v == Silent || v == Undecided && a.Entry.Layer != None &&
				!(len(a.Paths) > 0 && strings.HasPrefix(a.Paths[0], "/Users/")) { // a path that only macOS has
				continue
			}
			if a.Entry.Layer == None && (quotation(f.Text) || prose(f.Text)) {
				continue
			}
			a.Verdict = elsewhere
		} else {
			a.Verdict, a.Looked = look(a)
			if other := otherMaker(a, text); other != "" && a.Verdict == Sandboxed {
				a.Verdict, a.Looked = Undecided, other
			}
			written, _ := doc.tells(f.Text)
			switch quoted := quotation(f.Text); {
			case a.Entry.Layer == None && quoted, prose(f.Text):
				a.Verdict = Silent
			case a.Verdict == Sandboxed && a.Looked == "" && (quoted || written):
				a.Verdict, a.Looked = Undecided, "the line seems to be quoted from a file"
			case goesOn(f.Text, text):
				a.Verdict = Silent
			case a.Verdict == Sandboxed && warns(f.Text, text):
				a.Verdict = Undecided
			case a.Entry.Layer == None && a.Verdict == Undecided && shows(a, text):
				a.Verdict, a.Looked = Ordinary, "the text itself shows it"
			}
		}
		rank := a.Verdict
		if a.Entry.Layer == None && rank == Ordinary {
			rank = other
		} else if a.Entry.Layer == None && rank == Undecided {
			rank = open
		} else if rank == Undecided && (f.Frame || warns(f.Text, text) || a.Confirm == Allowed && a.guessed()) {
			rank = warned
		}
		if _, have := best[rank]; !have {
			best[rank] = a
		}
		if a.Verdict == Sandboxed {
			break
		}
	}
	return best
}

// prompts begin the lines of a pasted session that were typed.
var prompts = []string{"$ ", "# ", "% ", "> ", "❯ ", "● Bash(", "⏺ Bash("}

// typed are the commands in what was pasted; an error does not stand for the
// command that printed it.
func typed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if slices.ContainsFunc(prompts, func(p string) bool { return strings.HasPrefix(strings.TrimSpace(line), p) }) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// elsewhere ranks an error of another platform, other one that is known to have
// another cause, open one that may have another, warned a warning before an error, and
// what is known of a guessed path only.
const elsewhere, other, open, warned Verdict = "elsewhere", "other", "open", "warned"

// spent are in the warning of cargo, and of pip, that no further try follows.
var spent = []string{"(1 try remaining)", "retry(total=0"}

// nothingFound is what pip says where no try of its got through.
const nothingFound = "(from versions: none)"

// warns says whether a line of text is a warning before an error: the command
// went on after it, and stopped at the other.
func warns(line, text string) bool {
	begins := func(line string, marks ...string) bool {
		line = toLower(strings.TrimSpace(line))
		return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(line, mark) })
	}
	if strings.Contains(strings.TrimSpace(line), "\n") || !begins(line, "warning:", "npm warn") {
		return false
	}
	if slices.ContainsFunc(spent, func(mark string) bool { return strings.Contains(toLower(line), mark) }) ||
		strings.Contains(line, "Retry(total=") && strings.Contains(text, nothingFound) {
		return false
	}
	_, rest, _ := strings.Cut(text, line)
	for next := range strings.Lines(rest) {
		if begins(next, "error:", "error[", "fatal:", "npm err") {
			return true
		}
	}
	return false
}

// guessed says whether an error names its path from a directory that nobody knows.
func (a Answer) guessed() bool {
	return len(a.Paths) > 0 && !strings.HasPrefix(a.Paths[0], "/") && !strings.HasPrefix(a.Paths[0], "~/")
}

// answer is an entry as a symptom in a text speaks for it.
func answer(e Entry, f Found, platform string) Answer {
	if ways := e.Symptoms[f.Symptom].Ways; len(ways) > 0 {
		e.Fixes, e.Alternatives = nil, ways
	}
	a := Answer{Entry: e, Line: strings.TrimSpace(f.Text), If: e.condition(f.Confirm, f.Witness), Witness: f.Witness,
		Confirm: f.Confirm, Elsewhere: !slices.Contains(e.Platforms, platform)}
	if a.Paths = e.paths(a.Line, f.Confirm); e.Probe == "egress" {
		a.Host = HostIn(a.Line)
	}
	if f.Confirm == Witness {
		a.If = strings.ReplaceAll(f.Witness, " ", " or ") + " leads to something: " + a.If
	}
	return a
}

// condition says what else must be so for a text to mean the entry.
func (e Entry) condition(c Confirm, witness string) string {
	if e.Layer == None && c == Explain {
		return "it fails outside the sandbox too"
	}
	return strings.ReplaceAll(ifs[c], "${WITNESS}", strings.ReplaceAll(witness, " ", ", "))
}

// Nearest lists the n entries of a platform that have most words in common with a
// text, the nearest first; an entry without a common word is not among them.
func Nearest(entries []Entry, text, platform string, n int) []Entry {
	asked := words(text)
	entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		return !slices.Contains(e.Platforms, platform)
	})
	in := make([]map[string]bool, len(entries)) // the words of each entry
	common := map[string]int{}                  // how many entries have a word
	for i, e := range entries {
		about := e.ID + " " + e.Title + " " + e.Hint
		for _, s := range e.Symptoms {
			about += " " + s.Example
		}
		in[i] = words(about)
		for w := range in[i] {
			common[w]++
		}
	}
	type near struct {
		Entry
		score float64
	}
	order := slices.Sorted(maps.Keys(asked)) // a sum depends on the order of what is added
	var list []near
	for i, e := range entries {
		one := near{Entry: e}
		for _, w := range order {
			if in[i][w] {
				one.score += 1 / float64(common[w])
			}
		}
		if one.score > 0 {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(b.score, a.score) })
	var found []Entry
	for _, one := range list[:min(n, len(list))] {
		found = append(found, one.Entry)
	}
	return found
}

// words are the words of a text that tell something, in lower case.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(toLower(text[:min(len(text), 64<<10)]), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		if len(w) > 2 && !slices.Contains(filler, w) {
			set[w] = true
		}
	}
	return set
}

// filler are words that every second error has.
var filler = strings.Fields("the and not for with from that this has been was are can cannot could error failed line " +
	"file usr bin exit code")
