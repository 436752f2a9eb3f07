// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program of the repository is linked under its bare name,
// in the build for this machine, and never takes the place of a file.

package sync

import (
	"errors"
	iofs "io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// systems and machines are the words that a build's name may end in, by Go's
// name for them; the source document has "linux" and "macos".
var (
	systems  = map[string]string{"linux": "linux", "macos": "darwin", "darwin": "darwin"}
	machines = map[string]string{"amd64": "amd64", "x86_64": "amd64", "x64": "amd64", "arm64": "arm64", "aarch64": "arm64"}
)

// The ranks of a build, the better the higher; 0 is none for this machine.
const (
	anywhere = 1 + iota
	forSystem
	forMachine
)

// build is the bare name of a program and how well its build suits: "foo-linux"
// and "foo-linux-arm64" are foo.
func build(name string, sys env.System) (bare string, rank int) {
	words := strings.Split(name, "-")
	n := len(words)
	if n > 2 && systems[words[n-2]] != "" && machines[words[n-1]] != "" {
		if systems[words[n-2]] == sys.GOOS && machines[words[n-1]] == sys.GOARCH {
			return strings.Join(words[:n-2], "-"), forMachine
		}
		return "", 0
	}
	if n > 1 && systems[words[n-1]] != "" {
		if systems[words[n-1]] == sys.GOOS {
			return strings.Join(words[:n-1], "-"), forSystem
		}
		return "", 0
	}
	return name, anywhere
}

// mine are names that no program of the repository takes from what has them.
var mine = []string{"claude", "claude-iso", "agent-iso", "steward-setup", "steward-hook"}

// programs links the executables of bin, and the scripts that are executable,
// where the user's own programs are.
func (p *planner) programs(s *report.Section) error {
	type choice struct {
		rel  string
		rank int
	}
	best := map[string]choice{}
	for _, rel := range append(p.names(syncrepo.Bin), p.names("scripts")...) {
		dir, name := path.Split(rel)
		inBin := dir == syncrepo.Bin+"/"
		if !inBin && (dir != "scripts/" || !strings.HasSuffix(name, ".sh")) || p.entries[rel].mode&0o111 == 0 ||
			strings.HasPrefix(name, ".") {
			continue
		}
		bare, rank := name, anywhere
		if inBin {
			bare, rank = build(name, p.r.System())
		}
		if bare != "" && rank > best[bare].rank {
			best[bare] = choice{rel, rank}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best)) {
		if err := p.program(s, name, best[name].rel); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) program(s *report.Section, name, rel string) error {
	at := filepath.Join(p.r.Places().UserBin, name)
	l, info, ours, err := p.look(rel, at)
	if err != nil && info == nil {
		return err
	}
	switch {
	case info != nil && info.Mode()&iofs.ModeSymlink == 0 && l.State != Linked:
		p.links = append(p.links, l)
		p.found(report.Warn, false, p.home(at)+" is a file of yours: "+rel+" is not linked", at,
			"a symlink never replaces a file here")
		return nil
	case l.State == Elsewhere && !ours && slices.Contains(mine, name):
		p.links = append(p.links, l)
		p.found(report.Warn, true, p.home(at)+" stays: "+rel+" would replace it", at, "a symlink to "+l.Now)
		return nil
	}
	if found, err := p.r.Look(name); err == nil && filepath.Dir(found) != p.r.Places().UserBin {
		p.found(report.Warn, false, rel+" has the name of another program: "+found, p.known(rel),
			"where "+p.home(p.r.Places().UserBin)+" comes first on PATH, it is started instead")
	} else if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return unreadable(at, err)
	}
	return p.link(s, rel, at, "makes "+name+" a command of yours")
}
