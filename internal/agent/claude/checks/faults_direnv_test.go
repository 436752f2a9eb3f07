// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an allowed .envrc is no more than what it loads: its words
// are direnv's (direnv-stdlib(1)), the record of what is allowed is as direnv
// 2.32.1 writes it.

package checks_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// allowsEnvrc puts an .envrc into the project that the user has allowed.
func (m *Machine) allowsEnvrc(text string) {
	const envrc = "~/code/tracker/.envrc"
	m.write(envrc, text, 0o644)
	m.write(fmt.Sprintf("~/.local/share/direnv/allow/%x", sha256.Sum256([]byte(m.at(envrc)+"\n"+text))), m.at(envrc)+"\n",
		0o644)
}

func envrc(want report.Status, text string) Fault {
	line, _, _ := strings.Cut(text, "\n")
	return Fault{Name: "an .envrc that the user allowed: " + strings.ReplaceAll(text, "\n", "; "),
		Breaks: "policy-invariants", Want: want, Voids: want == report.Fail,
		Where: "~/code/tracker/.envrc#" + line, Break: func(m *Machine) { m.allowsEnvrc(text) }}
}

var envrcFaults = slices.Concat(
	each(func(text string) Fault { return envrc(report.Fail, text) }, "source_env other.sh",
		"source_env_if_exists .envrc.local", "[ -f env.sh ] && source ./env.sh",
		"dotenv", "dotenv_if_exists .env.local", "use flake", "use nix", "use guix", "use_flake", "use devenv",
		`eval "$(cat vars)"`, "./tools/setup", "layout pipenv"),
	each(func(text string) Fault { return envrc(report.Warn, text) }, "PATH_add node_modules/.bin", "layout python3",
		"use node", "use rbenv", "use julia 1.10", "use_node"),
)

// ownEnvrc loads nothing of the project; one that was changed since is not
// allowed.
func ownEnvrc(m *Machine) {
	m.allowsEnvrc("export AWS_PROFILE=dev\nexport GREETING=\"hello\"\nsource_env ~/.config/work.sh\n" +
		"dotenv /etc/default/x\nwatch_file package.json\nsource_up\nenv_vars_required AWS_PROFILE\n")
}

func changedEnvrc(m *Machine) {
	m.allowsEnvrc("source_env other.sh")
	m.write("~/code/tracker/.envrc", "source_env more.sh", 0o644)
}
