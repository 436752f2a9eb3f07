// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each answer is provoked by a home that deserves it, and
// always comes with evidence.

package checks

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// household is a throwaway home with the program, wrapper and hook scripts as
// install leaves them.
type household struct {
	t    *testing.T
	home string
}

func newHousehold(t *testing.T) household {
	h := household{t, testenv.Home(t)}
	h.put("bin/steward-setup", "#!/bin/sh\n", 0o755)
	for _, name := range scripts.Wrappers {
		h.put(".claude/agent-isolation/"+name, h.rendered(name), 0o644)
	}
	for _, name := range scripts.Hooks {
		h.put(".claude/scripts/"+name, h.rendered(name), 0o755)
	}
	return h
}

func (h household) rendered(name string) string {
	b, err := scripts.Render(name, filepath.Join(h.home, "bin/steward-setup"))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

func (h household) put(rel, text string, mode os.FileMode) {
	h.t.Helper()
	path := filepath.Join(h.home, rel)
	testenv.Write(h.t, path, text, mode)
	if err := os.Chmod(path, mode); err != nil {
		h.t.Fatal(err)
	}
}

func (h household) remove(rel string) {
	h.t.Helper()
	if err := os.Remove(filepath.Join(h.home, rel)); err != nil {
		h.t.Fatal(err)
	}
}

func (h household) link(target, rel string) {
	h.t.Helper()
	if err := os.Symlink(target, filepath.Join(h.home, rel)); err != nil {
		h.t.Fatal(err)
	}
}

func (h household) reader(vars ...string) host.Reader {
	h.t.Helper()
	r, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + h.home}, vars...)), GOOS: "linux",
		Root: h.t.TempDir(), Now: time.Now})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func wantFinding(t *testing.T, f report.Finding, status report.Status, words ...string) {
	t.Helper()
	text := f.Summary
	for _, e := range f.Evidence {
		text += "\n" + e.Where + " " + e.Text
	}
	if f.Status != status || len(f.Evidence) == 0 {
		t.Errorf("%s, want %s: %s", f.Status, status, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in: %s", w, text)
		}
	}
}

func TestCleanEnv(t *testing.T) {
	says := held(t, "clean-env")
	const line = "[ -f ~/.claude/agent-isolation/claude-iso.sh ] && . ~/.claude/agent-isolation/claude-iso.sh\n"
	const wrapper = ".claude/agent-isolation/claude-iso.sh"
	for _, tt := range []struct {
		name, shell string
		files       map[string]string
		arrange     func(household)
		status      report.Status
	}{
		{"sourced", "/bin/bash", map[string]string{".bashrc": "\n" + line}, nil, report.Pass},
		{"with the alias", "/bin/bash", map[string]string{".bashrc": line + "alias claude='claude-iso'\n"}, nil,
			report.Pass},
		{"zsh", "/usr/bin/zsh", map[string]string{".zshrc": line}, nil, report.Pass},
		{"fish", "/usr/bin/fish", map[string]string{
			".config/fish/config.fish": "source ~/.claude/agent-isolation/claude-iso.fish\n",
		}, nil, report.Pass},
		{"not sourced", "/bin/bash", map[string]string{".bashrc": "# " + line}, nil, report.Fail},
		{"an alias, and nothing behind it", "/bin/bash", map[string]string{".bashrc": "alias claude='claude-iso'\n"}, nil,
			report.Fail},
		{"an alias in its place", "/bin/bash", map[string]string{".bashrc": "\nalias claude-iso='~/bin/steward-setup iso'\n"},
			nil, report.Warn},
		{"an alias of claude in its place", "/usr/bin/zsh",
			map[string]string{".zshrc": "alias claude='$HOME/bin/steward-setup iso'\n"}, nil, report.Warn},
		{"an alias in its place, in fish", "/usr/bin/fish",
			map[string]string{".config/fish/config.fish": "alias claude-iso '~/bin/steward-setup iso'\n"}, nil, report.Warn},
		{"an alias to a program that is gone", "/bin/bash",
			map[string]string{".bashrc": "alias claude-iso='/gone/steward-setup iso'\n"}, nil, report.Fail},
		{"a function of their own", "/bin/bash", map[string]string{".bashrc": "claude-iso() { env -i claude; }\n"}, nil,
			report.Warn},
		{"in login shells only", "/bin/bash", map[string]string{".bash_profile": line}, nil, report.Warn},
		{"not in login shells", "/bin/bash", map[string]string{".bashrc": line, ".profile": "EDITOR=vi\n"}, nil,
			report.Pass},
		{"no rc file", "/bin/bash", nil, nil, report.Fail},
		{"unreadable is unknown", "/usr/bin/zsh", map[string]string{".zshrc": "if [[ x ]] { : }\n" + line}, nil,
			report.Unknown},
		{"dynamic is unknown", "/bin/bash", map[string]string{".bashrc": ". \"$X\"\n"}, nil, report.Unknown},
		{"sourced from a directory", "/bin/bash", map[string]string{".bashrc": "for f in ~/.claude/agent-isolation/*.sh; " +
			"do . \"$f\"; done\n"}, nil, report.Pass},
		{"wrapper gone", "/bin/bash", map[string]string{".bashrc": line},
			func(h household) { h.remove(wrapper) }, report.Fail},
		{"program gone", "/bin/bash", map[string]string{".bashrc": line}, func(h household) { h.remove("bin/steward-setup") },
			report.Fail},
		{"edited", "/bin/bash", map[string]string{".bashrc": line},
			func(h household) { h.put(wrapper, h.rendered("claude-iso.sh")+"# mine\n", 0o644) }, report.Warn},
		{"foreign", "/bin/bash", map[string]string{".bashrc": line},
			func(h household) { h.put(wrapper, "claude-iso() { :; }\n", 0o644) }, report.Warn},
		{"a claude of their own", "/bin/bash", map[string]string{".bashrc": line + "claude() { :; }\n"}, nil, report.Pass},
		{"sh", "/bin/sh", map[string]string{".shrc": "alias claude-iso='~/bin/steward-setup iso'\n",
			".profile": "export ENV=\"$HOME/.shrc\"\n"}, nil, report.Pass},
		{"sh, in login shells only", "/bin/sh", map[string]string{".profile": "alias claude-iso='~/bin/steward-setup iso'\n"},
			nil, report.Warn},
		{"sh, and nothing defines it", "/bin/sh", nil, nil, report.Warn},
		{"ksh", "/bin/ksh93", map[string]string{".kshrc": "alias claude-iso='~/bin/steward-setup iso'\n"}, nil, report.Pass},
		{"ksh, and claude itself", "/bin/ksh93", map[string]string{".kshrc": "alias claude='~/bin/steward-setup iso'\n"}, nil,
			report.Pass},
		{"ksh, a program that is gone", "/bin/ksh93",
			map[string]string{".kshrc": "alias claude-iso='/gone/steward-setup iso'\n"}, nil, report.Fail},
		{"ksh, an alias of their own", "/bin/ksh93", map[string]string{".kshrc": "alias claude-iso='env -i claude'\n"}, nil,
			report.Warn},
		{"ksh, unreadable is unknown", "/bin/ksh93", map[string]string{".kshrc": "if [[ x ]] { : }\n"}, nil, report.Unknown},
		{"tcsh", "/bin/tcsh", map[string]string{".cshrc": "alias claude-iso '~/bin/steward-setup iso \\!*'\n"}, nil,
			report.Pass},
		{"tcsh reads one of the two", "/bin/tcsh", map[string]string{".tcshrc": "#\n",
			".cshrc": "alias claude-iso '~/bin/steward-setup iso'\n"}, nil, report.Warn},
		{"nobody logs in", "/usr/sbin/nologin", nil, nil, report.Pass},
		{"unknown shell", "/usr/bin/nu", nil, nil, report.Unknown},
		{"no shell", "", nil, nil, report.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			for rel, text := range tt.files {
				h.put(rel, text, 0o644)
			}
			if tt.arrange != nil {
				tt.arrange(h)
			}
			f, _ := checkWrapper(h.reader("SHELL=" + tt.shell))
			wantFinding(t, f, tt.status)
			says(h, tt.name, f)
			if tt.shell == "" && !slices.ContainsFunc(report.Steps([]report.Finding{f}, nil), func(s report.NextStep) bool {
				return strings.Contains(s.String(), "export SHELL=")
			}) {
				t.Errorf("nothing leads on: %v", f.Remedies)
			}
		})
	}
}

// Where the wrapper is there, what defines it is one line, which a second
// install would only print.
func TestTheLineThatIsMissingIsTheRemedy(t *testing.T) {
	for shell, want := range map[string]string{"/bin/bash": "~/.bashrc", "/usr/bin/zsh": "~/.zshrc",
		"/usr/bin/fish": "~/.config/fish/config.fish"} {
		h := newHousehold(t)
		remedy := func() report.Command {
			f, _ := checkWrapper(h.reader("SHELL=" + shell))
			wantFinding(t, f, report.Fail)
			if len(f.Remedies) != 1 {
				t.Fatalf("%s: remedies %v", shell, f.Remedies)
			}
			c, _ := f.Remedies[0].(report.Command)
			return c
		}
		if c := remedy(); c.Where != want || !strings.Contains(c.Line, "/.claude/agent-isolation/claude-iso.") ||
			c.Why == "" {
			t.Errorf("%s: %+v", shell, c)
		}
		for _, name := range scripts.Wrappers {
			h.remove(".claude/agent-isolation/" + name)
		}
		if c := remedy(); c.ID != verify.Again().ID {
			t.Errorf("%s without the wrapper: %+v", shell, c)
		}
	}
}

func TestCleanEnvIsTried(t *testing.T) {
	const source = "[ -f ~/.claude/agent-isolation/claude-iso.sh ] && . ~/.claude/agent-isolation/claude-iso.sh\n"
	seen := func(arrived ...string) verify.Arrivals {
		return func(context.Context) ([]string, int, bool, string) { return arrived, 14, true, "" }
	}
	failed := func(context.Context) ([]string, int, bool, string) { return nil, 0, false, "no bwrap here" }
	for _, tt := range []struct {
		name, rc           string
		plain, iso         verify.Arrivals
		status, open, hard report.Status
		voids              bool
		words              []string
	}{
		{"not tested", source, nil, nil, report.Pass, report.Warn, report.Pass, false,
			[]string{"claude-iso is defined in bash"}},
		{"with the alias", source + "alias claude=claude-iso\n", nil, nil, report.Pass, report.Pass, report.Pass, false, nil},
		{"nothing arrives", source, seen("A", "B"), seen(), report.Pass, report.Warn, report.Pass, false,
			[]string{"0 of 14 planted credentials reached the session", "claude 2 of 14 planted variables reached",
				"claude-iso 0 of 14"}},
		{"the policy removes them", source, seen(), seen(), report.Pass, report.Warn, report.Pass, false,
			[]string{"claude 0 of 14"}},
		{"something arrives", source, seen(), seen("GH_TOKEN"), report.Fail, report.Warn, report.Fail, true,
			[]string{"1 of 14 planted credentials reach the session through claude-iso: GH_TOKEN"}},
		{"cannot be tried", source, failed, failed, report.Unknown, report.Warn, report.Unknown, false,
			[]string{"no bwrap here"}},
		{"missing all the same", "", seen(), seen(), report.Fail, report.Warn, report.Fail, false, []string{"not defined"}},
		{"missing, and something arrives", "", seen(), seen("GH_TOKEN"), report.Fail, report.Warn, report.Fail, true,
			[]string{"GH_TOKEN"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			h.put(".bashrc", tt.rc, 0o644)
			f := cleanEnv("/", tt.plain, tt.iso).Run(t.Context(), h.reader("SHELL=/bin/bash"))
			wantFinding(t, f, tt.status, tt.words...)
			if of(f, report.Plain).Status != tt.open || of(f, report.Iso).Status != tt.hard ||
				of(f, report.Iso).Voids != tt.voids || f.Voids != tt.voids {
				t.Errorf("launches %+v, voids %v", f.Launches, f.Voids)
			}
		})
	}
}

// Where terminals open login shells, a line that only the others read is not
// enough.
func TestCleanEnvOnMacOS(t *testing.T) {
	const source = ". ~/.claude/agent-isolation/claude-iso.sh\n"
	h := newHousehold(t)
	h.put(".bashrc", source, 0o644)
	r, err := host.New(env.System{Env: env.New([]string{"HOME=" + h.home, "SHELL=/bin/bash"}), GOOS: "darwin",
		Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := checkWrapper(r)
	wantFinding(t, f, report.Warn, "not defined in login shells", ".bashrc login shells")
	h.put(".bash_profile", ". ~/.bashrc\n", 0o644)
	f, _ = checkWrapper(r)
	wantFinding(t, f, report.Pass)
}
