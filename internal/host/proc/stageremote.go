// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the servers of a stage's git repository are the real ones,
// with keys and a repository that are gone with the stage.

package proc

import "io"

// SSHServer is where openssh-server has its program (Debian, Fedora, Arch).
const SSHServer = "/usr/sbin/sshd"

// StageSSHServer serves one connection, which On names, by a configuration
// file (sshd(8), -i). An ordinary user's server lets in nobody else.
func StageSSHServer(config string) Spec {
	return Spec{name: "sshd", path: SSHServer, args: []string{"-i", "-e", "-f", config}, timeout: agentTimeout}
}

// On lets the program use a connection as its standard input and output.
func (s Spec) On(connection io.ReadWriter) Spec {
	s.connection = connection
	return s
}

// StageRepository makes a bare repository on a stage.
func StageRepository(dir string) Spec {
	return Spec{name: "git", args: []string{"init", "--quiet", "--bare", "--initial-branch=main", dir},
		timeout: agentTimeout}
}

// StageHistory gives a repository on a stage commits, in the form of
// git-fast-import(1).
func StageHistory(dir string, stream []byte) Spec {
	return Spec{name: "git", args: []string{"-C", dir, "fast-import", "--quiet"}, stdin: stream, timeout: agentTimeout}
}

// StageGitHTTP answers one request for a repository below root as a CGI program
// does (git-http-backend(1), RFC 3875): environ are the variables of the
// request, body is its body. Whoever asks may push.
func StageGitHTTP(root string, environ []string, body []byte) Spec {
	own := []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=stage"}
	return Spec{name: "git", args: []string{"http-backend"}, extra: append(own, environ...), stdin: body,
		timeout: agentTimeout}
}
