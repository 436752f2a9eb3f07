// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix opens of a submodule's git directory what git needs,
// and nothing that runs outside the sandbox.

package doctor_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/explain"
	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/doctor"
)

// submodule makes the project a submodule of another repository.
func submodule(m *machine) {
	super := m.mkdir("home/code/super")
	m.git(super, "init", "--quiet")
	m.git(super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", m.project, "sub")
	m.git(super, "commit", "--quiet", "--all", "--message", "A submodule")
	m.project = super + "/sub"
}

// addSubmodule checks a submodule out in the project, and not in its worktree. Its URL is
// relative, so that the project has the same commits in each run.
func (m *machine) addSubmodule() {
	m.git(m.project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./", "sub")
	m.git(m.project, "commit", "--quiet", "--all", "--message", "A submodule")
}

// TestTheHooksOfASubmoduleStayClosed with the fix that opens its git directory.
func TestTheHooksOfASubmoduleStayClosed(t *testing.T) {
	testenv.AsUser(t)
	m := newMachine(t)
	submodule(m)
	got := find(m.ask(doctor.Options{Agent: fixes.Claude{}, Project: m.project,
		Probes: []report.ID{"git-worktree"}, TryFix: true}),
		"git-worktree")
	i := slices.IndexFunc(got.Remedies, func(r report.Remedy) bool { _, ok := r.(report.Change); return ok })
	if i < 0 {
		t.Fatal(told([]report.Finding{got}))
	}
	fix := got.Remedies[i].(report.Change)
	if err := os.WriteFile(fix.Path, fix.After, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]report.Answer{"steward-new": report.Allowed, "hooks/post-commit": report.Denied} {
		path := m.path("home/code/super/.git/modules/sub/" + name)
		x, err := explain.Explain(t.Context(), sessions.Counted(t, m.host()), explain.Question{Kind: explain.AboutPath,
			Subject: path, Project: m.project, Live: true})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(x.Rulings, func(r report.Ruling) bool {
			return r.Who == "a sandboxed command" && r.Does == "writes it"
		})
		if i < 0 || x.Rulings[i].Tried == nil || x.Rulings[i].Answer != want {
			t.Errorf("%s: want it %s: %+v %v", name, want, x.Rulings, x.Notes)
		}
	}
}

// TestAFileOfLFSGoesInAndComesOut, where the project has some.
func TestAFileOfLFSGoesInAndComesOut(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	testenv.Need(t, "git-lfs")
	m := newMachine(t)
	m.link("git-lfs", look(t, "git-lfs"))
	m.write("home/code/p/.gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n", 0o644)
	m.git(m.project, "add", "--all")
	m.git(m.project, "commit", "--quiet", "--message", "Pictures")
	text := told(m.ask(doctor.Options{Agent: fixes.Claude{}, Project: m.project,
		Probes: []report.ID{"git-worktree"}}))
	for _, want := range []string{"git add of a file for git-lfs  works inside\n", "git commit of it  works inside\n",
		"git clone of that commit  works inside\n", "git checkout of the file from git-lfs  works inside\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in\n%s", want, text)
		}
	}
	if strings.Contains(text, "git-lfs in p-fix") {
		t.Errorf("the worktree has no such file, and git-lfs is tried there:\n%s", text)
	}
}
