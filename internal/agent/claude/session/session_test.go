// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// A round of checks finds once what follows from the same documents and directories, and
// again what follows from others.
func TestWhatFollowsFromASessionIsFoundOnce(t *testing.T) {
	home := testenv.Home(t)
	project := filepath.Join(home, "project")
	testenv.Write(t, filepath.Join(project, PolicyFile), "{}", 0o600)
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Cwd: project,
		UID: os.Getuid()}))(t)
	round := host.Still(h)
	s := At(round, project)
	doc := testenv.Must(settings.Parse(filepath.Join(project, PolicyFile), []byte(`{"a": 1}`)))(t)
	elsewhere, many := s, s
	elsewhere.Dirs.Agent = home
	many.Layers = slices.Repeat(s.Layers, 20)
	type key struct{ of int }
	n := 0
	for i, c := range []struct {
		r    host.Reader
		s    Settings
		of   int
		want int
	}{{round, s, 0, 1}, {round, At(round, project), 0, 1}, {round, s.With(settings.Project, doc), 0, 2},
		{round, elsewhere, 0, 3}, {round, s, 1, 4}, {round, s, 0, 1}, {round, many, 0, 5}, {round, many, 0, 6},
		{h, s, 0, 7}, {host.Still(h), s, 0, 8}} {
		if got := Found(c.r, c.s, key{c.of}, func() int { n++; return n }); got != c.want {
			t.Errorf("%d: %d, want %d", i, got, c.want)
		}
	}
	s.Layers[0].Scope = settings.User
	if again := At(round, project); again.Layers[0].Scope != settings.Project {
		t.Error("who was told of a session changed what others are told")
	}
}
