// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule and a mount name a path. What no command may write,
// or read, is reached by no symlink that a command may replace, and has no
// second name where commands may write.

package checks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// namedFile is a file that has to have one name, and what whoever writes it by
// another decides; for a secret, what it is.
type namedFile struct {
	path, what    string
	plain, secret bool
}

// namedFiles lists them: what the runtime keeps, what only its user may change,
// and secrets.
func namedFiles(r host.Reader, s SessionSettings) (list []namedFile) {
	at := map[string]int{}
	add := func(f namedFile) {
		if i, again := at[f.path]; again {
			list[i].plain = list[i].plain && f.plain
			return
		}
		at[f.path] = len(list)
		list = append(list, f)
	}
	for _, f := range keptFiles(r, s) {
		add(namedFile{path: f.path, what: f.decides, plain: f.plain})
	}
	for _, o := range ownedPaths(r, s) {
		add(namedFile{path: o.path, what: o.what, plain: o.plain})
	}
	for _, f := range iso.OwnFiles(r) {
		if f.Secret {
			add(namedFile{path: f.Path, what: f.What, secret: true})
		}
	}
	return list
}

// secondNames lists the files of a session that commands can reach by another
// name. Measured with 2.1.330 in both launches: a command writes ~/.bashrc, and
// reads a private key, by a hard link in the project. It cannot make one itself.
func secondNames(r host.Reader, s SessionSettings) (found []opening) {
	g := groundOf(r, s)
	files, hidden := namedFiles(r, s), hiddenIn(r, s, s.dirs.Start)
	paths, secret := make([]string, len(files)), map[string]bool{}
	for i, f := range files {
		paths[i], secret[f.path] = f.path, f.secret
	}
	others, unseen := host.OtherNames(r, paths, g.places(), func(path, at string) bool {
		if secret[path] {
			return policy.Dotenv(filepath.Base(at)) || hidden.hides(at) || deniesRead(r, s, at)
		}
		return under(at, g.kept) || g.protected(at)
	})
	unknown := map[string]bool{}
	for _, path := range unseen {
		unknown[path] = true
	}
	for _, f := range files {
		o := opening{status: report.Fail, voids: true, plain: f.plain, where: f.path, what: f.path}
		switch other := others[f.path]; {
		case other != "":
			o.opens = fmt.Sprintf("Commands can write %s, a hard link to %s, and so control %s.", other, f.path, f.what)
			if f.secret {
				o.opens = fmt.Sprintf("Commands can read %s, a hard link to %s: %s.", other, f.path, f.what)
			}
			o.remedy = removeLink(other)
		case unknown[f.path]:
			plain := o.plain
			o = unknownNames(f.path)
			o.plain = plain
		default:
			continue
		}
		found = append(found, o)
	}
	return found
}

// unknownNames says of a file with several names that there were too many places
// in which commands could have one.
func unknownNames(path string) opening {
	return opening{status: report.Unknown, group: openUnresolved, where: path, what: path,
		opens: fmt.Sprintf("%s has hard links. Whether commands can reach one of them is unknown: there are more than %d "+
			"files.", path, host.MaxEntries),
		remedy: report.DocLink{Title: "make it a file without hard links: copy it and rename the copy over it", Target: path}}
}

func removeLink(path string) report.Remedy {
	return report.DocLink{Title: "remove the hard link", Target: path}
}

// secretLinks lists the .env files of the project that can be read all the same.
// Those that are symlinks to files of the project which no rule names: the sandbox
// hides what they lead to from commands; the Read tool of both launches opens it
// by its own name (measured with 2.1.329). Those whose path is not UTF-8: the
// runtime hides a path with U+FFFD in it, which is not there, and commands read
// the file (measured with 2.1.330). Those with a second name that is no .env.
func secretLinks(r host.Reader, s SessionSettings) (found []opening) {
	root := s.dirs.Start
	if pathname.Within(s.dirs.Home, root) {
		return nil
	}
	var named []string
	hidden := hiddenIn(r, s, root)
	for _, at := range iso.Dotenv(r, root) {
		if iso.Unspelled(at) && !hidden.hides(at) {
			found = append(found, opening{status: report.Fail, voids: true, where: at, what: at,
				opens:  "Commands can read this file: its path is not UTF-8, and the runtime hides another path instead.",
				remedy: report.DocLink{Title: iso.RenameUTF8, Target: filepath.Dir(at)}})
			continue
		}
		named = append(named, at)
		to := realPath(r, at)
		rel, inside := pathname.Below(to, root)
		if !inside || to == at || policy.Dotenv(filepath.Base(to)) || deniesRead(r, s, to) {
			continue
		}
		found = append(found, opening{status: report.Warn, where: at, what: at,
			opens: fmt.Sprintf("This symlink points to %s, which no rule covers: the agent's Read tool can read it.", rel),
			remedy: report.DocLink{Title: fmt.Sprintf("add %q to permissions.deny", "Read(./"+rel+")"), Target: root +
				"/.claude/settings.json"}})
	}
	others, unseen := host.OtherNames(r, named, groundOf(r, s).places(), func(_, at string) bool {
		return policy.Dotenv(filepath.Base(at)) || hidden.hides(at) || deniesRead(r, s, at)
	})
	for _, at := range named {
		if other := others[at]; other != "" {
			found = append(found, opening{status: report.Fail, voids: true, where: at, what: at,
				opens:  fmt.Sprintf("Commands can read %s, a hard link to %s, which no rule covers.", other, at),
				remedy: removeLink(other)})
		}
	}
	for _, at := range unseen {
		found = append(found, unknownNames(at))
	}
	return found
}

// deniesRead says whether a deny rule names a file or a directory above it by
// its path.
func deniesRead(r host.Reader, s SessionSettings, path string) bool {
	for _, rule := range s.inForce().Rules() {
		tool, content, call, _ := claude.SplitRule(rule.Value.Text)
		if rule.List != claude.Deny || rule.Ignored != "" || tool != claude.ToolRead || !call {
			continue
		}
		dir, all := strings.CutSuffix(content, "/**")
		if base, anywhere := strings.CutPrefix(content, "**/"); anywhere && base == filepath.Base(path) {
			return true
		}
		named := meant(s.dirs, allowKey, "Edit("+dir+")", rule.Scope) // places of rules are the same for all tools
		if named = realPath(r, named); named == path || all && pathname.Within(path, named) {
			return true
		}
	}
	return false
}

// keptFile is a path that the runtime keeps commands from writing, and what
// whoever replaces it decides. plain says that claude-iso does not load it.
type keptFile struct {
	path, decides string
	plain         bool
}

// keptFiles lists what the runtime loads for a session: of the project, of the
// main checkout of a linked worktree, and of the user.
func keptFiles(r host.Reader, s SessionSettings) (list []keptFile) {
	add := func(dir string, names ...string) {
		for _, name := range names {
			f := keptFile{filepath.Join(dir, name), "what the next plain session loads there: settings, or programs that run " +
				"outside the sandbox", true}
			if strings.HasPrefix(name, ".git/") {
				f.decides, f.plain = "what your own git runs here, outside the sandbox", false
			}
			list = append(list, f)
		}
	}
	add(s.dirs.Start, claude.ProtectedPrograms...)
	if main := host.FindTree(r, s.dirs.Start).Main; main != "" && main != s.dirs.Start && main != s.dirs.Home {
		add(main, ".claude/settings.local.json", ".git/hooks", ".git/config")
	}
	for _, name := range claude.KeptNames() {
		list = append(list, keptFile{path: filepath.Join(s.dirs.Agent, name),
			decides: "what every session loads there: settings, or programs that run outside the sandbox"})
	}
	return list
}

// linkOpenings lists the symlinks by which a command can replace what the
// runtime keeps. Measured with 2.1.329:
// the sandbox protects the file or directory that a path leads to; a command
// removes the symlink, or one on the way, and puts a file in its place. A
// directory on the way cannot be renamed.
func linkOpenings(r host.Reader, s SessionSettings) (found []opening) {
	g := groundOf(r, s)
	for _, f := range keptFiles(r, s) {
		for _, link := range r.Links(f.path) {
			named := func(o opening) bool { return o.where == link }
			if !g.replaces(link) || slices.ContainsFunc(found, named) {
				continue
			}
			leads := ""
			if link != f.path {
				leads = ", which leads to " + f.path
			}
			found = append(found, opening{status: report.Fail, voids: true, plain: f.plain, where: link, what: link,
				opens:  fmt.Sprintf("Commands can replace this symlink%s, and so control %s.", leads, f.decides),
				remedy: report.DocLink{Title: "replace the symlink by a real file or directory", Target: link}})
		}
	}
	return found
}

// Links is what linkOpenings and secondNames find, for a plan.
func (s SessionSettings) Links(r host.Reader) (findings []report.Finding) {
	for _, o := range slices.Concat(linkOpenings(r, s), secondNames(r, s)) {
		findings = append(findings, report.Finding{Check: "policy-invariants", Layer: report.LayerSandbox, Status: o.status,
			Decide:  o.voids,
			Summary: o.opens, Evidence: []report.Evidence{o.evidence()}, Remedies: []report.Remedy{o.remedy}})
	}
	return findings
}

// replaces says whether commands of this session or of one beside it may
// remove a symlink: a right of the directory that it lies in.
func (g ground) replaces(link string) bool {
	return under(link, g.places()) && !under(link, g.kept) && !g.protected(filepath.Dir(link))
}
