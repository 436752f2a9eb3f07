// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a finding without evidence does not exist. Finding's
// constructor-like helpers take the evidence first, and Complete replaces a
// finding that has none by one that says so.

package report

import (
	"slices"
	"strings"
	"time"
)

// Evidence is one thing that was seen: where, and what it said.
type Evidence struct {
	// Kind is "file", "command", "version" or "environment".
	Kind string `json:"kind"`
	// Where is a path with line (and column), a command line, or a name.
	Where string `json:"where"`
	// Text is what was seen there. It may hold foreign bytes: renderers
	// pass it through redact before a terminal sees it.
	Text string `json:"text"`
	// Role is for readers that show it apart; no output names it.
	Role Role `json:"role,omitempty"`
}

// Role says what an Evidence is to its finding.
type Role string

// The roles. Seen is what there is to most findings.
const (
	Seen    Role = ""
	Refusal Role = "refusal" // its Text is the layer that refused
	Price   Role = "price"   // its Text is what it costs that something works
)

// FileEvidence says what was seen in a file; where is "path[:line[:col]]".
func FileEvidence(where, text string) Evidence {
	return Evidence{Kind: "file", Where: where, Text: text}
}

// CommandEvidence says what a command line answered.
func CommandEvidence(line, text string) Evidence {
	return Evidence{Kind: "command", Where: line, Text: text}
}

// VersionEvidence says which version of a tool was seen.
func VersionEvidence(tool, version string) Evidence {
	return Evidence{Kind: "version", Where: tool, Text: version}
}

// EnvEvidence says what is known of an environment variable or of the
// machine; never a value that could be a credential.
func EnvEvidence(name, text string) Evidence {
	return Evidence{Kind: "environment", Where: name, Text: text}
}

// RefusalEvidence names the layer that refused (a catalog.Refuser).
func RefusalEvidence(layer string) Evidence {
	return Evidence{Kind: "environment", Where: "layer", Text: layer, Role: Refusal}
}

// PriceEvidence says what it costs that something works.
func PriceEvidence(price string) Evidence {
	return Evidence{Kind: "environment", Where: "price", Text: price, Role: Price}
}

// Finding is the answer to one check, or one thing that a proposal wants the
// user to know (a conflict, an exposure).
type Finding struct {
	Check    ID            `json:"check"`
	Layer    Layer         `json:"layer"`
	Status   Status        `json:"status"`
	Summary  string        `json:"summary"`
	Evidence []Evidence    `json:"evidence"`
	Remedies []Remedy      `json:"remedies"`
	Duration time.Duration `json:"-"`
	// Decide marks a finding that only the user can settle (a conflict
	// kept as it was): it counts as "left for the user" in exit codes.
	Decide bool `json:"decide,omitempty"`
	// Voids marks a failure after which nothing protects: the sandbox is
	// off or cannot start, or something got through that no policy allows.
	Voids bool `json:"voids,omitempty"`
	// Launches says what differs between the ways to start the agent; the
	// finding's own status is the weaker one.
	Launches []LaunchStatus `json:"launches,omitempty"`
	// Covers says of the starts that the check looked at whether what is
	// denied is blocked there.
	Covers []Cover `json:"covers,omitempty"`
}

// Of are the texts of the evidence that has a role, each once, in its order.
func (f Finding) Of(role Role) (texts []string) {
	for _, e := range f.Evidence {
		if e.Role == role && !slices.Contains(texts, e.Text) {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// With is f with its places as place gives them and its words as words does; f keeps
// its own.
func (f Finding) With(place, words func(string) string) Finding {
	f.Summary = words(f.Summary)
	f.Evidence, f.Launches = slices.Clone(f.Evidence), slices.Clone(f.Launches)
	for i, e := range f.Evidence {
		f.Evidence[i].Where, f.Evidence[i].Text = place(e.Where), words(e.Text)
	}
	for i, l := range f.Launches {
		f.Launches[i].Summary = words(l.Summary)
	}
	f.Covers = CoversWith(f.Covers, place, words)
	return f
}

// Complete returns f, or, if f has no evidence, an Unknown in its place: a
// result that was not observed is not a pass (ARCHITECTURE, law 7).
func (f Finding) Complete() Finding {
	if len(f.Evidence) > 0 {
		return f
	}
	f.Evidence = []Evidence{EnvEvidence(string(f.Check), "the check gave no evidence for: "+f.Summary)}
	f.Status = Unknown
	return f
}

// Remedy is something that would mend a finding: a Change, a Command or a
// DocLink. The set is closed.
type Remedy interface{ remedy() }

// DocLink points at an explanation, a page of docs/ or an address; or it says
// what to do, with no Target. Line is one of this program that follows Title.
type DocLink struct {
	Title, Target string
	Line          Line `json:",omitzero"`
}

// Text is the title with its line.
func (d DocLink) Text() string { return d.Title + d.Line.String() }

// Says is the link as an instruction; "" where it is a page of the source tree, which
// the reader may not have.
func (d DocLink) Says() string {
	switch {
	case d.Target == "":
		return d.Text()
	case strings.HasPrefix(d.Target, "docs/"):
		return ""
	}
	return d.Text() + ":  " + d.Target
}

func (Change) remedy()  {}
func (Command) remedy() {}
func (DocLink) remedy() {}

// NotKnown is a finding that could not be made.
func NotKnown(summary, where string, err error) Finding {
	return Finding{Status: Unknown, Summary: summary, Evidence: []Evidence{ErrorEvidence(where, err)}}
}
