// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
