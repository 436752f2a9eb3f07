// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: places of credentials, one row each, from the manuals of
// the programs that keep them there, and places whose content runs outside.
// Whatever the policy denies by name is among them.

package sensitive

import (
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// places are credentials and outside, each with the rows of the agents behind.
var places = sync.OnceValue(func() (all struct{ credentials, outside [][]string }) {
	all.credentials, all.outside = credentials, outside
	for _, a := range env.Agents() {
		all.credentials, all.outside = append(all.credentials, a.Secrets...), append(all.outside, a.Outside...)
	}
	return all
})

// credentials are the usual places of credentials, below the home directory: a
// row is what is there, and where.
var credentials = [][]string{
	{"SSH keys", ".ssh"},
	{"GnuPG keys", ".gnupg"},
	{"keys of Amazon Web Services", ".aws"},
	{"tokens of Azure", ".azure"},
	{"tokens of Google Cloud", ".gcloud", ".config/gcloud"},
	{"access to Kubernetes clusters", ".kube", ".rancher"},
	{"registry logins of Docker", ".docker"},
	{"the token of gh", ".config/gh"},
	{"passwords for curl, ftp and git", ".netrc"},
	{"the token of the npm registry", ".npmrc"},
	{"the token for uploads to PyPI", ".pypirc"},
	{"passwords that git keeps", ".git-credentials", ".config/git/credentials"},
	{"the token for uploads to crates.io", ".cargo/credentials.toml", ".cargo/credentials"},
	{"passwords of Maven", ".m2/settings.xml", ".m2/settings-security.xml"},
	{"passwords of Gradle", ".gradle/gradle.properties"},
	{"the store of pass", ".password-store"},
	{"a token of HashiCorp Vault", ".vault-token"},
	{"the keyrings of the desktop", ".local/share/keyrings"},
	{"the keychains of macOS", "Library/Keychains"},
	{"passwords of PostgreSQL", ".pgpass"},
	{"tokens of Terraform", ".terraform.d", ".terraformrc"},
	{"keys of Oracle Cloud", ".oci"},
	{"keys of Amazon Web Services or Google Cloud", ".boto"},
	{"tokens of Databricks", ".databrickscfg", ".databricks"},
	{"the login of 1Password", ".config/op", ".op"},
	{"passwords and tokens of rclone", ".config/rclone"},
	{"keys of sops", ".config/sops"},
	{"keys of age", ".config/age", ".age"},
	{"passwords and cookies of Firefox", ".mozilla", "snap/firefox", "Library/Application Support/Firefox"},
	{"passwords and cookies of Chrome", ".config/google-chrome", "Library/Application Support/Google/Chrome"},
	{"passwords and cookies of Chromium", ".config/chromium", "snap/chromium"},
	{"the key that signs verify's results", ".local/state/steward-setup"},
	{"the token of hub", ".config/hub"},
	{"the token of glab", ".config/glab-cli"},
	{"tokens of Gitea", ".config/tea"},
	{"tokens of DigitalOcean", ".config/doctl"},
	{"tokens of Hetzner Cloud", ".config/hcloud"},
	{"tokens of Linode", ".config/linode-cli"},
	{"keys of Scaleway", ".config/scw"},
	{"keys of Exoscale", ".config/exoscale"},
	{"passwords of OpenStack", ".config/openstack"},
	{"tokens of IBM Cloud", ".bluemix"},
	{"keys of Alibaba Cloud", ".aliyun"},
	{"tokens of Heroku", ".config/heroku"},
	{"tokens of Fly.io", ".fly"},
	{"tokens of Netlify", ".config/netlify", ".netlify"},
	{"tokens of Cloudflare", ".config/.wrangler", ".wrangler"},
	{"keys of Cloudflare tunnels", ".cloudflared"},
	{"tokens of Vercel", ".local/share/com.vercel.cli"},
	{"tokens of ngrok", ".config/ngrok", ".ngrok2"},
	{"tokens of Pulumi", ".pulumi"},
	{"keys of s3cmd", ".s3cfg"},
	{"keys of s3fs", ".passwd-s3fs"},
	{"keys of MinIO", ".mc"},
	{"logins of Snowflake", ".snowflake", ".snowsql"},
	{"the token of Kaggle", ".kaggle"},
	{"the token for uploads to RubyGems", ".gem/credentials", ".local/share/gem/credentials"},
	{"passwords of Bundler", ".bundle/config"},
	{"passwords of Poetry", ".config/pypoetry/auth.toml"},
	{"passwords of package indexes", ".config/pip/pip.conf", ".pip/pip.conf"},
	{"passwords of Composer", ".composer/auth.json", ".config/composer/auth.json"},
	{"passwords of NuGet", ".nuget/NuGet/NuGet.Config", ".config/NuGet"},
	{"the token for uploads to Hex", ".hex"},
	{"tokens of Node tools", ".config/configstore"},
	{"registry logins of Podman", ".config/containers/auth.json"},
	{"registry logins of Helm", ".config/helm"},
	{"images and secrets of Podman", ".local/share/containers"},
	{"tokens of Argo CD", ".config/argocd"},
	{"access to Talos clusters", ".talos"},
	{"the vault of 1Password", ".config/1Password"},
	{"the vault of Bitwarden", ".config/Bitwarden", ".config/Bitwarden CLI", ".local/share/rbw"},
	{"the login of Bitwarden", ".config/rbw"},
	{"where KeePassXC keeps its databases", ".config/keepassxc"},
	{"the wallet of KDE", ".local/share/kwalletd"},
	{"the store of gopass", ".local/share/gopass", ".config/gopass"},
	{"passwords of Emacs", ".authinfo", ".authinfo.gpg"},
	{"passwords of MySQL", ".my.cnf", ".mylogin.cnf"},
	{"passwords of mail", ".config/msmtp", ".msmtprc", ".mbsyncrc", ".fetchmailrc", ".offlineimaprc", ".config/neomutt",
		".config/mutt", ".mutt", ".muttrc"},
	{"mail and passwords of Thunderbird", ".thunderbird"},
	{"passwords and cookies of Brave", ".config/BraveSoftware"},
	{"passwords and cookies of Edge", ".config/microsoft-edge"},
	{"passwords and cookies of Vivaldi", ".config/vivaldi"},
	{"passwords and cookies of Opera", ".config/opera"},
	{"passwords and cookies of LibreWolf", ".librewolf"},
	{"data of Flatpak programs, browsers among them", ".var/app"},
	{"messages of Signal", ".config/Signal"},
	{"the login of Slack", ".config/Slack"},
	{"the login of Discord", ".config/discord"},
	{"messages of Telegram", ".local/share/TelegramDesktop"},
	{"passwords of Pidgin", ".purple"},
	{"passwords of WeeChat", ".weechat", ".config/weechat"},
	{"a wallet", ".electrum", ".bitcoin", ".ethereum", ".monero", ".config/solana", ".config/Exodus",
		".config/Ledger Live", ".litecoin", ".dogecoin"},
	{"passwords of FileZilla", ".config/filezilla"},
	{"passwords of Remmina", ".config/remmina", ".local/share/remmina"},
	{"passwords of WebDAV", ".davfs2"},
	{"passwords of SMB shares", ".smbcredentials"},
	{"passwords of restic", ".config/restic"},
	{"keys of Borg", ".config/borg"},
	{"the login of another agent", ".codex", ".gemini", ".local/share/opencode", ".config/goose", ".qwen"},
	{"the login of Copilot", ".config/github-copilot"},
	{"the token of Hugging Face", ".cache/huggingface/token", ".huggingface"},
	{"tokens of Hugging Face", ".cache/huggingface/stored_tokens"},
	{"keys of OpenAI", ".config/openai"},
	{"keys of llm", ".config/io.datasette.llm/keys.json", "Library/Application Support/io.datasette.llm/keys.json"},
	{"keys of Continue", ".continue"},
	{"keys of aider", ".aider.conf.yml"},
	{"settings of Cursor, with keys of its servers", ".cursor"},
	{"the key of Comet", ".comet.config"},
	{"tokens of Modal", ".modal.toml"},
	{"the token of Replicate", ".config/replicate"},
	{"keys of Stripe", ".config/stripe"},
	{"keys of Twilio", ".twilio-cli"},
	{"the token of Sentry", ".sentryclirc"},
	{"the key of your shell history", ".config/atuin"},
	{"command lines with what was typed in them, and their key", ".local/share/atuin"},
	{"logins of VS Code and its extensions", ".config/Code", ".config/Code - Insiders", ".vscode-server",
		".vscode-server-insiders"},
	{"logins of VSCodium and its extensions", ".config/VSCodium"},
	{"logins of Cursor and its extensions", ".config/Cursor", ".cursor-server"},
	{"logins of Windsurf and its extensions", ".config/Windsurf"},
	{"logins of the JetBrains editors", ".config/JetBrains"},
	{"logins that Postman keeps", ".config/Postman"},
	{"logins that Insomnia keeps", ".config/Insomnia"},
	{"passwords of databases", ".local/share/DBeaverData", ".dbeaver4"},
	{"passwords of Subversion", ".subversion/auth"},
	{"keys of minisign", ".minisign"},
	{"keys and hosts of PuTTY", ".putty", ".config/putty"},
	{"the login of LastPass", ".lastpass", ".config/lpass", ".local/share/lpass"},
	{"the login of Keybase", ".config/keybase", ".local/share/keybase"},
	{"databases of KeePassX", ".keepassx"},
	{"certificates and keys of browsers", ".pki"},
	{"mail accounts of Evolution", ".config/evolution"},
	{"mail of Evolution", ".local/share/evolution"},
	{"messages of Element", ".config/Element"},
	{"passwords of irssi", ".irssi"},
	{"the token of a package registry", ".yarnrc.yml", ".bunfig.toml"},
	{"passwords for wget", ".wgetrc"},
	{"passwords for curl", ".curlrc", ".config/curlrc"},
	{"passwords of lftp", ".local/share/lftp", ".lftp"},
	{"the password of VNC", ".vnc", ".config/tigervnc"},
	{"the login of Earth Engine", ".config/earthengine"},
	{"the password of Jupyter", ".jupyter/jupyter_server_config.json"},
	{"tokens of running Jupyter servers", ".local/share/jupyter/runtime"},
	{"the token of Ansible Galaxy", ".ansible/galaxy_token"},
	{"keys of Chef", ".chef"},
	{"keys and logins of Vagrant", ".vagrant.d"},
	{"keys of Minikube", ".minikube"},
	{"tokens of Railway", ".railway"},
	{"the token of Supabase", ".supabase"},
	{"the login of Expo", ".expo"},
	{"tokens of Cloud Foundry", ".cf"},
	{"the key of Civo", ".civo.json"},
	{"the key of Vultr", ".vultr-cli.yaml"},
	{"keys of certificates", ".acme.sh"},
	{"keys of a wallet", ".foundry/keystores", ".brownie/accounts"},
	{"command lines with what was typed in them", ".irb_history", ".sqlite_history", ".rediscli_history", ".mongodb",
		".dbshell", ".local/share/xonsh", ".config/nushell/history.txt", ".config/nushell/history.sqlite3",
		".ipython/profile_default/history.sqlite", ".python_history", ".node_repl_history", ".psql_history",
		".mysql_history", ".local/share/fish/fish_history", ".bash_history", ".zsh_history"},
	{"registers of vim, with what was copied in them", ".viminfo"},
	{"registers of Neovim, with what was copied in them", ".local/state/nvim/shada"},
}

// OnPath is what the directories of PATH hold.
const OnPath = "programs on your PATH"

// outside are places whose content runs, or is trusted, outside the sandbox.
var outside = [][]string{
	{OnPath, ".local/bin", "bin", "go/bin", ".cargo/bin"},
	{"tools and Pythons that you run", ".local/share/uv"},
	{"tools that you run", ".local/share/pipx"},
	{"Pythons that you run", ".pyenv"},
	{"versions of Node that you run", ".nvm", ".volta"},
	{"compilers that you run", ".rustup"},
	{"toolchains that you run", "sdk"},
	{"hooks that run when you commit", ".cache/pre-commit", ".cache/prek"},
	{"what the go command builds into your programs", ".cache/go-build", "go/pkg/mod"},
	{"what cargo builds into your programs", ".cargo/registry", ".cargo/git"},
	{"packages that environments outside share", ".cache/uv"},
	{"packages that pip installs outside", ".cache/pip"},
	{"packages that npm installs outside", ".npm"},
	{"programs that git runs", ".gitconfig", ".config/git"},
	{"programs that ssh runs", ".ssh/config", ".ssh/rc"},
	{"variables of ssh sessions", ".ssh/environment"},
	{"who may log in as you", ".ssh/authorized_keys"},
	{"your shell's start", ".bashrc", ".bashrc.d", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile",
		".config/fish", ".bash_login", ".bash_aliases", ".zlogin", ".config/zsh", ".oh-my-zsh", ".zcompdump", ".cache/zsh"},
	{"programs that start with your desktop", ".config/autostart"},
	{"services that run as you", ".config/systemd", ".local/share/systemd", "Library/LaunchAgents"},
	{"your shell's end", ".bash_logout", ".zlogout"},
	{"what your shell does when you press a key", ".inputrc"},
	{"the environment of your session", ".pam_environment", ".config/environment.d"},
	{"the start of your session", ".xprofile", ".xsession", ".xsessionrc", ".xinitrc", ".Xsession", ".gnomerc",
		".config/uwsm", ".config/labwc", ".config/openbox", ".vnc"},
	{"programs that your desktop starts", ".local/share/applications"},
	{"what your editor runs", ".vimrc", ".vim", ".config/nvim", ".local/share/nvim", ".emacs", ".emacs.d",
		".config/emacs", ".vscode", ".vscode-server", ".config/Code", ".cursor", ".cursor-server"},
	{"programs that tmux runs", ".tmux.conf", ".config/tmux"},
	{"what gdb runs", ".gdbinit", ".config/gdb"},
	{"your approvals, which decide what claude-iso starts", ".local/state/steward-setup"},
	{"which versions of the tools count as safe", ".config/steward-setup"},
	{OnPath, ".npm-global", ".npm-packages", ".deno", ".dotnet", ".krew", ".config/composer/vendor", ".composer/vendor",
		".nix-profile", ".local/state/nix", ".opam", ".ghcup", "perl5", ".luarocks", ".nimble", ".choosenim", ".pixi",
		".roswell", ".local/share/flatpak"},
	{"tools in versions of your choice", ".asdf", ".local/share/mise", ".local/share/rtx", ".proto", ".local/share/helm",
		".moon", ".cache/trunk", ".local/share/hatch", ".cache/hatch", ".serverless"},
	{"environments of conda", ".conda", "anaconda3", "miniconda3", "miniforge3", "mambaforge", "micromamba", ".mamba",
		".cache/rattler", ".spack"},
	{"packages that your Pythons load", ".virtualenvs", ".local/share/virtualenvs", ".cache/pypoetry", ".local/lib",
		".local/share/pypoetry"},
	{"more versions of Node", ".nodenv", ".fnm", ".local/share/fnm"},
	{"interpreters that you run", ".rbenv", ".rvm", ".phpenv", ".perlbrew"},
	{"more compilers", ".goenv", ".jenv", ".juliaup", ".elan", ".swiftly"},
	{"more toolchains", ".sdkman", ".jdks", ".platformio", ".arduino15"},
	{"what Maven, Gradle and sbt build into your programs", ".m2", ".gradle", ".ivy2", ".sbt", ".cache/coursier"},
	{"what is built into your programs", ".stack", ".cabal", ".julia", ".nuget", ".pub-cache", ".mix", ".hex", ".conan",
		".conan2", ".cache/bazel", ".cache/bazelisk", ".cache/zig", ".cache/ccache", ".ccache", ".cache/sccache",
		".cache/conan", ".vcpkg", ".cache/vcpkg", ".cache/buck2", ".cache/pants", ".cache/turbo", ".esy", ".rebar3",
		".cache/rebar3", ".elm", ".cache/dune", ".cache/crystal", ".dub", ".vmodules", ".konan", ".cpan", ".cpanm",
		".node-gyp", ".electron-gyp", ".cache/node-gyp", ".R/Makevars"},
	{"packages that yarn, pnpm, bun and Deno install outside", ".yarn", ".cache/yarn", ".cache/node", ".local/share/pnpm",
		".bun", ".cache/deno", ".pnpm-store", ".cache/pnpm", ".cache/bun", ".config/yarn"},
	{"code that your R, Racket and Lisp load", ".Rprofile", ".local/share/racket", ".quicklisp", "quicklisp",
		".cache/common-lisp"},
	{"what your torch, black and ansible-lint load", ".cache/torch/hub", ".cache/black", ".cache/ansible-compat"},
	{"what nix and guix run", ".config/nix", ".config/guix"},
	{"browsers and emulators that you and tests start", ".cache/ms-playwright", ".cache/Cypress", ".cache/puppeteer",
		".cache/selenium", ".wdm", ".cache/electron", "Android/Sdk"},
	{"which .envrc direnv runs", ".config/direnv", ".local/share/direnv"},
	{"what mise runs, and trusts", ".config/mise", ".local/state/mise"},
	{"what your prompt runs", ".cache/gitstatus", ".local/share/zinit", ".zinit", ".antigen", ".zplug", ".zprezto",
		".oh-my-bash", ".bash_it"},
	{"what your editors run", ".cache/nvim", ".config/zed", ".local/share/zed", ".config/helix", ".config/sublime-text",
		".local/share/JetBrains", ".config/VSCodium", ".vscode-oss", ".config/Cursor", ".windsurf", ".windsurf-server"},
	{"plugins of tmux", ".tmux"},
	{"completions that your shell runs", ".local/share/bash-completion", ".bash_completion", ".bash_completion.d",
		".cache/oh-my-zsh"},
	{"extensions of gh", ".local/share/gh"},
	{"what your desktop starts", ".local/share/dbus-1", ".local/share/gnome-shell"},
}

// system are such places at the root.
var system = [][]string{
	{"the configuration of this machine", "etc"},
	{"programs of this machine", "usr", "bin", "sbin", "lib", "lib64", "Applications"},
	{OnPath, "opt/homebrew", "opt/local", "home/linuxbrew"},
	{"what runs at set times", "var/spool/cron", "var/spool/at"},
	{"services of this machine", "Library/LaunchDaemons", "Library/LaunchAgents"},
}

// names mean credentials wherever they stand, those of the first row what they
// are in the home directory.
var names = [][]string{
	{"", ".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker", ".git-credentials", ".password-store",
		".vault-token"},
	{"an SSH key", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"},
	{"a private key", "*private_key*"},
	{"GnuPG keys or the socket of their agent", "gnupg"},
	{"an .env file", ".env", ".env.*"},
	{"passwords", ".netrc", "_netrc"},
	{"the token of a registry", ".npmrc", ".pypirc"},
	{"a login", ".credentials.json"},
	{"credentials", "credentials", "credentials.*"},
	{"secrets", ".secret*"},
	{"Kerberos tickets", "krb5cc*"},
}

// CredentialNames are the patterns of names that mean credentials wherever they
// stand.
func CredentialNames() (list []string) {
	for _, row := range names {
		list = append(list, row[1:]...)
	}
	return list
}

// templatesOfEnv look like .env files and hold no secret by convention: they are
// committed (the last is of the npm package dotenv-defaults).
var templatesOfEnv = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"}

// Dotenv says whether a file of this name holds a project's secrets by convention.
func Dotenv(name string) bool {
	return (name == ".env" || strings.HasPrefix(name, ".env.")) && !slices.Contains(templatesOfEnv, name)
}
