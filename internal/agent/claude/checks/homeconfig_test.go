// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of each program's configuration a line that runs what
// commands may write fails, one of which that is unknown is named, and one
// that only names a path is not.

package checks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// leading are lines of configuration, each with the answer that it deserves. The
// project is ~/code/p.
var leading = []struct {
	file, line string
	want       report.Status
}{
	{".ssh/config", "Include ~/code/p/ssh.conf", report.Fail},
	{".ssh/config", "Include ../code/p/ssh.conf", report.Fail},
	{".ssh/config", "Include ~/code/*/ssh.conf", report.Fail},
	{".ssh/config", "  proxycommand=~/code/p/proxy %h %p", report.Fail},
	{".ssh/config", "  ProxyCommand sh -c 'cd ~/code/p && ./proxy'", report.Fail},
	{".ssh/config", "  LocalCommand %d/code/p/x", report.Fail},
	{".ssh/config", "KnownHostsCommand HOME/code/p/x %H", report.Fail},
	{".ssh/config", `Match host x exec "~/code/p/x %h"`, report.Fail},
	{".ssh/config", "PKCS11Provider ~/code/p/x.so", report.Fail},
	{".ssh/config", "IdentityAgent ~/code/p/sock", report.Warn},
	{".ssh/config", "UserKnownHostsFile ~/code/p/hosts", report.Warn},
	{".ssh/authorized_keys", `command="HOME/code/p/serve" ssh-ed25519 AAAA ana`, report.Fail},
	{".vimrc", "source ~/code/p/x.vim", report.Fail},
	{".vimrc", "exe 'source' '~/code/p/x.vim'", report.Fail},
	{".vimrc", "set rtp+=~/code/p", report.Fail},
	{".vimrc", "let x = system('./x')", report.Fail},
	{".config/nvim/init.lua", `vim.fn.jobstart({ "./x" })`, report.Fail},
	{".config/nvim/init.lua", `  cmd = { "./node_modules/.bin/x", "--stdio" },`, report.Fail},
	{".cursor/hooks.json", `{"hooks": {"stop": [{"command": "~/code/p/x.sh"}]}}`, report.Fail},
	{".vimrc", "Plug '~/code/p'", report.Fail},
	{".vimrc", "nnoremap X :!~/code/p/x<CR>", report.Warn},
	{".vimrc", "set exrc", report.Warn},
	{".config/nvim/lua/a/plugins.lua", `  { dir = "~/code/p" },`, report.Fail},
	{".config/nvim/init.lua", `dofile(os.getenv("HOME") .. "/code/p/x.lua")`, report.Fail},
	{".config/nvim/init.lua", "vim.o.exrc = true", report.Warn},
	{".emacs", `(load "~/code/p/x.el")`, report.Fail},
	{".emacs.d/init.el", `(add-to-list 'load-path (expand-file-name "code/p/lisp" "~"))`, report.Fail},
	{".emacs.d/init.el", "(setq enable-local-variables :all)", report.Warn},
	{".nanorc", `include "~/code/p/*.nanorc"`, report.Fail},
	{".inputrc", "$include ~/code/p/inputrc", report.Fail},
	{".inputrc", `"\C-x": "~/code/p/x\n"`, report.Warn},
	{".tmux.conf", "source-file ~/code/p/tmux.conf", report.Fail},
	{".tmux.conf", "run-shell '~/code/p/x.sh'", report.Fail},
	{".tmux.conf", "if-shell 'true' 'source ~/code/p/tmux.conf'", report.Fail},
	{".tmux.conf", `set -g status-right "#(~/code/p/x)"`, report.Fail},
	{".tmux.conf", "bind X run-shell ~/code/p/x.sh", report.Warn},
	{".screenrc", "source ~/code/p/screenrc", report.Fail},
	{".gdbinit", "source ~/code/p/x.gdb", report.Fail},
	{".gdbinit", "add-auto-load-safe-path ~/code", report.Fail},
	{".gdbinit", "set auto-load safe-path /", report.Fail},
	{".pythonrc", `exec(open("HOME/code/p/x.py").read())`, report.Fail},
	{".local/lib/python3.12/site-packages/p.pth", "HOME/code/p/src", report.Fail},
	{".cargo/config.toml", `runner = "HOME/code/p/run"`, report.Fail},
	{".cargo/config.toml", `rustc-wrapper = "../code/p/wrap"`, report.Fail},
	{".cargo/config.toml", `target-dir = "HOME/code/p/target"`, report.Warn},
	{".gradle/init.d/a.gradle", `apply from: "HOME/code/p/x.gradle"`, report.Fail},
	{".config/systemd/user/x.service", "ExecStart=%h/code/p/bin/x --all", report.Fail},
	{".config/systemd/user/x.service", "ExecStartPre=-/bin/sh -c 'HOME/code/p/x'", report.Fail},
	{".config/systemd/user/x.service", "ExecStart=/usr/bin/python3 \\\n  HOME/code/p/x.py", report.Fail},
	{".config/systemd/user/x.service", "EnvironmentFile=-%h/code/p/.env", report.Fail},
	{".config/systemd/user/x.service.d/a.conf", "WorkingDirectory=%h/code/p", report.Warn},
	{".config/environment.d/a.conf", "BASH_ENV=HOME/code/p/env", report.Fail},
	{".config/environment.d/a.conf", "PATH=${HOME}/code/p/bin:$PATH", report.Warn},
	{".pam_environment", "LD_PRELOAD DEFAULT=@{HOME}/code/p/x.so", report.Fail},
	{".config/autostart/x.desktop", "Exec=HOME/code/p/x", report.Fail},
	{".local/share/applications/x.desktop", "Exec=code HOME/code/p", report.Warn},
	{".config/sway/config", "exec ~/code/p/x", report.Fail},
	{".config/direnv/direnv.toml", `prefix = ["~/code"]`, report.Fail},
	{".config/direnv/direnv.toml", "exact = [\n  \"~/code/p/.envrc\",\n]", report.Fail},
	{".config/direnv/direnvrc", "source ~/code/p/x.sh", report.Fail},
	{".config/mise/config.toml", `trusted_config_paths = ["~"]`, report.Fail},
	{".config/Code/User/settings.json", `  "git.path": "HOME/code/p/git",`, report.Fail},
	{".config/Code - OSS/User/settings.json",
		`  "terminal.integrated.profiles.linux": {"x": {"path": "${userHome}/code/p/sh"}},`, report.Fail},
	{".config/VSCodium/User/settings.json", `  "x.y": "HOME/code/p/z",`, report.Warn},
	{".config/Cursor/User/settings.json", `  "task.allowAutomaticTasks": "on",`, report.Warn},
	{".config/systemd/user/x.service", "ExecStart=/usr/bin/make -C %h/code/p serve", report.Fail},
	{".config/systemd/user/x.service", "ExecStart=/usr/bin/ssh -F HOME/code/p/cfg -N host", report.Fail},
	{".ssh/config", "Include ~/links/p/ssh.conf", report.Fail},
	{".gnupg/gpg-agent.conf", "pinentry-program HOME/code/p/pinentry", report.Fail},
	{".gnupg/gpg.conf", "photo-viewer HOME/code/p/x", report.Fail},
	{".hgrc", "x = ~/code/p/ext.py", report.Fail},
	{".hgrc", "update = ./tools/x", report.Fail},
	{".config/jj/config.toml", "x = ['util', 'exec', '--', './tools/x']", report.Fail},
	{".sqliterc", ".load HOME/code/p/x", report.Fail},
	{".config/go/env", "GOFLAGS=-toolexec=HOME/code/p/x", report.Fail},
	{".aws/config", "credential_process = HOME/code/p/x --json", report.Fail},
	{".config/starship.toml", `command = "HOME/code/p/x"`, report.Fail},
	{".yarnrc", `yarn-path "HOME/code/p/yarn.js"`, report.Fail},
	{".config/helix/languages.toml", `command = "HOME/code/p/x"`, report.Fail},
	{".config/zellij/config.kdl", `default_shell "HOME/code/p/x"`, report.Fail},
	{".tcshrc", "source ~/code/p/x.csh", report.Fail},
	{".config/nushell/config.nu", "source ~/code/p/x.nu", report.Fail},
	{".logout", "eval `~/code/p/x`", report.Fail},
	{".forward", "|HOME/code/p/x", report.Fail},
	{".selected_editor", `SELECTED_EDITOR="HOME/code/p/x"`, report.Fail},
	{".xinputrc", ". ~/code/p/x.sh", report.Fail},
	{".local/share/thumbnailers/x.thumbnailer", "Exec=HOME/code/p/x %u %o", report.Fail},
	{".config/systemd/user.control/x.service.d/50.conf", "ExecStartPre=%h/code/p/x", report.Fail},
	{".local/share/dbus-1/services/x.service", "Exec=HOME/code/p/x", report.Fail},
	{".mozilla/native-messaging-hosts/x.json", `  "path": "HOME/code/p/x",`, report.Fail},
	{".config/mpv/mpv.conf", "script=~/code/p/x.lua", report.Fail},
	{".config/lf/lfrc", "set previewer ~/code/p/x", report.Fail},
	{".local/share/jupyter/kernels/p/kernel.json", ` "argv": ["HOME/code/p/python", "-m", "ipykernel"],`, report.Fail},
	{".config/ccache/ccache.conf", "prefix_command = HOME/code/p/x", report.Fail},
	{".config/containers/containers.conf", `hooks_dir = ["HOME/code/p/hooks"]`, report.Fail},
	{".latexmkrc", "$pdflatex = 'HOME/code/p/x %S';", report.Fail},
	{".config/gh/config.yml", "pager: ~/code/p/x", report.Fail},
	{".config/gh/config.yml", "    co: '!~/code/p/x \"$1\"'", report.Fail},
	{".config/jj/config.toml", `diff-formatter = ["HOME/code/p/x", "$left", "$right"]`, report.Fail},
	{".config/jj/config.toml", `work = ["util", "exec", "--", "HOME/code/p/x"]`, report.Fail},
	{".config/jj/config.toml", `editor = "./x"`, report.Fail},
	{".config/lazygit/config.yml", "  - command: ~/code/p/x", report.Fail},
	{".tigrc", "source ~/code/p/tigrc", report.Fail},
	{".config/alacritty/alacritty.yml", "  program: HOME/code/p/sh", report.Fail},
	{".local/share/konsole/p.profile", "Command=HOME/code/p/sh", report.Fail},
	{".config/xfce4/terminal/terminalrc", "CustomCommand=HOME/code/p/sh", report.Fail},
	{".config/Code/User/mcp.json", `      "command": "HOME/code/p/server",`, report.Fail},
	{".config/bat/config", `--pager="HOME/code/p/page"`, report.Fail},
	{".ripgreprc", "--pre=HOME/code/p/x", report.Fail},
	{".config/yt-dlp/config", "--exec HOME/code/p/x", report.Fail},
	{".config/vifm/vifmrc", "source ~/code/p/vifmrc", report.Fail},
	{".julia/config/startup.jl", `include("HOME/code/p/x.jl")`, report.Fail},
	{".iex.exs", `import_file("HOME/code/p/x.exs")`, report.Fail},
	{".config/qutebrowser/config.py", "config.source('HOME/code/p/x.py')", report.Fail},
	{".config/espanso/match/base.yml", "          cmd: ~/code/p/x", report.Fail},
	{".xbindkeysrc", `"~/code/p/x"`, report.Fail},
	{".duckdbrc", ".read ./x.sql", report.Fail},
	// Where it is started.
	{".ssh/config", "ProxyCommand ./x %h", report.Fail},
	{".ssh/config", `Match exec "./x"`, report.Fail},
	{".ssh/config", "PKCS11Provider ./x.so", report.Fail},
	{".ssh/config", "  pkcs11provider=../p/x.so", report.Fail},
	{".ssh/config", "SecurityKeyProvider ./x.so", report.Fail},
	{".ssh/config", "XAuthLocation tools/xauth", report.Warn},
	{".ssh/config", "LocalCommand sh -c ./x", report.Fail},
	{".gdbinit", "source ./x", report.Fail},
	{".gdbinit", "source x.gdb", report.Warn},
	{".tmux.conf", "run-shell ./x", report.Fail},
	{".tmux.conf", "source-file -q .tmux.local", report.Warn},
	{".tmux.conf", "set -g status-right '#(#{pane_current_path}/tools/status)'", report.Fail},
	{".tmux.conf", `set-hook -g after-new-window 'run-shell "#{pane_current_path}/.tmux-hook"'`, report.Fail},
	{".vimrc", "source .vimrc.local", report.Warn},
	{".vimrc", "if filereadable('.vimrc.local') | source .vimrc.local | endif", report.Warn},
	{".psqlrc", "\\i ./x.sql", report.Fail},
	{".config/starship.toml", `command = "tools/version"`, report.Fail},
	{".config/starship.toml", "when = './tools/check'", report.Fail},
	{".config/starship.toml", "command = 'make -s version'", report.Warn},
	{".tcshrc", "alias precmd './tools/x'", report.Fail},
	{".tcshrc", "alias cwdcmd 'source .tcshrc.local'", report.Warn},
	{".xonshrc", "$PROMPT_FIELDS['x'] = lambda: $(./tools/x)", report.Fail},
	{".local/share/applications/x.desktop", "Exec=npm start\nPath=HOME/code/p", report.Fail},
	{".local/share/applications/x.desktop", "Path=HOME/code/p\nExec=./x", report.Fail},
}

func TestConfigurationThatLeadsIntoTheProject(t *testing.T) {
	testenv.AsUser(t)
	for _, c := range leading {
		u := newHousehold(t)
		u.put("code/p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
		u.put("links/x", "", 0o644)
		u.link(u.home+"/code/p", "links/p")
		u.put(c.file, strings.ReplaceAll(c.line, "HOME/", u.home+"/")+"\n", 0o644)
		found := dotfiles.Openings(u.reader(), session.At(u.reader(), u.home+"/code/p"))
		if len(found) != 1 || found[0].Status != c.want || !strings.HasPrefix(found[0].Where, u.home+"/"+c.file+":") {
			t.Errorf("%s: %s\nwant %s, got %+v", c.file, c.line, c.want, found)
		}
	}
}

// TestThePageSaysHowManyProgramsAreKnown: a pass says nothing of others.
func TestThePageSaysHowManyProgramsAreKnown(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/protection.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("`verify` knows the configuration of the %d programs in this table and of no others.",
		len(dotfiles.Programs())); !strings.Contains(string(page), want) {
		t.Errorf("the page does not say: %s", want)
	}
}

// TestConfigurationThatLiesInTheProject: also what is not there yet, and what
// may hold passwords and is not opened.
func TestConfigurationThatLiesInTheProject(t *testing.T) {
	testenv.AsUser(t)
	for _, name := range []string{".ssh/config", ".vim/pack/me/start/x", ".tmux.conf", ".npmrc", ".config/pip/pip.conf",
		".gradle/init.d/a.gradle", ".config/systemd/user/x.service",
		".config/systemd/user/default.target.wants/x.service", ".config/autostart/x.desktop",
		".local/state/mise/trusted-configs/p", ".local/share/gh/extensions/gh-x", ".bundle/config", ".config/nvim/lua/x.lua",
		".config/nvim", ".vim", ".config/Code/User/settings.json", ".lessfilter",
		".nvm", ".cargo", ".cache/uv", ".local/share/pnpm"} {
		u := newHousehold(t)
		u.put("code/p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
		u.put(name+".other", "", 0o644)
		u.remove(name + ".other")
		u.link(u.home+"/code/p/there", name)
		found := dotfiles.Openings(u.reader(), session.At(u.reader(), u.home+"/code/p"))
		if len(found) != 1 || found[0].Status != report.Fail || found[0].Where != u.home+"/"+name {
			t.Errorf("%s: %+v", name, found)
		}
	}
	u := newHousehold(t)
	u.put("code/p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	u.put(".config/other/tmux.conf", "\nrun ~/code/p/x\n", 0o644)
	u.put(".tmux.conf", "source ~/.config/other/*.conf\n", 0o644)
	u.put(".npmrc", "script-shell=~/code/p/x\n//registry.npmjs.org/:_authToken=x\n", 0o600)
	found := dotfiles.Openings(u.reader(), session.At(u.reader(), u.home+"/code/p"))
	if len(found) != 1 || found[0].Where != u.home+"/.config/other/tmux.conf:2" {
		t.Errorf("what a file includes, and what is not opened: %+v", found)
	}
}

// homeFiles are what a developer has who works in ~/code/p: it is named here and
// there, and nothing of it runs.
var homeFiles = map[string]string{
	".ssh/config": "# ProxyCommand ~/code/p/x\nInclude config.d/*\nHost p code\n  HostName p.example.org\n" +
		"  IdentityFile ~/code/p/id\n  IdentityFile ~/.ssh/id_ed25519\n  ControlPath ~/.ssh/cm-%r@%h\n" +
		"  ProxyCommand nc -X 5 %h %p\n  LocalForward 8080 HOME/code/p/sock\n  RemoteCommand cd ~/code/p && exec tmux\n" +
		"Match host x exec \"test -d ~/vpn\"\n  ForwardAgent no\n",
	".ssh/config.d/work": "Host work\n  User ana\n",
	".vimrc": "\" source ~/code/p/x.vim\nset rtp+=~/.fzf\nsource ~/.vim/local.vim\n" +
		"set undodir=~/code/p/.undo\nnnoremap <leader>p :e ~/code/p/README.md<CR>\ncd ~/code/p\nPlug 'tpope/vim-fugitive'\n" +
		"let g:startify_bookmarks = ['~/code/p']\nset nomodeline\nsyntax on\n" +
		"let b = systemlist('git branch --show-current')\n",
	".cursor/hooks.json": "{\"hooks\": {\"stop\": [{\"command\": \"./x.sh\"}]}}\n",
	".config/nvim/init.lua": "-- dofile(\"~/code/p/x.lua\")\nvim.o.undodir = vim.fn.expand(\"~/.undo\")\n" +
		"require(\"lazy\").setup({ \"nvim-lua/plenary.nvim\" })\nlocal projects = { \"~/code/p\" }\n" +
		"vim.fn.system({ \"git\", \"clone\", \"--filter=blob:none\", repo, lazypath })\n" +
		"local x = { cmd = { \"Oil\", \"Telescope\" } }\n",
	".emacs.d/init.el": "; (load \"~/code/p/x.el\")\n(setq org-agenda-files '(\"~/code/p/todo.org\"))\n" +
		"(setq default-directory \"~/code/p\")\n(setq projectile-project-search-path '(\"~/code\"))\n" +
		"(load \"~/.emacs.d/lisp/own.el\" t)\n(add-to-list 'load-path \"~/.emacs.d/lisp\")\n",
	".emacs.d/lisp/own.el": "(provide 'own)\n",
	".nanorc":              "include \"/usr/share/nano/*.nanorc\"\nset tabsize 4\n",
	".inputrc":             "# $include ~/code/p/inputrc\n$include /etc/inputrc\nset editing-mode vi\n",
	".tmux.conf": "# run ~/code/p/x\nset -g mouse on\nbind P new-window -c ~/code/p\n" +
		"set -g status-right '#(cd #{pane_current_path}; git branch --show-current) #(basename \"#{pane_current_path}\")'\n" +
		"bind | split-window -h -c \"#{pane_current_path}\"\nrun '~/.tmux/plugins/tpm/tpm'\n" +
		"set -g default-terminal \"tmux-256color\"\n",
	".screenrc": "chdir HOME/code/p\nstartup_message off\n",
	".gdbinit": "directory ~/code/p/src\nset sysroot ~/code/p/root\n" +
		"add-auto-load-safe-path /usr/share/gdb\nset history filename ~/.gdb_history\n",
	".pythonrc":            "import readline, os\n# exec(open('HOME/code/p/x.py').read())\n",
	".config/pip/pip.conf": "[global]\nindex-url = https://ana:secret@pypi.example.org/simple\n",
	".npmrc":               "//registry.npmjs.org/:_authToken=x\nprefix=~/.npm-global\n",
	".cargo/config.toml": "# linker = \"HOME/code/p/ld\"\n[build]\njobs = 4\n" +
		"[target.x86_64-unknown-linux-gnu]\nlinker = \"clang\"\nrustflags = [\"-C\", \"link-arg=-fuse-ld=/usr/bin/mold\"]\n",
	".gradle/init.d/mirror.gradle": "// apply from: '~/code/p/x'\nallprojects { repositories { maven { url " +
		"'https://maven.example.org/code/p' } } }\n",
	".config/systemd/user/x.service": "[Unit]\nDescription=watches ~/code/p\nDocumentation=file:HOME/code/p/README\n" +
		"[Service]\nExecStart=%h/.local/bin/x --all\nReadWritePaths=%h/code/p\nExecStartPre=/usr/bin/rsync -a %h/code/p " +
		"/backup\nStandardOutput=append:HOME/code/p/log\n[Install]\nWantedBy=default.target\n",
	".config/systemd/user/x.path":  "[Path]\nPathChanged=%h/code/p/notes\n",
	".config/environment.d/a.conf": "EDITOR=vim\nPROJECT=HOME/code/p\nPATH=${HOME}/.local/bin:$PATH\n",
	".config/autostart/x.desktop": "[Desktop Entry]\nType=Application\nName=X\nExec=/usr/bin/nm-applet\n" +
		"Icon=HOME/code/p/x.png\nPath=HOME/code/p\n",
	".config/sway/config":        "exec waybar\nbindsym $mod+Return exec foot\noutput * bg ~/Pictures/a.png fill\n",
	".config/kitty/kitty.conf":   "font_size 11\ninclude theme.conf\nshell .\n",
	".config/direnv/direnv.toml": "[global]\nwarn_timeout = \"30s\"\n[whitelist]\nprefix = [\"~/work/own\"]\n",
	".config/mise/config.toml":   "trusted_config_paths = [\"~/work\"]\n[tools]\nnode = \"22\"\n",
	".config/Code/User/settings.json": "{\n  // \"git.path\": \"HOME/code/p/git\",\n  \"git.ignoredRepositories\": [\n" +
		"    \"HOME/code/p\"\n  ],\n  \"git.path\": \"/usr/bin/git\",\n  \"files.watcherExclude\": {\"HOME/code/p/**\": " +
		"true},\n" +
		"  \"terminal.integrated.cwd\": \"HOME/code/p\",\n  \"window.title\": \"p\",\n  \"editor.rulers\": [80]\n}\n",
	".gnupg/gpg-agent.conf": "default-cache-ttl 600\npinentry-program /usr/bin/pinentry-gnome3\n" +
		"log-file ~/code/p/gpg.log\n",
	".hgrc":          "[ui]\nusername = Ana <ana@example.org>\n[paths]\ndefault = ~/code/p\n",
	".config/go/env": "GOFLAGS=-mod=mod\nGOPATH=HOME/code/p/.go\nGOPRIVATE=example.org/p\n",
	".aws/config": "[profile p]\nregion = eu-west-1\ncredential_process = /usr/bin/aws-vault " +
		"export p\n",
	".config/starship.toml": "# command = \"HOME/code/p/x\"\n[custom.p]\ncommand = \"date\"\n" +
		"when = \"test -d .git\"\n[custom.q]\ncommand = 'git log -1 --format=%h'\nwhen = true\n" +
		"[custom.r]\ncommand = \"jq -r .version package.json\"\nshell = [\"bash\", \"--norc\"]\n",
	".forward":                            "ana@example.org\n",
	".selected_editor":                    "SELECTED_EDITOR=\"/usr/bin/vim.basic\"\n",
	".xinputrc":                           "run_im ibus\n",
	".tcshrc":                             "source ~/.aliases\ncd ~/code/p\n",
	".config/zellij/layouts/p.kdl":        "layout {\n  pane cwd=\"HOME/code/p\"\n}\n",
	".config/mpv/mpv.conf":                "screenshot-directory=~/code/p\nsub-auto=fuzzy\n",
	".jupyter/jupyter_lab_config.py":      "c.ServerApp.root_dir = 'HOME/code/p'\n",
	".config/ccache/ccache.conf":          "base_dir = HOME/code/p\nmax_size = 5G\n",
	".local/share/applications/p.desktop": "[Desktop Entry]\nExec=/usr/bin/foot\nPath=HOME/code/p\n",
	".config/bat/config":                  "--theme=x\n--map-syntax '*.p:HOME/code/p'\n",
	".ripgreprc":                          "--glob=!HOME/code/p/dist\n",
	".config/yt-dlp/config":               "-o ~/code/p/%(title)s.%(ext)s\n",
	".config/vifm/vifmrc":                 "mark p ~/code/p/\nset vicmd=vim\n",
	".local/share/konsole/p.profile":      "[General]\nCommand=/bin/zsh\nName=p\n",
	".psqlrc":                             "\\set HISTFILE ~/.psql_history\n-- \\i ~/code/p/x.sql\n",
}

func TestUsualDotfilesRunNothingOfTheProject(t *testing.T) {
	u := newHousehold(t)
	u.put("code/p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	for name, text := range homeFiles {
		u.put(name, strings.ReplaceAll(text, "HOME/", u.home+"/"), 0o600)
	}
	for _, o := range dotfiles.Openings(u.reader(), session.At(u.reader(), u.home+"/code/p")) {
		t.Errorf("%s %s: %s", o.Status, o.Where, o.Opens)
	}
}
