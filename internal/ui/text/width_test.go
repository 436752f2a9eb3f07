// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no row is wider than it was asked to be, for any text.

package text

import (
	"slices"
	"strings"
	"testing"
)

func TestCutAndPadCountCells(t *testing.T) {
	for _, c := range []struct {
		s           string
		width       int
		cut, left   string
		paddedWidth int
	}{
		{"settings.json", 20, "settings.json", "settings.json", 20},
		{"settings.json", 13, "settings.json", "settings.json", 13},
		{"settings.json", 8, "setting…", "…gs.json", 8},
		{"日本語のパス", 7, "日本語…", "…のパス", 7},
		{"日本語のパス", 6, "日本…", "…パス", 6}, // half a wide rune never stays
		{"a", 0, "", "", 0},
		{"ab", 1, "…", "…", 1},
		{"never committed; linked worktrees", 20, "never committed; …", "", 20},
		{"never committed; linked worktrees", 24, "never committed; linked…", "", 24},
		{"a averylongword", 10, "a averylo…", "", 10},
		{"~/.claude/settings.json", 20, "~/.claude/settings.…", "~/…/settings.json", 20},
		{"~/.claude/settings.json", 16, "~/.claude/setti…", "…/settings.json", 16},
		{".claude/settings.json", 20, ".claude/settings.js…", "…/settings.json", 20},
		{"~/.claude/scripts/ (5 files)", 19, "~/.claude/scripts/…", "…scripts/ (5 files)", 19},
		{"~/.claude/scripts/ (5 files)", 20, "~/.claude/scripts/ …", "…/scripts/ (5 files)", 20},
		{"\x1b[31mnever committed; linked\x1b[m", 20, "\x1b[31mnever committed; …\x1b[m", "", 20},
		{"\x1b[31mred words\x1b[m", 4, "\x1b[31mred…\x1b[m", "", 4},
	} {
		if got := Cut(c.s, c.width); got != c.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.s, c.width, got, c.cut)
		}
		if got := CutLeft(c.s, c.width); c.left != "" && got != c.left {
			t.Errorf("CutLeft(%q, %d) = %q, want %q", c.s, c.width, got, c.left)
		}
		if got := Width(Pad(c.s, c.width)); got != c.paddedWidth {
			t.Errorf("Pad(%q, %d) takes %d cells", c.s, c.width, got)
		}
	}
}

func TestEndsKeepsTheRight(t *testing.T) {
	for _, c := range []struct{ left, right, want string }{
		{"left", "right", "left           right"},
		{"a very long left side", "right", "a very long …  right"},
		{"left", "", "left                "},
		{"left", "as long as the row is", "as long as the row …"},
	} {
		if got := Ends(c.left, c.right, 20); got != c.want {
			t.Errorf("Ends(%q, %q) = %q, want %q", c.left, c.right, got, c.want)
		}
	}
}

func TestFold(t *testing.T) {
	for line, want := range map[string]string{
		"  ⚠ claude     ~/code    it is off": "  ⚠ claude  ~/code|    it is off",
		"✗ claude  a directory below":        "✗ claude|  a directory below",
		"new  hooks/reference-transaction":   "new|  hooks/reference-transaction",
		"✓ new  a file of that name":         "✓ new  a file of|  that name",
		"fits as  it is":                     "fits as  it is",
		"":                                   "",
	} {
		if got := strings.Join(Fold(line, 20), "|"); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
		if got := Fold(line, 0); len(got) != 1 || got[0] != line {
			t.Errorf("%q without a width becomes %q", line, got)
		}
	}
}

func TestRows(t *testing.T) {
	const name = "/home/ada/.claude/settings.local.json"
	for s, want := range map[string][]string{
		"":                                   {""},
		"fits as  it is":                     {"fits as  it is"},
		"the file " + name + " is not there": {"the file", name, "is not there"},
		"that is how to undo it:  steward-setup undo 20261120-1": {"that is how to undo", "it:",
			"steward-setup undo 20261120-1"},
	} {
		if got := Rows(s, 20); !slices.Equal(got, want) {
			t.Errorf("Rows(%q) = %q, want %q", s, got, want)
		}
		if got := Rows(s, 0); !slices.Equal(got, []string{s}) {
			t.Errorf("without a width: %q", got)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"words", 0, nil},
		{"a few plain words", 8, []string{"a few", "plain", "words"}},
		{"keep 20261120-1 whole", 12, []string{"keep", "20261120-1", "whole"}},
		{"a averylongword b", 5, []string{"a", "avery", "longw", "ord b"}},
		{"/home/ada/settings.json", 14, []string{"/home/ada/", "settings.json"}},
		{"09:03  install   interrupted: 4 of 14", 24, []string{"09:03  install", "interrupted: 4 of 14"}},
		{"日本語", 3, []string{"日", "本", "語"}},
		{"日", 1, nil},
	} {
		if got := Wrap(c.s, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestUntabKeepsColumns(t *testing.T) {
	for s, want := range map[string]string{
		"no tab": "no tab", "\tx": "    x", "ab\tx": "ab  x", "abcd\tx": "abcd    x", "日\tx": "日  x", "\t\t": "        ",
	} {
		if got := Untab(s); got != want {
			t.Errorf("Untab(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzWidths(f *testing.F) {
	f.Add("a path/日本語/ünïcode and words", 7)
	f.Add("\u200d\u0301 e\u0301", 2)
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = Line(s)
		width %= 200
		limit := max(0, width)
		for _, got := range []string{Cut(s, width), CutLeft(s, width), Pad(s, width), Ends(s, "r", width),
			Ends("l", s, width)} {
			if Width(got) > limit {
				t.Fatalf("%q takes %d cells, not %d", got, Width(got), limit)
			}
		}
		for _, row := range Wrap(s, width) {
			if Width(row) > limit {
				t.Fatalf("row %q of %q takes %d cells, not %d", row, s, Width(row), limit)
			}
		}
		if strings.Contains(Untab(s), "\t") {
			t.Fatal("a tab is left")
		}
	})
}
