// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/stage"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTogetherIsAsApart(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there is one")
	hostile := filepath.Join(dir, "hostile")
	for path, text := range map[string]string{there: "content\n", hostile: "\n" + partEnd(1) + "\n" + toolEnds + "\n"} {
		testenv.Write(t, path, text, 0o600)
	}
	environ := env.New([]string{"PLANTED=value"})
	calls := [][]string{{ToolRead, there, filepath.Join(dir, "none")}, {ToolRead, hostile}, {ToolEnv, "PLANTED", "OTHER"},
		{ToolEnv, "OTHER"}, {ToolWrite, there, "more"},
		{"nonsense"}, {ToolRead, there}}
	var lines []string
	for _, c := range calls {
		lines = append(lines, Tool(c...))
	}
	together, at := Together(lines)
	if len(together) != 1 || !Joins(lines[0]) || Joins(together[0]) {
		t.Fatalf("%q", together)
	}
	said := func(line string) Call {
		var out strings.Builder
		var words []string
		quoted := false
		for _, part := range strings.SplitAfter(seal(stage.Self, line), "'") { // as a shell splits it
			text := strings.TrimSuffix(part, "'")
			if quoted {
				words = append(words, text)
			} else {
				words = append(words, strings.Fields(text)...)
			}
			quoted = quoted != strings.HasSuffix(part, "'")
		}
		for i := range words {
			words[i] = unseal(words[i])
		}
		_ = tool(&out, environ, words[2], words[3:])
		return Raw{Results: map[string]model.Result{model.ID(0, 0): {Text: out.String()}}}.Call(0, 0)
	}
	all := said(together[0])
	testenv.Write(t, there, "content\n", 0o600)
	for i, line := range lines {
		apart, part := said(line), all.Part(at[i][1], len(lines))
		if part.Text != apart.Text || !part.Ended || !part.Shared {
			t.Errorf("%s: together %q (%+v), apart %q", line, part.Text, part, apart.Text)
		}
	}
}

// A command of too many words becomes two, and no word is lost.
func TestTogetherHasBounds(t *testing.T) {
	var lines []string
	for range 40 {
		lines = append(lines, Tool(ToolRead, "/home/somebody/"+strings.Repeat("a directory/", 10)+"x"))
	}
	together, at := Together(lines)
	parts := make([]int, len(together))
	for _, a := range at {
		parts[a[0]]++
	}
	sum := 0
	for i, line := range together {
		if sum += parts[i]; len(seal(stage.Self, line)) > 10_000 || strings.Count(line, " "+ToolRead+" ") != parts[i] {
			t.Errorf("command %d has %d bytes and %d parts", i, len(line), parts[i])
		}
	}
	if sum != len(lines) || len(together) < 2 {
		t.Errorf("%d of %d words, in %d commands", sum, len(lines), len(together))
	}
}
