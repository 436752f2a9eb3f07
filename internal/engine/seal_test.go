// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// tampered is a home after one run, and the receipt of it on disk.
func tampered(t *testing.T) (plans func() (undo, uninstall report.Plan, err error), file, home string) {
	t.Helper()
	home = newHome(t)
	h, a, plan := world(home)
	id, err := a.Apply(context.Background(), plan, plan.ID, "install", discard)
	if err != nil {
		t.Fatal(err)
	}
	return func() (undo, uninstall report.Plan, err error) {
		if _, undo, err = a.UndoPlan(h, id); err != nil {
			return undo, uninstall, err
		}
		u, err := a.PlanUninstall(h)
		return undo, report.NewPlan([]report.Section{u.Section}), err
	}, filepath.Join(h.Places().State, "receipts", id, "receipt.json"), home
}

func warned(p report.Plan) bool {
	for _, s := range p.Sections {
		for _, f := range s.Findings {
			if f.Status == report.Warn && strings.Contains(f.Summary, "cannot be verified") &&
				strings.HasSuffix(f.Evidence[0].Where, "receipt.json") && len(f.Remedies) == 1 {
				return true
			}
		}
	}
	return false
}

// TestAReceiptThatWasChanged: each of these makes undo remove or write a file
// that the run did not touch, or not in that way.
func TestAReceiptThatWasChanged(t *testing.T) {
	plans, _, _ := tampered(t)
	undo, uninstall, err := plans()
	if err != nil || warned(undo) || warned(uninstall) || len(undo.Changes()) != 2 {
		t.Fatalf("a receipt as the run wrote it: %v, %v, %v", err, warned(undo), warned(uninstall))
	}
	change := func(do func(change map[string]any)) func(r map[string]any) {
		return func(r map[string]any) { do(r["changes"].([]any)[1].(map[string]any)) }
	}
	for name, tt := range map[string]struct {
		do        func(r map[string]any)
		malformed bool
	}{
		"another file is removed": {do: change(func(c map[string]any) {
			c["target"] = c["path"].(string) + ".mine"
			c["after"] = report.DigestOf([]byte("mine"))
		})},
		"a file goes whatever it holds": {do: change(func(c map[string]any) { c["derived"] = true })},
		"a directory is made": {do: func(r map[string]any) {
			r["make_dirs"] = []any{map[string]any{"path": "/x", "mode": 511}}
		}},
		"a run counts as undone":  {do: func(r map[string]any) { r["undoes"] = "20200101-000000.000-abcd" }},
		"there is no seal":        {do: func(r map[string]any) { delete(r, "seal") }},
		"the path is relative":    {do: change(func(c map[string]any) { c["target"] = "x" }), malformed: true},
		"the path leads up":       {do: change(func(c map[string]any) { c["target"] = "/a/../../x" }), malformed: true},
		"old bytes lie above":     {do: change(func(c map[string]any) { c["kept"] = ".." }), malformed: true},
		"old bytes are its own":   {do: change(func(c map[string]any) { c["kept"] = "." }), malformed: true},
		"old bytes lie elsewhere": {do: change(func(c map[string]any) { c["kept"] = "../../../x" }), malformed: true},
	} {
		plans, file, home := tampered(t)
		testenv.Write(t, filepath.Join(home, ".claude", "scripts", "hook.sh.mine"), "mine", 0o644)
		var r map[string]any
		b, err := os.ReadFile(file)
		if err = errors.Join(err, json.Unmarshal(b, &r)); err != nil {
			t.Fatal(err)
		}
		tt.do(r)
		if b, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		testenv.Write(t, file, string(b), 0o600)
		undo, uninstall, err := plans()
		var e *report.Error
		switch {
		case tt.malformed:
			if !errors.As(err, &e) || e.Code != report.ExitMalformed || e.Where != file || e.Next == "" {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || !warned(undo) || !warned(uninstall):
			t.Errorf("%s: %v, undo warns: %v, uninstall warns: %v", name, err, warned(undo), warned(uninstall))
		}
	}
}

// TestUndoFollowsTheOrderOfTheRuns: a clock that goes back does not make an older
// run the newest, nor does the name of a directory that no run made.
func TestUndoFollowsTheOrderOfTheRuns(t *testing.T) {
	home := newHome(t)
	h, a, first := world(home)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a.Now = func() time.Time { return now }
	settings := filepath.Join(home, ".claude", "settings.json")
	second := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "c", Path: settings,
		Target: settings, Before: []byte("second"), After: []byte("third"), Mode: 0o600}}}})
	testenv.Must(a.Apply(context.Background(), first, first.ID, "install", discard))(t)
	now = now.AddDate(0, 0, -10)
	newer := testenv.Must(a.Apply(context.Background(), second, second.ID, "install", discard))(t)
	receipt, undo, err := a.UndoPlan(h, "")
	if err != nil || receipt.ID != newer || len(undo.Changes()) != 1 {
		t.Fatalf("undo takes back %q, %v; the newest run is %q", receipt.ID, err, newer)
	}
	testenv.OK(t, a.Undo(context.Background(), receipt, undo, undo.ID, discard))
	receipt, _, err = a.UndoPlan(h, "")
	if err != nil || receipt.ID == newer || content(home, "settings.json") != "second" {
		t.Errorf("then it takes back %q, %v", receipt.ID, err)
	}
	if !receipt.StartedAt.Equal(now.AddDate(0, 0, 10)) {
		t.Errorf("a receipt says %v, not what the clock did", receipt.StartedAt)
	}
}

// TestASealFitsTheBytes: the seal is that of the file's bytes, whatever this
// version reads in them. The codes are those that `openssl dgst -sha256 -mac HMAC`
// (3.0) answers for "steward-setup receipt\n" and the file with an empty seal.
func TestASealFitsTheBytes(t *testing.T) {
	for name, tt := range map[string]struct{ more, path, seal string }{
		"a receipt":           {"", "/x", "dc69a28eb3d356ff1b74be04ce7302797886384eed6f808639c3bf2780e4e29d"},
		"a field of tomorrow": {`"later": [1.50], `, "/x", "db1acff029574e3bfc69bda406daf15c210e4df26d9921dc541bc05807f21a70"},
		"a path not in UTF-8": {"", "/\xff", "a3ba1ee68b5ce9596be4d3a39b579cf1facab0fc4fe8e24a7be7f4584c2dcce5"},
	} {
		a := engine.Applier{State: t.TempDir()}
		put := func(rel, text string) {
			t.Helper()
			path := filepath.Join(a.State, rel)
			testenv.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
		}
		put("result.key", "0123456789abcdef0123456789abcdef")
		for seal, altered := range map[string]bool{tt.seal: false, strings.Repeat("0", 64): true, "": true} {
			put("receipts/20260301-120000.000-aaaa/receipt.json", `{"schema_version": 1, "id": "20260301-120000.000-aaaa", `+
				tt.more+`"dirs": ["`+tt.path+`"], "seal": "`+seal+`"}`)
			receipts, err := a.History()
			if err != nil || len(receipts) != 1 || receipts[0].Altered != altered {
				t.Errorf("%s, sealed %q: %+v, %v", name, seal, receipts, err)
			}
			if got := len(engine.Unaltered(receipts)) == 0; got != altered {
				t.Errorf("%s, sealed %q: left out is %v", name, seal, got)
			}
		}
	}
}

// TestAnAlteredReceiptRemovesNoDirectory: a run that empties a directory removes it
// where a receipt as a run sealed it says that a run made it.
func TestAnAlteredReceiptRemovesNoDirectory(t *testing.T) {
	for _, altered := range []bool{false, true} {
		home := newHome(t)
		_, a, plan := world(home)
		id := testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
		file := filepath.Join(a.State, "receipts", id, "receipt.json")
		if b, err := os.ReadFile(file); altered {
			if err = errors.Join(err, os.WriteFile(file, append(b, '\n'), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		script := filepath.Join(home, ".claude", "scripts", "hook.sh")
		gone := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "c", Path: script,
			Target: script, Before: []byte("hook"), Mode: 0o644, ModeBefore: 0o644}}}})
		testenv.Must(a.Apply(context.Background(), gone, gone.ID, "install", discard))(t)
		if _, err := os.Stat(filepath.Dir(script)); (err == nil) != altered {
			t.Errorf("altered %v: the directory is there: %v", altered, err == nil)
		}
	}
}
