// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the tables of docs/policy.md are policy.toml, word for
// word. Run "go test ./internal/agent/claude/policy -update" to write them again.

package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestThePageHasTheTables(t *testing.T) {
	testenv.GoldenPart(t, "../../../../docs/policy.md", "tables", tables(load(t)))
}

// tables writes the generated part of the page.
func tables(p *Policy) string {
	var b strings.Builder
	b.WriteString("\n## Always: every entry\n")
	key := ""
	for _, e := range p.entries {
		if e.Key != key {
			key = e.Key
			fmt.Fprintf(&b, "\n### `%s`\n\n%s", key, header)
		}
		row(&b, e, e.Why)
	}
	for _, part := range []struct {
		kind  report.ID
		title string
	}{{"domains", "Hosts, by group"}, {"caches", "Caches and directories with tools, by group"}} {
		fmt.Fprintf(&b, "\n## %s\n", part.title)
		for _, g := range p.groups {
			if g.Kind != part.kind {
				continue
			}
			fmt.Fprintf(&b, "\n### `%s`: %s\n\n%s%s\n\n%s", g.ID, g.Title, g.Why, defaults(g), header)
			for _, e := range g.Entries {
				row(&b, e, "`"+e.Key+"`")
			}
		}
	}
	b.WriteString("\n## Questions\n")
	for _, q := range p.questions {
		fmt.Fprintf(&b, "\n### `--%s`\n\n%s\n\n%s", q.ID, q.Title, q.Help)
		if q.Price != "" {
			b.WriteString(" **Price:** " + q.Price)
		}
		b.WriteString("\n")
		if len(q.Entries) > 0 {
			b.WriteString("\n" + header)
			for _, e := range q.Entries {
				row(&b, e, e.Why)
			}
		}
	}
	return b.String() + "\n"
}

const header = "| Value | Why | In the source document | Price |\n|---|---|---|---|\n"

func row(b *strings.Builder, e Entry, why string) {
	_, value, named := strings.Cut(e.ID(), ":")
	if !named {
		value = settings.Inline(e.Value)
	}
	if e.Required {
		why += " *Required.*"
	}
	if e.Unless != "" {
		why += " Left out with `--" + string(e.Unless) + "`."
	}
	cell := func(s, empty string) string {
		if s == "" {
			return empty
		}
		return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "<project>", "&lt;project&gt;")
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", value, cell(why, ""), cell(e.Deviation, "the same"), cell(e.Exposes, ""))
}

// defaults says when the group is chosen unless the user says otherwise.
func defaults(g group) string {
	var when []string
	for _, d := range g.Detect {
		when = append(when, "`"+d+"`")
	}
	for _, r := range g.Remotes {
		when = append(when, "a remote on `"+r+"`")
	}
	if len(when) == 0 {
		return " Never a default."
	}
	s := " A default where the repository has " + strings.Join(when, ", ")
	if len(g.Home) > 0 {
		s += ", and this machine has `" + strings.Join(g.Home, "` or `") + "`"
	}
	return s + "."
}
