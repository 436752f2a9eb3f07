// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which variables of a project's settings decide what runs
// outside the sandbox, whom the agent talks to, or whom it trusts. What is not
// known to be harmless is not known. Values are never shown: they may
// be secrets.

package verify

import (
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
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
	{"SHELLOPTS", "switches options of every bash: with xtrace, PS4 runs before each of its commands"},
	{"BASHOPTS", "switches options of every bash"},
	{"PS4", "is expanded, with the commands in it, before each command of a bash that traces"},
	{"BASH_FUNC_*", "puts a function in the place of a command in every bash"},
	{"ZDOTDIR", "names the directory whose files every zsh runs first"},
	{"LD_*", "loads code into every program that is started"},
	{"DYLD_*", "loads code into every program that is started (macOS)"},
	{"NODE_EXTRA_CA_CERTS", "makes the agent trust another authority for TLS: whoever holds it can read its requests"},
	{"NODE_TLS_*", "takes away that the agent looks whom it talks to"},
	{"BUN_*", "loads code into every Bun program, the agent among them"},
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
	{"CLAUDE_CODE_PLUGIN_*DIR*", "names a directory that plugins are loaded from: their hooks run outside the sandbox"},
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
	{"MANPAGER", "names a program that runs outside the sandbox"},
	{"LESSOPEN", "is a command that less runs on every file"},
	{"LESSCLOSE", "is a command that less runs after every file"},
	{"RIPGREP_CONFIG_PATH", "names a file of options for the agent's search, which can name a program"},
	{"OPENSSL_CONF", "loads code into every program that uses OpenSSL"},
	{"OPENSSL_*", "loads code into every program that uses OpenSSL"},
	{"GCONV_PATH", "loads code into every program that converts text"},
	{"XDG_CONFIG_*", "puts other settings in the place of yours, git's among them"},
	{"XDG_STATE_HOME", "says where approvals are kept"},
	{"XDG_CACHE_HOME", "says where stored proofs are kept"},
	{"XDG_DATA_*", "puts other programs' files in the place of yours"},
	{"SSH_AUTH_SOCK", "says which agent signs for you"},
	{"TMPDIR", "decides where what runs outside the sandbox keeps its files"},
}

// envEffect says what a variable would do, "" if it is known to be harmless.
func envEffect(name string) string {
	if claude.HarmlessVariable(name) {
		return ""
	}
	if effect := knownEffect(name); effect != "" {
		return effect
	}
	return unknownEffect
}

// unknownEffect is what is said of a variable that no list holds.
const unknownEffect = "may steer what runs outside the sandbox; not known to be harmless"

// knownEffect says what a variable of the table does, "" if it is not in it.
func knownEffect(name string) string {
	for _, e := range envEffects {
		if ok, _ := path.Match(e.pattern, strings.ToUpper(name)); ok {
			return e.effect
		}
	}
	return ""
}
