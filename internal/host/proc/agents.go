// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what holds the user's keys and containers is asked whether
// it answers, and nothing else; keys are made on a stage only.

package proc

import (
	"strings"
	"time"
)

// agentTimeout bounds a question to an agent or an engine. One that answers
// does so in some milliseconds.
const agentTimeout = 10 * time.Second

// SSHIdentities lists the identities of the agent at the socket: exit code 0
// with a line each, 1 if it holds none, 2 if it does not answer (ssh-add(1)).
func SSHIdentities(socket string) Spec {
	return Spec{name: "ssh-add", args: []string{"-l"}, extra: []string{"SSH_AUTH_SOCK=" + socket}, timeout: agentTimeout}
}

// DockerServer asks the engine at an address (unix:///path) for its version.
func DockerServer(address string) Spec {
	return Spec{name: "docker", args: []string{"--host", address, "version", "--format", "{{.Server.Version}}"},
		timeout: agentTimeout}
}

// DockerContext asks the docker client which context is in force, and where its
// engine is: "name address". config and name are the values of DOCKER_CONFIG and
// DOCKER_CONTEXT, "" where they are not set. No engine is asked.
func DockerContext(config, name string) Spec {
	s := Spec{name: "docker", args: []string{"context", "inspect", "--format", "{{.Name}} {{.Endpoints.docker.Host}}"},
		timeout: agentTimeout}
	for _, v := range []struct{ name, value string }{{"DOCKER_CONFIG", config}, {"DOCKER_CONTEXT", name}} {
		if v.value != "" {
			s.extra = append(s.extra, v.name+"="+v.value)
		}
	}
	return s
}

// PodmanServer asks the podman service at an address (unix:///path) for its
// version.
func PodmanServer(address string) Spec {
	return Spec{name: "podman", args: []string{"--remote", "--url", address, "version", "--format", "{{.Server.Version}}"},
		timeout: agentTimeout}
}

// GPGAgent asks a gpg agent that runs for its version; it starts none.
func GPGAgent() Spec {
	return Spec{name: "gpg-connect-agent", args: []string{"--no-autostart", "GETINFO version", "/bye"},
		timeout: agentTimeout}
}

// StageAgent starts an SSH agent at the socket, in the background. It is for a
// stage, which ends it.
func StageAgent(socket string) Spec {
	return Spec{name: "ssh-agent", args: []string{"-a", socket}, timeout: agentTimeout}
}

// StageKey makes an SSH key without a passphrase on a stage.
func StageKey(file, comment string) Spec {
	return Spec{name: "ssh-keygen", args: []string{"-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file},
		timeout: agentTimeout}
}

// StageIdentity gives a key to an agent on a stage.
func StageIdentity(socket, file string) Spec {
	return Spec{name: "ssh-add", args: []string{"-q", file}, extra: []string{"SSH_AUTH_SOCK=" + socket},
		timeout: agentTimeout}
}

// StageSigner makes an OpenPGP key without a passphrase in the stage's own
// keyring. It starts an agent there, which the stage ends.
func StageSigner(user string) Spec {
	return Spec{name: "gpg", args: []string{"--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "",
		"--quick-generate-key", user, "ed25519", "sign", "never"}, timeout: agentTimeout}
}

// Records are what a program printed with a NUL behind each, without empty ones.
func (r Result) Records() []string {
	return strings.FieldsFunc(string(r.Stdout), func(c rune) bool { return c == 0 })
}

// Lines are the lines that a program printed, without empty ones.
func (r Result) Lines() (list []string) {
	for line := range strings.Lines(string(r.Stdout)) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
