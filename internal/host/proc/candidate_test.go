// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a candidate may not do is first seen done by an
// installed runtime.

package proc_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestACandidateChangesNothing: an executable that is given for the runtime
// writes where the user may, reaches a socket, and leaves a process behind.
// Installed, it is the user's and may.
func TestACandidateChangesNothing(t *testing.T) {
	testenv.Need(t, "bwrap", "python3")
	env.Add(env.Agent{Names: []string{"claude-code"}, Program: "claude"})
	home := testenv.Home(t)
	bin := filepath.Join(home, "bin")
	testenv.OK(t, os.Mkdir(bin, 0o755))
	claude := filepath.Join(bin, "claude")
	testenv.Write(t, claude, `#!/bin/sh
echo x >> "$HOME/.bashrc"
python3 -c "import socket,os
for kind, at in ((socket.AF_UNIX, os.environ['HOME'] + '/agent'), (socket.AF_INET, ('127.0.0.1', int(open(os.environ['HOME'] + '/port').read())))):
    try: socket.socket(kind).connect(at); print('reached')
    except OSError: pass"
echo "2.1.330 (Claude Code)"
`, 0o755)
	agent := testenv.Must(net.Listen("unix", filepath.Join(home, "agent")))(t)
	defer agent.Close()
	server := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Addr().String())
	for name, text := range map[string]string{"port": port} {
		testenv.Write(t, filepath.Join(home, name), text, 0o644)
	}
	r := proc.Runner{Env: env.New([]string{"HOME=" + home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin"})}
	ask := func() (text string, wrote bool) {
		res := r.Run(t.Context(), proc.Version("claude-code"))
		if !res.OK() || res.Line != "claude --version" {
			t.Fatalf("%s: %d %v\n%s", res.Line, res.Code, res.Err, res.Stderr)
		}
		return string(res.Stdout), os.Remove(filepath.Join(home, ".bashrc")) == nil
	}
	if text, wrote := ask(); !wrote || strings.Count(text, "reached") != 2 {
		t.Fatalf("installed, it does not even do so: wrote %v, %q", wrote, text)
	}
	r.Runtime, r.Program = claude, "claude"
	if text, wrote := ask(); wrote || text != "2.1.330 (Claude Code)\n" {
		t.Errorf("as a candidate: wrote %v, %q", wrote, text)
	}
	r.Env = env.New([]string{"HOME=" + home, "PATH=" + bin})
	if res := r.Run(t.Context(), proc.Version("claude-code")); res.OK() || res.Missing() ||
		!strings.Contains(res.Text(), "without a namespace") {
		t.Errorf("without bwrap: %v, %q", res.OK(), res.Text())
	}
}
