// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no spelling of a path to a credential passes, and no
// ordinary path is taken for one.

package sensitive

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

const home = "/home/me"

func init() {
	env.Add(env.Agent{Secrets: [][]string{{"the agent's own login", ".claude/login"}, {"transcripts", ".claude/projects"}},
		Outside: [][]string{{"the agent's settings, hooks and scripts", ".claude"}}})
}

func TestCredentialPath(t *testing.T) {
	for p, want := range map[string]string{
		"~/.ssh": "SSH keys", "~/.ssh/": "SSH keys", "~/.ssh/**": "SSH keys", "~/.ssh/id_rsa": "SSH keys",
		"/home/me/.ssh":   "SSH keys",
		"//home/me/.ssh/": "SSH keys", "~/x/../.ssh": "SSH keys", "~/./.ssh//": "SSH keys", "~/.SSH": "SSH keys",
		"/home/other/.aws/credentials": "Amazon", "/root/.kube": "Kubernetes", "/mnt/c/Users/me/.azure": "Azure",
		"~/.config/gh": "gh", "~/.config/gh/hosts.yml": "gh", "~/.config/gcloud/": "Google",
		"~/.config/git/credentials": "git",
		"~/.config":                 "Google", "~/.config/git": "git", "~/.cargo": "crates.io", "~/.claude": "login",
		"~/.claude/projects/x": "transcripts", "~/.local/share": "keyrings",
		"~": "home directory", "~/": "home directory", "/home/me": "home directory", "/home": "home directory",
		"~/../me": "home directory", "~/..": "home directory",
		"/": "everything", "//": "everything", "/..": "everything", "..": "above the project", "../../x": "above the project",
		"~/*": "home directory", "~/.*": "SSH keys", "~/.s*/": "SSH keys", "~/**": "home directory", "~/.config/*": "Google",
		"~/.config/g?": "gh",
		".env":         ".env", "sub/.env.local": ".env", "**/.env": ".env", "./.env": ".env", ".e*": ".env",
		"~/code/x/.npmrc": "registry", "backup/id_ed25519.old": "SSH key", "keys/my_private_key.pem": "private key",
		"/run/user/*/gnupg/": "GnuPG",
		"~/.netrc":           "passwords", "~/.docker/config.json": "Docker", "~/.gnupg/": "GnuPG", "~/.pypirc": "PyPI",
		"~/.bash_history": "command lines",
		"~/.pgpass":       "PostgreSQL", "~/.terraform.d/": "Terraform", "~/.mozilla": "Firefox",
		"~/.config/google-chrome/Default": "Chrome", "~/.config/op": "1Password",
		"~/.config/rclone/rclone.conf": "rclone", "~/.config/sops/age/keys.txt": "sops", "~/.config/age": "age",
		"~/.boto": "keys", "~/.databrickscfg": "Databricks", "~/.oci/": "Oracle",
		"~/.cache/huggingface": "Hugging Face", "~/.cache": "Hugging Face", "~/.huggingface/": "Hugging Face",
		"~/.config/stripe/config.toml": "Stripe",
		"~/.config/openai":             "OpenAI", "~/.local/share/atuin": "command lines",
		"~/.config/io.datasette.llm": "llm", "~/.subversion": "Subversion",
		"~/.age/key.txt": "age", "~/.putty": "PuTTY", "~/.lastpass": "LastPass", "~/.continue/config.json": "Continue",
		"~/.aider.conf.yml":   "aider",
		"~/.config/Code/User": "VS Code", "~/.vscode-server/data": "VS Code",
	} {
		if got, ok := CredentialPath(p, home); !ok || !strings.Contains(got, want) {
			t.Errorf("%q: %q %v, want %q", p, got, ok, want)
		}
	}
	for _, p := range []string{".", "./", "src", "**", "*", "~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore",
		"~/.cache/uv/", "~/.cache/huggingface/hub", "~/.aider.tags", "~/go/pkg/mod/",
		"~/.local/share/uv/", "~/.local/bin/", "~/.cargo/bin/", "~/.cargo/registry/", "~/.config/tracker/", "~/code/tracker",
		"/home/me/code/tracker", "/home/meow",
		"/usr/share", "/opt/x", ".env.example", "sub/.env.sample", "~/.nvm/versions/", "~/.sshfs-notes", "environment", ""} {
		if which, ok := CredentialPath(p, home); ok {
			t.Errorf("%q is taken for %s", p, which)
		}
	}
	if _, ok := CredentialPath("/anything", ""); ok {
		t.Error("without a home directory, an ordinary path is taken for a credential")
	}
}

func TestRunsOutside(t *testing.T) {
	for p, want := range map[string]string{
		"~/.local/bin/": "PATH", "~/.local/bin/x": "PATH", "~/.local": "PATH", "~/go": "PATH", "~/.cache": "commit",
		"~/.cache/go-build/": "go command",
		"/home/me/.bashrc":   "shell", "~/.claude/scripts": "hooks", "~/": "home", "/": "everything", "~/.config/": "git",
		"~/.cache/uv": "environments",
		"/etc":        "configuration", "/etc/profile.d/x.sh": "configuration", "/opt": "PATH", "/opt/homebrew/bin": "PATH",
		"/usr/local/bin": "programs", "/usr/": "programs", "/var/spool/cron": "set times", "/var": "set times",
		"~/.oh-my-zsh": "shell", "~/.vscode/extensions": "editor", "~/.vscode-server": "editor",
		"~/.config/environment.d": "session", "~/.pam_environment": "session", "~/.xprofile": "session",
		"~/.vimrc": "editor", "~/.config/nvim": "editor", "~/.emacs.d": "editor", "~/.inputrc": "key", "~/.tmux.conf": "tmux",
		"~/.gdbinit": "gdb", "~/.asdf": "tools", "~/.m2/repository": "Maven", "~/.local/share/direnv/allow": "direnv",
		"~/.local/state/mise": "trusts", "~/.cache/ccache": "built", "~/.cache/gitstatus": "prompt", "~/.yarn": "yarn",
		"~/.virtualenvs/x": "Pythons", "~/.rbenv": "interpreters", "~/.goenv": "compilers",
		"~/.local/state/steward-setup": "approvals", "~/.config/steward-setup/": "versions",
	} {
		if got, ok := RunsOutside(p, home); !ok || !strings.Contains(got, want) {
			t.Errorf("%q: %q %v, want %q", p, got, ok, want)
		}
	}
	for _, p := range []string{".", "build", "/tmp/x", "~/code", "~/.cache/mypy", "~/data", "/opt/x", "/var/tmp", "/srv",
		"/home/other/code", "~/.local/state/x", "~/.config/tracker"} {
		if which, ok := RunsOutside(p, home); ok {
			t.Errorf("%q is taken for %s", p, which)
		}
	}
}

// However a path is spelled, the judgement is the same.
func FuzzCredentialPath(f *testing.F) {
	for _, s := range []string{"~/.ssh", "/home/me/.aws/x", ".env", "**/.env", "~/.config", "~", "/", "..", "~/[", "a//b",
		"~/.config/g[h]", "\x00", " ", "/ "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		which, ok := CredentialPath(p, home)
		p = strings.TrimSpace(p) // blanks around it do not count, and do before a slash
		spellings := []string{p + "/", p + "/.", p + "/**", p + "/x/.."}
		if strings.HasPrefix(p, "/") {
			spellings = append(spellings, "/"+p, "/usr/.."+p)
		}
		if rest, below := strings.CutPrefix(p, "~/"); below {
			spellings = append(spellings, home+"/"+rest, "~/./"+rest)
		}
		if p == "" {
			spellings = nil // the empty path is none; with a slash it is the root
		}
		for _, s := range spellings {
			if w, o := CredentialPath(s, home); o != ok || w != which {
				t.Errorf("%q: %q %v, but %q: %q %v", p, which, ok, s, w, o)
			}
		}
	})
}

func TestDotenv(t *testing.T) {
	for name, want := range map[string]bool{".env": true, ".env.local": true, ".env.production": true,
		".env.example.local": true,
		".env.example":       false, ".env.sample": false, ".env.template": false, ".env.dist": false, ".env.defaults": false,
		".envrc": false, ".environment": false, "prod.env": false, "": false} {
		if Dotenv(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
		if _, called := CredentialPath("/srv/app/"+name, home); called != want {
			t.Errorf("a path to %s: %t", name, called)
		}
	}
}
