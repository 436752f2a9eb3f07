// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the repository behind a remote of the user's is one of the
// stage's, with one commit; no name, key or address of it works elsewhere.

package rehearsal

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Remotes are the hosts of a session that have the stage's repository.
type Remotes struct {
	// Hosts have it, each on a port of its own (RemotePort).
	Hosts []string `json:"hosts,omitempty"`
	// Known is the file that has their keys for ssh, "" where nobody answers
	// ssh; Key is the file of a key that they let in beside that of
	// OfferAgent, "" for none.
	Known string `json:"known,omitempty"`
	Key   string `json:"key,omitempty"`
}

// What there is of a remote.
const (
	remoteOwn = stage.Own + "/remote"
	// RemoteRepository is the repository's directory, and its path in an
	// address.
	RemoteRepository = remoteOwn + "/stage.git"
	// RemoteAuthority is the certificate that git must trust.
	RemoteAuthority = remoteOwn + "/authority.pem"
	// RemoteFile is the one file in the repository, RemoteWord what it holds.
	RemoteFile, RemoteWord = "steward-remote.txt", "fetched-from-the-remote-of-the-stage"
	// RemoteUser is who may log in.
	RemoteUser = "git"
)

// RemotePort is where the i-th of the hosts listens.
func RemotePort(i int) int { return Port + 1 + i }

// RemoteHit is what Raw.Hits has where a host was reached by a protocol of the
// model's (model.SpokeSSH, model.SpokeTLS).
func RemoteHit(host, protocol string) string { return protocol + " " + host }

// RemoteUsers is a table of users (passwd(5)) in which whoever plays a session
// may log in as RemoteUser, and has the session's home: ssh and sshd ask it, and
// no variable. more are the users of the host.
func RemoteUsers(uid, gid int, home string, more []byte) []byte {
	lines := ""
	for _, name := range []string{"stage", RemoteUser} {
		lines += fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh\n", name, uid, gid, home)
	}
	return append([]byte(lines), more...)
}

// history is the one commit of the repository (git-fast-import(1)).
func history() []byte {
	data := func(text string) string { return fmt.Sprintf("data %d\n%s\n", len(text), text) }
	return []byte("commit refs/heads/main\ncommitter Stage <stage@example.invalid> 0 +0000\n" +
		data("A commit of the stage") + "M 100644 inline " + RemoteFile + "\n" + data(RemoteWord))
}

// begin makes the repository and listens for its hosts.
func (r Remotes) begin(ctx context.Context, runner proc.Runner, heard *model.Listener) (open []*model.Listener,
	err error) {
	if err := fs.Lay([]fs.Laid{fs.Directory(remoteOwn)}); err != nil {
		return nil, err
	}
	if err := all(ctx, runner, proc.StageRepository(RemoteRepository), proc.StageHistory(RemoteRepository,
		history())); err != nil {
		return nil, err
	}
	own, authority, err := model.Certificate(r.Hosts...)
	if err == nil {
		err = fs.Lay([]fs.Laid{{Path: RemoteAuthority, Mode: 0o644, Data: authority}})
	}
	if err != nil {
		return nil, err
	}
	ssh, err := r.ssh(ctx, runner)
	if err != nil {
		return nil, err
	}
	for i, host := range r.Hosts {
		l, err := model.ListenRemote(fmt.Sprintf("%s:%d", proc.StageAddress, RemotePort(i)),
			model.Remote{Certificate: own, HTTP: served(ctx, runner), SSH: ssh,
				Heard: func(protocol string) { heard.Remember(RemoteHit(host, protocol)) }})
		if err != nil {
			return open, err
		}
		open = append(open, l)
	}
	return open, nil
}

// gitPath is where a server finds git-upload-pack if it is not beside git.
const gitPath = ":/usr/local/bin:/usr/bin:/bin:/usr/libexec/git-core:/usr/lib/git-core"

// ssh lays keys for a real SSH server and returns what serves a connection.
func (r Remotes) ssh(ctx context.Context, runner proc.Runner) (func(io.ReadWriter), error) {
	if r.Known == "" {
		return nil, nil
	}
	in := func(name string) string { return filepath.Join(remoteOwn, name) }
	specs := []proc.Spec{proc.StageKey(in("host"), "host")}
	if r.Key != "" {
		specs = append(specs, proc.StageKey(in("user"), "user"))
	}
	if err := all(ctx, runner, specs...); err != nil {
		return nil, err
	}
	public, err := fs.Read(in("host.pub"))
	if err != nil {
		return nil, err
	}
	kind, rest, _ := strings.Cut(string(public), " ")
	key, _, _ := strings.Cut(rest, " ")
	known := ""
	for i, host := range r.Hosts { // the form of a port that is not ssh's: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"
		known += fmt.Sprintf("%s,[%s]:%d %s %s\n", host, host, RemotePort(i), kind, key)
	}
	// Keys are let in from the files of ssh-agent's key and of this one.
	config := "HostKey " + in("host") + "\nAuthorizedKeysFile " + in("user.pub") + " " + stage.Own +
		"/key.pub\nStrictModes no\nPasswordAuthentication no\n" +
		"KbdInteractiveAuthentication no\nPidFile none\nSetEnv \"PATH=" + runner.Env.Get("PATH") + gitPath + "\"\n"
	files := []fs.Laid{{Path: r.Known, Mode: 0o644, Data: []byte(known)}, {Path: in("config"), Mode: 0o644,
		Data: []byte(config)}}
	if r.Key != "" {
		private, err := fs.Read(in("user"))
		if err != nil {
			return nil, err
		}
		files = append(files, fs.Laid{Path: r.Key, Mode: 0o600, Data: private})
	}
	if err := fs.Lay(files); err != nil {
		return nil, err
	}
	return func(c io.ReadWriter) { runner.Run(ctx, proc.StageSSHServer(in("config")).On(c)) }, nil
}

// served answers requests of git over HTTP with what its own CGI program says.
func served(ctx context.Context, runner proc.Runner) func(model.Request) (status, head, body string) {
	return func(r model.Request) (status, head, body string) {
		path, query, _ := strings.Cut(r.Path, "?")
		path, ours := strings.CutPrefix(path, remoteOwn)
		if !ours {
			return "404 Not Found", "", ""
		}
		environ := []string{"REQUEST_METHOD=" + r.Method, "PATH_INFO=" + path, "QUERY_STRING=" + query}
		for header, name := range map[string]string{"Content-Type": "CONTENT_TYPE",
			"Content-Encoding": "HTTP_CONTENT_ENCODING", "Git-Protocol": "GIT_PROTOCOL"} {
			if value := r.Header[header]; value != "" {
				environ = append(environ, name+"="+value)
			}
		}
		if r.Method == "POST" {
			environ = append(environ, fmt.Sprintf("CONTENT_LENGTH=%d", len(r.Body)))
		}
		res := runner.Run(ctx, proc.StageGitHTTP(remoteOwn, environ, r.Body))
		if !res.OK() {
			return "500 Internal Server Error", "", ""
		}
		head, body, _ = strings.Cut(string(res.Stdout), "\r\n\r\n")
		if rest, failed := strings.CutPrefix(head, "Status: "); failed {
			status, head, _ = strings.Cut(rest, "\r\n")
		}
		return status, head + "\r\n", body
	}
}
