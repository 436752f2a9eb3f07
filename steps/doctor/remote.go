// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the remotes are the project's own, by their names; who
// answers is on the stage, and no server of the user's is asked. Each link of the
// chain is one call: the way to the host, and the host's key; the key to log in
// with is the probe ssh-agent's.

package doctor

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

func gitRemote() experiment {
	return experiment{id: "git-remote", title: "git reaches the project's remotes", outside: remoteOutside, asks: remoteAsks}
}

// remote is a host that git asks, and how.
type remote struct {
	host string
	ssh  bool
}

// remotesOf are the hosts of a repository's remotes, each once. What is a
// directory, or no name that a host may have, is none.
func remotesOf(addresses []string) (list []remote) {
	for _, address := range addresses {
		if r, ok := remoteOf(address); ok && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// remoteOf reads an address (git-fetch(1), "GIT URLS").
func remoteOf(address string) (r remote, ok bool) {
	if before, _, scp := strings.Cut(address, ":"); scp && !strings.Contains(address, "://") && !strings.Contains(before, "/") {
		_, host, named := strings.Cut(before, "@")
		if !named {
			host = before
		}
		return remote{host: strings.ToLower(host), ssh: true}, hostName(host)
	}
	u, err := url.Parse(address)
	if err != nil {
		return remote{}, false
	}
	r = remote{host: strings.ToLower(u.Hostname()), ssh: u.Scheme == "ssh" || u.Scheme == "git+ssh"}
	return r, (r.ssh || u.Scheme == "https") && hostName(r.host)
}

// hostName says whether a host may stand in the stage's table of hosts.
func hostName(host string) bool {
	return host != "" && !strings.HasPrefix(host, "-") && strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" &&
		strings.Trim(host, "0123456789.") != ""
}

// maxRemotes bounds the hosts that are tried.
const maxRemotes = 4

// knownHosts is where ssh looks for the keys of hosts (ssh(1), "FILES").
const knownHosts = ".ssh/known_hosts"

// remoteOutside reads which remotes there are: none is asked, since
// steward-setup has no network.
func remoteOutside(ctx context.Context, b *bench) control {
	dir := cmp.Or(b.o.Project, b.r.System().Cwd)
	repo, err := gitrepo.Open(ctx, b.r, dir)
	if err != nil || repo.Root == "" {
		if err == nil || errors.Is(err, gitrepo.ErrNone) {
			return absent("no git repository here", report.FileEvidence(dir, "lies in no repository"))
		}
		return absent("git does not work here outside either: "+err.Error(), report.FileEvidence(dir, err.Error()))
	}
	list := remotesOf(repo.Remotes(ctx))
	if list == nil {
		return absent("no remote on another machine", report.FileEvidence(repo.Root, "no remote over SSH or HTTPS"))
	}
	list = list[:min(len(list), maxRemotes)]
	c := control{status: report.Pass, unstarted: true, vars: map[string]string{}}
	var names []string
	for _, r := range list {
		names = append(names, r.host+" over "+r.protocol())
		c.vars[remoteVar] += " " + r.protocol() + "/" + r.host
	}
	c.summary = strings.Join(names, ", ")
	c.evidence = []report.Evidence{report.FileEvidence(repo.Root, "remotes: "+c.summary+"; not asked outside: "+triedOnCopy)}
	return c
}

// remoteVar are the remotes, each as PROTOCOL/HOST.
const remoteVar = "REMOTES"

func (r remote) protocol() string {
	if r.ssh {
		return "SSH"
	}
	return "HTTPS"
}

func remoteAsks(b *bench, c control) (list []ask) {
	path := filepath.Join(b.r.Places().Home, knownHosts)
	_, err := b.r.Lstat(path)
	known := ""
	for _, name := range strings.Fields(c.vars[remoteVar]) {
		protocol, host, _ := strings.Cut(name, "/")
		r := remote{host: host, ssh: protocol == "SSH"}
		b.theatre.Names = append(b.theatre.Names, r.host)
		list = append(list, r.way())
		if r.ssh && err == nil {
			known += r.host + " ssh-ed25519 " + noKey + "\n"
			list = append(list, r.hostKey(path))
		}
	}
	if known != "" {
		list[0].files = []fs.Laid{{Path: path, Mode: 0o644, Data: []byte(known)}}
	}
	return list
}

// noKey is a public key in the form of known_hosts (RFC 4253, 6.6; RFC 8709, 4),
// which nobody has.
var noKey = base64.StdEncoding.EncodeToString([]byte("\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + strings.Repeat("k", 32)))

// way asks whether git gets to the host: with the first bytes of its protocol.
func (r remote) way() ask {
	at := fmt.Sprintf("%s:%d/x.git", r.host, rehearsal.Port)
	a := ask{id: "remote-" + r.protocol() + "-" + r.host, title: "git over " + r.protocol() + " to " + r.host, entry: "egress-blocked", cause: deniedHost(r.host),
		call: bash("git ls-remote https://" + at), through: probe.Through{Hit: model.SpokeTLS}}
	if r.ssh {
		a.entry, a.call, a.through = "git-ssh", bash("git ls-remote ssh://git@"+at), probe.Through{Hit: model.SpokeSSH}
	}
	entry := a.entry
	a.layer = byProxy(a.id)
	a.about = func(*scene) (string, map[string]string) { return entry, map[string]string{"HOST": r.host} }
	return a
}

// hostKey asks whether ssh finds the key of a host that the user knows.
func (r remote) hostKey(path string) ask {
	return ask{id: "host-key-" + r.host, title: "ssh finds the key of " + r.host + " in ~/" + knownHosts, entry: "host-keys",
		call: bash("ssh-keygen -F " + r.host + " -f " + scripts.Quote(path)), through: probe.Through{Reply: r.host + " ssh-ed25519 "},
		layer: always(catalog.Mount, "to look into a file needs files alone")}
}
