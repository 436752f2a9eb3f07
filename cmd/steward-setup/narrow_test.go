// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a narrow terminal the lines of words fit; a line to be
// pasted is never broken.

package main

import (
	"bytes"
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func TestPlainLinesFitANarrowTerminal(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "git")
	n := newNewcomer(t)
	receipt := filepath.Join(n.home, ".local/state/steward-setup/receipts/20261120-120000.000-aaaa/receipt.json")
	n.write(receipt, `{"schema_version":1,"id":"20261120-120000.000-aaaa","command":"install","tool_version":"1.2.3",`+
		`"started_at":"2026-11-20T12:00:00Z","finished":true,"changes":[{"id":"policy/settings","path":"`+
		n.home+`/code/a directory with a long name/.claude/settings.json","target":"`+n.home+
		`/code/a directory with a long name/.claude/settings.json","before":"absent","after":"sha256:00"}]}`, 0o600)
	const width = 40
	for _, args := range []string{"scope show", "history", "sync status"} {
		var out, said bytes.Buffer
		sys := env.System{Env: env.New(n.environ), GOOS: "linux", GOARCH: runtime.GOARCH, Cwd: n.home, Now: time.Now,
			StdoutTTY: true, Columns: width, UID: 1000}
		run(context.Background(), sys, strings.NewReader(""), &out, &said, append(strings.Fields(args), "--plain"))
		if out.Len() == 0 {
			t.Errorf("%s prints nothing: %s", args, said.String())
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if text.Width(line) > width && !strings.Contains(line, "undo RECEIPT") {
				t.Errorf("%s: %d cells: %q", args, text.Width(line), line)
			}
		}
	}
}

// TestTitlesOfTryFold: the titles of try's parts break between words.
func TestTitlesOfTryFold(t *testing.T) {
	var out strings.Builder
	a := &app{out: &out, sys: env.System{StdoutTTY: true, Columns: 40}}
	run := tryRun{in: &installation{a: a}, out: &output{}}
	run.title("The throwaway home is removed; yours was not touched. For your own home:  steward-setup install")
	const want = "\n== The throwaway home is removed;\n  yours was not touched. For your own\n  home:\n" +
		"  steward-setup install\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
