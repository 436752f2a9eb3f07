// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the file behind an approved hook is rewritten in the same
// session, by a sandboxed command. The plain start runs what was written; the
// launch runs what was approved.

package iso_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// hooked gives the project a script, and a hook after every Bash call.
func (l *lab) hooked(command string) {
	l.t.Helper()
	l.put("p/tools/fmt.sh", l.mark("approved", ""))
	l.afterBash(command)
}

// afterBash has the project run commands after every Bash call.
func (l *lab) afterBash(commands ...string) {
	l.t.Helper()
	var list []any
	for _, c := range commands {
		list = append(list, map[string]any{"type": "command", "command": c})
	}
	keys, err := json.Marshal(map[string]any{"hooks": map[string]any{"PostToolUse": []any{map[string]any{"matcher": "Bash",
		"hooks": list}}}})
	if err != nil {
		l.t.Fatal(err)
	}
	l.settings(string(keys))
}

// TestAnApprovedHookRunsAsApproved: the runtime runs a hook in the directory
// in which the last command ended, so that a relative path means another file
// after a cd (measured with 2.1.329 and 2.1.324). OWN is a directory of its own
// for each.
func TestAnApprovedHookRunsAsApproved(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	const put = ` && printf '%s\n' '#!/bin/sh' 'touch MARKS/OWN-rewritten' > OWN/fmt.sh && chmod +x OWN/fmt.sh && echo WRITTEN`
	attacks := []struct{ what, hook, attack string }{
		{"by variable", `"$CLAUDE_PROJECT_DIR"/OWN/fmt.sh`, "true" + put},
		{"directory renamed", `"$CLAUDE_PROJECT_DIR"/OWN/fmt.sh`, "mv OWN old && mkdir OWN" + put},
		{"by git", `"$(git rev-parse --show-toplevel)/OWN/fmt.sh"`, "true" + put},
		{"by cd", `cd "$CLAUDE_PROJECT_DIR/OWN" && test -x fmt.sh && ./fmt.sh`, "true" + put},
		{"by a shell", `timeout 10 sh "$CLAUDE_PROJECT_DIR/OWN/fmt.sh"`, "true" + put},
		{"by git in a repository of its own", `"$(git rev-parse --show-toplevel)/OWN/fmt.sh"`,
			"git init -q sub; mkdir -p sub/OWN && cd sub" + put},
		{"relative, after cd", "./OWN/fmt.sh", "mkdir -p other/OWN && cd other" + put},
	}
	prepare := func(t *testing.T, claude string) (*lab, []model.Turn) {
		l := newLab(t)
		l.furnish("p")
		l.runtime = claude
		var hooks []string
		var script []model.Call
		for i, a := range attacks {
			fill := strings.NewReplacer("OWN", fmt.Sprintf("tools%d", i), "MARKS", l.marks).Replace
			l.put(fill("p/OWN/fmt.sh"), l.mark(fill("OWN-approved"), ""))
			hooks = append(hooks, fill(a.hook))
			script = append(script, model.Bash("cd '"+l.project+"' && "+fill(a.attack)))
		}
		l.afterBash(hooks...)
		return l, calls(append(script, model.Bash("true"))...)
	}
	testenv.EachVersion(t, func(t *testing.T, claude string, _ testenv.Version) {
		l, script := prepare(t, claude)
		s := l.plain("p", script...)
		for i, a := range attacks {
			if !l.marked(fmt.Sprintf("tools%d-rewritten", i)) {
				t.Errorf("%s: the plain start did not run it, so nothing was shown: %s", a.what, s.text(t, i))
			}
		}
		l, script = prepare(t, claude)
		l.approve(iso.Hook)
		s = l.hardened("p", iso.Options{}, script...)
		for i, a := range attacks {
			dir := fmt.Sprintf("tools%d", i)
			if got := s.text(t, i); !strings.Contains(got, "WRITTEN") || l.marked(dir+"-rewritten") ||
				!l.marked(dir+"-approved") {
				t.Errorf("%s: rewritten runs %v, approved runs %v: %s", a.what, l.marked(dir+"-rewritten"),
					l.marked(dir+"-approved"), got)
			}
		}
	})
}

// TestAnApprovedServerRunsAsApproved: a copy has no neighbours that its
// interpreter could take for modules.
func TestAnApprovedServerRunsAsApproved(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "python3")
	for _, hardened := range []bool{false, true} {
		l := newLab(t)
		l.put("p/tools/server.py", "import json\nopen('"+l.marks+"/approved', 'w')\n")
		l.put("p/tools/json.py", "open('"+l.marks+"/planted', 'w')\n")
		l.put("p/.mcp.json", `{"mcpServers":{"s":{"command":"python3","args":["tools/server.py"]}}}`)
		l.settings(`{"enableAllProjectMcpServers":true}`)
		l.approve(iso.Server)
		if !hardened {
			if l.plain("p", calls(model.Bash("sleep 1"))...); !l.marked("planted") {
				t.Errorf("the plain start did not run it, so nothing was shown")
			}
			continue
		}
		if l.hardened("p", iso.Options{}, calls(model.Bash("sleep 1"))...); l.marked("planted") || !l.marked("approved") {
			t.Errorf("planted runs %v, approved runs %v", l.marked("planted"), l.marked("approved"))
		}
	}
}

// TestWhatCannotBeKeptIsNotApproved: it is not loaded, and it is said why.
func TestWhatCannotBeKeptIsNotApproved(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for command, why := range map[string]string{
		"npm run lint":                     "decide what it runs",
		"make -C tools":                    "decide what it runs",
		"npx prettier --write .":           "decide what it runs",
		"prettier --write .":               "decide what it runs",
		"python3 -m tools":                 "decide what it runs",
		`"$TOOL"`:                          "only the running shell knows",
		"bash -c ./tools/fmt.sh":           "cannot be replaced",
		"./tools/missing.sh":               "could put one there",
		"for s in tools/*.sh; do $s; done": "decide what it runs",
		"cat tools/fmt.sh | sh":            "standard input",
		"PATH=$PWD/tools:$PATH fmt.sh":     "decide what it runs",
		"cp tools/fmt.sh ~/.local/bin/fmt": "which commands can change",
		"jq -c . >> commands.log":          "put a symlink there",
		"sed -nf tools/fmt.sh README.md":   "its options are not known",
	} {
		l := newLab(t)
		l.hooked(command)
		l.approve(iso.Hook)
		launch, err := iso.Survey(l.host(l.project), l.project)
		if err != nil || len(launch.Items) != 1 {
			t.Fatal(err, launch.Items)
		}
		if i := launch.Items[0]; i.Allowed || !strings.Contains(i.Refused, why) {
			t.Errorf("%s: allowed %v, refused because %q, want %q", command, i.Allowed, i.Refused, why)
		}
	}
}

// TestACopyIsWhatWasApproved: a copy that is gone, or another, is not run.
func TestACopyIsWhatWasApproved(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.hooked("./tools/fmt.sh")
	l.approve(iso.Hook)
	allowed := func() bool {
		launch, err := iso.Survey(l.host(l.project), l.project)
		if err != nil || len(launch.Items) != 1 {
			t.Fatal(err, launch.Items)
		}
		return launch.Items[0].Allowed
	}
	if !allowed() {
		t.Fatal("what was approved is not loaded")
	}
	copies, err := filepath.Glob(filepath.Join(l.home, ".local/state/steward-setup/approved/*/fmt.sh"))
	if err != nil || len(copies) != 1 {
		t.Fatal(err, copies)
	}
	rel, err := filepath.Rel(l.home, copies[0])
	if err != nil {
		t.Fatal(err)
	}
	l.put(rel, "#!/bin/sh\n")
	if allowed() {
		t.Error("a copy is run that is not what was approved")
	}
}

// TestTheUsersOwnHooksStartWhatTheProjectHolds: both launches load them, and a
// sandboxed command puts there what they start. No launch closes that: verify
// fails (checks).
func TestTheUsersOwnHooksStartWhatTheProjectHolds(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "python3")
	hooks := map[string]string{"directory": "cd tools && ./x", "git": `"$(git rev-parse --show-toplevel)/tools/y"`,
		"loop": "for s in z; do tools/$s; done",
		"test": "test -x tools/w && tools/w", "module": "python3 -m planted", "inline": `python3 -c "import json"`,
		"make": "make -s planted", "npx": "npx -y planted@1.2.3"}
	var list []any
	for _, mark := range slices.Sorted(maps.Keys(hooks)) {
		list = append(list, map[string]any{"type": "command", "command": hooks[mark]})
	}
	b, err := json.Marshal(map[string]any{"hooks": map[string]any{"PostToolUse": []any{map[string]any{"matcher": "Bash",
		"hooks": list}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, launch := range []string{"claude", "claude-iso"} {
		l := newLab(t)
		l.approve()
		l.put(".claude/settings.json", string(b))
		plant := "mkdir -p tools node_modules/.bin"
		for _, p := range [][2]string{{"directory", "tools/x"}, {"git", "tools/y"}, {"loop", "tools/z"},
			{"test", "tools/w"}, {"npx", "node_modules/.bin/planted@1.2.3"}} {
			plant += "; printf '%s\\n' '#!/bin/sh' 'touch " + l.marks + "/" + p[0] + "' > " + p[1] + "; chmod +x " + p[1]
		}
		plant += `; echo 'open("` + l.marks + `/module", "w")' > planted.py; echo 'open("` + l.marks +
			`/inline", "w")' > json.py; printf 'planted:\n\ttouch ` + l.marks + `/make\n' > Makefile`
		if launch == "claude" {
			l.plain("p", calls(model.Bash(plant))...)
		} else {
			l.hardened("p", iso.Options{}, calls(model.Bash(plant))...)
		}
		for mark, command := range hooks {
			if program := strings.Fields(command)[0]; !l.marked(mark) && l.has(program) {
				t.Errorf("%s: what was planted for %q did not run", launch, command)
			}
		}
	}
}

// has says whether the machine has what a hook begins with.
func (l *lab) has(program string) bool {
	_, err := l.host(l.project).Look(program)
	return err == nil || (program != "make" && program != "npx")
}
