// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which variables of a project's settings decide what runs
// outside the sandbox, whom the agent talks to, or whom it trusts. Values are
// never shown: they may be secrets.

package verify

import (
	"path"
	"strings"
)

// envEffects say what a variable that a project sets would do, by pattern of
// its name in capitals; the first match counts. The runtime sets what "env" in
// settings says for itself, for hooks and for the programs that it starts,
// also in a folder that nobody trusted (measured with 2.1.329: a project's
// ANTHROPIC_BASE_URL took the session's traffic).
var envEffects = []struct{ pattern, effect string }{
	{"PATH", "decides which programs run, bwrap and git among them"},
	{"BASH_ENV", "is a script that every bash runs first"},
	{"ENV", "is a script that every interactive sh runs first"},
	{"LD_*", "loads code into every program that is started"},
	{"DYLD_*", "loads code into every program that is started (macOS)"},
	{"NODE_EXTRA_CA_CERTS", "makes the agent trust another authority for TLS: whoever holds it can read its requests"},
	{"NODE_TLS_*", "takes away that the agent looks whom it talks to"},
	{"NODE_*", "loads code into every Node program, or changes where it looks for it"},
	{"PYTHON*", "loads code into every Python program, hooks among them"},
	{"PERL5*", "loads code into every Perl program"},
	{"RUBY*", "loads code into every Ruby program"},
	{"JAVA_TOOL_OPTIONS", "loads code into every Java program"},
	{"GIT_*", "names programs that git runs outside the sandbox, or leads it to another repository"},
	{"ANTHROPIC_*", "decides where the agent's requests go, and with which key"},
	{"CLAUDE_CODE_USE_*", "sends the agent's requests to another service"},
	{"CLAUDE_CODE_*_BASE_URL", "sends the agent's requests to another place"},
	{"CLAUDE_CODE_SKIP_*", "lets the agent's requests go without a login of yours"},
	{"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "changes the environment of sandboxed commands behind the policy's back"},
	{"CLAUDE_CODE_API_*", "decides where the agent's requests go, and with which key"},
	{"CLAUDE_CODE_SHELL*", "names the program that runs every command"},
	{"CLAUDE_CONFIG_DIR", "puts other settings in the place of yours"},
	{"CLAUDE_ENV_FILE", "is a script that is run before every command"},
	{"IS_SANDBOX", "lets root skip every question"},
	{"*_PROXY", "sends traffic through a proxy that the project names"},
	{"*_BASE_URL", "sends requests to another place"},
	{"AWS_ENDPOINT_URL*", "sends requests to another place"},
	{"OTEL_EXPORTER_*", "sends what the agent reports of itself to another place"},
	{"SSL_CERT_*", "makes programs trust another authority for TLS"},
	{"*_CA_BUNDLE", "makes programs trust another authority for TLS"},
	{"HOME", "decides what ~ means, in rules and settings too"},
	{"SHELL", "names the shell that runs every command"},
	{"EDITOR", "names a program that runs outside the sandbox"},
	{"VISUAL", "names a program that runs outside the sandbox"},
	{"PAGER", "names a program that runs outside the sandbox"},
	{"BROWSER", "names a program that runs outside the sandbox"},
}

// envEffect says what a variable would do, "" if it decides nothing outside
// the sandbox that is known.
func envEffect(name string) string {
	name = strings.ToUpper(name)
	for _, e := range envEffects {
		if ok, _ := path.Match(e.pattern, name); ok {
			return e.effect
		}
	}
	return ""
}
