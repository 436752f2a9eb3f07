// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: servers are listed by what they start, and no value of
// theirs is shown, kept or even made part of a digest.

package checks

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/report"
)

const serversFile = `{"oauthAccount": {"id": "SECRET"}, "mcpServers": {
  "notes": {"command": "uvx", "args": ["-q", "notes-server", "--token=SECRET-SECRET", "-p", "SECRET", "-pSECRET", "--key", "SECRET"], "env": {"TOKEN": "SECRET"}},
  "web": {"type": "http", "url": "https://me:SECRET@mcp.example.org/v1/SECRET/mcp?key=SECRET", "headers": {"Authorization": "Bearer SECRET"}}},
 "projects": {
  "HOME/p": {"mcpServers": {"db": {"command": "uvx", "args": ["db"]}}},
  "HOME/q": {"mcpServers": {"other": {"command": "x"}}}}}`

func TestServers(t *testing.T) {
	h := newHousehold(t)
	r := h.project(nil)
	dir := filepath.Join(h.home, "p")
	check := func() report.Finding { t.Helper(); return checkServers(context.Background(), r, dir) }
	wantFinding(t, check(), report.Skip, "no MCP servers", ".claude.json there is no such file")
	h.put(".claude.json", "{}", 0o600)
	wantFinding(t, check(), report.Skip, "no MCP servers", ".claude.json names none")

	file := strings.ReplaceAll(serversFile, "HOME", h.home)
	h.put(".claude.json", file, 0o600)
	f := check()
	wantFinding(t, f, report.Warn, "3 MCP servers are new, or changed, since your last review: notes, web, db",
		".claude.json:2:12 notes: uvx -q notes-server", ".claude.json:3:10 web: "+
			"https://mcp.example.org/v1/[redacted]/mcp?[redacted]", "db: uvx db (in "+dir+")")
	if all := said(f); strings.Contains(all, "SECRET") || strings.Contains(all, "other") {
		t.Error(all)
	}

	servers, err := Servers(r, dir)
	if err != nil || len(servers) != 3 {
		t.Fatal(servers, err)
	}
	set := approval.Set{SchemaVersion: 1}
	for _, s := range servers {
		set = set.WithReviewed(s.Digest)
	}
	h.put(".local/state/steward-setup/approvals.json", string(set.Bytes()), 0o600)
	wantFinding(t, check(), report.Pass, "3 MCP servers of your own, unchanged since your review", "notes: uvx")

	for name, c := range map[string]struct{ old, with, fresh string }{
		"another argument":         {`"notes-server"`, `"note-server"`, "notes"},
		"another command":          {`"uvx", "args": ["db"]`, `"uvx2", "args": ["db"]`, "db"},
		"another variable":         {`"TOKEN": "SECRET"`, `"NODE_OPTIONS": "SECRET"`, "notes"},
		"another address":          {`mcp.example.org`, `mcp.example.net`, "web"},
		"another name":             {`"notes":`, `"notez":`, "notez"},
		"two arguments out of one": {`"args": ["db"]`, `"args": ["d", "b"]`, "db"},
	} {
		changed := strings.Replace(file, c.old, c.with, 1)
		h.put(".claude.json", changed, 0o600)
		f := check()
		wantFinding(t, f, report.Warn, "1 MCP server is new, or changed, since your last review: "+c.fresh)
		if f.Summary == "" || changed == file {
			t.Errorf("%s: nothing has changed", name)
		}
	}
	// The value of a variable is no part of it.
	h.put(".claude.json", strings.Replace(file, `"TOKEN": "SECRET"`, `"TOKEN": "ANOTHER"`, 1), 0o600)
	wantFinding(t, check(), report.Pass)

	h.put(".claude.json", "{ // mine\n}", 0o600)
	wantFinding(t, check(), report.Unknown, ".claude.json:1:3")
	h.put(".claude.json", `{"mcpServers": {"a": 7, "b": null}, "projects": []}`, 0o600)
	wantFinding(t, check(), report.Warn, "2 MCP servers")
	h.put(".claude.json", file, 0o600)
	h.put(".local/state/steward-setup/approvals.json", "{", 0o600)
	wantFinding(t, check(), report.Unknown, "approvals.json")
}

func TestServersElsewhere(t *testing.T) {
	h := newHousehold(t)
	h.put(".claude.json", `{"mcpServers":{"a":{"command":"x"}}}`, 0o600)
	h.put("cfg/.claude.json", `{"mcpServers":{"b":{"command":"y"}}}`, 0o600)
	f := checkServers(context.Background(), h.reader("PATH=/usr/bin:/bin", "CLAUDE_CONFIG_DIR="+h.home+"/cfg"), h.home)
	wantFinding(t, f, report.Warn, "cfg/.claude.json:1:20 b: y")
}

// TestAServerOfOneProjectIsNotClaudeIsos: what claude-iso does not start is no fault of
// that launch; what both start is one of both.
func TestAServerOfOneProjectIsNotClaudeIsos(t *testing.T) {
	h := newHousehold(t)
	r := h.project(map[string]string{"p/x": "#!/bin/sh\n"})
	for text, iso := range map[string]report.Status{
		`{"projects": {"HOME/p": {"mcpServers": {"a": {"command": "./x"}}}}}`: report.Pass,
		`{"mcpServers": {"a": {"command": "./x"}}}`:                           report.Fail,
		`{"mcpServers": {"b": {"command": "/opt/b"}},
 "projects": {"HOME/p": {"mcpServers": {"a": {"command": "./x"}}}}}`: report.Warn,
	} {
		h.put(".claude.json", strings.ReplaceAll(text, "HOME", h.home), 0o600)
		f := checkServers(context.Background(), r, filepath.Join(h.home, "p"))
		wantFinding(t, f, report.Fail, "the MCP server a runs files that commands can change")
		if hard, _ := f.In(report.Iso); hard.Status != iso {
			t.Errorf("%s: claude-iso is judged %s (%s), want %s", text, hard.Status, hard.Summary, iso)
		}
		if plain, _ := f.In(report.Plain); plain.Status != report.Fail || !plain.Voids {
			t.Errorf("%s: plain claude is judged %+v", text, plain)
		}
	}
}
