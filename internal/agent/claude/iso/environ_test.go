// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the environment is judged as the agent would get it.

package iso

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
)

func TestOnlyTheListIsKept(t *testing.T) {
	e := env.New([]string{"HOME=/h", "PATH=as it was", "LC_ALL=C", "XDG_RUNTIME_DIR=/run", "XDG_SESSION_TOKEN=s1",
		"SSH_AUTH_SOCK=/s",
		"CLAUDE_CONFIG_DIR=/c", "TZ=UTC", "GH_TOKEN=s2", "MY_SECRET=s3", "LD_PRELOAD=x.so", "NODE_OPTIONS=-r x", "BASH_ENV=x",
		"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1", "BASH_FUNC_claude%%=() { :; }", "EDITOR=vi", "ALLOWED=yes", "LC_SECRET_KEY=s4",
		"CLAUDE_ISO_ALLOW=ALLOWED, MY_SECRET NOT_SET CLAUDE_ISO_ALLOW"})
	vars := Choose(e)
	got := environ(e, vars, "/usr/bin:/bin", "MORE=1")
	want := []string{"ALLOWED=yes", "CLAUDE_CONFIG_DIR=/c", "HOME=/h", "LC_ALL=C", "MY_SECRET=s3", "PATH=/usr/bin:/bin",
		"SSH_AUTH_SOCK=/s",
		"TZ=UTC", "XDG_RUNTIME_DIR=/run", "MORE=1"}
	if !slices.Equal(got, want) {
		t.Errorf("the environment is\n%q, want\n%q", got, want)
	}
	var credentials []string
	for _, v := range vars {
		if v.Credential {
			credentials = append(credentials, v.Name)
		}
		if v.Why == "" || strings.Contains(v.Why, "s2") {
			t.Errorf("%s: no reason, or a value in it: %q", v.Name, v.Why)
		}
	}
	if want := []string{"GH_TOKEN", "LC_SECRET_KEY", "XDG_SESSION_TOKEN"}; !slices.Equal(credentials, want) {
		t.Errorf("counted as credentials %q, want %q", credentials, want)
	}
}

// TestThePathIsTheUsersOwn: what an agent at work on the project could fill is
// left out, wherever in it the launch happens and whichever way leads there.
func TestThePathIsTheUsersOwn(t *testing.T) {
	h, home := machine(t, map[string]string{
		"p/.git/worktrees/w/gitdir": "HOME/w/.git\n", "p/.git/worktrees/w/commondir": "../..\n",
		"w/.git":        "gitdir: HOME/p/.git/worktrees/w\n",
		"p/.venv/bin/x": "", "p/sub/x": "", "p/inner/.git/HEAD": "", "w/bin/x": "", "own/bin/x": "", "q/.git/HEAD": "",
		"loose/bin/x": "",
	}, "")
	for _, file := range []string{"p/.git/worktrees/w/gitdir", "w/.git"} {
		b, err := os.ReadFile(filepath.Join(home, file))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(home, file), strings.ReplaceAll(string(b), "HOME", home))
	}
	// One link leads into the project, one through it and out again.
	for link, to := range map[string]string{"in": "p/.venv/bin", "p/out": "../own/bin", "through": "p/out"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{"own/bin", "p/.venv/bin", "p/none/bin", "w/bin", "in", "through", "own/../p/sub", "q/bin", "loose/bin"}
	path := "bin:.::./x"
	for _, dir := range all {
		path += ":" + home + "/" + dir
	}
	project := []string{"own/bin", "q/bin", "loose/bin"}
	for start, want := range map[string][]string{"p": project, "p/sub": project, "p/inner": project, "w": project,
		"loose": {"own/bin", "p/.venv/bin", "p/none/bin", "w/bin", "in", "through", "own/../p/sub", "q/bin"}, ".": all} {
		got := ownPath(h, path, host.ProjectDirs(h, filepath.Join(home, start)))
		if got = strings.ReplaceAll(got, home+"/", ""); got != strings.Join(want, ":") {
			t.Errorf("started in %s: %q, want %q", start, got, want)
		}
	}
}

// TestThereIsAlwaysAPath: without one, or with an empty one, programs are looked
// for in the project.
func TestThereIsAlwaysAPath(t *testing.T) {
	h, home := machine(t, map[string]string{"p/.git/HEAD": "", "p/bin/x": ""}, "")
	dirs := host.ProjectDirs(h, filepath.Join(home, "p"))
	for _, e := range []env.Env{env.New(nil), env.New([]string{"PATH="}), env.New([]string{"PATH=:."}),
		env.New([]string{"PATH=./x:" + home + "/p/bin"})} {
		if got := environ(e, Choose(e), ownPath(h, e.Get("PATH"), dirs)); !slices.Equal(got,
			[]string{"PATH=/usr/local/bin:/usr/bin:/bin"}) {
			t.Errorf("with PATH %q: %q", e.Get("PATH"), got)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("HOME", "v", "HOME")
	f.Add("GH_TOKEN", "v", "GH_TOKEN,x")
	f.Add("LD_X", "", "")
	f.Fuzz(func(t *testing.T, name, value, allow string) {
		e := env.New([]string{name + "=" + value, "CLAUDE_ISO_ALLOW=" + allow})
		vars := Choose(e)
		if len(vars) != len(e.Names()) {
			t.Fatalf("%d variables are judged, there are %d", len(vars), len(e.Names()))
		}
		for _, kv := range environ(e, vars, "/bin") {
			kept, _, _ := strings.Cut(kv, "=")
			if _, listed := lookup(Kept, kept); !listed && !strings.Contains(allow, kept) {
				t.Fatalf("%q is kept", kept)
			}
		}
	})
}
