// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// bySSH makes the remote one that is reached by ssh, through a program that
// stands in for it: it notes its call and starts what git asks for.
func (w *exchangeWorld) bySSH(m *peer) (program, log string) {
	w.t.Helper()
	program, log = filepath.Join(w.top, "ssh-of-ada"), filepath.Join(w.top, "ssh.log")
	w.write(program, "#!/bin/sh\necho \"$SSH_ASKPASS_REQUIRE $*\" >> '"+log+"'\nfor last; do :; done\neval \"$last\"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		w.t.Fatal(err)
	}
	m.git("remote", "set-url", "origin", "ssh://host.invalid"+w.remote)
	return program, log
}

func TestTheUsersSSHCommandIsUsed(t *testing.T) {
	w := newExchangeWorld(t)
	program, log := w.bySSH(w.ada)
	w.write(filepath.Join(w.ada.home, "work.conf"), "[core]\n\tsshCommand = "+program+" -i key\n")
	w.write(filepath.Join(w.ada.home, ".gitconfig"), identity("ada")+"[includeIf \"gitdir:"+w.ada.repo+"/\"]\n\tpath = "+
		filepath.Join(w.ada.home, "work.conf")+"\n")
	w.bob.put("memory/b.md", "b\n")
	w.bob.pushes("b")
	w.ada.put("memory/a.md", "a\n")
	if _, err := w.ada.push(PushOptions{}); err != nil {
		t.Fatal(words(err))
	}
	if w.ada.text("memory/b.md") != "b\n" || w.remoteHas("memory/a.md") != "a" {
		t.Error("nothing was pulled, or pushed")
	}
	b, _ := os.ReadFile(log)
	for _, pack := range []string{"git-upload-pack", "git-receive-pack"} {
		if !strings.Contains(string(b), "force -i key host.invalid "+pack) {
			t.Errorf("%s: ssh was called as %s", pack, b)
		}
	}
}

func TestAnSSHCommandOfTheRepositoryIsRefused(t *testing.T) {
	w := newExchangeWorld(t)
	program, log := w.bySSH(w.ada)
	w.ada.git("config", "core.sshCommand", program)
	if _, err := w.ada.look(); err == nil || !strings.Contains(words(err), "core.sshcommand") {
		t.Errorf("not refused: %v", words(err))
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("it was started")
	}
}

func TestTheLineInWhichGitSaysWhatFailed(t *testing.T) {
	for stderr, want := range map[string]string{
		"ada@example.org: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make " +
			"sure you have the correct access rights\n": "ada@example.org: Permission denied (publickey).",
		"warning: redirecting\nfatal: repository 'x' not found\n": "fatal: repository 'x' not found",
		"hint: a\nerror: failed to push some refs to 'x'\n":       "error: failed to push some refs to 'x'",
		"": "exit code 128, no output",
	} {
		if got := lastWords(proc.Result{Code: 128, Stderr: []byte(stderr)}); got != want {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}
