// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the probes ask outside really runs, and ends with the
// test.

package doctor_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// sshAgent starts ssh-agent with a key.
func (m *machine) sshAgent() { m.sshAgentAt("run/agent.sock") }

func (m *machine) sshAgentAt(name string) {
	m.t.Helper()
	testenv.Need(m.t, "ssh-agent", "ssh-add", "ssh-keygen")
	m.mkdir(filepath.Dir(name))
	socket := m.path(name)
	m.background("ssh-agent", "-D", "-a", socket)
	m.environ["SSH_AUTH_SOCK"] = socket
	m.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", m.path("key"))
	m.listening(socket)
	m.run("ssh-add", "-q", m.path("key"))
}

// gpgKey makes a key that signs, with gpg's own agent.
func (m *machine) gpgKey() {
	m.t.Helper()
	testenv.Need(m.t, "gpg", "gpg-agent", "gpg-connect-agent")
	m.mkdir("home/.gnupg")
	if err := os.Chmod(m.path("home/.gnupg"), 0o700); err != nil {
		m.t.Fatal(err)
	}
	m.run("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", "--quick-generate-key",
		"user@example.invalid", "ed25519", "sign", "never")
	m.t.Cleanup(func() { m.runAfter("gpgconf", "--kill", "gpg-agent") })
	m.run("gpg", "--batch", "--quiet", "--output", m.path("signed"), "--clear-sign", m.path("home/code/p/README.md"))
}

// containers starts podman's service, which answers the docker client too; or,
// where it does not start (an ordinary user without subordinate ids), something
// that answers as it does.
func (m *machine) containers() {
	m.t.Helper()
	testenv.Need(m.t, "podman", "docker")
	m.mkdir("run/podman")
	socket := m.path("run/podman/podman.sock")
	exited := m.background("podman", "--root", m.path("containers"), "--runroot", m.path("run/containers"), "--tmpdir",
		m.path("run/libpod"), "--storage-driver", "vfs",
		"system", "service", "--time", "0", "unix://"+socket)
	select {
	case <-m.ready(socket):
	case <-exited:
		m.t.Log("podman system service does not start here: something else answers the clients")
		_ = os.Remove(socket)
		engine, err := model.Engine(socket, "4.3.1")
		if err != nil {
			m.t.Fatal(err)
		}
		m.t.Cleanup(func() { _ = engine.Close() })
	}
	m.environ["DOCKER_HOST"] = "unix://" + socket
}

// packages puts package managers on the machine, and in the project a file of
// each. They are scripts: the real ones look for their parts beside themselves.
func (m *machine) packages(files map[string]string) {
	m.t.Helper()
	testenv.Need(m.t, "npm", "node", "pip", "python3")
	m.real("npm", "pip")
	m.link("node", look(m.t, "node"))
	m.link("python3", look(m.t, "python3"))
	for name, text := range files {
		m.write("home/code/p/"+name, text, 0o644)
	}
}

// look is where a program of this machine's is.
func look(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// remoteOverSSH gives the project a remote whose server ssh knows.
func (m *machine) remoteOverSSH() {
	m.t.Helper()
	testenv.Need(m.t, proc.SSHServer)
	m.git(m.project, "remote", "add", "origin", "git@code.example:me/p.git")
	m.write("home/.ssh/known_hosts", "code.example ssh-ed25519 AAAA\n", 0o600)
}

// signs lets git sign the user's commits with an SSH key.
func (m *machine) signs(key string) {
	m.t.Helper()
	for name, value := range map[string]string{"commit.gpgsign": "true", "gpg.format": "ssh",
		"user.signingKey": key} {
		m.run("git", "config", "--global", name, value)
	}
}

func (m *machine) runAfter(args ...string) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH")}
	_ = cmd.Run()
}

// background starts a program that ends with the test; exited is closed when it
// has ended by itself.
func (m *machine) background(args ...string) (exited <-chan struct{}) {
	m.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + m.path("run")}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	m.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		if m.t.Failed() {
			m.t.Logf("%s:\n%s", args[0], out.String())
		}
	})
	return done
}

// listening waits until something answers at a socket.
func (m *machine) listening(socket string) {
	m.t.Helper()
	select {
	case <-m.ready(socket):
	case <-time.After(20 * time.Second):
		m.t.Fatalf("nothing listens at %s", socket)
	}
}

// ready is closed when something answers at a socket, or the test is over.
func (m *machine) ready(socket string) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m.t.Context().Err() == nil {
			if c, err := net.Dial("unix", socket); err == nil {
				c.Close()
				return
			}
			time.Sleep(5 * time.Millisecond) // between two looks
		}
	}()
	return done
}
