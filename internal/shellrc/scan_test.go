// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shellrc

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestScanFollowsWhatIsSourced(t *testing.T) {
	const line = ". ~/iso.sh\n"
	for _, tt := range []struct {
		name   string
		s      Shell
		files  map[string]string
		login  bool
		want   string // where it is found, or ""
		doubts int
	}{
		{"directly", Bash, map[string]string{".bashrc": "\n" + line}, false, ".bashrc:2", 0},
		{"nothing there", Bash, nil, false, "", 0},
		{"in another file", Bash, map[string]string{".bashrc": "[ -f ~/.bash_aliases ] && . ~/.bash_aliases\n",
			".bash_aliases": line}, false, ".bash_aliases:1", 0},
		{"in a directory of files", Bash, map[string]string{".bashrc": "for rc in ~/.bashrc.d/*; do\n" +
			" [ -f \"$rc\" ] && . \"$rc\"\ndone\n", ".bashrc.d/50-iso": line}, false, ".bashrc.d/50-iso:1", 0},
		{"in hidden files", Bash, map[string]string{".bashrc": "for rc in ~/.rc-*; do . \"$rc\"; done\n", ".rc-iso": line},
			false, ".rc-iso:1", 0},
		{"in hidden files that no pattern means", Bash, map[string]string{".bashrc": "for rc in ~/*c-*; do . \"$rc\"; done\n",
			".rc-iso": line}, false, "", 0},
		{"itself one of a directory of files", Bash, map[string]string{".bashrc": "for rc in ~/*.sh; do . \"$rc\"; done\n"},
			false, ".bashrc:1", 0},
		{"a login shell reads the profile", Bash, map[string]string{".profile": line, ".bashrc": ""}, true, ".profile:1", 0},
		{"and not the rc file", Bash, map[string]string{".profile": "", ".bashrc": line}, true, "", 0},
		{"unless sourced", Bash, map[string]string{".profile": ". ~/.bashrc\n", ".bashrc": line}, true, ".bashrc:1", 0},
		{"only the first profile", Bash, map[string]string{".bash_profile": "", ".profile": line}, true, "", 0},
		{"an interactive shell does not read the profile", Bash, map[string]string{".profile": line}, false, "", 0},
		{"a loop", Bash, map[string]string{".bashrc": ". ~/x\n" + line, "x": ". ~/.bashrc\n"}, false, ".bashrc:2", 0},
		{"an unknown source", Bash, map[string]string{".bashrc": ". \"$(x)\"\n"}, false, "", 1},
		{"an unreadable file", Bash, map[string]string{".bashrc": "if\n"}, false, "", 1},
		{"zsh", Zsh, map[string]string{".zshrc": line}, false, ".zshrc:1", 0},
		{"zsh, always", Zsh, map[string]string{".zshenv": line}, false, ".zshenv:1", 0},
		{"zsh, login only", Zsh, map[string]string{".zprofile": line}, false, "", 0},
		{"zsh, login", Zsh, map[string]string{".zprofile": line}, true, ".zprofile:1", 0},
		{"fish", Fish, map[string]string{".config/fish/config.fish": "source ~/iso.sh\n"}, false,
			".config/fish/config.fish:1", 0},
		{"fish, a snippet", Fish, map[string]string{".config/fish/conf.d/x.fish": "source ~/iso.sh\n"}, true,
			".config/fish/conf.d/x.fish:1", 0},
		{"fish, not a snippet", Fish, map[string]string{".config/fish/conf.d/x.sh": "source ~/iso.sh\n"}, false, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := User{Home: testenv.Home(t), Getenv: noEnv}
			put(t, filepath.Join(u.Home, "iso.sh"), "")
			for name, text := range tt.files {
				put(t, filepath.Join(u.Home, name), text)
			}
			sc := u.Scan(machine(t, u), tt.s)
			rcs := sc.Interactive
			if tt.login {
				rcs = sc.Login
			}
			got := sc.Sources(rcs, func(path string) bool { return path == filepath.Join(u.Home, "iso.sh") })
			where := ""
			if len(got.Found) > 0 {
				if got.Found[0].Path != filepath.Join(u.Home, "iso.sh") {
					t.Errorf("found %+v", got.Found[0])
				}
				where, _ = filepath.Rel(u.Home, got.Found[0].Where())
			}
			if where != tt.want || len(got.Doubts) != tt.doubts {
				t.Errorf("found %q, doubts %q", where, got.Doubts)
			}
		})
	}
}

// What the system ships is not where a user puts a line.
func TestScanStaysBelowHome(t *testing.T) {
	u := User{Home: testenv.Home(t), Getenv: noEnv}
	system := filepath.Join(testenv.Home(t), "profile")
	put(t, system, ". \"$(x)\"\n. ~/iso.sh\n")
	put(t, filepath.Join(u.Home, ".bashrc"), ". "+system+"\n")
	sc := u.Scan(machine(t, u), Bash)
	if a := sc.Sources(sc.Interactive, func(path string) bool { return path != system }); len(a.Found)+len(a.Doubts) > 0 {
		t.Errorf("%+v", a)
	}
}

func TestVariablesMoveTheRCFiles(t *testing.T) {
	u := User{Home: "/home/u", Getenv: func(name string) string {
		return map[string]string{"ZDOTDIR": "/z/", "XDG_CONFIG_HOME": "/x", "ENV": "relative"}[name]
	}}
	for s, want := range map[Shell]string{Zsh: "/z/.zshrc", Fish: "/x/fish/config.fish", Bash: "/home/u/.bashrc"} {
		interactive, _ := u.Files(s)
		if u.RC(s) != want || !slices.Contains(interactive, want) {
			t.Errorf("%s: %s, %q", s, u.RC(s), interactive)
		}
	}
	if interactive, login := u.Files(POSIX); interactive != nil || !slices.Equal(login, []string{"/home/u/.profile"}) {
		t.Errorf("sh: %q %q", interactive, login)
	}
}

// Most who keep zsh's files elsewhere say so in ~/.zshenv alone, and need not export it.
func TestZshenvMovesTheOtherFilesOfZsh(t *testing.T) {
	home := testenv.Home(t)
	put(t, filepath.Join(home, ".zshenv"), "XDG=\"$HOME/.config\"\nZDOTDIR=$XDG/zsh\n")
	put(t, filepath.Join(home, ".config/zsh/.zshrc"), ". $ZDOTDIR/iso.zsh\n")
	put(t, filepath.Join(home, ".config/zsh/iso.zsh"), "alias claude-iso=x\n")
	put(t, filepath.Join(home, ".zshrc"), "alias claude-iso=y\n")
	d := machine(t, User{Home: home})
	u := Of(d, home, noEnv)
	sc := u.Scan(d, Zsh)
	rc := filepath.Join(home, ".config/zsh/.zshrc")
	if a := sc.Aliases("claude-iso"); len(a) != 1 || a[0].Value != "x" || u.RC(Zsh) != rc {
		t.Errorf("%s: aliases %+v", u.RC(Zsh), a)
	}
	put(t, filepath.Join(home, ".zshenv"), "ZDOTDIR=$(x)\n")
	if u := Of(d, home, noEnv); u.RC(Zsh) != filepath.Join(home, ".zshrc") {
		t.Error(u.RC(Zsh))
	}
}

func TestScanFindsDefinitions(t *testing.T) {
	u := User{Home: testenv.Home(t), Getenv: noEnv}
	put(t, filepath.Join(u.Home, ".bashrc"), "alias claude=x\n. ~/more\n")
	put(t, filepath.Join(u.Home, "more"), "claude-iso() { :; }\n")
	put(t, filepath.Join(u.Home, ".profile"), ". ~/.bashrc\nalias claude=y\n")
	sc := u.Scan(machine(t, u), Bash)
	if a := sc.Aliases("claude"); len(a) != 2 || a[0].Value != "x" || a[1].Value != "y" {
		t.Errorf("aliases %+v", a)
	}
	if f := sc.Functions("claude-iso"); len(f) != 1 || !strings.HasSuffix(f[0].Where(), "/more:1") {
		t.Errorf("functions %+v", f)
	}
	// fish loads a function from the file of its name.
	put(t, filepath.Join(u.Home, ".config/fish/functions/claude.fish"), "function claude\nend\n")
	if f := u.Scan(machine(t, u), Fish).Functions("claude"); len(f) != 1 {
		t.Errorf("fish: %+v", f)
	}
}

func TestScanStopsSomewhere(t *testing.T) {
	u := User{Home: testenv.Home(t), Getenv: noEnv}
	put(t, filepath.Join(u.Home, ".bashrc"), "for f in ~/d/*; do . \"$f\"; done\n")
	for i := range 2 * maxFiles {
		put(t, filepath.Join(u.Home, "d", strings.Repeat("x", i+1)), "")
	}
	sc := u.Scan(machine(t, u), Bash)
	if a := sc.Sources(sc.Interactive, func(string) bool { return false }); len(a.Doubts) != 1 {
		t.Errorf("doubts %q", a.Doubts)
	}
}
