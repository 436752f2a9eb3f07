// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the hook scripts are run by real shells, with and without
// a program behind them.

package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// shells may each be /bin/sh somewhere. busybox is the only one that a
// machine may lack.
var shells = [][]string{{"dash"}, {"bash"}, {"bash", "--posix"}, {"zsh"}, {"zsh", "--emulate", "sh"}, {"busybox", "sh"}}

func eachShell(t *testing.T, test func(t *testing.T, shell []string)) {
	for _, shell := range shells {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			if _, err := exec.LookPath("busybox"); err != nil && shell[0] == "busybox" {
				t.Skip("no busybox here")
			}
			testenv.Need(t, shell[0])
			test(t, shell)
		})
	}
}

// awkward is a name for a directory that every careless quoting breaks on.
const awkward = `it's "my" $HOME \ %s * -x ü`

// echo is a program that prints how it was called and what it was told, and
// ends with the code in the variable FAKE_CODE.
const echo = `#!/bin/sh
printf '%s\0' "$#" "$@"
printf 'allow=%s token=%s\0' "$CLAUDE_ISO_ALLOW" "$GH_TOKEN"
[ -n "$FAKE_STDIN" ] && cat
exit ${FAKE_CODE:-0}
`

// program puts the fake program into an awkward place.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(testenv.Home(t), awkward, "steward-setup")
	put(t, path, echo, 0o755)
	return path
}

func put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	testenv.Write(t, path, content, mode)
}

type outcome struct {
	stdout, stderr string
	code           int
}

// run starts a program with a clean environment.
func run(t *testing.T, stdin string, extra []string, argv ...string) outcome {
	t.Helper()
	home := testenv.Home(t)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = testenv.Env(t, home, extra...), home, strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// script renders a script for binary into a file.
func script(t *testing.T, name, binary string) string {
	t.Helper()
	b, err := Render(name, binary)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(testenv.Home(t), name)
	put(t, path, string(b), Mode)
	return path
}

func TestHooksCallTheProgram(t *testing.T) {
	binary := program(t)
	eachShell(t, func(t *testing.T, shell []string) {
		for name, want := range map[string][]string{
			"sandbox-bypass-warn.sh":      {"hook", "bypass-warn"},
			"sandbox-error-hint.sh":       {"hook", "error-hint"},
			"sandbox-status-line.sh":      {"hook", "status-line"},
			"sandbox-status-line-rich.sh": {"hook", "status-line-rich"},
			"sandbox-add-project-root.sh": {"project-root", "--all-worktrees", "a b", ""},
			gitHook:                       {"hook", "post-checkout", "--all-worktrees", "a b", ""},
		} {
			path := script(t, name, binary)
			argv := append(slices.Clone(shell), path)
			if strings.Contains(name, "root") || name == gitHook {
				argv = append(argv, "--all-worktrees", "a b", "")
			}
			got := run(t, "PAYLOAD", []string{"FAKE_STDIN=1", "FAKE_CODE=1"}, argv...)
			wantOut := strings.Join(append([]string{string(rune('0' + len(want)))}, want...), "\x00") +
				"\x00allow= token=\x00PAYLOAD"
			code := 1
			if name == gitHook {
				code = 0 // git takes it for its own
			}
			if got != (outcome{wantOut, "", code}) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

// The runtime and git start the file itself, without naming a shell.
func TestHooksStartByThemselves(t *testing.T) {
	binary := program(t)
	for _, name := range Hooks {
		if got := run(t, "", nil, script(t, name, binary)); got.code != 0 || !strings.Contains(got.stdout, "\x00") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// brokenPrograms are what may lie where the program was, by the way in which
// it fails.
var brokenPrograms = map[string]struct {
	content string
	mode    os.FileMode
}{
	"missing":        {},
	"not executable": {echo, 0o644},
	"empty":          {"", 0o755},
	"wrong machine": {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xff\x7f\x01\x00\x00\x00" +
		strings.Repeat("\x00\x01", 200), 0o755},
	"no interpreter": {"#!/no/such/interpreter\n", 0o755},
}

func broken(t *testing.T, how string) string {
	t.Helper()
	path := filepath.Join(testenv.Home(t), awkward, "steward-setup")
	if b := brokenPrograms[how]; how != "missing" {
		put(t, path, b.content, b.mode)
	}
	return path
}

const bypass = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls ~/.aws","description":"look","dangerouslyDisableSandbox":true}}`

func TestBypassWarnStillWarns(t *testing.T) {
	testenv.AsUser(t)
	handTest := strings.Replace(bypass, `"hook_event_name":"PreToolUse",`, "", 1)
	quiet := outcome{}
	for _, tt := range []struct {
		name, payload string
		want          string // "ask", "banner" or ""
	}{
		{"event", bypass, "ask"},
		{"hand test", handTest, "banner"},
		{"spaced", "{ \"hook_event_name\" :\t\"PreToolUse\" ,\n \"tool_input\" : { \"dangerouslyDisableSandbox\"\r\n : \n" +
			" true } }\n", "ask"},
		{"nested elsewhere", `{"a":[{"b":{"dangerouslyDisableSandbox":true}}]}`, "banner"},
		{"other event", `{"hook_event_name":"PostToolUse","dangerouslyDisableSandbox":true}`, "banner"},
		{"1 MiB", strings.Replace(bypass, "ls", strings.Repeat("x ", 1<<19), 1), "ask"},
		{"with NUL bytes", "\x00" + bypass + "\x00", "ask"},
		{"not UTF-8", strings.Replace(bypass, "ls", "\xff\xfe", 1), "ask"},
		{"false", strings.Replace(bypass, "true", "false", 1), ""},
		{"absent", `{"hook_event_name":"PreToolUse","tool_input":{"command":"true"}}`, ""},
		{"spoken of", `{"tool_input":{"command":"echo '\"dangerouslyDisableSandbox\":true'"}}`, ""},
		{"1 MiB of nothing", `{"tool_input":{"command":"` + strings.Repeat("x ", 1<<19) + `"}}`, ""},
		{"no input", "", ""},
	} {
		for how := range brokenPrograms {
			if how != "missing" && tt.name != "event" && tt.name != "hand test" && tt.name != "no input" {
				continue // the payloads once, the ways of failing for a few
			}
			t.Run(tt.name+", "+how, func(t *testing.T) {
				binary := broken(t, how)
				eachShell(t, func(t *testing.T, shell []string) {
					got := run(t, tt.payload, nil, append(slices.Clone(shell), script(t, Hooks[0], binary))...)
					if how == "wrong machine" || how == "no interpreter" {
						got.stderr = withoutShellsWord(got.stderr)
					}
					switch tt.want {
					case "":
						if got != quiet {
							t.Errorf("%+v", got)
						}
					case "banner":
						wantBanner(t, got, binary)
					case "ask":
						wantAsk(t, got, binary)
					}
				})
			})
		}
	}
}

// withoutShellsWord drops what the shell itself says of a file that the
// system cannot start.
func withoutShellsWord(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "\x1b[1;31m") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func wantBanner(t *testing.T, got outcome, binary string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(got.stderr, "\n"), "\n")
	if got.code != 1 || got.stdout != "" || len(lines) != 4 || !strings.Contains(got.stderr, binary) {
		t.Errorf("%+v", got)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "\x1b[1;31m") || !strings.HasSuffix(line, "\x1b[0m") {
			t.Errorf("line %q", line)
		}
	}
}

func wantAsk(t *testing.T, got outcome, binary string) {
	t.Helper()
	var answer struct {
		HookSpecificOutput struct {
			HookEventName, PermissionDecision, PermissionDecisionReason string
		} `json:"hookSpecificOutput"`
	}
	err := json.Unmarshal([]byte(got.stdout), &answer)
	h := answer.HookSpecificOutput
	if err != nil || got.code != 0 || got.stderr != "" || h.HookEventName != "PreToolUse" ||
		h.PermissionDecision != "ask" ||
		!strings.Contains(h.PermissionDecisionReason, "missing at "+binary) {
		t.Errorf("%v %+v", err, got)
	}
}

// Without tr the payload cannot be judged, and silence would be a pass.
func TestBypassWarnWithoutItsTools(t *testing.T) {
	b, err := Render(Hooks[0], "/nonexistent/steward-setup")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(testenv.Home(t), "x.sh")
	put(t, path, strings.Replace(string(b), "PATH=$PATH:/usr/bin:/bin", "PATH=/nonexistent", 1), Mode)
	testenv.Need(t, "dash")
	got := run(t, bypass, nil, "dash", path)
	if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "not judged") {
		t.Errorf("%+v", got)
	}
}

// A file that was synced to a host with another home calls the program there:
// that of the home it lies in, and none that the environment leads to.
func TestASyncedFileFindsTheProgramOfItsHost(t *testing.T) {
	for _, name := range append(slices.Clone(Hooks), gitHook) {
		home, dir := testenv.Home(t), "scripts"
		if name == gitHook {
			dir = "git-hooks"
		}
		b, err := Render(name, "/home/somebody else/.local/bin/steward-setup")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(home, ".claude", dir, name)
		put(t, path, string(b), Mode)
		project := testenv.Home(t)
		for at, says := range map[string]string{home: "here", project: "the project's"} {
			put(t, filepath.Join(at, ".local", "bin", "steward-setup"), "#!/bin/sh\ncat >/dev/null\necho "+strconv.Quote(says)+
				"\n", 0o755)
		}
		eachShell(t, func(t *testing.T, shell []string) {
			got := run(t, "x", []string{"HOME=" + project, "PATH=" + filepath.Join(project, ".local", "bin") + ":/usr/bin:/bin"},
				append(slices.Clone(shell), path)...)
			if got != (outcome{"here\n", "", 0}) {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}

// git's hook in a directory of the repository's own takes no program that lies
// near it: commands may write there.
func TestGitsHookInAProjectCallsNoOther(t *testing.T) {
	b, err := GitHook("/home/somebody else/.local/bin/steward-setup")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"p/.git/hooks", "p/tools/git-hooks"} {
		home := testenv.Home(t)
		path := filepath.Join(home, dir, "post-checkout")
		put(t, path, string(b), Mode)
		for _, at := range []string{home, filepath.Join(home, "p")} {
			put(t, filepath.Join(at, ".local", "bin", "steward-setup"), "#!/bin/sh\necho called\n", 0o755)
		}
		if got := run(t, "", []string{"HOME=" + home}, path); got.code != 0 || got.stdout != "" ||
			!strings.Contains(got.stderr, "is missing at") {
			t.Errorf("%s: %+v", dir, got)
		}
	}
}

// A crash of ours must not block every call (the runtime takes 2 for that).
func TestBypassWarnNeverBlocks(t *testing.T) {
	binary := program(t)
	for code, want := range map[string]int{"0": 0, "1": 1, "2": 1, "70": 70} {
		testenv.Need(t, "dash")
		if got := run(t, bypass, []string{"FAKE_CODE=" + code}, "dash", script(t, Hooks[0], binary)); got.code != want {
			t.Errorf("%s becomes %d", code, got.code)
		}
	}
}

func TestTheOthersStaySilent(t *testing.T) {
	testenv.AsUser(t)
	for _, how := range []string{"missing", "not executable", "empty"} {
		binary := broken(t, how)
		for _, name := range append(Hooks[1:], gitHook) {
			t.Run(name+", "+how, func(t *testing.T) {
				eachShell(t, func(t *testing.T, shell []string) {
					got := run(t, "x", nil, append(slices.Clone(shell), script(t, name, binary), "1", "2")...)
					var want outcome
					if strings.Contains(name, "status-line") { // an empty line would claim nothing, and be overlooked
						want.stdout = "sandbox unknown: steward-setup is missing at " + binary + "\n"
					}
					if name == gitHook {
						want.stderr = "post-checkout: steward-setup is missing at " + binary +
							": run \"steward-setup install\" on this host\n"
					}
					if got != want {
						t.Errorf("%+v", got)
					}
				})
			})
		}
	}
	// What git calls does not fail where the file cannot be started either.
	for _, how := range []string{"wrong machine", "no interpreter"} {
		for _, name := range []string{"sandbox-add-project-root.sh", gitHook} {
			t.Run(name+", "+how, func(t *testing.T) {
				binary := broken(t, how)
				eachShell(t, func(t *testing.T, shell []string) {
					if got := run(t, "", nil, append(slices.Clone(shell), script(t, name, binary))...); got.code != 0 ||
						got.stdout != "" {
						t.Errorf("%+v", got)
					}
				})
			})
		}
	}
}
