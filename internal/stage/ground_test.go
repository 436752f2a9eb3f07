// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// ground is a throwaway machine.
type ground struct {
	t        *testing.T
	home     string
	uid, gid int
	vars     []string
}

func newGround(t *testing.T) *ground {
	return &ground{t: t, home: testenv.Home(t), uid: 1000, gid: 1000}
}

// put writes a file below the home; a name that ends in a slash is a
// directory, a text that begins with "->" a link.
func (g *ground) put(name, text string, mode os.FileMode) string {
	g.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.home, name)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	switch to, link := strings.CutPrefix(text, "->"); {
	case err != nil:
	case strings.HasSuffix(name, "/"):
		err = os.MkdirAll(path, mode)
	case link:
		err = os.Symlink(to, path)
	default:
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return path
}

// repo makes what makes a directory a git directory.
func (g *ground) repo(dir string) string {
	for _, name := range []string{"objects/info/", "refs/heads/"} {
		g.put(filepath.Join(dir, name)+"/", "", 0o755)
	}
	g.put(filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n", 0o644)
	g.put(filepath.Join(dir, "config"), "[core]\n\tbare = false\n\tfsmonitor = ./evil\n", 0o644)
	g.put(filepath.Join(dir, "hooks", "pre-commit"), "#!/bin/sh\n", 0o755)
	return filepath.Join(g.home, strings.TrimPrefix(dir, g.home))
}

func (g *ground) host() host.Reader {
	g.t.Helper()
	h, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + g.home, "PATH=/usr/bin:/bin"}, g.vars...)),
		GOOS: "linux", UID: g.uid, GID: g.gid,
		Cwd: "/", Executable: "/bin/true", Now: time.Now})
	if err != nil {
		g.t.Fatal(err)
	}
	return h
}

// layout is that of an agent whose places the tests name.
func layout(h host.Reader) agent.Layout {
	return agent.Layout{Program: "claude", Own: h.Places().AgentDir, Dir: ".claude",
		Settings: []string{"settings.json", "settings.local.json"},
		Secrets:  []agent.Secret{{Path: ".credentials.json", Before: "{", After: "}"}}}
}

func (g *ground) build(spec Spec, roots ...string) (*Stage, error) {
	h := g.host()
	spec.Run, spec.Runtime, spec.Binary = "run", "/bin/true", "/bin/true"
	spec.Layout = layout(h)
	for _, root := range roots {
		t := host.FindTree(h, root)
		if t.Root == "" {
			t.Root = root
		}
		spec.Trees = append(spec.Trees, t)
	}
	return Build(h, spec)
}

func (g *ground) stage(spec Spec, roots ...string) *Stage {
	g.t.Helper()
	s, err := g.build(spec, roots...)
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

// at says what is at a path of the stage: the last mount on it or above it,
// or what is laid there.
func (s *Stage) at(path string) string {
	for _, f := range s.Files {
		if f.Path == path && !f.Mode.IsDir() {
			return "file " + string(f.Data)
		}
	}
	what := "host"
	for _, m := range s.Mounts {
		if pathname.Within(path, m.Target) {
			switch m.Kind {
			case Memory:
				what = "nothing"
			default:
				what = string(m.Kind)
			}
		}
	}
	return what
}
