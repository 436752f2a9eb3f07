// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the hooks are called by the real runtime, and beside each
// session with them stands one that shows what would have happened without:
// what happens anyway proves nothing.

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestABypassIsAskedAbout: a rule for a pattern approves a run outside the
// sandbox in silence; with the hook the runtime asks, and says why.
func TestABypassIsAskedAbout(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	const allowing = `{"sandbox":{"enabled":true},"permissions":{"allow":["Bash(printenv *)"]}}`
	// Only a sandboxed command has the first of these variables.
	inside := model.Bash("printenv SANDBOX_RUNTIME HOME")
	outside := model.Bash("printenv SANDBOX_RUNTIME HOME")
	outside.Input["dangerouslyDisableSandbox"] = true
	testenv.EachClaude(t, func(t *testing.T, claude string, old bool) {
		h := newHooked(t, claude)
		for _, wired := range []bool{false, true} {
			h.user(allowing, wired)
			s, out := h.session([]model.Call{inside, outside})
			if r, _ := s.Result(0, 0); r.Text != "1\n"+h.home {
				t.Errorf("hook %v: the sandboxed call got %q", wired, r.Text)
			}
			r, _ := s.Result(1, 0)
			if !wired {
				if r.Text != "Exit code 1\n"+h.home {
					t.Errorf("the rule alone does not approve the call, so nothing was shown: %q", r.Text)
				}
				continue
			}
			for _, want := range []string{"SANDBOX BYPASS", "command: printenv SANDBOX_RUNTIME HOME", "reason given: scripted"} {
				if !strings.Contains(r.Text, want) {
					t.Errorf("no %q in %q", want, r.Text)
				}
			}
			if strings.Contains(r.Text, h.home) || !strings.Contains(out,
				`"permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_1_0"`) {
				t.Errorf("the call was not refused: %q\n%s", r.Text, out)
			}
			// 2.1.141 has no event that says who refused it.
			if got := strings.Contains(out, `"decision_reason_type":"hook"`); got == old {
				t.Errorf("the hook is named as the reason: %v", got)
			}
		}
	})
}

// TestTheReasonStandsInTheQuestion: where there is a person, the runtime shows
// what the hook says before it runs anything.
func TestTheReasonStandsInTheQuestion(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	call := model.Bash("printenv HOME")
	call.Input["dangerouslyDisableSandbox"] = true
	testenv.EachClaude(t, func(t *testing.T, claude string, _ bool) {
		h := newHooked(t, claude)
		h.user(`{"sandbox":{"enabled":true},"permissions":{"allow":["Bash(printenv *)"]}}`, true)
		cmd, s := h.command(call, "go")
		term := testenv.NewTerminal(t, cmd, 120, 40)
		term.Sees("SANDBOX BYPASS")
		term.Sees("command: printenv HOME")
		if _, ran := s.Result(0, 0); ran {
			t.Errorf("the call was run before the answer:\n%s", term.Screen())
		}
	})
}

// TestADenialIsExplained: what the sandbox refuses is explained to the model
// in its very next request, whether the command failed or not; the same
// commands work without the sandbox, and then nothing is explained.
func TestADenialIsExplained(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "ssh-agent", "ssh-add", "curl")
	sockets := testenv.Must(os.MkdirTemp("", "s"))(t) // a socket's path may have 107 bytes (unix(7))
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	keys, docker := filepath.Join(sockets, "agent"), filepath.Join(sockets, "docker.sock")
	sshAgent(t, keys)
	daemon := testenv.Must(net.Listen("unix", docker))(t)
	t.Cleanup(func() { daemon.Close() }) // who connects waits in its queue
	client := testenv.Must(exec.LookPath(dialer))(t)
	const failed, succeeded = "PostToolUseFailure", "PostToolUse"
	cases := []struct {
		command string
		// event and entry are those of the hint, "" if there is none.
		event, entry string
		// works is what the command prints without the sandbox, "" if it
		// fails there too.
		works string
	}{
		{"ssh-add -l", failed, "ssh-agent", "The agent has no identities."},
		{client + " " + docker, failed, "docker", "connected"},
		// There is no network here; the proxy of 2.1.141 is sometimes late, and curl says so before it tries again.
		{"curl -sS --retry 3 --retry-delay 1 --retry-connrefused https://blocked.invalid/", failed, "egress-blocked", ""},
		{"cat ~/secret.txt", failed, "hidden-path", "SECRET"},
		{"cat ~/secret.txt || true", succeeded, "hidden-path", "SECRET"},
		{"ssh-add -l || true", succeeded, "ssh-agent", "The agent has no identities."},
		{"cat none.txt", "", "", ""},
		{"cat ~/none.txt", "", "", ""},
		{"echo 'Error: 3 tests failed'; exit 1", "", "", ""},
	}
	var calls []model.Call
	for _, c := range cases {
		calls = append(calls, model.Bash(c.command))
	}
	testenv.EachClaude(t, func(t *testing.T, claude string, old bool) {
		h := newHooked(t, claude)
		h.vars = []string{"SSH_AUTH_SOCK=" + keys}
		for _, enabled := range []bool{true, false} {
			h.user(fmt.Sprintf(`{"sandbox":{"enabled":%v,"filesystem":{"denyRead":["~/"]}}}`, enabled), true)
			s, out := h.session(calls, "--allowedTools", "Bash")
			var want []string
			for i, c := range cases {
				r, _ := s.Result(i, 0)
				if c.works != "" && strings.Contains(r.Text, c.works) == enabled {
					t.Errorf("sandbox %v: %s got %q", enabled, c.command, r.Text)
				}
				if enabled && c.entry != "" {
					want = append(want, c.event+" "+c.entry)
				}
				if got := hints(s, i); !slices.Equal(got, want) {
					t.Errorf("sandbox %v: after %s, which got %q, the model was told %q, want %q", enabled, c.command, r.Text, got,
						want)
				}
			}
			// The user reads the same; in 2.1.141 it is not in the stream.
			shown := strings.Count(out, "says: [sandbox-hint] ")
			if old && shown != 0 || !old && shown != len(want) {
				t.Errorf("sandbox %v: the user was told %d times, the model %d times", enabled, shown, len(want))
			}
		}
	})
}

// TestALateProxyIsExplained: 2.1.141 does not wait until its proxy can be
// reached, and 2.1.329 not for long. What then fails is not called a refusal.
func TestALateProxyIsExplained(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "curl", "git", "ssh", "wget")
	socat := testenv.Must(exec.LookPath("socat"))(t)
	commands := []string{
		"curl -sS https://blocked.invalid/",
		"git ls-remote https://blocked.invalid/x.git",
		"git ls-remote ssh://git@blocked.invalid/x.git",
		"wget -O- https://blocked.invalid/",
	}
	var calls []model.Call
	for _, c := range commands {
		calls = append(calls, model.Bash(c))
	}
	testenv.EachClaude(t, func(t *testing.T, claude string, _ bool) {
		h := newHooked(t, claude)
		h.put("bin/socat", "#!/bin/sh\ncase $1 in TCP*-LISTEN:*) sleep 60 ;; esac\nexec "+socat+" \"$@\"\n")
		h.vars = []string{"PATH=" + filepath.Join(h.home, "bin") + ":" + os.Getenv("PATH")}
		h.user(`{"sandbox":{"enabled":true}}`, true)
		s, _ := h.session(calls, "--allowedTools", "Bash")
		for i, c := range commands {
			r, _ := s.Result(i, 0)
			if got := hints(s, i); len(got) != i+1 || got[i] != "PostToolUseFailure proxy-not-ready" {
				t.Errorf("after %s, which got %q, the model was told %q", c, r.Text, got)
			}
		}
	})
}

// sshAgent starts an agent without keys on a socket.
func sshAgent(t *testing.T, socket string) {
	t.Helper()
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	// It prints the socket's name once it listens there.
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, socket) {
		t.Fatalf("ssh-agent: %q %v", line, err)
	}
}

var hintContext = regexp.MustCompile(`(PostToolUse(?:Failure)?):Bash hook additional context: \[sandbox-hint\] ([a-z-]+): `)

// hints are the hints, as "EVENT ENTRY", in the request that brought the model
// the result of a call.
func hints(s *model.Server, call int) []string {
	for _, r := range s.Requests() {
		if !bytes.Contains(r.Body, fmt.Appendf(nil, `"tool_use_id":"toolu_%d_0"`, call)) {
			continue
		}
		var list []string
		for _, m := range hintContext.FindAllSubmatch(r.Body, -1) {
			list = append(list, string(m[1])+" "+string(m[2]))
		}
		return list
	}
	return nil
}
