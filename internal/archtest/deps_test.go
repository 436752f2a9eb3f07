// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every module that we chose has its reason in
// docs/dependencies.md, and every reason there belongs to a module that we
// still use.

package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// dependencies reads the three tables of docs/dependencies.md: module to
// version, by heading. The version is "" in a table that does not give it.
func dependencies(page string) map[string]map[string]string {
	tables := map[string]map[string]string{}
	heading := ""
	for line := range strings.Lines(page) {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(h)
			tables[heading] = map[string]string{}
		}
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if name, ok := strings.CutPrefix(cells[0], "| `"); ok {
			version := ""
			if len(cells) > 2 {
				version = strings.Trim(cells[1], "`")
			}
			tables[heading][strings.TrimSuffix(name, "`")] = version
		}
	}
	return tables
}

// direct lists the modules that a go.mod requires for itself: those without
// "// indirect", and those of its tools.
func direct(mod *modfile.File) map[string]bool {
	list := map[string]bool{}
	for _, r := range mod.Require {
		ours := !r.Indirect
		for _, tool := range mod.Tool {
			ours = ours || strings.HasPrefix(tool.Path+"/", r.Mod.Path+"/")
		}
		if ours {
			list[r.Mod.Path] = true
		}
	}
	return list
}

// unreasoned compares the direct requirements of a go.mod with a table.
func unreasoned(name string, mod *modfile.File, table map[string]string) []string {
	want := direct(mod)
	var bad []string
	for m := range table {
		if !want[m] {
			bad = append(bad, fmt.Sprintf("docs/dependencies.md gives a reason for %s, which %s does not require directly", m,
				name))
		}
		delete(want, m)
	}
	for m := range want {
		bad = append(bad, fmt.Sprintf("%s requires %s: give its reason in docs/dependencies.md", name, m))
	}
	slices.Sort(bad)
	return bad
}

// unpinned lists the pins of a table that a go.mod does not select.
func unpinned(mod *modfile.File, pins map[string]string) []string {
	selected := map[string]string{}
	for _, r := range mod.Require {
		selected[r.Mod.Path] = r.Mod.Version
	}
	var bad []string
	for _, m := range slices.Sorted(maps.Keys(pins)) {
		if selected[m] != pins[m] {
			bad = append(bad, fmt.Sprintf("docs/dependencies.md pins %s to %s, go.mod has %q", m, pins[m], selected[m]))
		}
	}
	return bad
}

func goMod(t *testing.T, name string) *modfile.File {
	t.Helper()
	mod, err := modfile.Parse(name, []byte(files(t)[name]), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func TestDependenciesHaveReasons(t *testing.T) {
	tables := dependencies(files(t)["docs/dependencies.md"])
	report(t, unreasoned("go.mod", goMod(t, "go.mod"), tables["Direct"]))
	report(t, unpinned(goMod(t, "go.mod"), tables["Pinned"]))
	report(t, unreasoned("tools/go.mod", goMod(t, "tools/go.mod"), tables["Tools"]))
}

func TestTheDependencyRulesFind(t *testing.T) {
	mod, err := modfile.Parse("go.mod", []byte("module m\ngo 1.26\ntool example.com/t/cmd/t\nrequire (\n"+
		"example.com/a v1.0.0\nexample.com/i v1.0.0 // indirect\nexample.com/t v1.0.0 // indirect\n)\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	page := func(rows string) map[string]map[string]string {
		return dependencies("## Direct\n\n| Module | Reason |\n|---|---|\n" + rows +
			"\n## Pinned\n\n| Module | Version | Reason |\n|---|---|---|\n| `example.com/i` | `v1.0.0` | x |\n")
	}
	good := page("| `example.com/a` | x |\n| `example.com/t` | y |\n")
	if got := append(unreasoned("go.mod", mod, good["Direct"]), unpinned(mod, good["Pinned"])...); len(got) != 0 {
		t.Errorf("a complete page is refused: %q", got)
	}
	other := page("| `example.com/a` | x |\n| `example.com/i` | y |\n")
	if got := unreasoned("go.mod", mod, other["Direct"]); len(got) != 2 {
		t.Errorf("one reason missing, one too many: %q", got)
	}
	good["Pinned"]["example.com/i"] = "v1.1.0"
	if got := unpinned(mod, good["Pinned"]); len(got) != 1 {
		t.Errorf("another version than pinned: %q", got)
	}
}
