// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a receipt describes a run before it begins, so that a run
// that was killed can be taken back as well as one that ended. What of it
// stands is not noted down but read off the files by their digests.

package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Receipt is what an applied plan wrote, kept in <state>/receipts/<id>/ with
// the old bytes beside it.
type Receipt struct {
	SchemaVersion int    `json:"schema_version"`
	ID            string `json:"id"`
	Command       string `json:"command"`
	// Flags are those that make the same plan again, as they are typed.
	Flags       string        `json:"flags,omitempty"`
	Plan        report.PlanID `json:"plan"`
	ToolVersion string        `json:"tool_version"`
	StartedAt   time.Time     `json:"started_at"`
	// Finished is false when the run was stopped half way.
	Finished bool `json:"finished"`
	// Project and Answers are what the plan was made for and with: the
	// answers that the user gave, which later runs begin from.
	Project string         `json:"project,omitempty"`
	Answers report.Answers `json:"answers,omitempty"`
	// Arrived says that the run wrote content of the user's from another machine:
	// undo takes it back by its id alone, and uninstall leaves it.
	Arrived bool `json:"arrived,omitempty"`
	// Undoes names the receipt that this run took back.
	Undoes string `json:"undoes,omitempty"`
	// UndoesAll names those that an uninstall took back.
	UndoesAll []string        `json:"undoes_all,omitempty"`
	Changes   []ReceiptChange `json:"changes"`
	// Dirs are the directories that the run created; RemoveDirs those
	// that it removes again if they are empty.
	Dirs       []string `json:"dirs,omitempty"`
	RemoveDirs []string `json:"remove_dirs,omitempty"`
	// Emptied are the directories that give way to symlinks, with those below
	// them; MakeDirs those that the run makes again, as the runs that it takes
	// back found them. What is a directory already is not among them.
	Emptied  []fs.DirMode `json:"emptied,omitempty"`
	MakeDirs []fs.DirMode `json:"make_dirs,omitempty"`
	// Seal is that of the run that wrote it. Altered says of a receipt that was
	// read that the seal does not fit.
	Seal    string `json:"seal"`
	Altered bool   `json:"-"`
}

// keptPrefix begins the names of old bytes.
const keptPrefix = "before-"

// begunName is a file in the directory of a run while its old bytes are being kept:
// without a receipt, nothing was written yet and the directory may go.
const begunName = "begun"

// leftName is the name for what change i of a run leaves. It is kept of a JSON
// document: the runtime writes its settings, too, and with both states the run's
// entries can be told from later ones.
func leftName(i int) string { return fmt.Sprintf("%s%02d", leftPrefix, i) }

// leftPrefix begins the names of what a run leaves.
const leftPrefix = "after-"

// ofARun says that a file of a receipt's directory holds what a run found or left.
func ofARun(name string) bool {
	return strings.HasPrefix(name, keptPrefix) || strings.HasPrefix(name, leftPrefix)
}

// ReceiptChange is one change without its bytes. Kept names the file beside
// the receipt that holds the old ones; it is "" where there was no file.
type ReceiptChange struct {
	ID         report.ID     `json:"id"`
	Path       string        `json:"path"`
	Target     string        `json:"target"`
	Within     string        `json:"within,omitempty"`
	Before     report.Digest `json:"before"`
	After      report.Digest `json:"after"`
	Kept       string        `json:"kept,omitempty"`
	Mode       iofs.FileMode `json:"mode"`
	SetMode    bool          `json:"set_mode,omitempty"`
	ModeBefore iofs.FileMode `json:"mode_before"`
	Turns      bool          `json:"turns,omitempty"`
	Emptied    bool          `json:"emptied,omitempty"`
	Derived    bool          `json:"derived,omitempty"`
}

func (a Applier) receiptsDir() string         { return filepath.Join(a.State, "receipts") }
func (a Applier) receiptDir(id string) string { return filepath.Join(a.receiptsDir(), id) }
func (a Applier) receiptFile(id string) string {
	return filepath.Join(a.receiptDir(id), "receipt.json")
}

// idTime is how the id of a receipt begins, in UTC.
const idTime = "20060102-150405.000"

// nextID is an id that sorts behind that of every earlier run: it begins with the
// time, or, where the clock went back, with a millisecond more than the last.
func (a Applier) nextID(now time.Time, plan report.PlanID) string {
	names, _ := fs.List(a.receiptsDir()) // none that can be read: History says so
	now = now.Truncate(time.Millisecond)
	for _, name := range slices.Backward(names) {
		last, err := time.Parse(idTime, name[:min(len(name), len(idTime))])
		if err != nil || last.Year() == 9999 { // no run of ours; a year more would sort before it
			continue
		}
		if !now.After(last) {
			now = last.Add(time.Millisecond)
		}
		break
	}
	return now.Format(idTime) + "-" + string(plan)[:4]
}

// describe fills in a receipt for p. Its id sorts in the order of the runs.
func (a Applier) describe(r Receipt, p report.Plan) Receipt {
	now := a.Now().UTC()
	r.SchemaVersion, r.ToolVersion, r.StartedAt, r.Plan = 1, a.Version, now.Truncate(time.Second), p.ID
	r.ID = a.nextID(now, p.ID)
	dirs := make(map[string]bool)
	r.RemoveDirs = append(r.RemoveDirs, a.emptied(p)...)
	r.MakeDirs = a.missing(r.MakeDirs)
	for i, c := range p.Changes() {
		rc := ReceiptChange{ID: c.ID, Path: c.Path, Target: c.Target, Within: c.Within, Before: c.Base(), After: c.Result(),
			Mode: c.Mode, SetMode: c.SetMode, ModeBefore: c.ModeBefore, Turns: c.Turns, Emptied: c.Emptied, Derived: c.Derived}
		if c.Before != nil {
			rc.Kept = fmt.Sprintf("%s%02d", keptPrefix, i)
		}
		r.Changes = append(r.Changes, rc)
		if c.Emptied {
			r.Emptied = append(r.Emptied, fs.DirModes(c.Target)...)
		}
		for _, dir := range fs.MissingDirs(c) {
			if !dirs[dir] {
				dirs[dir] = true
				r.Dirs = append(r.Dirs, dir)
			}
		}
	}
	return r
}

// missing lists those of list that are to be made, and those that a run which was
// killed just before made, and perhaps did not close.
func (a Applier) missing(list []fs.DirMode) []fs.DirMode {
	if len(list) == 0 {
		return nil
	}
	none := fs.NoDirs(list)
	receipts, _ := a.History() // none that can be read: the directories are somebody's own
	for _, r := range Unaltered(receipts) {
		if r.Finished {
			break
		}
		none = append(none, r.MakeDirs...)
	}
	return slices.DeleteFunc(slices.Clone(list), func(d fs.DirMode) bool { return !slices.Contains(none, d) })
}

// madeAgain says which of the directories that gave way to symlinks are made
// again, "" for none. Those below them are counted.
func madeAgain(list []fs.DirMode) string {
	list = fs.NoDirs(list)
	var roots []string
	for _, d := range list {
		if !pathname.WithinAny(d.Path, roots) {
			roots = append(roots, d.Path)
		}
	}
	if len(roots) == 0 {
		return ""
	}
	line := " Makes again, with the old modes: " + strings.Join(roots, ", ")
	if below := len(list) - len(roots); below > 0 {
		line += ", and " + report.Counted(below, "1 directory below", "%d directories below")
	}
	return line + "."
}

// emptied are the directories that an earlier run created and that p removes
// files from, outermost first: they go too, if they are empty then.
func (a Applier) emptied(p report.Plan) []string {
	removes := make(map[string]bool)
	for _, c := range p.Changes() {
		if c.After == nil {
			removes[filepath.Dir(c.Target)] = true
		}
	}
	if len(removes) == 0 {
		return nil
	}
	var dirs []string
	receipts, _ := a.History() // none that can be read: the directories stay
	for _, r := range Unaltered(receipts) {
		for _, dir := range r.Dirs {
			if removes[dir] && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	return dirs
}

// keep writes the old bytes, and what is left of documents, then the receipt.
func (a Applier) keep(r Receipt, changes []report.Change) error {
	begun := filepath.Join(a.receiptDir(r.ID), begunName)
	if err := fs.Store(begun, nil); err != nil {
		return err
	}
	for i, c := range changes {
		left := c.After
		if filepath.Ext(c.Target) != ".json" {
			left = nil
		}
		for _, kept := range []struct {
			name  string
			bytes []byte
		}{{r.Changes[i].Kept, c.Before}, {leftName(i), left}} {
			if kept.bytes == nil {
				continue
			}
			a.step("keep old bytes")
			if err := fs.Store(filepath.Join(a.receiptDir(r.ID), kept.name), kept.bytes); err != nil {
				return err
			}
		}
	}
	a.step("store receipt")
	if err := a.store(r); err != nil {
		return err
	}
	return fs.Forget(begun)
}

func (a Applier) store(r Receipt) error {
	b, err := a.sealed(r)
	if err != nil {
		return err
	}
	return fs.Store(a.receiptFile(r.ID), b)
}

// History returns the receipts, newest first. A receipt that cannot be read
// is an error that names it: a list with a hole would be believed.
func (a Applier) History() ([]Receipt, error) {
	receipts, _, err := a.receipts()
	return receipts, err
}

// receipts reads what History returns, and names the directories without a
// receipt: of runs that ended, or are, before their first write. A directory with
// bytes of a run whose receipt is gone is an error; another one, or a file, is not ours.
func (a Applier) receipts() (receipts []Receipt, begun []string, err error) {
	names, err := fs.List(a.receiptsDir())
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(names)
	for _, name := range names {
		if info, err := fs.Stat(a.receiptDir(name)); strings.HasPrefix(name, ".") || err == nil && !info.IsDir() {
			continue
		}
		r, err := a.load(name)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
			files, listErr := fs.List(a.receiptDir(name))
			switch {
			case listErr != nil:
				return nil, nil, listErr
			case len(files) == 0 || slices.Contains(files, begunName) || files[0] == begunName+".new":
				begun = append(begun, name)
			case slices.ContainsFunc(files, ofARun):
				return nil, nil, err
			}
		case err != nil:
			return nil, nil, err
		default:
			receipts = append(receipts, r)
		}
	}
	return receipts, begun, nil
}

// withoutIt is the way on where what a run kept is damaged.
const withoutIt = "restore it, or move the directory away to go on without it"

func (a Applier) load(id string) (Receipt, error) {
	malformed := func(err error) error {
		return &report.Error{Code: report.ExitMalformed, Where: a.receiptFile(id), What: "this receipt cannot be read",
			Why: "it says what a run wrote and how to take it back", Next: withoutIt, Err: err}
	}
	var r Receipt
	b, err := fs.Read(a.receiptFile(id))
	if err != nil {
		return r, malformed(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, malformed(err)
	}
	if r.SchemaVersion != 1 || r.ID != id {
		return r, malformed(fmt.Errorf("schema version %d, id %q", r.SchemaVersion, r.ID))
	}
	if err := r.sane(); err != nil {
		return r, malformed(err)
	}
	r.Altered = a.altered(b, r.Seal)
	return r, nil
}

// UndoneBy returns the receipt that took id back, if one did. An uninstall that
// was taken back itself took back nothing.
func UndoneBy(receipts []Receipt, id string) (Receipt, bool) {
	for _, r := range receipts {
		if r.Undoes == id && r.Finished {
			return r, true
		}
		if r.Finished && slices.Contains(r.UndoesAll, id) {
			if _, back := UndoneBy(receipts, r.ID); !back {
				return r, true
			}
		}
	}
	return Receipt{}, false
}
