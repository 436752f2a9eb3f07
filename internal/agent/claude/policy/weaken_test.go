// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each way in which a document takes protection away is
// found at its place, and a document that only protects gives none.

package policy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

// The scopes of the tables of this package's tests.
const User, Project, Local, Managed = settings.User, settings.Project, settings.Local, settings.Managed

func weakenings(t *testing.T, scope settings.Scope, doc string) []Weakening {
	t.Helper()
	return Weakenings(Document{Content: decoded(t, []byte(doc)), Scope: scope, Home: home,
		Where: func(path []string) string { return "f:" + strings.Join(path, "/") }})
}

func TestWeakenings(t *testing.T) {
	unseen := maps.Clone(kinds)
	for _, c := range []struct {
		scope                    settings.Scope
		doc, kind, where, opened string
	}{
		{Project, `{"sandbox":{"enabled":false}}`, "sandbox-off", "sandbox/enabled", "outside the sandbox"},
		{Project, `{"sandbox":{"filesystem":{"disabled":true}}}`, "filesystem-off", "sandbox/filesystem/disabled",
			"every file"},
		{Project, `{"sandbox":{"failIfUnavailable":false}}`, "may-run-without", "sandbox/failIfUnavailable", "bwrap"},
		{Project, `{"sandbox":{"allowUnsandboxedCommands":true}}`, "escape", "sandbox/allowUnsandboxedCommands",
			"unsandboxed"},
		{Project, `{"sandbox":{"autoAllowBashIfSandboxed":true}}`, "auto-allow",
			"sandbox/autoAllowBashIfSandboxed", "without a prompt"},
		{Project, `{"sandbox":{"enableWeakerNestedSandbox":true}}`, "weaker-sandbox", "sandbox/enableWeakerNestedSandbox",
			"processes"},
		{Project, `{"sandbox":{"network":{"allowAllUnixSockets":true}}}`, "sockets", "sandbox/network/allowAllUnixSockets",
			"ssh-agent"},
		{Project, `{"sandbox":{"network":{"allowUnixSockets":["/a","/b"]}}}`, "sockets", "sandbox/network/allowUnixSockets/0",
			"socket"},
		{Project, `{"sandbox":{"network":{"httpProxyPort":8080}}}`, "own-proxy", "sandbox/network/httpProxyPort", "proxy"},
		{Project, `{"sandbox":{"network":{"allowedDomains":["a.org","*"]}}}`, "wide-domain",
			"sandbox/network/allowedDomains/1", "It allows every host."},
		{Project, `{"sandbox":{"network":{"allowedDomains":["*.ngrok.io"]}}}`, "wide-domain",
			"sandbox/network/allowedDomains/0", "Anyone can receive data"},
		{Project, `{"sandbox":{"network":{"allowedDomains":["169.254.169.254"]}}}`, "wide-domain",
			"sandbox/network/allowedDomains/0", "credentials of a cloud machine"},
		{Project, `{"sandbox":{"allowUnsandboxedCommands":false},"permissions":{"allow":["Bash(:*)"]}}`,
			"allow-outside", "permissions/allow/0", "run unsandboxed"},
		{Project, `{"sandbox":{"network":{"deniedDomains":["evil.example","https://evil.example"]}}}`, "denies-nothing",
			"sandbox/network/deniedDomains/1", "denies nothing"},
		{Project, `{"sandbox":{"network":{"allowedDomains":["localhost"]}}}`, "own-machine",
			"sandbox/network/allowedDomains/0", "this machine"},
		{Project, `{"sandbox":{"excludedCommands":["docker *"]}}`, "excluded-any", "sandbox/excludedCommands/0",
			"escape the sandbox"},
		{Project, `{"sandbox":{"excludedCommands":["*"]}}`, "sandbox-off", "sandbox/excludedCommands/0", "Every command"},
		{Project, `{"sandbox":{"filesystem":{"allowRead":[".","~/.ssh/"]}}}`, "credential-path",
			"sandbox/filesystem/allowRead/1", "read SSH keys"},
		{Project, `{"sandbox":{"filesystem":{"allowWrite":["/home/me/.aws"]}}}`, "credential-path",
			"sandbox/filesystem/allowWrite/0", "read and write keys of Amazon"},
		{Project, `{"sandbox":{"filesystem":{"allowWrite":["~/.cache/go-build/"]}}}`, "writable-outside",
			"sandbox/filesystem/allowWrite/0", "go command"},
		{User, `{"sandbox":{"filesystem":{"allowRead":[" ~/.ssh "]}}}`, "credential-path", "sandbox/filesystem/allowRead/0",
			"read SSH keys"},
		{User, `{"sandbox":{"filesystem":{"allowRead":["."]}}}`, "user-scope-relative", "sandbox/filesystem/allowRead/0",
			"login"},
		{User, `{"sandbox":{"filesystem":{"allowWrite":["./x"]}}}`, "user-scope-relative", "sandbox/filesystem/allowWrite/0",
			"read and write its login"},
		{Project, `{"sandbox":{"credentials":{"envVars":[{"name":"A","mode":"mask"}]}}}`, "mask-ignored",
			"sandbox/credentials/envVars/0", "is not masked"},
		{Project, `{"permissions":{"allow":[7,"Bash(gh api graphql *)"]}}`, "allow-outside",
			"permissions/allow/1", "run unsandboxed without a prompt"},
		{Project, `{"permissions":{"allow":["Bash(*)"]}}`, "allow-rule", "permissions/allow/0", "Every command"},
		{Project, `{"permissions":{"allow":["Edit"]}}`, "writes-any", "permissions/allow/0", "writes any file"},
		{Project, `{"permissions":{"allow":["Edit(~/.bashrc)"]}}`, "writable-outside", "permissions/allow/0",
			"shell's start"},
		{User, `{"permissions":{"allow":["Edit(/scripts/**)"]}}`, "writable-outside", "permissions/allow/0", "hooks"},
		{Project, `{"permissions":{"allow":["Edit(//home/me/.claude/**)"]}}`, "credential-path", "permissions/allow/0",
			"read and write the agent's own login"},
		{Project, `{"permissions":{"allow":["Edit(~/**)"]}}`, "credential-path", "permissions/allow/0", "whole home"},
		{Project, `{"permissions":{"allow":["Edit(~/.local/*/x)"]}}`, "allow-rule", "permissions/allow/0",
			"writes programs on your PATH"},
		{Project, `{"permissions":{"allow":["Write(~/.claude/**)"]}}`, "allow-rule", "permissions/allow/0", "hooks"},
		{User, `{"permissions":{"additionalDirectories":["~/"]}}`, "credential-path", "permissions/additionalDirectories/0",
			"whole home"},
		{Project, `{"permissions":{"additionalDirectories":["~/.local/bin"]}}`, "writable-outside",
			"permissions/additionalDirectories/0", "PATH"},
		{Project, `{"permissions":{"allow":["Read(~/.aws/**)"]}}`, "allow-rule", "permissions/allow/0", "Amazon"},
		{Project, `{"permissions":{"allow":["WebFetch"]}}`, "fetch-any", "permissions/allow/0", "any host"},
		{User, `{"permissions":{"allow":["WebFetch(*)"]}}`, "fetch-any", "permissions/allow/0", "any host"},
		{Project, `{"permissions":{"allow":["Monitor"]}}`, "fetch-any", "permissions/allow/0", "WebSockets"},
		{User, `{"permissions":{"allow":["Monitor(*)"]}}`, "fetch-any", "permissions/allow/0", "WebSockets"},
		{User, `{"permissions":{"allow":["Workflow"]}}`, "allow-rule", "permissions/allow/0", "worktrees"},
		{Project, `{"permissions":{"allow":["Workflow(*)"]}}`, "allow-rule", "permissions/allow/0", "worktrees"},
		{Project, `{"permissions":{"allow":["WebFetch(domain:*)"]}}`, "wide-domain", "permissions/allow/0",
			"it allows every host."},
		{Project, `{"permissions":{"allow":["WebFetch(domain:*.com)"]}}`, "wide-domain", "permissions/allow/0",
			"public suffix"},
		{Project, `{"permissions":{"allow":["WebFetch(domain:*.vercel.app)"]}}`, "shared-domain", "permissions/allow/0",
			"Anyone can have a host"},
		{Project, `{"sandbox":{"network":{"allowedDomains":["*.github.io"]}}}`, "shared-domain",
			"sandbox/network/allowedDomains/0", "Anyone can have a host"},
		{Project, `{"sandbox":{"network":{"allowedDomains":["*.amazonaws.com"]}}}`, "shared-domain",
			"sandbox/network/allowedDomains/0", "receive there what a command sends"},
		{Project, `{"permissions":{"allow":["WebFetch(domain:docs.*)"]}}`, "wide-domain", "permissions/allow/0",
			"any host that matches"},
		{Project, `{"permissions":{"allow":["WebFetch(domain:localhost)"]}}`, "own-machine", "permissions/allow/0",
			"this machine"},
		{Project, `{"permissions":{"allow":["WebFetch(domain:evil.example)"]}}`, "fetch-host", "permissions/allow/0",
			"opens evil.example to sandboxed commands"},
		{Project, `{"sandbox":{"network":{"allowedDomains":["b.org"]}},"permissions":{"allow":["WebFetch(domain:*.b.org)"]}}`,
			"fetch-host", "permissions/allow/0", "*.b.org"},
		{Project, `{"permissions":{"defaultMode":"bypassPermissions"}}`, "bypass", "permissions/defaultMode",
			"without prompts"},
		{User, `{"permissions":{"defaultMode":"auto"}}`, "auto", "permissions/defaultMode", "classifier"},
		{User, `{"permissions":{"defaultMode":"acceptEdits"}}`, "accept-edits", "permissions/defaultMode", "changes files"},
		{User, `{"permissions":{"allow":["Read"]}}`, "reads-any", "permissions/allow/0", "every file"},
		{User, `{"remoteControlAtStartup":true}`, "sends", "remoteControlAtStartup", "claude.ai"},
		{User, `{"env":{"CLAUDE_CODE_MANAGED_SETTINGS_PATH":"/x"}}`, "replaces-settings",
			"env/CLAUDE_CODE_MANAGED_SETTINGS_PATH", "settings"},
		{Project, `{"permissions":{"additionalDirectories":["~/x"]}}`, "directory", "permissions/additionalDirectories/0",
			"read and write this directory"},
		{Project, `{"disableAllHooks":true}`, "hooks-off", "disableAllHooks", "No hook"},
		{Project, `{"apiKeyHelper":"cat key"}`, "program", "apiKeyHelper", "outside the sandbox"},
		{Project, `{"enableAllProjectMcpServers":true}`, "project-servers", "enableAllProjectMcpServers", ".mcp.json"},
		{Project, `{"env":{"http_proxy":"x"}}`, "environment", "env/http_proxy", "through another proxy"},
		{User, `{"env":{"BASH_ENV":"secret"}}`, "runs-first", "env/BASH_ENV", "before the sandbox starts"},
		{User, `{"env":{"BASH_FUNC_ls%%":"() { secret; }"}}`, "runs-first", "env/BASH_FUNC_ls%%",
			"before the sandbox starts"},
		{User, `{"env":{"NODE_OPTIONS":"--require secret"}}`, "runs-first", "env/NODE_OPTIONS",
			"before the sandbox starts"},
		{User, `{"env":{"CLAUDE_CODE_SIMPLE":"1"}}`, "environment", "env/CLAUDE_CODE_SIMPLE", "switches hooks off"},
		{User, `{"env":{"CLAUDE_CODE_NEW_THING":"secret"}}`, "unknown-variable", "env/CLAUDE_CODE_NEW_THING",
			"not documented"},
		{Project, `{"env":{"EDITOR":"secret"}}`, "environment", "env/EDITOR", "names a program"},
		{Project, `{"env":{"FOO":"secret"}}`, "environment", "env/FOO", "is set for the agent"},
	} {
		got := weakenings(t, c.scope, c.doc)
		if len(got) == 0 {
			t.Errorf("%s: nothing is found", c.doc)
			continue
		}
		w := got[0]
		delete(unseen, w.Kind)
		if paths := []string{"credential-path", "writable-outside", "user-scope-relative"}; w.OpensPath() !=
			slices.Contains(paths, w.Kind) {
			t.Errorf("%s: opens a path: %v", c.doc, w.OpensPath())
		}
		if w.Kind != c.kind || w.Where != "f:"+c.where || !strings.Contains(w.Opens, c.opened) ||
			!strings.HasSuffix(w.Opens, ".") || w.Text == "" {
			t.Errorf("%s: %+v", c.doc, w)
		}
		if strings.Contains(w.Text, "secret") {
			t.Errorf("%s: the value of a variable is shown", c.doc)
		}
	}
	for kind := range unseen {
		t.Errorf("no document is weakened by %q", kind)
	}
}

func TestWhatDoesNotWeaken(t *testing.T) {
	for _, c := range []struct {
		scope settings.Scope
		doc   string
	}{
		{Project, `{}`},
		{Project, `{"sandbox":{"enabled":true,"allowUnsandboxedCommands":false,"filesystem":{"allowRead":[".","~/.gitconfig","~/go/pkg/mod/"],"allowWrite":["build"]}}}`},
		{User, `{"sandbox":{"filesystem":{"allowRead":["~/.gitconfig","/opt/x"]},"credentials":{"envVars":[{"name":"A","mode":"mask"}]}}}`},
		{Project, `{"permissions":{"allow":["Read(src/**)","Edit(src/**)","Edit(/**)","Edit(**)","Edit(~/code/other/**)","mcp__x__y","WebSearch"]}}`},
		{Managed, `{"sandbox":{"credentials":{"envVars":[{"name":"A","mode":"mask"}]}}}`},
		{Project, `{"env":{"CLAUDE_CODE_EFFORT_LEVEL":"high","DISABLE_TELEMETRY":"1","NODE_ENV":"test","NODE_OPTIONS":"--max-old-space-size=8192","HOME":"/x","CLAUDE_CODE_ENABLE_TELEMETRY":"1"}}`},
		{User, `{"env":{"CLAUDE_CODE_EFFORT_LEVEL":"high","EDITOR":"vi","FOO":"x","PYTHONUNBUFFERED":"1","OTEL_METRICS_EXPORTER":"otlp","AWS_PROFILE":"work"}}`},
		{Project, `{"apiKeyHelper":"","disableAllHooks":false,"sandbox":"not an object","permissions":{"allow":"x","deny":[1]}}`},
	} {
		if got := weakenings(t, c.scope, c.doc); len(got) > 0 {
			t.Errorf("%s: %+v", c.doc, got)
		}
	}
}

// Which file says that no command leaves the sandbox does not matter: an allow
// rule then approves nothing outside.
func TestWhatCannotLeaveIsNotApproved(t *testing.T) {
	d := Document{Content: decoded(t, []byte(`{"permissions":{"allow":["Bash(npm test *)"]}}`)), Scope: User, Home: home}
	if got := Weakenings(d); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	d.Sealed = true
	if got := Weakenings(d); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	d.Content = decoded(t, []byte(`{"permissions":{"allow":["Bash(:*)"]}}`))
	if got := Weakenings(d); len(got) != 1 || got[0].Kind != "allow-rule" {
		t.Errorf("Bash(:*): %+v", got)
	}
}

// A program is shown without the arguments that may be secrets.
func TestAProgramIsShown(t *testing.T) {
	if got := weakenings(t, User, `{"sandbox":{"ripgrep":{"command":"/tmp/x","args":["-p","hunter2"]}}}`); len(got) != 1 ||
		got[0].Text != `/tmp/x -p [redacted]` {
		t.Errorf("%+v", got)
	}
}

// A host that commands reach anyway is no more open by a rule for WebFetch.
func TestWhatIsAllowedAnywayIsNotOpenedByARule(t *testing.T) {
	d := Document{Content: decoded(t, []byte(`{"sandbox":{"network":{"allowedDomains":["*.own.org"]}},"permissions":{"allow":[
		"WebFetch(domain:Docs.own.org)","WebFetch(domain:*.own.org)","WebFetch(domain:*.a.own.org)","WebFetch(domain:github.com)","WebFetch(https://x.example)","WebFetch()"]}}`)),
		Scope: User, Home: home, Hosts: []string{"GitHub.com"}}
	if got := Weakenings(d); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

// Whoever writes one value of a settings file decides about that value alone.
func TestANumberThatIsTooLargeTakesNothingElse(t *testing.T) {
	file := decoded(t, []byte(`{"path": "~/x", "n": 1e999}`))
	doc := Written([]Entry{{Key: claude.KeyCredentialFiles.String(), Value: file},
		{Key: claude.KeySandboxEnabled.String(), Value: value(t, true)}})
	if !at(doc, claude.KeySandboxEnabled.String()).True() || len(elements(doc, claude.KeyCredentialFiles.String())) != 1 {
		t.Errorf("read as %v", doc)
	}
}

func TestMissing(t *testing.T) {
	whole := decoded(t, build(t, Found{}, nil).Document)
	if got := load(t).Missing(whole, home); len(got) > 0 {
		t.Errorf("the template lacks %q", ids(got))
	}
	if got := load(t).Missing(nil, home); len(got) < 10 {
		t.Errorf("an empty document lacks only %q", ids(got))
	}
	with := func(key string, vs ...any) *settings.Value {
		var entries []Entry
		for _, v := range vs {
			entries = append(entries, Entry{Key: key, Value: value(t, v)})
		}
		return Written(entries)
	}
	for _, c := range []struct {
		id   string
		doc  *settings.Value
		held bool
	}{
		{"sandbox.enabled", with("sandbox.enabled", true), true},
		{"sandbox.enabled", with("sandbox.enabled", false), false},
		{"sandbox.filesystem.denyRead:~/", with("sandbox.filesystem.denyRead", "/home/"), true},
		{"sandbox.filesystem.denyRead:~/", with("sandbox.filesystem.denyRead", "~"), true},
		{"sandbox.filesystem.denyRead:~/", with("sandbox.filesystem.denyRead", "~/.ssh", "/home/you"), false},
		{"permissions.deny:Read(**/.env)", with("permissions.deny", "Read(//**/.env)"), false},
		{"permissions.deny:Read(**/.env)", with("permissions.deny", "Read(.env)"), false},
		{"permissions.deny:Read(**/.env)", with("permissions.deny", "Read(./**/.env)"), true},
		{"permissions.deny:Read(**/.env)", with("permissions.deny", "Edit(**/.env)"), false},
		{"permissions.deny:Read(~/.aws/**)", with("permissions.deny", "Read(~/.aws/)"), true},
		{"permissions.deny:Read(~/.aws/**)", with("permissions.deny", "Read(//home/me/.aws/**)"), true},
		{"permissions.deny:Read(~/.aws/**)", with("permissions.deny", "Read(~/**)"), true},
		{"permissions.deny:Read(~/.aws/**)", with("permissions.deny", "Read(~/.aws/config)"), false},
		{"permissions.deny:Read(~/.aws/**)", with("permissions.deny", "Read"), true},
		{"permissions.deny:Read(~/.aws/**)", with("permissions.ask", "Read(~/.aws/**)"), false},
		{"permissions.deny:Edit(.claude/settings.json)", with("permissions.deny", "Write(.claude/settings.json)",
			"MultiEdit(.claude/settings.json)"), false},
		{"permissions.deny:Edit(.claude/settings.json)", with("permissions.deny", "Edit(**/.claude/settings.json)"), true},
		{"permissions.deny:Edit(.claude/settings.json)", with("permissions.deny", "Edit(/.claude/settings.json)"), true},
		{"permissions.ask:Bash(git push *)", with("permissions.ask", "Bash(git push:*)"), true},
		{"permissions.ask:Bash(git push *)", with("permissions.deny", "Bash(git *)"), true},
		{"permissions.ask:Bash(git push *)", with("permissions.ask", "Bash(git push)"), false},
		{"permissions.ask:Bash(git push *)", with("permissions.ask", "Bash(git pu *)"), false},
		{"permissions.ask:Bash(git push *)", with("permissions.allow", "Bash(git push *)"), false},
	} {
		held := true
		for _, m := range load(t).Missing(c.doc, home) {
			held = held && m.ID() != c.id
		}
		if held != c.held {
			t.Errorf("%s with %v: held %v, want %v", c.id, c.doc, held, c.held)
		}
	}
}
