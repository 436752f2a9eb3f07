// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every version of every template that history has is known
// by its digest, and nothing that a hand has touched is.

package scripts

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

const head = `# Every version of every file that this program renders: name, the day on
# which it came, offset of its first field, digest. Written from the history of
# templates/ by: go test ./internal/scripts -run TestEveryTemplateIsKnown -update
`

// versionOf is the version that a template's text is.
func versionOf(name, day, text string) (v Version, ok bool) {
	at := strings.Index(text, binaryField)
	form, ok := canonical(name, fill(name, text, "/usr/bin/steward-setup", Dispatcher{}), at)
	return Version{name, day, at, digest(form)}, ok
}

// inHistory are the versions of the templates in git's history, with their
// texts, oldest first; the version of the work tree is the last of each, and
// the only one where there is no history, or a part of it.
func inHistory(t *testing.T) (list []Version, texts map[string]string) {
	t.Helper()
	testenv.Need(t, "git")
	git := func(args ...string) string {
		out, err := exec.Command("git", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	cut, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
	whole := err == nil && strings.TrimSpace(string(cut)) == "false"
	if testenv.Update() && !whole {
		t.Fatal("the whole history is needed")
	}
	texts = map[string]string{}
	for _, dir := range []string{"scripts", "agent-isolation"} {
		entries, err := os.ReadDir("../../templates/" + dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			file := path.Join("templates", dir, e.Name())
			add := func(day, text string) {
				v, ok := versionOf(e.Name(), day, text)
				if !ok {
					t.Fatalf("%s of %s has no fields", e.Name(), day)
				}
				if !slices.ContainsFunc(list, func(have Version) bool { return have.digest == v.digest }) {
					list = append(list, v)
					texts[v.digest] = text
				}
			}
			log, day := "", "2026-01-01"
			if whole {
				log, day = git("log", "--reverse", "--format=%H %cs", "--", ":/"+file),
					strings.TrimSpace(git("log", "-1", "--format=%cs"))
			}
			for line := range strings.Lines(log) {
				commit, day, _ := strings.Cut(strings.TrimSpace(line), " ")
				if out, err := exec.Command("git", "show", commit+":"+file).Output(); err == nil {
					add(day, string(out))
				}
			}
			now, err := os.ReadFile("../../" + file)
			if err != nil {
				t.Fatal(err)
			}
			add(day, string(now))
		}
	}
	return list, texts
}

func TestEveryTemplateIsKnown(t *testing.T) {
	list, texts := inHistory(t)
	if testenv.Update() {
		var b strings.Builder
		b.WriteString(head)
		for _, v := range list {
			fmt.Fprintf(&b, "%s %s %d %s\n", v.Name, v.Day, v.at, v.digest)
		}
		testenv.Write(t, "earlier.txt", b.String(), 0o644)
		t.Skip("written")
	}
	for _, v := range list {
		for _, binary := range []string{"/usr/bin/steward-setup", "/home/o'brien/a \"b\\c/steward-setup", "/opt/$x/`y`"} {
			b := fill(v.Name, texts[v.digest], binary, Dispatcher{Before: "/it's/hooks", Asks: true})
			got, ok := Written(b)
			if !ok || got.digest != v.digest || got.Day == "" {
				t.Errorf("%s of %s, calling %s, is unknown: go test ./internal/scripts -run TestEveryTemplateIsKnown -update",
					v.Name, v.Day, binary)
			}
			for _, by := range []func() []byte{
				func() []byte { return append(slices.Clone(b), "\n: # mine\n"...) },
				func() []byte { return b[:len(b)-1] },
				func() []byte {
					return []byte(strings.Replace(string(b), QuoteFor(v.Name)(binary), QuoteFor(v.Name)(binary+"x"), 1))
				},
			} {
				edited := by()
				if _, ok := Written(edited); ok && strings.Count(texts[v.digest], "@BINARY") > 1 || ok && len(edited) != len(b)+1 {
					t.Errorf("%s of %s, edited by hand, is taken for ours", v.Name, v.Day)
				}
			}
		}
	}
}

func TestWhatNobodyWroteIsNoVersion(t *testing.T) {
	for name, text := range map[string]string{
		"empty":              "",
		"foreign":            "#!/bin/sh\necho hello\n",
		"a marker alone":     "#!/bin/sh\n# steward-setup script: sandbox-bypass-warn.sh\n",
		"an unknown marker":  "#!/bin/sh\n# steward-setup script: other.sh\nbinary='/x'\n",
		"a dispatcher's top": "#!/bin/sh\n# steward-setup script: git-hook.sh\nsteward_setup_binary='/x'\n",
	} {
		if v, ok := Written([]byte(text)); ok {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func FuzzWritten(f *testing.F) {
	b, err := Render("sandbox-bypass-warn.sh", "/usr/bin/steward-setup")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := Written([]byte(text))
		if ok && !Ours([]byte(text)) {
			t.Fatalf("%+v", v)
		}
	})
}
