// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan's id is a digest of everything that approving it
// would do. Two plans with the same id write the same bytes to the same
// places from the same starting point.

package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// Item is a Change, a Command, a Download or a Push in a plan. The set is closed.
type Item interface{ item() }

func (Change) item()  {}
func (Command) item() {}

// Section is one page of a plan: what one proposer wants, and what it found.
type Section struct {
	ID    ID
	Title string
	// Why explains the section in a few plain sentences.
	Why string
	// Opens and Exposes state, one line each, what becomes reachable by
	// approving the section and what stays exposed on purpose.
	Opens, Exposes []string
	Items          []Item
	// Removes are the empty directories that go, where nothing else is left to do.
	Removes  []string
	Findings []Finding
	Entries  []Entry
	// Skipped is set when the user left the section out.
	Skipped bool
}

// Note adds findings; one without a layer has that of its check.
func (s *Section) Note(findings ...Finding) {
	for _, f := range findings {
		f.Layer = cmp.Or(f.Layer, Info(f.Check).Layer)
		s.Findings = append(s.Findings, f)
	}
}

// Entry is one line of a policy document with its reason, so that the user
// can choose and ask why.
type Entry struct {
	// Key names the entry for flags and folds: "permissions.deny:Bash(curl *)".
	Key   string
	Layer Layer
	Why   string
	// State is "new", "present", "omitted" or "conflict".
	State string
}

// PlanID names a plan by its content: four groups of four hex digits.
// 64 bits, so that nobody can craft a second plan with the same id in the
// time between printing and applying it (docs/adr/0003-plan-ids.md).
type PlanID string

// Plan is the ordered list of what would be written and what the user would
// run.
type Plan struct {
	ID       PlanID
	Sections []Section
}

// NewPlan numbers the sections' items by their content.
func NewPlan(sections []Section) Plan {
	p := Plan{Sections: sections}
	p.ID = IDOf(p.Fields())
	return p
}

// isCommand begins the fields of a command.
const isCommand = "command"

// Fields are what of each item its plan is numbered by, and the directories that go.
func (p Plan) Fields() (list [][]string) {
	for _, s := range p.Sections {
		if s.Removes != nil {
			list = append(list, append([]string{"removes"}, s.Removes...))
		}
	}
	for _, it := range p.Items() {
		var fields []string
		switch it := it.(type) {
		case Change:
			fields = []string{"change", string(it.ID), it.Path, it.Target, string(it.Base()), string(it.Result()),
				fmt.Sprintf("%o %v %o", it.Mode, it.SetMode, it.ModeBefore)}
			if it.Turns || it.Emptied || it.Derived {
				fields = append(fields, fmt.Sprintf("kind %v %v %v", it.Turns, it.Emptied, it.Derived))
			}
		case Command:
			fields = []string{isCommand, string(it.ID), it.Line, it.Where, fmt.Sprint(it.Privileged)}
		case Push:
			fields = []string{"push", string(it.ID), it.Remote, it.Branch, it.From, it.Message, strings.Join(it.Files, "\x00"),
				strings.Join(it.Commits, "\x00")}
		case Download:
			fields = []string{"download", string(it.ID), it.Package, strings.Join(it.Versions, " "), fmt.Sprint(it.AtMost),
				it.From, it.Integrity, it.Into}
		}
		list = append(list, fields)
	}
	return list
}

// IDOf is the id of the plan whose items have these fields.
func IDOf(items [][]string) PlanID {
	h := sha256.New()
	for _, fields := range items {
		field(h, fields...)
	}
	s := hex.EncodeToString(h.Sum(nil))
	return PlanID(s[0:4] + "-" + s[4:8] + "-" + s[8:12] + "-" + s[12:16])
}

// CommandsLess says how many commands p lacks of a plan whose items had these fields;
// ok is false where it differs in anything else.
func (p Plan) CommandsLess(items [][]string) (n int, ok bool) {
	now := p.Fields()
	for _, was := range items {
		switch {
		case len(now) > 0 && slices.Equal(now[0], was):
			now = now[1:]
		case len(was) == 5 && was[0] == isCommand:
			n++
		default:
			return 0, false
		}
	}
	return n, len(now) == 0
}

// field writes length-prefixed fields, so that no two lists of fields hash
// the same bytes.
func field(h hash.Hash, fields ...string) {
	for _, f := range fields {
		fmt.Fprintf(h, "%d:%s,", len(f), f)
	}
}

// Items lists the items of the sections that were not skipped, in order.
func (p Plan) Items() []Item {
	var items []Item
	for _, s := range p.Sections {
		if !s.Skipped {
			items = append(items, s.Items...)
		}
	}
	return items
}

// Changes lists the plan's changes in the order in which they are applied.
func (p Plan) Changes() []Change { return of[Change](p) }

// Commands lists what the user would run.
func (p Plan) Commands() []Command { return of[Command](p) }

// of lists the plan's items of one kind.
func of[T Item](p Plan) (list []T) {
	for _, it := range p.Items() {
		if one, ok := it.(T); ok {
			list = append(list, one)
		}
	}
	return list
}

// Findings lists what the proposers found, in order.
func (p Plan) Findings() []Finding {
	var fs []Finding
	for _, s := range p.Sections {
		fs = append(fs, s.Findings...)
	}
	return fs
}

// LeftForUser counts what remains after every change was applied: commands
// that are not optional, and decisions that nobody took.
func (p Plan) LeftForUser() int {
	n := 0
	for _, c := range p.Commands() {
		if !c.Optional {
			n++
		}
	}
	for _, f := range p.Findings() {
		if f.Decide {
			n++
		}
	}
	return n
}

// Push is what would be committed and pushed; only what a plan names is.
type Push struct {
	ID  ID
	Why string
	// Remote is the address without a password, Branch the remote's branch, From
	// the commit that the plan was computed from ("" for none).
	Remote, Branch, From string
	// Files are what one new commit with Message would hold; none means that
	// nothing is left to commit.
	Files   []string
	Message string
	// Commits are those that are there already and not pushed, one line each.
	Commits []string
}

func (Push) item() {}

// Download is one package as it would be fetched into this program's cache. Nobody
// can fetch what it does not say.
type Download struct {
	ID  ID
	Why string
	// Package is its name in the registry, Versions are those that may be
	// fetched, at most AtMost of them: more than one only where which of them
	// is found out on the way.
	Package  string
	Versions []string
	AtMost   int
	// From is the address that the registry gives, Integrity what the bytes
	// have to be (SRI, as npm checks it); both "" where there are several
	// versions: the client checks each against the registry's own word.
	From, Integrity string
	// Bytes is how large one version is, unpacked; 0 if the registry does not
	// say it.
	Bytes int64
	// Into is the directory of the cache.
	Into string
}

func (Download) item() {}

// Downloads lists what a plan would fetch.
func (p Plan) Downloads() []Download { return of[Download](p) }
