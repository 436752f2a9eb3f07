// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
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

// A project's word switches copies on in a plain start alone, and ends none.
func TestWhoDecidesAboutCopies(t *testing.T) {
	home := testenv.Home(t)
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux"}))(t)
	for _, c := range []struct {
		project, user string
		plain, iso    bool
		where         string
	}{{"", "", true, false, ""}, {"", "1", false, false, ""}, {"", "0", true, true, "user"},
		{"1", "", true, false, ""}, {"1", "0", true, true, "user"}, {"0", "1", true, false, "project"},
		{"0", "", true, false, "project"}, {"0", "0", true, true, "project"}} {
		s := Settings{}
		for scope, set := range map[settings.Scope]string{settings.Project: c.project, settings.User: c.user} {
			if set != "" {
				doc := testenv.Must(settings.Parse(scope.String(), []byte(`{"env": {"`+claude.CheckpointsVariable+
					`": "`+set+`"}}`)))(t)
				s = s.With(scope, doc)
			}
		}
		slices.SortFunc(s.Layers, func(a, b settings.ScopedDoc) int { return strings.Compare(a.Doc.Path, b.Doc.Path) })
		plain, iso, by := Checkpoints(h, s)
		where := ""
		if by.Value != nil {
			where = by.Where()
		}
		if plain != c.plain || iso != c.iso || !strings.HasPrefix(where, c.where) || c.where == "" && where != "" {
			t.Errorf("%+v: %v, %v, %s", c, plain, iso, where)
		}
	}
}
