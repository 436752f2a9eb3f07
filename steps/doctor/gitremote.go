// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the remotes are the project's own, by their names; who
// answers is on the stage, and no server of the user's is asked. A remote works
// if a clone and a push work; the calls before them tell which link is broken.

package doctor

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	iofs "io/fs"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

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

// remoteOf is the host that git asks for an address, by ssh or https.
func remoteOf(address string) (r remote, ok bool) {
	a, ok := gitrepo.ParseAddress(address)
	r = remote{host: strings.ToLower(a.Host), ssh: a.Scheme == "ssh"}
	return r, ok && (r.ssh || a.Scheme == "https") && hostName(r.host)
}

// SSHHost is the host that git asks over SSH for the repository around dir, "" if its
// remotes name none, or several.
func SSHHost(ctx context.Context, r host.Reader, dir string) (only string) {
	repo, err := gitrepo.Open(ctx, r, cmp.Or(dir, r.System().Cwd))
	if err != nil || repo.Root == "" {
		return ""
	}
	for _, of := range remotesOf(repo.Remotes(ctx)) {
		switch {
		case !of.ssh || of.host == only:
		case only != "":
			return ""
		default:
			only = of.host
		}
	}
	return only
}

// hostName says whether a host may stand in the stage's table of hosts.
func hostName(host string) bool {
	return host != "" && !strings.HasPrefix(host, "-") && strings.Trim(strings.ToLower(host),
		"abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && strings.Trim(host, "0123456789.") != ""
}

// maxRemotes bounds the hosts that are tried.
const maxRemotes = 4

// knownHosts is where ssh looks for the keys of hosts (ssh(1), "FILES").
const knownHosts = ".ssh/known_hosts"

// remoteOutside reads which remotes there are: none is asked, since
// steward-setup has no network.
func remoteOutside(ctx context.Context, b *bench) control {
	repo, none := b.repository(ctx)
	if repo == nil {
		return none
	}
	addresses := repo.Remotes(ctx)
	list := remotesOf(addresses)
	if list == nil {
		return noRemote(repo.Root, addresses)
	}
	c := control{status: report.Pass, unstarted: true, remotes: list[:min(len(list), maxRemotes)],
		environ: []string{"GIT_SSL_CAINFO=" + rehearsal.RemoteAuthority}}
	var names []string
	for _, r := range c.remotes {
		names = append(names, r.host+" over "+r.protocol())
	}
	c.summary = strings.Join(names, ", ")
	c.evidence = []report.Evidence{report.FileEvidence(repo.Root, "remotes: "+c.summary+"; not asked outside: "+
		triedOnCopy)}
	if slices.ContainsFunc(c.remotes, remote.overSSH) {
		b.remoteKeys(ctx, &c)
	}
	return c
}

// noRemote says why none of the remotes of the repository at root is tried.
func noRemote(root string, addresses []string) control {
	for _, address := range addresses {
		a, ok := gitrepo.ParseAddress(address)
		if _, err := netip.ParseAddr(a.Host); ok && err == nil {
			return absent("not tested: the remote is at a number, and only a name can be tried", report.FileEvidence(root,
				"doctor --explain-host "+a.Host+" says whether commands reach it"))
		}
	}
	return absent("no remote on another machine", report.FileEvidence(root, "no remote over SSH or HTTPS"))
}

// remoteKeys looks for what the user logs in with: an agent, or files of keys,
// by their names. The key on the stage lies in one of them.
func (b *bench) remoteKeys(ctx context.Context, c *control) {
	agent := sshOutside(ctx, b)
	if agent.status == report.Pass {
		c.socket, c.offers, c.vars = agent.socket, agent.offers, agent.vars
		c.environ = append(c.environ, agent.environ...)
	}
	dir := filepath.Join(b.r.Places().Home, ".ssh")
	entries, err := b.r.ReadDir(dir)
	file := err == nil && slices.ContainsFunc(entries, func(e iofs.DirEntry) bool {
		return strings.HasPrefix(e.Name(), "id_") && !strings.HasSuffix(e.Name(), ".pub")
	})
	if file || c.socket == "" {
		// ssh takes it for the user's own (ssh(1), "-i"), and it is no canary.
		c.key = filepath.Join(dir, "id_ecdsa")
	}
}

func (r remote) protocol() string {
	if r.ssh {
		return "SSH"
	}
	return "HTTPS"
}

func (r remote) overSSH() bool { return r.ssh }

// unserved says why no clone over SSH can be tried, "" if one can.
func (b *bench) unserved() string {
	if _, err := b.r.Stat(proc.SSHServer); err != nil {
		return "openssh-server is not installed here: " + proc.SSHServer
	}
	if !host.There(b.r, b.known()) {
		return "there is no ~/" + knownHosts
	}
	return ""
}

func (b *bench) known() string { return filepath.Join(b.r.Places().Home, knownHosts) }

func remoteAsks(b *bench, c control) (list []ask) {
	var on rehearsal.Remotes
	known := ""
	for i, r := range c.remotes {
		b.theatre.Names = append(b.theatre.Names, r.host)
		on.Hosts = append(on.Hosts, r.host)
		list = append(list, r.way(i))
		if r.ssh && host.There(b.r, b.known()) {
			known += fmt.Sprintf("%s,[%s]:%d ssh-ed25519 %s\n", r.host, r.host, rehearsal.RemotePort(i), noKey)
			list = append(list, r.hostKey(i, b.known()))
		}
		if !r.ssh || b.unserved() == "" {
			list = append(list, r.work(i, b.inputs.Root, c.socket)...)
		}
	}
	switch {
	case known != "" && b.unserved() == "":
		on.Known, on.Key = b.known(), c.key
		if c.socket != "" {
			list = append(list, reach(remoteReach, c.socket))
		}
	case known != "":
		list[0].files = []fs.Laid{{Path: b.known(), Mode: 0o644, Data: []byte(known)}}
	}
	uid, gid := b.layout.Player()
	users, _ := b.r.Read(passwd) // none are known then
	list[0].remotes, list[0].over = on, []fs.Laid{{Path: passwd, Data: rehearsal.RemoteUsers(uid, gid,
		b.r.Places().Home, users)}}
	return list
}

const passwd = "/etc/passwd"

// remoteLeft says what of the remotes was not tried: the user's own are not
// asked, and where nothing serves SSH here only its first bytes are.
func remoteLeft(b *bench, c control) (string, []report.Evidence) {
	seen := []report.Evidence{report.CommandEvidence("not tested",
		"whether your server knows your key or your password, and what it answers: a repository on the copy of your setup "+
			"stands for it")}
	if why := b.unserved(); why != "" && slices.ContainsFunc(c.remotes, remote.overSSH) {
		return "a clone over SSH was not tested: " + why, seen
	}
	return "", seen
}

// noKey is a public key in the form of known_hosts (RFC 4253, 6.6; RFC 8709, 4),
// which nobody has.
var noKey = base64.StdEncoding.EncodeToString([]byte("\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" +
	strings.Repeat("k", 32)))

// address is where the stage's repository is for the i-th remote.
func (r remote) address(i int) string {
	scheme := "https://"
	if r.ssh {
		scheme = "ssh://" + rehearsal.RemoteUser + "@"
	}
	return fmt.Sprintf("%s%s:%d%s", scheme, r.host, rehearsal.RemotePort(i), rehearsal.RemoteRepository)
}

func (r remote) id(what string) string { return "remote-" + what + "-" + r.protocol() + "-" + r.host }

// way asks whether git gets to the host: with the first bytes of its protocol.
func (r remote) way(i int) ask {
	entry, spoken := "egress-blocked", model.SpokeTLS
	if r.ssh {
		entry, spoken = "git-ssh", model.SpokeSSH
	}
	return ask{id: r.id("way"), title: "a connection over " + r.protocol() + " to " + r.host,
		contacts: r.host, layer: byProxy(r.id("way")),
		call: bash("git ls-remote " + r.address(i)), through: trial.Through{Hit: rehearsal.RemoteHit(r.host,
			spoken)}, entry: entry,
		about: func(*trial.Trial) (string, map[string]string) { return entry, map[string]string{"HOST": r.host} }}
}

// hostKey asks whether ssh finds the key of a host that the user knows.
func (r remote) hostKey(i int, path string) ask {
	return ask{id: r.id("host-key"), title: "the key of " + r.host + " in ~/" + knownHosts, entry: "host-keys",
		call:    bash("ssh-keygen -F " + r.host + " -f " + scripts.Literal(path)),
		through: trial.Through{Reply: fmt.Sprintf("[%s]:%d ssh-ed25519 ", r.host, rehearsal.RemotePort(i))},
		layer:   always(catalog.Mount, "to look into a file needs files alone")}
}

// work is what a remote is for. The push needs the clone; what the remote has
// afterwards shows that it came there.
func (r remote) work(i int, root, agent string) []ask {
	dir, branch := fmt.Sprintf("steward-remote-%d", i), fmt.Sprintf("refs/heads/steward-pushed-%d", i)
	clone := ask{id: r.id("clone"), title: "git clone over " + r.protocol() + " from " + r.host,
		call:    bash("git clone " + r.address(i) + " " + dir),
		through: trial.Through{File: filepath.Join(root, dir, rehearsal.RemoteFile), Text: rehearsal.RemoteWord}}
	// Under another name, since the policy asks before a push, and nobody is here
	// to approve it.
	push := ask{id: r.id("push"), title: "git push over " + r.protocol() + " to " + r.host + " (once approved)",
		turn: 1, after: r.id("clone"),
		call:    bash("git -C " + dir + " -c alias.steward=push steward origin HEAD:" + branch),
		through: trial.Through{File: filepath.Join(rehearsal.RemoteRepository, branch)}}
	list := []ask{clone, push}
	for n := range list {
		a := &list[n]
		a.layer = func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
			layer, e, _ := r.broken(s, a.id, agent)
			return layer, e
		}
		a.about = func(s *trial.Trial) (string, map[string]string) {
			_, _, entry := r.broken(s, a.id, agent)
			if entry == "egress-blocked" {
				return entry, map[string]string{"HOST": r.host}
			}
			return entry, nil
		}
	}
	return list
}

// remoteReach is the clue whether commands reach the agent.
const remoteReach = "remote-agent"

// The words of git and ssh in English, which the stage speaks.
const (
	noHostKey = "Host key verification failed"
	noLogin   = "Permission denied (publickey"
)

// broken is the first link of the chain that keeps a call from its remote, and
// the entry whose fixes let the call work: none where another call has them.
func (r remote) broken(s *trial.Trial, id, agent string) (layer catalog.Refuser, e report.Evidence, entry string) {
	call := s.Of(id)
	if !s.Of(r.id("way")).Through {
		layer, e = byProxy(r.id("way"))(s)
		if !r.ssh {
			entry = "egress-blocked"
		}
		return layer, e, entry
	}
	chain := func(link, why string) report.Evidence {
		return report.CommandEvidence("the link that is broken", link+": "+why)
	}
	const login = "the key to log in with"
	cloned := s.Of(r.id("clone"))
	switch said := call.Text + cloned.Text; { // a push without a clone says nothing of the remote
	case r.ssh && strings.Contains(said, noHostKey):
		return catalog.Mount, chain("the host's key", "~/"+knownHosts+" cannot be read"), ""
	case r.ssh && strings.Contains(said, noLogin) && agent != "":
		layer, e = bySocket(remoteReach)(s)
		return layer, chain(login, "ssh reads no file of a key, and does not reach the agent: "+e.Text), "ssh-publickey"
	case r.ssh && strings.Contains(said, noLogin):
		return catalog.Mount, chain(login, "no file of a key can be read in ~/.ssh"), ""
	case says(said, readOnlyWords):
		return catalog.Mount, chain("the directory", trial.Line(call.Text)), ""
	}
	return catalog.Several, chain("the remote's answer", trial.Line(call.Text)), ""
}
