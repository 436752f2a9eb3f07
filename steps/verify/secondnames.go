// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule and a mount name a path. What no command may write,
// or read, has no second name (hard link) where commands may write.

package verify

import (
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/policy"
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
