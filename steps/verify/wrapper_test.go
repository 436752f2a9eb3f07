// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each answer is provoked by a home that deserves it, and
// always comes with evidence.

package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
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
	r, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + h.home}, vars...)), GOOS: "linux", Now: time.Now})
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
	const line = "[ -f ~/.claude/agent-isolation/claude-iso.sh ] && . ~/.claude/agent-isolation/claude-iso.sh\n"
	const wrapper = ".claude/agent-isolation/claude-iso.sh"
	for _, tt := range []struct {
		name, shell string
		files       map[string]string
		arrange     func(household)
		status      report.Status
		words       []string
	}{
		{"sourced", "/bin/bash", map[string]string{".bashrc": "\n" + line}, nil, report.Pass, []string{".bashrc:2", "no alias"}},
		{"with the alias", "/bin/bash", map[string]string{".bashrc": line + "alias claude='claude-iso'\n"}, nil, report.Pass, []string{".bashrc:2 a plain claude goes through"}},
		{"zsh", "/usr/bin/zsh", map[string]string{".zshrc": line}, nil, report.Pass, []string{".zshrc:1"}},
		{"fish", "/usr/bin/fish", map[string]string{".config/fish/config.fish": "source ~/.claude/agent-isolation/claude-iso.fish\n"}, nil, report.Pass, []string{"config.fish:1"}},
		{"not sourced", "/bin/bash", map[string]string{".bashrc": "# " + line}, nil, report.Fail, []string{".bashrc"}},
		{"no rc file", "/bin/bash", nil, nil, report.Fail, nil},
		{"unreadable is unknown", "/usr/bin/zsh", map[string]string{".zshrc": "if [[ x ]] { : }\n" + line}, nil, report.Unknown, []string{".zshrc:2", "may source"}},
		{"dynamic is unknown", "/bin/bash", map[string]string{".bashrc": ". \"$X\"\n"}, nil, report.Unknown, []string{".bashrc:1"}},
		{"sourced from a directory", "/bin/bash", map[string]string{".bashrc": "for f in ~/.claude/agent-isolation/*.sh; do . \"$f\"; done\n"}, nil, report.Pass, []string{".bashrc:1"}},
		{"wrapper gone", "/bin/bash", map[string]string{".bashrc": line}, func(h household) { h.remove(wrapper) }, report.Fail, []string{"not there"}},
		{"program gone", "/bin/bash", map[string]string{".bashrc": line}, func(h household) { h.remove("bin/steward-setup") }, report.Fail, []string{"bin/steward-setup"}},
		{"edited", "/bin/bash", map[string]string{".bashrc": line}, func(h household) { h.put(wrapper, h.rendered("claude-iso.sh")+"# mine\n", 0o644) }, report.Warn, []string{"edited"}},
		{"foreign", "/bin/bash", map[string]string{".bashrc": line}, func(h household) { h.put(wrapper, "claude-iso() { :; }\n", 0o644) }, report.Warn, []string{"variant"}},
		{"a claude of their own", "/bin/bash", map[string]string{".bashrc": line + "claude() { :; }\n"}, nil, report.Warn, []string{".bashrc:2", "function of your own"}},
		{"sh", "/bin/sh", nil, nil, report.Warn, []string{"/bin/sh"}},
		{"unknown shell", "/bin/tcsh", nil, nil, report.Unknown, []string{"/bin/tcsh"}},
		{"no shell", "", nil, nil, report.Unknown, []string{"SHELL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			for rel, text := range tt.files {
				h.put(rel, text, 0o644)
			}
			if tt.arrange != nil {
				tt.arrange(h)
			}
			wantFinding(t, checkWrapper(h.reader("SHELL="+tt.shell)), tt.status, tt.words...)
		})
	}
}
