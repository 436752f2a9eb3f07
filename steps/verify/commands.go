// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command that runs outside the sandbox is judged by what
// it runs: what a sandboxed command can write fails, what is not known is
// unknown, and neither is silent.

package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// ground is what sandboxed commands of a session may write.
type ground struct {
	r             host.Reader
	s             Session
	writes        []entry
	kept, allowed []string
	within        int // scripts within scripts
}

func groundOf(r host.Reader, s Session) ground {
	g := ground{r: r, s: s, writes: writesIn(r, s), kept: keptIn(r, s)}
	for _, e := range g.writes {
		g.allowed = append(g.allowed, e.real)
	}
	return g
}

// writable says whether commands may write a path, and by which entry, "." for
// the directory in which the session starts.
func (g ground) writable(path string) (entry string, yes bool) {
	for _, at := range slices.Compact([]string{path, realPath(g.r, path)}) {
		entry, yes := policy.Writable(at, g.allowed, g.s.dirs.Home, g.s.dirs.Start)
		if yes && !under(at, g.kept) && !(entry == "." && alwaysKept(at, g.s.dirs.Start)) {
			return entry, true
		}
	}
	return "", false
}

// opening is the failure that commands can change what runs from a path.
func (g ground) opening(path, where, can string) (o opening, yes bool) {
	entry, yes := g.writable(path)
	if !yes {
		return o, false
	}
	o = opening{status: report.Fail, voids: true, where: where, what: path, opens: can + " lies in the directory in which the session starts."}
	if i := slices.Index(g.allowed, entry); i >= 0 {
		e := g.writes[i]
		o.where, o.path, o.what, o.plain, o.opens = e.where, e.path, e.text, e.plain(), can+"."
	}
	return o, true
}

// place is where the user's own commands run.
func (g ground) place() shell.Place {
	return shell.Place{Home: g.s.dirs.Home, Dir: g.s.dirs.Start, Project: g.s.dirs.Start, Root: inforce.FindTree(g.r, g.s.dirs.Start).Root,
		Look: g.r.Look, Getenv: g.r.System().Get,
		Stays: func(dir string) bool {
			info, err := g.r.Stat(dir)
			_, writable := g.writable(dir)
			return err == nil && info.IsDir() && !writable
		}}
}

// reach is what a wired command runs.
func (g ground) reach(c wiredCommand) shell.Reach {
	if c.args == nil {
		return g.place().Line(c.command.Text)
	}
	var args []string
	for _, a := range c.args.Items {
		args = append(args, a.Text)
	}
	return g.place().Exec(c.command.Text, args)
}

// anyFile stands for whatever file of a directory decides what runs.
const anyFile = "package.json"

// commandOpenings judges what a command runs that is started outside the
// sandbox; what says which one it is.
func (g ground) commandOpenings(reach shell.Reach, what, where string) []opening {
	var found []opening
	for _, u := range reach.Uses {
		switch u.Kind {
		case shell.Reads:
		case shell.Decides:
			if o, yes := g.opening(u.Path+"/"+anyFile, where, ""); yes {
				o.opens = fmt.Sprintf("%s in %s runs files of %s outside the sandbox, and commands can change them.", u.By, what, u.Path)
				if o.path == nil {
					o.what, o.remedy = u.By, ownFiles(where)
				}
				found = append(found, o)
			}
		case shell.Configures:
			if _, yes := g.writable(u.Path + "/" + anyFile); yes {
				found = append(found, opening{status: report.Warn, where: where, what: u.By,
					opens: fmt.Sprintf("%s runs configuration of the project as code, outside the sandbox (in %s).", u.By, what)})
			}
		default:
			// What is not there yet could be put there; an argument may
			// mean something else.
			info, err := g.r.Stat(u.Path)
			if err == nil && !info.Mode().IsRegular() && !(info.IsDir() && u.Kind == shell.Runs) || err != nil && u.Kind == shell.Names {
				continue
			}
			if o, yes := g.opening(u.Path, where, "Commands can change "+what+", which runs outside the sandbox: "+u.Path); yes {
				if o.path == nil {
					o.remedy = ownFiles(where)
				}
				found = append(found, o)
			} else if u.Kind != shell.Names {
				found = append(found, g.scriptOpenings(u.Path, what)...)
			}
		}
	}
	for _, gap := range reach.Gaps {
		text := redact.Text(gap.Text)
		found = append(found, opening{status: report.Unknown, group: openUnresolved, where: where, what: text,
			opens:  fmt.Sprintf("What %s runs outside the sandbox is not known: %s (%s).", what, text, gap.Why),
			remedy: report.DocLink{Title: "write out the path of what it runs", Target: where}})
	}
	return found
}

// ownFiles is the remedy for a command that runs what commands can change.
func ownFiles(where string) report.Remedy {
	return report.DocLink{Title: "let it run files outside the project only, by their absolute paths (python3: add -I)", Target: where}
}

// maxScripts bounds how deep scripts that start scripts are read.
const maxScripts = 3

// scriptOpenings judges what a shell script of the user's own surely runs of
// what commands can change. What of it cannot be resolved is passed over: its
// arguments alone are not known here.
func (g ground) scriptOpenings(path, what string) []opening {
	if g.within++; g.within > maxScripts || !below(realPath(g.r, path), realPath(g.r, g.s.dirs.Home)) {
		return nil
	}
	b, err := g.r.Read(path)
	if _, ours := scripts.Recognize(b); err != nil || ours || !shell.IsScript(b) {
		return nil
	}
	var found []opening
	for _, u := range g.place().Line(string(b)).Uses {
		if u.Kind != shell.Names {
			where := fmt.Sprintf("%s:%d", path, 1+strings.Count(string(b[:u.From]), "\n"))
			found = append(found, g.commandOpenings(shell.Reach{Uses: []shell.Use{u}}, filepath.Base(path)+" ("+what+")", where)...)
		}
	}
	return found
}
