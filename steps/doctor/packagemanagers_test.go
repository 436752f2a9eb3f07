// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the lines of the probe are given to the real package
// managers, with the registry that the stage has.

package doctor

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// everywhere are the package managers that tests have everywhere; uv, cargo and
// mvn are tried where they are.
var everywhere = []string{"npm", "pnpm", "yarn", "pip", "go"}

func TestPackageManagersInstallFromTheRegistry(t *testing.T) {
	testenv.AsRoot(t)
	t.Setenv("PATH", testenv.NPMTools(t)+":"+os.Getenv("PATH"))
	testenv.Need(t, everywhere...)
	heard, err := model.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = heard.Close() })
	for _, m := range managers {
		if path, err := exec.LookPath(m.name); !slices.Contains(everywhere, m.name) && (err != nil || !works(path)) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			// On the stage the host's name leads to the listener.
			host, _, _ := strings.Cut(heard.Address(), ":")
			here := strings.NewReplacer(fmt.Sprintf("%s:%d", m.host, rehearsal.Port), heard.Address(), m.host, host)
			root, dir := t.TempDir(), "steward-packages/"+m.name
			put := func(name, text string) {
				path := filepath.Join(root, dir, name)
				testenv.Write(t, path, text, 0o600)
			}
			for name, text := range m.laid {
				put(name, here.Replace(m.spelled([]string{text}, dir)[0]))
			}
			if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-c", here.Replace(m.spelled([]string{m.line}, dir)[0]))
			cmd.Dir, cmd.Env = root, append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"},
				m.spelled(m.environ, dir)...)
			for i := range cmd.Env {
				cmd.Env[i] = here.Replace(cmd.Env[i])
			}
			if home, err := os.UserHomeDir(); err == nil && m.name == "cargo" {
				cmd.Env = append(cmd.Env, "RUSTUP_HOME="+filepath.Join(home, ".rustup")) // where cargo is rustup's, its toolchains
			}
			if m.name == "go" { // its module cache is read-only, and would outlive the test
				cmd.Env = append(cmd.Env, "GOFLAGS=-modcacherw")
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\nasked for %q", err, out, heard.Paths())
			}
			got := out
			if m.made != "" {
				got, err = os.ReadFile(filepath.Join(root, dir, m.made))
			}
			if word := cmp.Or(m.done, model.PackageWord); err != nil || !strings.Contains(string(got), word) {
				t.Errorf("%v, no %q in %q\n%s", err, word, got, out)
			}
		})
	}
}

// works says whether a program starts: a version manager has names on PATH
// behind which there is none.
func works(path string) bool {
	cmd := exec.Command(path, "--version")
	if filepath.Base(path) == "go" {
		cmd = exec.Command(path, "version")
	}
	cmd.Dir = "/"
	return cmd.Run() == nil
}
