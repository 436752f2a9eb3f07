// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every way to open something is found at its place, with
// links followed, and what is meant to be open is called that.

package checks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// approving is a text of the user's own that approves calls, beside settings.
func approving(name, rules, settings string) map[string]string {
	files := map[string]string{name: "---\nname: x\nallowed-tools: " + rules + "\n---\nHelp.\n"}
	if settings != "" {
		files[usersFile] = settings
	}
	return files
}

// bypassWarn wires the bypass-warn hook.
const bypassWarn = `"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"~/.claude/scripts/sandbox-bypass-warn.sh"}]}]}`

func TestPolicyInvariants(t *testing.T) {
	testenv.AsUser(t)
	says := held(t, "policy-invariants")
	read := func(p string) string { return `{"sandbox":{"filesystem":{"allowRead":["` + p + `"]}}}` }
	write := func(p string) string { return `{"sandbox":{"filesystem":{"allowWrite":["` + p + `"]}}}` }
	for _, tt := range []struct {
		name    string
		files   map[string]string
		arrange func(household)
		status  report.Status
		voids   bool
	}{
		{"as installed", nil, nil, report.Pass, false},
		{"hosts of the template are named, with their price",
			map[string]string{localFile: `{"sandbox":{"network":{"allowedDomains":["github.com","sum.golang.org","docs.example.org"]}}}`}, nil,
			report.Pass, false},
		{"a key", map[string]string{localFile: read("~/.ssh/id_ed25519")}, nil, report.Fail, true},
		{"a key that nothing else holds", map[string]string{localFile: read("~/backup/id_rsa")}, nil, report.Fail, true},
		{"by way of ..", map[string]string{localFile: read("../../.aws")}, nil, report.Fail, true},
		{"a parent of credentials", map[string]string{localFile: read("~/.config/")}, nil, report.Fail, true},
		{"the root", map[string]string{localFile: read("//")}, nil, report.Fail, true},
		{"a link to credentials", map[string]string{localFile: read("~/keys/")}, func(h household) {
			h.put(".ssh/id_rsa", "", 0o600)
			h.link(filepath.Join(h.home, ".ssh"), "keys")
		}, report.Fail, true},
		{"a link that leads nowhere yet", map[string]string{localFile: read("~/keys")},
			func(h household) { h.link(filepath.Join(h.home, ".ssh"), "keys") }, report.Fail, true},
		{"a directory below a link", map[string]string{localFile: read("~/me/.aws")},
			func(h household) { h.link(h.home, "me") }, report.Fail, true},
		{"where a place of credentials really is", map[string]string{localFile: read("~/vault")}, func(h household) {
			h.put("vault/aws/credentials", "", 0o600)
			h.link(filepath.Join(h.home, "vault", "aws"), ".aws")
		}, report.Fail, true},
		{"a pattern", map[string]string{localFile: read("~/.s*/**")}, nil, report.Fail, true},
		{"an .env file of the project", map[string]string{localFile: read("./sub/.env")}, nil, report.Fail, true},
		{"the dot in user scope", map[string]string{usersFile: read(".")}, nil, report.Fail, true},
		{"another relative path in user scope", map[string]string{usersFile: read("docs")}, nil, report.Warn, false},
		{"the token of gh, on purpose", map[string]string{localFile: read("~/.config/gh/")}, nil, report.Warn,
			false},
		{"a build cache, on purpose", map[string]string{localFile: write("~/.cache/go-build/")}, nil, report.Warn, false},
		{"all caches", map[string]string{localFile: write("~/.cache/")}, nil, report.Fail, true},
		{"a shell's start", map[string]string{localFile: write("~/.bashrc")}, nil, report.Fail, true},
		{"kept from writing by another entry",
			map[string]string{localFile: `{"sandbox":{"filesystem":{"allowWrite":["~/.bashrc"],"denyWrite":["~/.bashrc"],"allowRead":["~/.bashrc"]}}}`}, nil, report.Pass, false},
		{"writable and not readable", map[string]string{localFile: write("~/notes")},
			func(h household) { h.put("notes/x", "", 0o644) }, report.Warn, false},
		{"writable and readable", map[string]string{localFile: `{"sandbox":{"filesystem":{"allowWrite":["~/notes/a"],"allowRead":["~/notes"]}}}`}, nil, report.Pass, false},
		{"writable outside what is hidden", map[string]string{localFile: write("/opt/build")}, nil, report.Pass, false},
		{"our program", map[string]string{localFile: `{"sandbox":{"filesystem":{"allowWrite":["~/tools"],"allowRead":["~/tools"]}}}`}, func(h household) {
			h.put("tools/steward-setup", "x", 0o755)
			h.put(".claude/scripts/sandbox-bypass-warn.sh", strings.ReplaceAll(h.rendered("sandbox-bypass-warn.sh"), h.home+
				"/bin/", h.home+"/tools/"), 0o755)
		}, report.Fail, true},
		{"a hook of the user's in an allowed directory",
			map[string]string{usersFile: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"python3 \"$HOME/tools/stop.py\""}]}]},"sandbox":{"filesystem":{"allowWrite":["~/tools"],"allowRead":["~/tools"]}}}`},
			func(h household) { h.put("tools/stop.py", "", 0o644) }, report.Fail, true},
		{"the same, kept from writing", map[string]string{usersFile: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"~/tools/stop.py"}]}]},"sandbox":{"filesystem":{"allowWrite":["~/tools"],"denyWrite":["~/tools/stop.py"],"allowRead":["~/tools"]}}}`},
			func(h household) { h.put("tools/stop.py", "", 0o755) }, report.Pass, false},
		{"a hook of the user's that runs the project's file",
			map[string]string{usersFile: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/scripts/x.sh"}]}]}}`},
			func(h household) { h.put("p/scripts/x.sh", "", 0o755) }, report.Fail, true},
		{"one that the runtime keeps from writing",
			map[string]string{usersFile: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/x.sh"}]}]}}`},
			func(h household) { h.put("p/.claude/hooks/x.sh", "", 0o755) }, report.Pass, false},
		{"a status line through a link", map[string]string{usersFile: `{"statusLine":{"type":"command","command":"~/line.sh"}}`},
			func(h household) {
				h.put("p/line.sh", "", 0o755)
				h.link(filepath.Join(h.home, "p/line.sh"), "line.sh")
			}, report.Fail, true},
		{"every host", map[string]string{localFile: `{"sandbox":{"network":{"allowedDomains":["*"]}}}`}, nil, report.Fail,
			false},
		{"a public suffix", map[string]string{localFile: `{"sandbox":{"network":{"allowedDomains":["*.com"]}}}`}, nil,
			report.Fail, false},
		{"patterns that close nothing", map[string]string{localFile: `{"sandbox":{"filesystem":{"denyWrite":["./notes*","**/x","./[s]ub"]}}}`}, nil,
			report.Warn, false},
		{"directories that are closed", map[string]string{localFile: `{"sandbox":{"filesystem":{"denyWrite":["./sub/**","./{a,b}","./x"]}}}`}, nil,
			report.Pass, false},
		{"this machine", map[string]string{localFile: `{"sandbox":{"network":{"allowedDomains":["localhost"]}}}`}, nil,
			report.Warn, false},
		{"a pattern that approves runs outside",
			map[string]string{usersFile: `{"permissions":{"allow":["Bash(npm test *)"]}}`}, nil, report.Fail, false},
		{"a skill that approves them", approving(".claude/skills/x/SKILL.md", "Bash(npm test *)", ""), nil, report.Warn,
			false},
		{"a command that does", approving(".claude/commands/x.md", "Read Bash(npm:*)", `{`+bypassWarn+`}`), nil, report.Warn,
			false},
		{"a skill that approves them in front of the hook", approving(".claude/skills/x/SKILL.md", "Bash(npm test *)",
			`{`+bypassWarn+`}`), nil, report.Pass, false},
		{"a skill that approves every command", approving(".claude/skills/x/SKILL.md", "Bash, Bash(*)", ""), nil, report.Pass,
			false},
		{"the same in front of the hook", map[string]string{usersFile: `{"permissions":{"allow":["Bash(npm test *)"]},` +
			bypassWarn + `}`}, nil, report.Warn, false},
		{"the hook, and hooks are off", map[string]string{usersFile: `{"disableAllHooks":true,"permissions":{"allow":["Bash(npm test *)"]},` + bypassWarn + `}`}, nil, report.Fail, false},
		{"the same where nothing leaves the sandbox",
			map[string]string{usersFile: `{"permissions":{"allow":["Bash(npm test *)"]},"sandbox":{"allowUnsandboxedCommands":false}}`}, nil, report.Pass, false},
		{"every unix socket", map[string]string{localFile: `{"sandbox":{"network":{"allowAllUnixSockets":true}}}`}, nil,
			report.Warn, false},
		{"a command outside", map[string]string{localFile: `{"sandbox":{"excludedCommands":["ssh-add -l"]}}`}, nil,
			report.Warn, false},
		{"a masked credential that is not", map[string]string{localFile: `{"sandbox":{"credentials":{"envVars":[{"name":"A","mode":"mask"}]}}}`}, nil, report.Fail, false},
		{"a rule that is skipped, once", map[string]string{localFile: `{"permissions":{"deny":["bash(x)"]}}`}, nil,
			report.Warn, false},
		{"rules for tools that nobody has, of names that nothing is near to",
			map[string]string{localFile: `{"permissions":{"deny":["Shell(x)","Rust(x)"]}}`}, nil, report.Pass, false},
		{"slips of the keyboard", map[string]string{localFile: `{"permissions":{"deny":["Raed(~/a)","Rea(~/a)","WebFecth(domain:a.example)"]}}`}, nil, report.Warn, false},
		{"several", map[string]string{localFile: `{"sandbox":{"filesystem":{"allowRead":["~/.config/gh","~/.ssh"]},"excludedCommands":["x *"]}}`}, nil, report.Fail, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			if tt.arrange != nil {
				h.put("p/.keep", "", 0o644)
				tt.arrange(h)
			}
			r := h.project(tt.files)
			f := checkWeakenings(context.Background(), r, filepath.Join(h.home, "p"))
			wantFinding(t, f, tt.status)
			says(h, tt.name, f)
			if f.Voids != tt.voids {
				t.Errorf("voids %v: %s", f.Voids, said(f))
			}
			if (len(f.Remedies) == 0) != (tt.status == report.Pass) {
				t.Errorf("remedies %v: %s", f.Remedies, said(f))
			}
		})
	}
}

// A project may be called like a credential, and lie in a home that is a link.
func TestAProjectMayBeCalledAnything(t *testing.T) {
	h := newHousehold(t)
	h.put("src/credentials/.claude/settings.json",
		`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":[".","docs"]}}}`, 0o644)
	start := filepath.Join(h.home, "src", "credentials")
	h.put("src/credentials/.claude/settings.local.json", `{"sandbox":{"filesystem":{"allowRead":["`+start+`"]}}}`, 0o644)
	wantFinding(t, checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), start), report.Pass)
}

// What CLAUDE_CONFIG_DIR moves is as much a credential there.
func TestTheAgentsOwnDirectoryElsewhere(t *testing.T) {
	h := newHousehold(t)
	h.put("cfg/settings.json", `{"sandbox":{"filesystem":{"allowRead":["."]}}}`, 0o600)
	h.put("p/.claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["~/cfg/projects"]}}}`, 0o644)
	f := checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin", "CLAUDE_CONFIG_DIR="+h.home+"/cfg"),
		filepath.Join(h.home, "p"))
	wantFinding(t, f, report.Fail, "cfg/settings.json:1:40", "transcripts of every project", "2 settings")
}

func TestProjectSettingsAreTheLoudest(t *testing.T) {
	whole := "p/.claude/settings.json"
	for _, tt := range []struct {
		name   string
		change func(string) string
		status report.Status
		voids  bool
		words  []string
	}{
		{"a comment", func(s string) string { return strings.Replace(s, "{", "{ // why\n", 1) }, report.Fail,
			true, []string{"the runtime silently ignores all of settings.json", whole + ":1:3"}},
		{"a wrong type", func(s string) string { return strings.Replace(s, `"enabled": true`, `"enabled": "true"`, 1) },
			report.Fail, true, []string{whole + ":3:16"}},
		{"a deny rule is missing", func(s string) string { return strings.Replace(s, `"Read(~/.ssh/**)",`, "", 1) },
			report.Fail, false,
			[]string{"the policy in project scope lacks permissions.deny:Read(~/.ssh/**)", whole}},
		{"a form that holds no command", func(s string) string {
			return strings.Replace(s, `"Read(**/.env)"`, `"Read(//**/.env)"`, 1)
		}, report.Fail, false,
			[]string{"lacks permissions.deny:Read(**/.env)", "Read(//**/.env) holds the agent's own tools, but no command on " +
				"Linux (measured with 2.1.329): write Read(**/.env)", whole + ":"}},
		{"the home is not hidden", func(s string) string { return strings.Replace(s, `"~/"`, `"~/Documents"`, 1) },
			report.Fail, true, []string{"denyRead:~/"}},
		{"the sandbox is not mentioned", func(s string) string {
			return strings.Replace(s, `"enabled": true,`,
				"", 1)
		}, report.Fail, true, []string{"no settings file has a complete policy"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			r := h.project(nil)
			b, err := os.ReadFile(filepath.Join(h.home, whole))
			if err != nil {
				t.Fatal(err)
			}
			changed := tt.change(string(b))
			if changed == string(b) {
				t.Fatal("nothing was changed")
			}
			h.put(whole, changed, 0o644)
			f := checkPolicy(context.Background(), r, filepath.Join(h.home, "p"))
			wantFinding(t, f, tt.status, tt.words...)
			if f.Voids != tt.voids || len(f.Remedies) == 0 {
				t.Errorf("voids %v, remedies %v", f.Voids, f.Remedies)
			}
		})
	}
}

// A policy may stand in two files, if both count.
func TestAPolicyInParts(t *testing.T) {
	h := newHousehold(t)
	h.project(nil)
	b, err := os.ReadFile(filepath.Join(h.home, ownFile))
	if err != nil {
		t.Fatal(err)
	}
	d, err := settings.Parse("x", b)
	if err != nil {
		t.Fatal(err)
	}
	part := func(key string) string {
		for _, m := range d.Root.Members {
			if m.Key == key {
				text, _, _ := strings.Cut(string(b)[strings.Index(string(b), `"`+key+`"`):], "\n  }")
				return "{" + text + "}}"
			}
		}
		return ""
	}
	h.put(ownFile, part("sandbox"), 0o644)
	h.put(usersFile, part("permissions"), 0o600)
	f := checkPolicy(context.Background(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "p"))
	wantFinding(t, f, report.Pass, "combined from several scopes", usersFile, ownFile)
}
