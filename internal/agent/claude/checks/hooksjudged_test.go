// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of hooks as developers have them the healthy ones are quiet,
// and those whose answer others may decide are named, with file and line.

package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// hookHead begins a hook of testdata/hooks.txt.
var hookHead = lazy.Regexp(`(?m)^-- (quiet|unknown|allows) ([^ :]+)(?::(\d+))?(?: at (\S+))? --\n`)

// onPathOfHooks are programs on PATH whose output nobody can read from their bytes.
const onPathOfHooks = "jq curl wget git find ps pgrep docker npx node python3 uv bun ruby prettier gofmt go ruff " +
	"eslint_d notify-send osascript afplay black swiftformat shfmt tee cat grep sed wc date tail"

func TestHooksOfDevelopers(t *testing.T) {
	b, err := os.ReadFile("testdata/hooks.txt")
	if err != nil {
		t.Fatal(err)
	}
	h, text := household{t, testenv.Home(t)}, string(b)
	for _, name := range strings.Fields(onPathOfHooks) {
		h.put("programs/"+name, "\x7fELF\x00\x00", 0o755)
	}
	heads := hookHead().FindAllStringSubmatchIndex(text, -1)
	body := func(i int) string {
		if i+1 == len(heads) {
			return text[heads[i][1]:]
		}
		return text[heads[i][1]:heads[i+1][0]]
	}
	for i, at := range heads {
		h.put("bin/"+text[at[4]:at[5]], body(i), 0o755)
	}
	h.put("p/x", "", 0o644)
	r := h.reader("PATH=" + filepath.Join(h.home, "programs"))
	g := grants.Of(r, session.At(r, filepath.Join(h.home, "p")))
	for i, at := range heads {
		part := func(n int) string { return text[max(0, at[2*n]):max(0, at[2*n+1])] }
		want, name, place := part(1), part(2), part(4)
		t.Run(name, func(t *testing.T) {
			command := "~/bin/" + name
			switch line := strings.HasSuffix(name, ".line"); {
			case place == "" && line:
				place = "settings"
			case place == "":
				place = name + ":" + part(3)
			}
			if place != "settings" {
				place = filepath.Join(grants.RealPath(r, h.home), "bin", place)
			}
			if strings.HasSuffix(name, ".line") {
				command = body(i)
			}
			where, said := prompts.Says(g, prompts.Answering{Event: claude.PreToolUse, Command: command,
				Where: "settings"})
			got := map[prompts.Saying]string{prompts.SaysNothing: "quiet", prompts.SaysPerhaps: "unknown",
				prompts.SaysAllow: "allows"}[said]
			if got != want || want != "quiet" && where != place {
				t.Errorf("%s at %s, want %s at %s:\n%s", got, where, want, place, body(i))
			}
		})
	}
}
