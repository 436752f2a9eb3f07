// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the compiled tables are what the catalog gives, byte for byte.

package catalog

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/manifests"
)

//go:generate go test -run TestSignaturesAreCurrent|TestThePageIsCurrent -update .

// load is the catalog that the program is built with.
func load(t testing.TB) []Entry {
	t.Helper()
	entries := testenv.Must(checked("troubleshooting.toml", []byte(manifests.Troubleshooting)))(t)
	return entries
}

func TestSignaturesAreCurrent(t *testing.T) {
	for file, want := range render(t, load(t)) {
		testenv.Golden(t, file, string(want), "go generate ./internal/catalog")
	}
}

const generated = `// Code generated from manifests/troubleshooting.toml; DO NOT EDIT.

// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package catalog

`

// render writes the tables as Go source, by file. They hold constants only, so
// that the compiler lays them out and nothing is left to do at init.
func render(t testing.TB, entries []Entry) map[string][]byte {
	t.Helper()
	var b, sigs bytes.Buffer
	fmt.Fprint(&b, generated+"var hints = [...]Hint{\n")
	for i, e := range entries {
		fmt.Fprintf(&b, "{%q, %q, %q, %#v, %v},\n", e.ID, e.Probe, e.Hint, e.Platforms, e.asks("${HOST}"))
		for _, s := range e.Symptoms {
			sig := s.compile(i)
			fmt.Fprintf(&sigs, "{entry: %d, anchor: %q, match: %#v", sig.entry, sig.anchor, sig.match)
			for _, f := range []struct {
				name   string
				pieces []string
			}{{"any", sig.any}, {"unless", sig.unless}, {"over", sig.over}} {
				if len(f.pieces) > 0 {
					fmt.Fprintf(&sigs, ", %s: %#v", f.name, f.pieces)
				}
			}
			if sig.within > 0 {
				fmt.Fprintf(&sigs, ", within: %d", sig.within)
			}
			if sig.start {
				fmt.Fprint(&sigs, ", start: true")
			}
			if sig.frame {
				fmt.Fprint(&sigs, ", frame: true")
			}
			for _, f := range []struct{ name, value string }{{"command", sig.command}, {"confirm", string(sig.confirm)},
				{"witness", sig.witness}} {
				if f.value != "" {
					fmt.Fprintf(&sigs, ", %s: %q", f.name, f.value)
				}
			}
			fmt.Fprintln(&sigs, "},")
		}
	}
	fmt.Fprintln(&b, "}")
	files := map[string][]byte{}
	for name, text := range map[string]string{
		"hints_gen.go": b.String(), "signatures_gen.go": generated + "var signatures = [...]signature{\n" + sigs.String() +
			"}\n",
	} {
		source := testenv.Must(format.Source([]byte(text)))(t)
		files[name] = source
	}
	return files
}

// compile turns a symptom of the numbered entry into its signature.
func (s Symptom) compile(entry int) signature {
	sig := signature{entry: entry, anchor: s.anchor(), within: s.Within, start: s.Start,
		command: strings.ToLower(s.Command), confirm: s.Confirm, witness: s.Witness, over: s.Over,
		frame: s.Frame}
	for _, piece := range s.Match {
		sig.match = append(sig.match, toLower(piece))
	}
	for _, piece := range s.Any {
		sig.any = append(sig.any, toLower(piece))
	}
	for _, piece := range s.Unless {
		sig.unless = append(sig.unless, toLower(piece))
	}
	return sig
}
