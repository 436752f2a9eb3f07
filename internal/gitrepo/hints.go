// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: these answers only choose a default. Git failing to give
// one is no error; it means that nothing is known.

package gitrepo

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Files lists the tracked files below the work tree's root, with slashes; none
// where git's answer is longer than what is kept (proc.ErrCut).
func (r *Repo) Files(ctx context.Context) []string {
	return split(r.host.Run(ctx, proc.GitFiles(r.Root)))
}

// Remotes lists the addresses of the repository's remotes.
func (r *Repo) Remotes(ctx context.Context) []string {
	var addresses []string
	for _, entry := range split(r.host.Run(ctx, proc.GitRemotes(r.Root))) {
		if _, address, ok := strings.Cut(entry, "\n"); ok {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// HasRemote says whether the repository whose work tree is at root has a remote of
// this name with an address, also by the user's own configuration.
func HasRemote(ctx context.Context, h host.Reader, root, name string) bool {
	for _, entry := range split(h.Run(ctx, proc.GitRemotes(root))) {
		if strings.HasPrefix(entry, "remote."+name+".url\n") {
			return true
		}
	}
	return false
}

// Hints are the files and remotes of the repository whose work tree is at root,
// for suggestions: they are what the repository says of itself, and nothing is
// asked but that.
func Hints(ctx context.Context, h host.Reader, root string) (files, remotes []string) {
	r := &Repo{host: h, Root: root}
	return r.Files(ctx), r.Remotes(ctx)
}

// split takes a NUL-terminated list apart.
func split(res proc.Result) []string {
	if !res.OK() {
		return nil
	}
	entries := strings.Split(string(res.Stdout), "\x00")
	return entries[:len(entries)-1]
}
