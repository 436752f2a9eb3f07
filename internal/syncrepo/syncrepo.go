// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package syncrepo is the private repository that keeps a user's own
// configuration of the agent in step across machines: where it is, which of its
// parts are linked from where, what is never tracked in it, and its state.
//
// Contract: it only looks. The layout is that of the source document
// (docs/sync.md); what is never tracked is one list, for .gitignore, for what a
// push refuses and for verify.
package syncrepo

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
)

// Part is one thing at the top of the repository.
type Part struct {
	// Name is the file's or the directory's.
	Name string
	Dir  bool
	// Place is where what is in it is linked from, file by file; "" for what is
	// linked from nowhere.
	Place string
	// Runs says that the runtime, git or a shell runs what is in it, or takes it
	// for instructions, outside the sandbox.
	Runs bool
}

// The parts that have rules of their own for their links.
const (
	Memory = "memory"
	Bin    = "bin"
)

// Layout lists the parts of the repository. Place of a part is below the
// runtime's own directory, but for bin, whose programs are linked where the
// user's own are, and memory, whose directories belong to projects.
func Layout(p env.Places) []Part {
	at := func(name string) string { return filepath.Join(p.AgentDir, name) }
	return []Part{
		{Name: p.Agent.Instructions, Place: at(p.Agent.Instructions), Runs: true},
		{Name: "scripts", Dir: true, Place: p.Scripts(), Runs: true},
		{Name: "agent-isolation", Dir: true, Place: p.Isolation(), Runs: true},
		{Name: p.Agent.Commands, Dir: true, Place: at(p.Agent.Commands), Runs: true},
		{Name: "git-hooks", Dir: true, Place: at("git-hooks"), Runs: true},
		{Name: Memory, Dir: true, Place: at(p.Agent.Records)},
		{Name: Bin, Dir: true, Place: p.UserBin, Runs: true},
		{Name: "README.md"},
		{Name: ".gitignore"},
	}
}

// Executes says whether what lies at rel, a slash-separated path in the
// repository, runs outside the sandbox or is taken for instructions. It is so
// for everything that is not known to be read as data alone: memory, the README
// and .gitignore. Another name that begins with a dot is no data, also in memory:
// git acts on .gitattributes and .gitmodules, other programs on .envrc and the like.
func Executes(rel string) bool {
	names := strings.Split(path.Clean(rel), "/")
	return !slices.Contains([]string{Memory, "README.md", "README", ".gitignore"}, names[0]) ||
		slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") && name != ".gitignore" })
}

// lockName is the lock of the source document's sync script, which takes it
// with flock(1).
const lockName = ".sync.lock"

// LockPath is the file whose flock(2) lock is held while the repository at dir
// is written.
func LockPath(dir string) string { return filepath.Join(dir, lockName) }

// There says whether there is one to look at.
func There(r host.Reader) bool { return host.There(r, filepath.Join(r.Places().SyncRepo, ".git")) }
