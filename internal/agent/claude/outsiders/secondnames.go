// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule and a mount name a path. What no command may write,
// or read, is reached by no symlink that a command may replace, and has no
// second name where commands may write.

package outsiders

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// namedFiles lists what has to have one name: what the runtime keeps, what only its
// user may change, and secrets.
func namedFiles(r host.Reader, s session.Settings) (list []guarded) {
	all := keptFiles(r, s)
	for _, path := range iso.TextFiles(r, filepath.Join(s.Dirs.Start, claude.Dir)) {
		all = append(all, guarded{path: path, plain: true,
			what: "a text whose hooks and imports the next plain session loads"})
	}
	all = append(all, ownedPaths(r, s)...)
	for _, f := range iso.OwnFiles(r) {
		if f.Secret {
			all = append(all, guarded{path: f.Path, what: f.What, secret: true})
		}
	}
	at := map[string]int{}
	for _, f := range all {
		if i, again := at[f.path]; again {
			list[i].plain = list[i].plain && f.plain
			continue
		}
		at[f.path] = len(list)
		list = append(list, f)
	}
	return list
}

// SecondNames lists the files of a session that commands can reach by another
// name. Measured with 2.1.330 in both launches: a command writes ~/.bashrc, and
// reads a private key, by a hard link in the project. It cannot make one itself.
func SecondNames(r host.Reader, s session.Settings) (found []opening.Opening) {
	g := grants.Of(r, s)
	files := namedFiles(r, s)
	paths, secret := make([]string, len(files)), map[string]bool{}
	for i, f := range files {
		paths[i], secret[f.path] = f.path, f.secret
	}
	others, unseen := host.OtherNames(r, paths, g.Places(), func(path, at string) bool {
		if secret[path] {
			return policy.Dotenv(filepath.Base(at)) || !g.Reads(at)
		}
		return g.Spared(at)
	})
	for _, f := range files {
		o := opening.Opening{Status: report.Fail, Voids: true, Plain: f.plain, Where: f.path, What: f.path}
		switch other := others[f.path]; {
		case other != "":
			o.Opens = fmt.Sprintf(byOtherName, other, f.path, f.what)
			if f.secret {
				o.Opens = fmt.Sprintf("Commands can read %s, a hard link to %s: %s.", other, f.path, f.what)
			}
			o.Remedy = removeLink(other)
		case slices.Contains(unseen, f.path):
			o = unknownNames(f.path)
			o.Plain = f.plain
		default:
			continue
		}
		found = append(found, o)
	}
	return found
}

// NamesOf lists the second names of what others found open, which SecondNames does not list: they
// say that commands can change a file, this says how. Of what lies open itself it says nothing.
func NamesOf(r host.Reader, s session.Settings, open []opening.Opening) (found []opening.Opening) {
	g, said := grants.Of(r, s), map[string]bool{}
	for _, o := range open {
		if o.Remedy == removeLink(g.SecondName(o.What)) {
			said[o.What] = true
		}
	}
	for _, o := range open {
		real := grants.RealPath(r, o.What)
		if said[o.What] || !filepath.IsAbs(o.What) || pathname.WithinAny(real, g.Places()) && !g.Spared(real) {
			continue
		}
		if other := g.SecondName(o.What); other != "" {
			said[o.What] = true
			found = append(found, opening.Opening{Status: o.Status, Voids: o.Voids, Plain: o.Plain, Where: o.What,
				What: o.What, Opens: fmt.Sprintf(byOtherName, other, o.What, "what runs from there"), Remedy: removeLink(other)})
		}
	}
	return found
}

// byOtherName says what commands change by a hard link.
const byOtherName = "Commands can write %s, a hard link to %s, and so control %s."

// unknownNames says of a file with several names that there were too many places
// in which commands could have one.
func unknownNames(path string) opening.Opening {
	return opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: path, What: path,
		Opens: fmt.Sprintf("%s has hard links. Whether commands can reach one of them is unknown: there are more than %d "+
			"files.", path, host.MaxEntries), Step: "make it a file without hard links: copy it and rename the copy over it"}
}

func removeLink(path string) report.Remedy {
	return report.DocLink{Title: "remove the hard link", Target: path}
}

// SecretLinks lists the .env files of the project that can be read all the same.
// Those that are symlinks to files of the project which no rule names: the sandbox
// hides what they lead to from commands; the Read tool of both launches opens it
// by its own name (measured with 2.1.329). Those whose path is not UTF-8: the
// runtime hides a path with U+FFFD in it, which is not there, and commands read
// the file (measured with 2.1.330). Those with a second name that is no .env.
func SecretLinks(r host.Reader, s session.Settings) (found []opening.Opening) {
	root := s.Dirs.Start
	if pathname.Within(s.Dirs.Home, root) {
		return nil
	}
	var named []string
	g := grants.Of(r, s)
	for _, at := range iso.Dotenv(r, root) {
		if iso.Unspelled(at) && g.Reads(at) {
			found = append(found, opening.Opening{Status: report.Fail, Voids: true, Where: at, What: at,
				Opens:  "Commands can read this file: its path is not UTF-8, and the runtime hides another path instead.",
				Remedy: report.DocLink{Title: iso.RenameUTF8, Target: filepath.Dir(at)}})
			continue
		}
		named = append(named, at)
		to := grants.RealPath(r, at)
		rel, inside := pathname.Below(to, root)
		if !inside || to == at || policy.Dotenv(filepath.Base(to)) || deniesRead(s, to) {
			continue
		}
		found = append(found, opening.Opening{Status: report.Warn, Where: at, What: at,
			Opens: fmt.Sprintf("This symlink points to %s, which no rule covers: the agent's Read tool can read it.", rel),
			Remedy: report.DocLink{Title: fmt.Sprintf("add %q to permissions.deny", "Read(./"+rel+")"), Target: root +
				"/.claude/settings.json"}})
	}
	others, unseen := host.OtherNames(r, named, g.Places(), func(_, at string) bool {
		return policy.Dotenv(filepath.Base(at)) || !g.Reads(at)
	})
	for _, at := range named {
		if other := others[at]; other != "" {
			found = append(found, opening.Opening{Status: report.Fail, Voids: true, Where: at, What: at,
				Opens:  fmt.Sprintf("Commands can read %s, a hard link to %s, which no rule covers.", other, at),
				Remedy: removeLink(other)})
		}
	}
	for _, at := range unseen {
		found = append(found, unknownNames(at))
	}
	return found
}

// deniesRead says whether a deny rule names a file or a directory above it by
// its path.
func deniesRead(s session.Settings, path string) bool {
	return slices.ContainsFunc(s.InForce().RulesIn(claude.Deny), func(rule settings.Rule) bool {
		tool, content, call, _ := claude.SplitRule(rule.Value.Text)
		return tool == claude.ToolRead && call && settings.RuleCovers(content, rule.Scope, s.Dirs, path)
	})
}

// keptFiles lists what the runtime loads for a session, and keeps commands from
// writing: of the project, of the main checkout of a linked worktree, of the user, and
// managed settings.
func keptFiles(r host.Reader, s session.Settings) (list []guarded) {
	add := func(dir string, names ...string) {
		for _, name := range names {
			f := guarded{path: filepath.Join(dir, name), plain: true,
				what: "what the next plain session loads there: settings, or programs that run outside the sandbox"}
			if strings.HasPrefix(name, ".git/") {
				f.what, f.plain = "what your own git runs here, outside the sandbox", false
			}
			list = append(list, f)
		}
	}
	add(s.Dirs.Start, claude.ProtectedPrograms...)
	if main := host.FindTree(r, s.Dirs.Start).Main; main != "" && main != s.Dirs.Start && main != s.Dirs.Home {
		add(main, claude.LocalFile, ".git/hooks", ".git/config")
	}
	for _, name := range claude.KeptNames() {
		list = append(list, guarded{path: filepath.Join(s.Dirs.Agent, name),
			what: "what every session loads there: settings, or programs that run outside the sandbox"})
	}
	managed := r.Places().Managed
	for _, path := range append(inforce.DropIns(r, managed), managed, inforce.DropInDir(managed),
		filepath.Join(filepath.Dir(managed), claude.ManagedServersFile)) {
		list = append(list, guarded{path: path, what: "managed settings or servers, which decide for every session"})
	}
	return list
}

// LinkOpenings lists the symlinks by which a command can replace what the
// runtime keeps. Measured with 2.1.329:
// the sandbox protects the file or directory that a path leads to; a command
// removes the symlink, or one on the way, and puts a file in its place. A
// directory on the way cannot be renamed.
func LinkOpenings(r host.Reader, s session.Settings) (found []opening.Opening) {
	g := grants.Of(r, s)
	for _, f := range keptFiles(r, s) {
		for _, link := range r.Links(f.path) {
			named := func(o opening.Opening) bool { return o.Where == link }
			// Its directory says whether commands of this session, or of one beside it, may remove it.
			replaced := grants.Under(link, g.Places()) && !grants.Under(link, g.Kept) && !g.Protected(filepath.Dir(link))
			if !replaced || slices.ContainsFunc(found, named) {
				continue
			}
			leads := ""
			if link != f.path {
				leads = ", which leads to " + f.path
			}
			found = append(found, opening.Opening{Status: report.Fail, Voids: true, Plain: f.plain, Where: link, What: link,
				Opens: fmt.Sprintf("Commands can replace this symlink%s, and so control %s.", leads, f.what),
				Step:  "replace the symlink by a real file or directory"})
		}
	}
	return found
}

// Links is what LinkOpenings, SecondNames and CaseOpenings find, for a plan.
func Links(r host.Reader, s session.Settings) (findings []report.Finding) {
	for _, o := range slices.Concat(LinkOpenings(r, s), SecondNames(r, s), CaseOpenings(r, s)) {
		findings = append(findings, report.Finding{Check: "policy-invariants", Layer: report.LayerSandbox, Status: o.Status,
			Decide:  o.Voids,
			Summary: o.Opens, Evidence: []report.Evidence{o.Evidence()}, Remedies: []report.Remedy{o.Next()}})
	}
	return findings
}
