// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what follows no permission rule is not started as if it did.

package iso_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAServerOfToolsHasNoRules: as an MCP server the runtime opens a file that a
// rule denies; the launch refuses it, and no other word of `mcp`.
func TestAServerOfToolsHasNoRules(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.approve()
	program := l.claude(nil)
	read := calls(readTool(filepath.Join(l.project, ".env")))
	if got := l.plain("p", read...).text(t, 0); strings.Contains(got, secret) {
		t.Fatalf("the rule does not even hold in a session: %s", got)
	}
	ctx, stop := context.WithTimeout(t.Context(), testenv.Patience)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "mcp", "serve")
	cmd.Dir, cmd.Env = l.project, l.environ()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(out)
	var got json.RawMessage
	for n, line := range []string{
		`{"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`,
		fmt.Sprintf(`{"method":"tools/call","params":{"name":"Read","arguments":{"file_path":%q}}`,
			filepath.Join(l.project, ".env")),
	} {
		_, err := fmt.Fprintf(in, "%s,\"jsonrpc\":\"2.0\",\"id\":%d}\n", line, n)
		if err = errors.Join(err, answers.Decode(&got)); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(got), secret) {
		t.Errorf("the attack does not even work plainly: %s", got)
	}
	if err := errors.Join(in.Close(), cmd.Process.Kill()); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
	for _, c := range []struct {
		args    []string
		refused bool
	}{
		{[]string{"mcp", "serve"}, true}, {[]string{"--debug", "mcp", "-d", "serve"}, true}, {[]string{"mcp", "list"}, false},
		{[]string{"mcp serve"}, false},
	} {
		_, err := l.prepare("p", iso.Options{Args: c.args})
		if e := (*report.Error)(nil); errors.As(err, &e) != c.refused || c.refused && e.Code != report.ExitUsage {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}
