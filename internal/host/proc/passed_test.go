// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAProgramThatIsPassedOver(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p/claude", "own/claude"} {
		for _, err := range []error{os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755),
			os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	project, own := filepath.Join(dir, "p"), filepath.Join(dir, "own")
	for path, want := range map[string]string{project: "", project + ":" + own: filepath.Join(own, "claude"), own + ":" +
		project: filepath.Join(own, "claude")} {
		got, err := Runner{Env: env.New([]string{"PATH=" + path}), Avoid: []string{project}}.Look("claude")
		var passed *PassedOver
		if is := errors.As(err, &passed); got != want || is != (want == "") || is &&
			(passed.Path != filepath.Join(project, "claude") || !errors.Is(err, fs.ErrNotExist)) {
			t.Errorf("%s: %q, %v", path, got, err)
		} else if lacks := (Result{Err: err}).Lacks("claude"); (lacks != "") != is || strings.Contains(lacks, "installed") {
			t.Errorf("%s: %q", path, lacks)
		}
	}
	if _, err := (Runner{Env: env.New([]string{"PATH=" + own}), Avoid: []string{project}}).Look("socat"); err == nil ||
		errors.As(err, new(*PassedOver)) {
		t.Errorf("a program that is nowhere: %v", err)
	}
}

func TestWhatIsNotExecutableIsNotCalledMissing(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name, "claude") }
	for _, name := range []string{"mode", "link", "loop", "own", "dir/claude"} {
		testenv.OK(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	for _, err := range []error{os.WriteFile(at("mode"), []byte("#!/bin/sh\n"), 0o640),
		os.Symlink("/opt/gone/claude", at("link")),
		os.Symlink("claude", at("loop")), os.WriteFile(at("own"), []byte("#!/bin/sh\n"), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	look := func(names ...string) (string, error) {
		path := "PATH="
		for _, name := range names {
			path += filepath.Join(dir, name) + ":"
		}
		return Runner{Env: env.New([]string{path})}.Look("claude")
	}
	for name, want := range map[string]string{"mode": "it is not executable (mode 0640)",
		"loop": "it is a symlink that cannot be followed",
		"link": "it is a symlink to /opt/gone/claude, which does not exist"} {
		_, err := look("dir", name)
		var not *NotStarted
		if !errors.As(err, &not) || not.Why != want || not.Path != at(name) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := look(name, "own"); got != at("own") {
			t.Errorf("%s comes first: %q, %v", name, got, err)
		}
	}
	if _, err := look("dir", "none"); err == nil || errors.As(err, new(*NotStarted)) {
		t.Errorf("a directory of that name: %v", err)
	}
}

// TestAProgramsOwnProgramsAreNotTheProjects: what a program starts by its name, as
// the first line of npm starts node, is looked for where the program was.
func TestAProgramsOwnProgramsAreNotTheProjects(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, own, link := filepath.Join(dir, "p"), filepath.Join(dir, "own"), filepath.Join(dir, "link")
	for _, err := range []error{os.MkdirAll(project, 0o755), os.MkdirAll(own, 0o755), os.Symlink(project, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{project, link, "", "bin", own, "/usr/bin"}, ":")
	r := Runner{Env: env.New([]string{"PATH=" + path}), Avoid: []string{project}}
	if got, want := r.base(false, false), "PATH="+own+":/usr/bin"; !slices.Contains(got, want) {
		t.Errorf("%q, want %s", got, want)
	}
}
