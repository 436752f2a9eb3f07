// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that is passed over is not called missing.

package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

func TestAProgramThatIsPassedOver(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p/claude", "own/claude"} {
		for _, err := range []error{os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	project, own := filepath.Join(dir, "p"), filepath.Join(dir, "own")
	for path, want := range map[string]string{project: "", project + ":" + own: filepath.Join(own, "claude"), own + ":" + project: filepath.Join(own, "claude")} {
		got, err := Runner{Env: env.New([]string{"PATH=" + path}), Avoid: []string{project}}.Look("claude")
		var passed *PassedOver
		if is := errors.As(err, &passed); got != want || is != (want == "") || is && (passed.Path != filepath.Join(project, "claude") || !errors.Is(err, fs.ErrNotExist)) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := (Runner{Env: env.New([]string{"PATH=" + own}), Avoid: []string{project}}).Look("socat"); err == nil || errors.As(err, new(*PassedOver)) {
		t.Errorf("a program that is nowhere: %v", err)
	}
}
