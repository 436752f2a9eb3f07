// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: docs/troubleshooting.md is the catalog, word for word. Run
// "go generate ./internal/catalog" to write it again.

package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

const pageFile = "../../docs/troubleshooting.md"

func TestThePageIsCurrent(t *testing.T) {
	want := page(load(t))
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is stale: run go generate ./internal/catalog\n%s", pageFile, diff)
	}
}

const pageHead = `<!-- Generated from manifests/troubleshooting.toml by go generate ./internal/catalog; do not edit. -->

# Troubleshooting

Error messages from commands that Claude Code runs in its sandbox (bubblewrap
and seccomp on Linux, Seatbelt on macOS): what each means, what allows it, and
what that costs. Search this page for the text of your error, or paste it:

    steward-setup doctor --explain "Error connecting to agent: Operation not permitted"

The answer is one of three, and the JSON field ` + "`verdict`" + ` has it too:

| Answer | ` + "`verdict`" + ` | When |
|---|---|---|
| the entry, its cause and its fixes | ` + "`sandbox`" + ` | the text is enough, or your machine confirms it: the file, port or socket is there outside the sandbox, and the policy keeps commands from it |
| not the sandbox | ` + "`ordinary`" + ` | the file, server or socket is missing outside the sandbox too, or the policy lets commands use it |
| unknown | ` + "`unknown`" + ` | the text has ordinary causes too, or names a file of another machine; the last lines name the probe that tells |

For a path or a host, the fix names the smallest directory that helps (never your
home, or one that other programs use too), as a line of ` + "`install`" + ` or as a change
of the worktree's own settings. After a change of the policy ` + "`claude-iso`" + ` needs a
new approval. ` + "`verify`" + ` fails on some settings: those are not offered, and what is
offered was tried with every denial of ` + "`verify`" + ` on a copy of your setup (not with
` + "`--live=never`" + `). ` + "`steward-setup doctor PROBE --try-fix`" + ` tries the fixes of a
probe before you choose one.

A fix is **measured** where it was seen with Claude Code 2.1.329 on Debian 12,
**refuted** where it was seen not to help, there or by its users,
**documented** where documentation or users say that it helps and nothing here
has proved it, and **unknown** where nobody has said. Nothing here was measured
on macOS. Fixes stand in order, the smallest first; a price is what becomes
possible to every sandboxed command, not only to the one that needs it.
` + "`${NAME}`" + ` stands for a value of your machine.

`

// page renders the whole page.
func page(entries []Entry) string {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("| Entry | Trouble | Layer | Linux | macOS | Smallest fix that is not refuted on Linux |\n|---|---|---|---|---|---|\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s | %s | %s |\n", e.ID, e.ID, cell(e.Title), e.Layer, on(e, "linux"), on(e, "darwin"), smallest(e))
	}
	for _, e := range entries {
		b.WriteString(section(e))
	}
	return b.String()
}

func on(e Entry, platform string) string {
	if slices.Contains(e.Platforms, platform) {
		return "yes"
	}
	return "no"
}

func smallest(e Entry) string {
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

// section renders one entry. The heading's anchor is the id.
func section(e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", e.ID, e.Title)
	versions := "Claude Code " + e.Since + " and later"
	if e.Until != "" {
		versions = "Claude Code " + e.Since + " to " + e.Until
	}
	probe := "none"
	if e.Probe != "" {
		probe = "`steward-setup doctor " + e.Probe + "`"
	}
	var platforms []string
	for _, p := range e.Platforms {
		platforms = append(platforms, names[p])
	}
	fmt.Fprintf(&b, "Layer: %s. On %s. %s. Probe: %s.\n\n### %s: symptoms\n\n", e.Layer, strings.Join(platforms, " and "), versions, probe, e.ID)
	for _, s := range e.Symptoms {
		fmt.Fprintf(&b, "%sSeen: %s%s.\n\n", fenced("", s.Example), links(s.Seen), counts(s))
	}
	fmt.Fprintf(&b, "### %s: cause\n\n%s\n\n### %s: fixes\n\n", e.ID, strings.TrimSpace(e.Cause), e.ID)
	if len(e.Fixes) == 0 {
		b.WriteString("No setting changes it.\n\n")
	}
	for i, f := range e.Fixes {
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
		fmt.Fprintf(&b, "%d. **%s**, %s. %s.\n   Price: %s.\n\n%s", i+1, f.Title, where, strings.Join(proof, "; "), f.Price, fenced("   ", what))
	}
	if len(e.Alternatives) > 0 {
		fmt.Fprintf(&b, "### %s: instead\n\n", e.ID)
		for _, a := range e.Alternatives {
			fmt.Fprintf(&b, "- %s\n", a)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "Sources: %s.\n", links(e.Sources))
	return b.String()
}

// excluded are the lines of a fix that excludes names.
var excluded = strings.Join(claude.Excludable(func(string) bool { return false }), "\n")

var names = map[string]string{"linux": "Linux", "darwin": "macOS"}

// counts says when a symptom counts.
func counts(s Symptom) string {
	if s.Confirm == Nothing || s.Confirm == Sandbox {
		return ""
	}
	return "; it means this if " + strings.ReplaceAll(ifs[s.Confirm], "it is there", "`"+s.Witness+"` is there")
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
