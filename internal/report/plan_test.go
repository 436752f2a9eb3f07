// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the plan's id is the approval, so everything that approving
// would do must change it, and nothing else may.

package report

import (
	"io/fs"
	"testing"
)

func planOf(items ...Item) PlanID { return NewPlan([]Section{{ID: "s", Items: items}}).ID }

func TestThePlanIDCoversEverythingThatWouldBeWritten(t *testing.T) {
	base := Change{ID: "a", Path: "/p", Target: "/p", Before: []byte("x"), After: []byte("y"), Mode: 0o644}
	id := planOf(base)
	for name, edit := range map[string]func(*Change){
		"id": func(c *Change) { c.ID = "b" }, "path": func(c *Change) { c.Path = "/q" },
		"target": func(c *Change) { c.Target = "/q" },
		"before": func(c *Change) { c.Before = []byte("z") }, "no file before": func(c *Change) { c.Before = nil },
		"empty before": func(c *Change) { c.Before = []byte{} },
		"after":        func(c *Change) { c.After = []byte("z") }, "removal": func(c *Change) { c.After = nil },
		"mode": func(c *Change) { c.Mode = 0o755 }, "set mode": func(c *Change) { c.SetMode = true },
		"link": func(c *Change) { c.Mode |= fs.ModeSymlink },
	} {
		c := base
		edit(&c)
		if planOf(c) == id {
			t.Errorf("another %s has the same id", name)
		}
	}
	why := base
	why.Why = "another reason"
	if planOf(why) != id {
		t.Error("the reason changes the id, though not what is written")
	}
	if planOf(base, base) == id || planOf(Command{Line: "a"}) == planOf(Command{Line: "a", Where: "~/.bashrc"}) {
		t.Error("plans that do different things have the same id")
	}
	// No two lists of fields may run together.
	if planOf(Command{ID: "ab", Line: "c"}) == planOf(Command{ID: "a", Line: "bc"}) {
		t.Error("fields run together")
	}
	if len(id) != len("7f3a-91c2-0b5d-e6a8") {
		t.Errorf("id %q", id)
	}
}

func TestASkippedSectionDoesNothing(t *testing.T) {
	p := NewPlan([]Section{{Items: []Item{Change{ID: "a"}}, Skipped: true}, {Items: []Item{Command{ID: "b"}}}})
	if len(p.Changes()) != 0 || len(p.Commands()) != 1 {
		t.Errorf("%d changes, %d commands", len(p.Changes()), len(p.Commands()))
	}
}

func TestWhatIsLeftForTheUser(t *testing.T) {
	p := NewPlan([]Section{{Items: []Item{Change{}, Command{}, Command{Optional: true}},
		Findings: []Finding{{Decide: true}, {Status: Fail}}}})
	if got := p.LeftForUser(); got != 2 {
		t.Errorf("%d things are left, want the command and the decision", got)
	}
}

func TestAFindingWithoutEvidenceIsUnknown(t *testing.T) {
	if f := (Finding{Check: "x", Status: Pass, Summary: "fine"}).Complete(); f.Status != Unknown || len(f.Evidence) == 0 {
		t.Errorf("got %+v", f)
	}
	if f := (Finding{Status: Pass, Evidence: []Evidence{{}}}).Complete(); f.Status != Pass {
		t.Errorf("got %+v", f)
	}
}
