// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one thing is wrong at a time, and the finding names it.

package verify

import (
	"path/filepath"
	"testing"

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
		}, report.Pass, "a link to "},
		{"a link to nowhere", func(h household) {
			h.remove(script)
			h.link("/nowhere/x.sh", script)
		}, report.Fail, "/nowhere/x.sh"},
		{"a directory", func(h household) {
			h.remove(script)
			h.put(script+"/x", "", 0o644)
		}, report.Fail, "is not a file"},
		{"edited", func(h household) { h.put(script, h.rendered(name)+"echo mine\n", 0o755) }, report.Warn, "was edited"},
		{"another one of ours", func(h household) { h.put(script, h.rendered("sandbox-error-hint.sh"), 0o755) }, report.Warn, "its marker names sandbox-error-hint.sh"},
		{"a variant", func(h household) { h.put(script, "#!/bin/bash\n", 0o755) }, report.Warn, "variant"},
		{"program gone", func(h household) { h.remove("bin/steward-setup") }, report.Fail, "bin/steward-setup, which does not exist"},
		{"program not executable", func(h household) { h.put("bin/steward-setup", "x", 0o644) }, report.Fail, "no program"},
		{"program empty", func(h household) { h.put("bin/steward-setup", "", 0o755) }, report.Fail, "0 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			tt.arrange(h)
			f := checkScripts(h.reader())
			wantFinding(t, f, tt.status, tt.word)
			if (len(f.Remedies) == 0) != (tt.status == report.Pass) {
				t.Errorf("remedies %v", f.Remedies)
			}
		})
	}
}
