// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: docs/troubleshooting.md is the catalog, word for word. Run
// "go generate ./internal/catalog" to write it again.

package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

const pageFile = "../../docs/troubleshooting.md"

func TestThePageIsCurrent(t *testing.T) {
	testenv.Golden(t, pageFile, page(load(t)), "go generate ./internal/catalog")
}

const pageHead = `<!-- Generated from manifests/troubleshooting.toml by go generate ./internal/catalog; do not edit. -->

# Claude Code sandbox errors: what they mean and how to fix them

Commands that Claude Code runs in its sandbox (bubblewrap and seccomp on Linux,
Seatbelt on macOS) fail with ordinary errors: "Operation not permitted",
"Read-only file system", "No such file or directory", "Permission denied", 403.
Search this page for the text of your error, or paste it:

    steward-setup doctor --explain "Error connecting to agent: Operation not permitted"

The answer is one of three; the JSON field ` + "`verdict`" + ` has it too:

| Answer | ` + "`verdict`" + ` | When |
|---|---|---|
| the entry, its cause and its fixes | ` + "`sandbox`" +
	` | the text is enough, or your machine confirms it: the file, port or socket is there outside the sandbox, and the policy keeps commands from it |
| not the sandbox | ` + "`ordinary`" + ` | the file, program or socket is missing outside the sandbox too, or the policy lets commands use it; or the text itself has [another cause](#about-ordinary) |
| unknown | ` + "`unknown`" + ` | the text has ordinary causes too, or may come from another machine; the last lines name the probe that tells |

How often it is right was measured with texts that were labelled before they were run, by
writers who had not seen this catalog. Of the 80 Linux texts of the latest set (Claude Code
2.1.330), 67 were right at first sight: 19 sure, 39 unknown with the right entry, 9 not the
sandbox. None got a wrong answer, 10 got another entry as unknown, 3 no answer, of which 2 have
nothing to do with the sandbox. Where its directory exists, 1 of the 10 gets the wrong entry
as sure. Of 50 ordinary outputs none was blamed on the sandbox, and 1 got one of its entries
as unknown. The classes of these errors were mended afterwards; a set that was seen is not
measured again. Of three earlier sets, 64 of 78, 49 of 80 and 39 of 68 were right at first
sight.

[How to read the fixes](#fixes) is at the end.

## Find your error

`

// pageFoot explains what the entries use.
const pageFoot = `
<a id="fixes"></a>

## How to read the fixes

For a path or a host, ` + "`doctor --explain`" + ` names the smallest directory that helps
(never your home, or one that other programs use too), as a line of ` + "`install`" + ` or as
a change of the worktree's own settings. A plan of ` + "`install`" + ` approves the policy for
` + "`claude-iso`" + `, too; after an edit of your own run ` + "`steward-setup iso --approve`" + `. ` + "`verify`" + ` fails on some settings: those are not offered, and
what is offered was tried with every denial of ` + "`verify`" + ` on a copy of your setup (not
with ` + "`--live=never`" + `). ` + "`steward-setup doctor PROBE --try-fix`" + ` tries the fixes of a
probe before you choose one.

| Word | Meaning |
|---|---|
| measured | seen with Claude Code 2.1.329 on Debian 12; nothing was measured on macOS |
| refuted | seen not to help, there or by its users |
| documented | documentation or users say that it helps; not tried here |
| unknown | nobody has said |
| price | what becomes possible to every sandboxed command, not only to the one that needs it |
| ` + "`${NAME}`" + ` | a value of your machine |

Fixes stand in order, the smallest first. ` + "`doctor --explain`" + ` has what works without a
setting before a fix that opens every unix socket, and what does not help last.
`

// page renders the whole page.
func page(entries []Entry) string {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("| Words | What it may be |\n|---|---|\n")
	for _, words := range errorWords {
		fmt.Fprintf(&b, "| `%s` | %s |\n", words, strings.Join(saying(entries, words), ", "))
	}
	for _, t := range topics {
		fmt.Fprintf(&b, "\n[**%s**](#about-%s)\n\n| Trouble | A typical message | On | Smallest fix on Linux |\n"+
			"|---|---|---|---|\n", headings[t], t)
		for _, e := range of(entries, t) {
			fmt.Fprintf(&b, "| [%s](#%s) | `%s` | %s | %s |\n", cell(e.Title), e.ID, cell(typical(e)), on(e), smallest(e))
		}
	}
	for _, t := range topics {
		fmt.Fprintf(&b, "\n<a id=\"about-%s\"></a>\n\n## %s\n", t, headings[t])
		for _, e := range of(entries, t) {
			b.WriteString(section(e))
		}
	}
	b.WriteString(pageFoot)
	return b.String()
}

// typical is an entry's first message of one line, or the last line of a longer
// one, as far as a table has room for it.
func typical(e Entry) string {
	i := max(0, slices.IndexFunc(e.Symptoms, func(s Symptom) bool { return s.Within == 0 }))
	line := strings.TrimSpace(e.Symptoms[i].Example)
	line = strings.ReplaceAll(strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:]), "`", "'")
	if runes := []rune(line); len(runes) > 72 {
		line = string(runes[:72]) + "…"
	}
	return line
}

func on(e Entry) string {
	var list []string
	for _, p := range e.Platforms {
		list = append(list, names[p])
	}
	return strings.Join(list, ", ")
}

func smallest(e Entry) string {
	if e.Layer == None {
		return "not the sandbox"
	}
	if !slices.Contains(e.Platforms, "linux") {
		return "does not occur"
	}
	for _, f := range e.Fixes {
		if p := f.Proof["linux"]; p != Refuted {
			return cell(f.Title) + " (" + string(p) + ")"
		}
	}
	return "none"
}

// section renders one entry: what to do, by which messages to know it, fixes,
// then the reason and the details. Its anchor is the id.
func section(e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<a id=\"%s\"></a>\n\n### %s\n\n%s\n\n", e.ID, e.Title, sentence(e.Hint))
	for _, group := range messages(e) {
		fmt.Fprintf(&b, "%s\n\n%s", group.lead, fenced("", strings.Join(group.examples, "\n\n")))
	}
	fixes, useless := split(e)
	for i, f := range fixes {
		if i == 0 {
			b.WriteString("**Fixes**\n\n")
		}
		var proof []string
		for _, p := range e.Platforms {
			known := string(f.Proof[p])
			if p == "darwin" && f.Proof[p] != Refuted {
				known += ", not proved here"
			}
			proof = append(proof, names[p]+": "+known)
		}
		where, what := "in "+string(f.Scope)+" settings", indented(f.Settings)
		if f.Exclude {
			where, what = "in `.git/info/exclude`", excluded
		}
		fmt.Fprintf(&b, "%d. **%s**, %s. %s.\n   Price: %s.\n\n%s", i+1, f.Title, where, strings.Join(proof, "; "), f.Price,
			fenced("   ", what))
	}
	for i, f := range useless {
		if i == 0 {
			b.WriteString("**Does not help**\n\n")
		}
		fmt.Fprintf(&b, "- %s: `%s`\n", f.Title, f.Settings)
	}
	if len(useless) > 0 {
		b.WriteString("\n")
	}
	if len(e.Alternatives) > 0 {
		title := "**Without changing settings**"
		switch {
		case e.Layer == None:
			title = "**What helps**"
		case len(fixes) == 0 && e.BySettings():
			title = "**What helps**"
		case len(fixes) == 0:
			title = "**What helps** (no setting changes it)"
		}
		b.WriteString(title + "\n\n")
		for _, a := range e.Alternatives {
			fmt.Fprintf(&b, "- %s\n", onPage(a))
		}
		b.WriteString("\n")
	} else if len(fixes) == 0 {
		b.WriteString("No setting changes it.\n\n")
	}
	b.WriteString(ofSymptoms(e))
	fmt.Fprintf(&b, "**Why**\n\n%s\n\n", strings.TrimSpace(e.Cause))
	versions := "Claude Code " + e.Since + " and later"
	if e.Until != "" {
		versions = "Claude Code " + e.Since + " to " + e.Until
	}
	if e.Layer == None {
		versions = "any version"
	}
	fmt.Fprintf(&b, "Entry `%s`; layer: %s; %s; %s.", e.ID, e.Layer, on(e), versions)
	if e.Probe != "" {
		fmt.Fprintf(&b, " Test it: `steward-setup doctor %s`.", e.Probe)
	}
	var sources []string
	for _, list := range append([][]string{e.Sources}, seen(e)...) {
		for _, source := range list {
			if !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
	}
	fmt.Fprintf(&b, " Sources: %s.\n", links(sources))
	return b.String()
}

// onPage is a way with its line as code.
func onPage(w Way) string {
	if w.Line.Words == "" {
		return w.Text
	}
	return w.Text + "`" + report.Line{Words: w.Line.Words}.String() + "`" + w.Line.After
}

// ofSymptoms are the ways of single symptoms, below the first message that each is for.
func ofSymptoms(e Entry) string {
	var b strings.Builder
	var said [][]Way
	for _, s := range e.Symptoms {
		same := func(ways []Way) bool { return slices.Equal(ways, s.Ways) }
		if len(s.Ways) == 0 || slices.ContainsFunc(said, same) {
			continue
		}
		said = append(said, s.Ways)
		first, _, _ := strings.Cut(strings.TrimSpace(s.Example), "\n")
		fmt.Fprintf(&b, "For `%s`:\n\n", strings.ReplaceAll(first, "`", "'"))
		for _, way := range s.Ways {
			fmt.Fprintf(&b, "- %s\n", onPage(way))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// split parts the fixes from those that were seen not to help anywhere.
func split(e Entry) (fixes, useless []Fix) {
	for _, f := range e.Fixes {
		if slices.ContainsFunc(e.Platforms, func(p string) bool { return f.Proof[p] != Refuted }) {
			fixes = append(fixes, f)
		} else {
			useless = append(useless, f)
		}
	}
	return fixes, useless
}

// group is the messages that tell under one condition.
type group struct {
	lead     string
	examples []string
}

// messages are an entry's, those first that are enough by themselves.
func messages(e Entry) []group {
	groups := []group{{lead: "**Messages**"}}
	for _, s := range e.Symptoms {
		lead := "**Messages**"
		if c := counts(e, s); c != "" {
			lead = "**These mean it only if** " + c + ":"
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.lead == lead })
		if i < 0 {
			groups, i = append(groups, group{lead: lead}), len(groups)
		}
		if text := strings.Trim(s.Example, "\n"); !slices.Contains(groups[i].examples, text) {
			groups[i].examples = append(groups[i].examples, text)
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return g.examples == nil })
}

// seen are the addresses where messages were seen, and the versions that print
// them.
func seen(e Entry) (lists [][]string) {
	for _, s := range e.Symptoms {
		lists = append(lists, slices.DeleteFunc(slices.Clone(s.Seen), func(at string) bool { return at == "documented" }))
	}
	return lists
}

// sentence is a text with a capital letter at its start.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// excluded are the lines of a fix that excludes names.
var excluded = strings.Join(claude.Excludable(func(string) bool { return false }), "\n")

var names = map[string]string{"linux": "Linux", "darwin": "macOS"}

// counts says when a symptom counts.
func counts(e Entry, s Symptom) string {
	if slices.Contains([]Confirm{Nothing, Sandbox, Words}, s.Confirm) {
		return ""
	}
	return strings.ReplaceAll(e.condition(s.Confirm, s.Witness), "it is there",
		"`"+strings.ReplaceAll(s.Witness, " ", "` or `")+"` is there")
}

// fenced is a block of code, indented as the list that it stands in.
func fenced(indent, text string) string {
	var b strings.Builder
	for _, line := range append(append([]string{"```text"}, strings.Split(strings.Trim(text, "\n"), "\n")...), "```") {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return strings.Replace(b.String(), "```text\n"+indent+"{", "```json\n"+indent+"{", 1) + "\n"
}

func indented(settings string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(settings), "", "  ") != nil {
		return settings
	}
	return b.String()
}

// links writes sources, addresses as such.
func links(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s
		if strings.HasPrefix(s, "https://") && !strings.Contains(s, " ") {
			out[i] = "<" + s + ">"
		}
	}
	return strings.Join(out, ", ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
