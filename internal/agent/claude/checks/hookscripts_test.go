// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one thing is wrong at a time, and the finding names it.

package checks

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestHookScripts(t *testing.T) {
	const name = "sandbox-bypass-warn.sh"
	const script = ".claude/scripts/" + name
	for _, tt := range []struct {
		name    string
		arrange func(household)
		status  report.Status
		word    string
	}{
		{"as installed", func(household) {}, report.Pass, "5 hook scripts are in place"},
		{"missing", func(h household) { h.remove(script) }, report.Fail, name + " is missing"},
		{"not executable", func(h household) { h.put(script, h.rendered(name), 0o644) }, report.Fail, "mode 0644"},
		{"a link", func(h household) {
			h.remove(script)
			h.put("repo/"+name, h.rendered(name), 0o755)
			h.link(filepath.Join(h.home, "repo", name), script)
		}, report.Pass, "a symlink to "},
		{"a link to nowhere", func(h household) {
			h.remove(script)
			h.link("/nowhere/x.sh", script)
		}, report.Fail, "/nowhere/x.sh"},
		{"a directory", func(h household) {
			h.remove(script)
			h.put(script+"/x", "", 0o644)
		}, report.Fail, "is not a file"},
		{"edited", func(h household) { h.put(script, h.rendered(name)+"echo mine\n", 0o755) }, report.Warn, "was edited"},
		{"another one of ours", func(h household) { h.put(script, h.rendered("sandbox-error-hint.sh"), 0o755) }, report.Warn,
			"its marker names sandbox-error-hint.sh"},
		{"the framework's", func(h household) {
			h.put(script, "#!/usr/bin/env bash\n# Licensed to the Apache Software Foundation (ASF) under one\n#\n# "+name+
				" — a hook.\n", 0o755)
		}, report.Warn, "a script of the framework"},
		{"not written by", func(h household) { h.put(script, "#!/bin/bash\n", 0o755) }, report.Warn,
			"was not written by"},
		{"program gone", func(h household) { h.remove("bin/steward-setup") }, report.Fail,
			"each of 5 hook scripts calls a program that does not exist"},
		{"program not executable", func(h household) { h.put("bin/steward-setup", "x", 0o644) }, report.Fail,
			"not a program"},
		{"program empty", func(h household) { h.put("bin/steward-setup", "", 0o755) }, report.Fail, "0 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			tt.arrange(h)
			f := checkScripts(t.Context(), h.reader(), "")
			wantFinding(t, f, tt.status, tt.word)
			if (len(f.Remedies) == 0) != (tt.status == report.Pass) {
				t.Errorf("remedies %v", f.Remedies)
			}
		})
	}
}

func TestHookScriptsOfAFramework(t *testing.T) {
	const name = "sandbox-bypass-warn.sh"
	h := newHousehold(t)
	h.put(".claude/scripts/"+name, "#!/bin/sh\nexit 1\n", 0o755)
	h.put("framework/tools/agent-isolation/"+name, "#!/bin/sh\nexit 1\n", 0o755)
	framework := filepath.Join(h.home, "framework")
	wantFinding(t, checkScripts(t.Context(), h.reader(), framework), report.Pass, "the framework's, byte for byte", name)
	h.put("framework/tools/agent-isolation/"+name, "#!/bin/sh\nexit 0\n", 0o755)
	wantFinding(t, checkScripts(t.Context(), h.reader(), framework), report.Warn, name+" was not written by")
}

// The receipts know what was written: an older version of ours is not taken
// for an edited one.
func TestHookScriptsAreComparedWithWhatWasWritten(t *testing.T) {
	const name = "sandbox-error-hint.sh"
	h := newHousehold(t)
	path := filepath.Join(h.home, ".claude/scripts", name)
	older := h.rendered(name) + "# a line of an older version\n"
	r := h.reader()
	a := engine.Applier{State: r.Places().State, Version: "0.9.0", Now: func() time.Time {
		return time.Date(2026, 10, 2, 3, 4, 5, 0, time.UTC)
	}}
	h.remove(".claude/scripts/" + name)
	change := report.Change{ID: "hooks/x", Path: path, Target: path, After: []byte(older), Mode: 0o755}
	plan := report.NewPlan([]report.Section{{ID: "hooks", Items: []report.Item{change}}})
	if _, err := a.Apply(t.Context(), plan, plan.ID, "install", func(engine.Event) {}); err != nil {
		t.Fatal(err)
	}
	wantFinding(t, checkScripts(t.Context(), r, ""), report.Warn, name+" is from an earlier version",
		"as steward-setup 0.9.0 wrote it on 2026-10-02")
	h.put(".claude/scripts/"+name, older+"exit 0\n", 0o755)
	wantFinding(t, checkScripts(t.Context(), r, ""), report.Warn, name+" was edited",
		"not as steward-setup wrote it on 2026-10-02 (receipt ")
}
