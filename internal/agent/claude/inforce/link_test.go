// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package inforce_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
)

// watcher notes what is read.
type watcher struct {
	host.Reader
	read []string
}

func (w *watcher) Read(path string) ([]byte, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		w.read = append(w.read, real)
	}
	return w.Reader.Read(path)
}

func TestASettingsFileThatIsALink(t *testing.T) {
	for _, tt := range []struct {
		name, to, content string
		opened            bool
		says              string
	}{
		{"to a credential file", "HOME/.aws/credentials", "[default]", false,
			"is a symlink to a credential file: not opened"},
		{"to an .env file of the project", "HOME/p/.env", "QTOKEN=1", false,
			"is a symlink to a credential file: not opened"},
		{"to an .env file elsewhere", "HOME/other/.env", "QTOKEN=1", false,
			"is a symlink to a credential file: not opened"},
		{"to another file of the project", "HOME/p/conf/agent.json", "{}", true, ""},
		{"to text elsewhere", "HOME/notes.txt", "QNOTES", true, "is not strict JSON"},
	} {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				home, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				to, link := strings.ReplaceAll(tt.to, "HOME", home), filepath.Join(home, "p/.claude", name)
				for _, err := range []error{os.MkdirAll(filepath.Join(home, "p/.git"), 0o755),
					os.MkdirAll(filepath.Dir(link), 0o755), os.MkdirAll(filepath.Dir(to), 0o755),
					os.WriteFile(to, []byte(tt.content), 0o600), os.Symlink(to, link)} {
					if err != nil {
						t.Fatal(err)
					}
				}
				h, err := host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=/usr/bin:/bin"}), GOOS: "linux",
					Cwd: home, UID: os.Getuid(), Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				w := &watcher{Reader: h}
				in := inforce.Gather(w, inforce.Invocation{Start: filepath.Join(home, "p")})
				if slices.Contains(w.read, to) != tt.opened {
					t.Errorf("read %q", w.read)
				}
				said := fmt.Sprintf("%+v", in.Unread)
				if !strings.Contains(said, tt.says) || tt.says != "" && !strings.Contains(said, link) {
					t.Errorf("says %s", said)
				}
				if tt.says != "" && (strings.Contains(said, "'Q'") || strings.Contains(said, "'['")) {
					t.Errorf("a byte of it is said: %s", said)
				}
			})
		}
	}
}
