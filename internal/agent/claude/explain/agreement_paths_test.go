// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what commands read and write of paths that settings open, close
// and open again is said alike by everybody who is asked, and the runtime does so.

package explain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// openingSettings open, close and open again.
const openingSettings = `{
  "sandbox": {
    "enabled": true,
    "filesystem": {
      "allowWrite": ["~/w", "~/pat/*.log", "~/deep/**", "~/link", "~/lsub/sub", "~/main/sub", " ~/sp ", "~/main/.git/hooks",
        "~/other/.git", "~/other/.vscode", "~/d/w", "~/all/w", "~/same", "~/w/kept/open", "~/w/eq", "~/w/dn/open", "~/lw2",
        "~/lpar/vw", "~/d/inner", "~/w/hid/w", "~/file"],
      "denyWrite": ["~/w/kept", "~/deep/**/no", "~/w/x*", "gen", "~/w/lkept", "~/w/l1", "~/w/l2/sub", "~/w/knone",
        "~/w/kept/w", "~/w/eq"],
      "denyRead": ["~/w/hid", "~/d", "~/dpat/*.log", "~/lhid", " ~/dsp ", "~/all/**", "~/some/**/s", "~/f.txt", "~/n/../m",
        "p2", "~/same", "~/lnk2/r", "~/w/hnone", "~/w/*.key", "~/w/tie", "~/w/ftie"],
      "allowRead": ["~/w/hid/ok", "~/d/ok", "~/lq", "~/lpar/via", "~/d/link", "~/d/pat/*.txt", "~/f.txt/x", "~/w/tie",
        "~/w/ftie", "~/w/rd"]
    },
    "credentials": {"files": [{"path": "~/w/cr", "mode": "deny"}, {"path": "~/w/crnone", "mode": "deny"}, {"path": "~/lcr", "mode": "deny"},
      {"path": "~/cr", "mode": "deny"}]}
  },
  "permissions": {
    "allow": ["Edit(~/ed/**)", "Write(~/wr/**)", "Edit(/rel/**)", "Edit(~/epat/*.log)", "Edit(~/d/ed)", "Edit(~/led)",
      "Edit(~/w/dn/ed/**)"],
    "deny": ["Edit(~/w/dn/**)", "Edit(**/secret.txt)", "Edit(~/w/dfile)", "Write(~/w/dw)", "Read(~/rd/**)",
      "Read(~/w/rd/**)", "Read(**/s.txt)", "Read(~/RD2/**)", "Read(//**/root.txt)", "Read(./src/a.txt)", "Read(/src/b.txt)",
      "Read(~/g/*.key)", "Read(~/rdd)", "Read(~/lrd/**)", "Edit(~/w/l3/**)"],
    "additionalDirectories": ["~/add", "~/d/add", "~/ladd"]
  }
}`

// opening is a lab that starts in a linked worktree, with entries of every kind: a
// path below what opens and closes it is called by that.
func opening(t *testing.T) *lab {
	l := newLab(t)
	testenv.Git(t, testenv.Env(t, l.home), l.home, "init", "-q", "main")
	testenv.Git(t, testenv.Env(t, l.home), l.path("main"), "commit", "-q", "--allow-empty", "-m", "x")
	testenv.Git(t, testenv.Env(t, l.home), l.home, "init", "-q", "other")
	if err := os.RemoveAll(l.project); err != nil {
		t.Fatal(err)
	}
	testenv.Git(t, testenv.Env(t, l.home), l.path("main"), "worktree", "add", "-q", l.project)
	for _, dir := range []string{"real", "real2", "real3/sub", "real4", "real5", "real6", "real7", "w/t1", "w/t2", "w/t3",
		"creal", "rreal", "ereal", "d/q", "d/w2", "d/via", "d/vw", "d/both", "rel2", "lnk/r"} {
		if err := os.MkdirAll(l.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "real", "lhid": "real2", "lsub": "real3", "w/lkept": "../real4",
		"d/link": "../real5", "ladd": "real6", "w/out": "../real7", "w/l1": "t1", "w/l2": "t2", "w/l3": "t3",
		"lcr": "creal", "lrd": "rreal", "led": "ereal", "lq": "d/q", "lw2": "d/w2", "lnk2": "lnk", "lpar": "d",
		"d/inner": "both", "d/w/up": "../both"} {
		if err := os.MkdirAll(filepath.Dir(l.path(link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, l.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	l.put("p/.claude/settings.json", openingSettings)
	return l
}

// openingLinked are opened by an entry that leads through a symlink, which opens nothing,
// or lie behind a symlink that a command can replace: verify does not count on either.
const openingLinked = `w/lkept/x w/out/x real7/x lq/x d/q/x lpar/vw/x d/vw/x lw2/x d/w2/x d/inner/x d/both/x d/w/up/x
	real/x link/x real3/sub/x lsub/sub/x ladd/x real6/x led/x ereal/x d/link/x real5/x`

// openingFiles are there when the session starts; those of openingNew are not.
const openingFiles = `w/x w/dn/open/x w/dn/ed/x w/tie/x w/ftie w/eq/x w/kept/open/x w/kept/x w/kept/w/x w/dn/x w/dfile w/dw
	w/secret.txt w/hid/x w/hid/ok/x w/hid/w/x w/cr w/rd/x w/a.key w/xa real4/x w/t1/x w/t2/sub/x w/t2/x w/t3/x
	lcr/x creal/x lrd/x rreal/x lpar/via/x d/via/x lnk/r/x lnk2/r/x pat/a.log pat/a.txt deep/x deep/a/no/x
	main/sub/x sp/x ed/x wr/x epat/a.log add/x same/x file p/rel/x rel/x p/x p/secret.txt p/gen/x
	p/.claude/settings.json p/.vscode/x p/.bashrc main/x main/.git/x main/.git/hooks/x main/.git/objects/x
	main/.git/info/exclude main/.git/refs/x main/.bashrc other/.git/x other/.git/hooks/x other/.git/config
	other/.vscode/x other/x .claude/debug/x .npm/_logs/x .ssh/x .claude/settings.json .claude/x d/x d/ok/x d/w/x
	d/add/x d/ed/x d/pat/a.txt d/pat/a.log dpat/a.log dpat/a.txt lhid/x real2/x dsp/x all/x all/w/x some/a/s
	some/a/o f.txt m/x p2/x p/p2/x cr rd/x p/s.txt p/a/s.txt s.txt rd2/x p/root.txt root.txt p/src/a.txt
	p/src/b.txt g/a.key g/sub/a.key rdd/x p/g/x`

const openingNew = `w/crnone w/new w/kept/new w/knone w/hid/new w/hnone w/new.key w/xnew w/cr/new pat/new.log add/new d/new p/new
	main/.git/new main/new .claude/debug/new`

func TestTheAnswersAgreeOnWhatIsOpenedAndClosed(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "python3")
	l := opening(t)
	linked, made := strings.Fields(openingLinked), strings.Fields(openingNew)
	files := append(strings.Fields(openingFiles), linked...)
	for _, f := range files {
		if f != "p/.claude/settings.json" && f != "main/.git/info/exclude" && f != "other/.git/config" {
			l.put(f, "CONTENT")
		}
	}
	s, r := l.start(), l.reader()
	g := grants.Of(r, session.At(r, l.project))
	said := map[string]map[string]answers{}
	for _, f := range slices.Concat(files, made) {
		path := l.path(f)
		q, err := access.OfPath(r, path)
		if err != nil {
			t.Fatal(err)
		}
		rulings, _ := q.Rule(s)
		_, open := g.Writable(path)
		said[f] = map[string]answers{
			"reads": {"verify": g.Reads(path),
				"doctor": ruling(t, rulings, access.WhoCommand, access.DoesRead).Answer == report.Allowed},
			"writes": {"verify": open,
				"doctor": ruling(t, rulings, access.WhoCommand, access.DoesWrite).Answer == report.Allowed},
		}
	}
	for _, f := range linked {
		delete(said[f]["reads"], "verify")
		delete(said[f]["writes"], "verify")
	}
	for i, tried := range l.try(files, slices.Concat(files, made)) {
		does := "reads"
		if i >= len(files) {
			does = "writes"
		}
		f := tried.path[len(l.home)+1:]
		said[f][does]["the runtime"] = tried.through
		said[f][does].agree(t, "a command "+does+" "+f+":")
	}
}
