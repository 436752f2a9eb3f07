// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which files of the user's configure which program, one row
// each, from the programs' manuals: what of a line runs, and what only names.

// Package dotfiles says what the configuration files and the variables of the user's programs
// run, and whether that lies where commands may write.
//
// Contract: a value is never shown, only the path in it that leads there; what is only named
// is told apart from what runs.
package dotfiles

import (
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// configured is configuration of a program that the user, or a service of the
// user's, starts outside the sandbox. The patterns are regular expressions.
type configured struct {
	program string
	// files are patterns (path.Match) below the home. "$NAME" is a variable
	// that names the file or the directory, "C/", "D/" and "S/" are the
	// directories for configuration, data and state (XDG). "**.x" at the end
	// stands for all files .x below.
	files []string
	// closed says that the files may hold passwords: where they lie is judged,
	// and they are not opened.
	closed bool
	// comment begins a line that means nothing.
	comment string
	// runs are lines whose paths are run, or read as configuration, at each
	// start; includes those whose files are read like this one. command is what
	// stands before a command line.
	runs, includes, command string
	// data are parts of a line that name a path, and run nothing of it.
	data string
	// trusts are lines that let the program run what lies below their paths;
	// anywhere those that let it run what lies in any directory.
	trusts, anywhere string
	// later are lines that mean something only when the user asks for it, with the list
	// or the block that they begin.
	later string
	// spliced are lines that put the name of a file into the words of a shell.
	spliced string
	// StartsIn is the line that names the directory in which the commands of the
	// file are started: $1. Without it that is the home.
	startsIn string
	// here says that a relative path counts from the directory in which the
	// program is started, which may be the project.
	here bool
	// variables says that each line sets one; remote that what it sets is for another
	// machine; universal that it is fish's file of universal variables.
	variables, remote, universal bool
}

// codeDirs are the settings directories of VS Code and its kin.
var codeDirs = []string{"Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf", "Positron"}

// configurations are the rows.
var configurations = sync.OnceValue(func() []configured {
	var editors []string
	for _, dir := range codeDirs {
		for _, name := range []string{claude.SettingsFile, "tasks.json", "keybindings.json", "mcp.json"} {
			for _, user := range []string{"C/" + dir + "/User/", "Library/Application Support/" + dir + "/User/"} {
				editors = append(editors, user+name, user+"profiles/*/"+name)
			}
		}
	}
	// What an editor runs on another machine has its settings there (VS Code, Remote Development).
	for _, server := range []string{"vscode", "vscode-insiders", "vscodium", "cursor", "windsurf"} {
		editors = append(editors, "."+server+"-server/data/Machine/"+claude.SettingsFile)
	}
	return append([]configured{
		{program: "ssh", files: []string{".ssh/config", ".ssh/config.d/*", ".ssh/rc", ".ssh/authorized_keys"}, comment: "#",
			here: true, remote: true,
			runs: `(?i)^\s*(include|pkcs11provider|securitykeyprovider|xauthlocation|(proxy|local|knownhosts)command|match\b.*\bexec)\b|\bcommand=`, includes: `(?i)^\s*include\b`,
			command: `(?i)^\s*(?:(?:proxy|local|knownhosts)command[\s=]+|match\b.*\bexec\s+"?)`,
			data:    `(?i)^\s*(host|hostname|user|identityfile|certificatefile|controlpath|remotecommand|setenv|sendenv|(local|remote|dynamic)forward|revokedhostkeys)\b.*`},
		{program: "ssh", files: []string{".ssh/environment"}, comment: "#", variables: true},
		{program: "vim", files: []string{".vimrc", ".gvimrc", ".exrc", ".vim/vimrc", ".vim/gvimrc", "C/vim/vimrc",
			"C/nvim/**.vim", ".vim/plugin/**.vim", ".vim/after/**.vim", ".vim/ftplugin/**.vim",
			".vim/autoload/*", ".vim/plugged/*", ".vim/bundle/*", ".vim/pack/*/*/*", "D/nvim/site/pack/*/*/*", "D/nvim/lazy/*"},
			comment: `"`, here: true,
			runs:     `(?i)\b(so|sou|source|ru|runtime|luafile|luaf|pyfile|pyf|py3file|py3f|rubyfile|perlfile|packadd|plug#begin|plug|plugin|rtp|runtimepath|pp|packpath|luadll|shell|systeml?\w*|job_?start|term_?(start|open))\b`,
			includes: `\b(so|source|runtime)!?\s`,
			anywhere: `^\s*set?\s+(.*\s)?(exrc|ex)\s*$|\b(so|source|luafile)\b.*\bgetcwd\(\)|` +
				`\b(rtp|runtimepath|pp|packpath)\s*[+^]?=\s*\.(/|\w|,|\s|$)|\bg:localvimrc_(ask|sandbox)\s*=\s*0`,
			// Vim quotes the name after :S alone (vim 9.0, cmdline.txt): "$(x)" in it starts x.
			spliced: `^\s*(au|autocmd)\b.*[\s|"']!.*(\s|=)(%(:[phtre~.]\b)*([^:\w]|$)|["']\s*\.\s*expand\(["']%)`,
			later:   `(?i)^\s*([nvxsoictl]?(nore)?map|command|com)!?\s`,
			data: `(?i)\b(lcd|tcd|cd|chdir|edit|e|tabe|tabnew|tabedit|sp|split|vs|vsplit|find|explore|ex|nerdtree\w*)\s+[~/$]\S*|` +
				`\bset\w*\s+(dir|directory|undodir|udir|backupdir|bdir|viminfofile|tags?|path|pa|dictionary|dict|thesaurus|spellfile|spf|cdpath|cd|viewdir|vdir)\s*[+^-]?=\S*|\blet\s+g:\w*(workspace|project|startify|wiki|notes|bookmark)\w*\s*=.*`},
		{program: "nvim", files: []string{"C/nvim/**.lua"}, comment: "--", here: true,
			runs:     `(?i)\b(dofile|loadfile|source|runtimepath|rtp|packpath|package\.c?path|dir|luafile|packadd|systeml?\w*|jobstart|termopen)\b|\bcmd\s*=\s*\{|\b(uv|loop)\.spawn\b`,
			includes: `\b(dofile|source|luafile)\b`,
			anywhere: `\bexrc\s*=\s*true|\b(dofile|loadfile|source|luafile)\b.*\b(get)?cwd\(`,
			data:     `(?i)\b(undodir|backupdir|directory|viewdir|spellfile|tags|dictionary|cwd|projects?\w*|vaults?|workspaces?|notes\w*|org_\w+|wiki\w*)\b\s*=.*`},
		{program: "emacs", files: []string{".emacs", ".emacs.el", ".emacs.d/init.el", ".emacs.d/early-init.el",
			".emacs.d/custom.el", ".emacs.d/lisp/*", ".emacs.d/site-lisp/*", "C/emacs/init.el", "C/emacs/early-init.el",
			"C/emacs/lisp/*", ".doom.d/*.el", "C/doom/*.el", ".spacemacs", ".emacs.d/elpa/*"}, comment: ";",
			runs:     `\((load|load-file|load-library|require|byte-compile-file|org-babel-load-file|package-vc-[\w-]+)\s|\b(load-path|exec-path|custom-file|custom-theme-load-path|local-repo|lisp-dir)\b`,
			includes: `\((load|load-file)\s`, trusts: `safe-local-variable-directories|trusted-content`,
			anywhere: `enable-local-variables\s+:all|enable-local-eval\s+t\b`,
			data:     `\b(org-\w[\w-]*|default-directory|projectile-[\w-]+|project-[\w-]+|find-file|dired|bookmark[\w-]*|initial-buffer-choice|magit-repository-directories|recentf[\w-]*|deft-directory|desktop-dirname|tags-table-list|treemacs[\w-]*)\b.*`},
		{program: "nano", files: []string{".nanorc", "C/nano/nanorc"}, comment: "#", runs: `^\s*include\b`,
			includes: `^\s*include\b`, data: `\bset\s+(backupdir|operatingdir)\b.*`},
		{program: "readline", files: []string{".inputrc", "$INPUTRC"}, comment: "#", here: true, runs: `^\s*\$include\b`,
			includes: `^\s*\$include\b`},
		{program: "tmux", files: []string{".tmux.conf", "C/tmux/*.conf", ".tmux/plugins/*", "C/tmux/plugins/*"}, comment: "#",
			here:     true,
			runs:     `\b(source-file|source|run-shell|run|if-shell|if|default-command|default-shell|pipe-pane|set-hook)\b|#\(`,
			includes: `\b(source-file|source)\s`, later: `^\s*bind`,
			data: `\s-c\s*\S+`},
		{program: "screen", files: []string{".screenrc", "$SCREENRC"}, comment: "#", here: true,
			runs: `^\s*(source|exec|shell|defshell|backtick|screen|eval)\b`, includes: `^\s*source\b`, later: `^\s*bind`,
			data: `^\s*(chdir|logfile|hardcopydir|bufferfile)\b.*`},
		{program: "gdb", files: []string{".gdbinit", "C/gdb/gdbinit", ".gdbearlyinit", "C/gdb/gdbearlyinit"}, comment: "#",
			here: true, runs: `^\s*(source|python|py|pi|shell|!|exec|add-auto-load-scripts-directory|set\s+(data-directory|auto-load\s+scripts-directory))\b`,
			includes: `^\s*source\b`, trusts: `auto-load.*safe-path|safe-path`,
			data: `^\s*(directory|dir|cd|file|symbol-file|set\s+(sysroot|substitute-path|solib-search-path|history\s+filename|debug-file-directory|logging\s+file|cwd))\b.*`},
		{program: "lldb", files: []string{".lldbinit"}, comment: "#", here: true,
			runs: `\b(command\s+(source|script\s+import)|script|plugin\s+load)\b`, anywhere: `load-cwd-lldbinit\s+true`},
		{program: "python", files: []string{".pythonrc", ".pythonrc.py", ".pystartup", "$PYTHONSTARTUP", ".pdbrc",
			".ipython/profile_default/startup/*", ".ipython/profile_default/ipython_config.py",
			".local/lib/python3*/site-packages/usercustomize.py", ".local/lib/python3*/site-packages/sitecustomize.py"},
			comment: "#", runs: `sys\.path|\bexec|open\(|runpy|spec_from_file|exec_files`},
		// Of a directory on its path python imports usercustomize at each start.
		{program: "python", files: []string{".local/lib/python3*/site-packages/*.pth",
			"D/pipx/venvs/*/lib/python3*/site-packages/*.pth"}, comment: "#", runs: `.`},
		{program: "pip", files: []string{"C/pip/pip.conf", ".pip/pip.conf", "$PIP_CONFIG_FILE"}, closed: true},
		{program: "npm", files: []string{".npmrc", "$NPM_CONFIG_USERCONFIG", "$npm_config_userconfig"}, closed: true},
		{program: "Maven", files: []string{".m2/settings.xml"}, closed: true},
		{program: "Maven", files: []string{".mavenrc", ".m2/extensions.xml", ".m2/toolchains.xml"}, comment: "#"},
		{program: "Gradle", files: []string{".gradle/gradle.properties"}, closed: true},
		{program: "Gradle", files: []string{".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/init.d/*",
			"$GRADLE_USER_HOME/init.d/*"}, comment: "//",
			runs: `\b(apply|from|includeBuild|classpath|files?|exec|commandLine)\b`},
		{program: "cargo", files: []string{".cargo/config.toml", ".cargo/config", "$CARGO_HOME/config.toml"}, comment: "#",
			runs: `\b(runner|rustc|rustc-wrapper|rustc-workspace-wrapper|rustdoc|linker|ar|include|credential-[\w-]+|global-credential-providers|browser|rustflags|paths)\b["']?\s*[=.]`},
		{program: "systemd", files: []string{"C/systemd/user/*", "C/systemd/user/*/*", "D/systemd/user/*",
			"C/systemd/user.control/*", "C/systemd/user.control/*/*",
			"C/systemd/user.conf", "C/systemd/user.conf.d/*"}, comment: "[#;]", startsIn: startDir,
			runs: `^\s*(Exec\w+|EnvironmentFile|LoadCredential\w*|RootDirectory)\s*=`, command: `^\s*Exec\w+\s*=\s*[-@:+!|]*`,
			data: `^\s*(ReadWritePaths|ReadOnlyPaths|InaccessiblePaths|Description|Documentation|Path\w+|ConditionPath\w+|AssertPath\w*|RequiresMountsFor|StandardOutput|StandardError|ListenStream|SyslogIdentifier)\s*=.*`},
		{program: "fish", files: []string{"C/fish/fish_variables"}, comment: "#", variables: true, universal: true},
		{program: "environment.d", files: []string{"C/environment.d/*.conf", ".pam_environment"}, comment: "#",
			variables: true},
		{program: "the desktop", files: []string{"C/autostart/*.desktop", "D/applications/*.desktop"}, comment: "#",
			startsIn: startDir, runs: `^\s*(Try)?Exec\s*=`, command: `^\s*Exec\s*=\s*`,
			data: `^\s*(Path|Icon|Name|Comment|GenericName|Keywords|URL|X-[\w-]+)(\[\w+\])?\s*=.*`},
		{program: "cron", files: []string{"/var/spool/cron/crontabs/$USER", "/var/spool/cron/tabs/$USER",
			"/var/spool/cron/$USER"}, comment: "#", runs: `^\s*(@\w+|\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s`,
			command: `^\s*(?:@\w+|[\d*,/a-zA-Z-]+(?:\s+[\d*,/a-zA-Z-]+){4})\s+`},
		{program: "the window manager", files: []string{"C/i3/config", "C/sway/config", "C/sway/config.d/*", "C/hypr/*.conf",
			"C/bspwm/bspwmrc", "C/awesome/rc.lua"}, comment: "#|--",
			runs: `^\s*(exec|exec_always|exec-once|include|source|dofile)\b`, includes: `^\s*(include|source)\b`,
			data: `^\s*(output|.*\bbg)\s.*`},
		{program: "the window manager", files: []string{"C/niri/*.kdl"}, comment: "//",
			runs: `\b(spawn(-sh)?-at-startup|include)\b`, includes: `^\s*include\b`},
		{program: "the terminal", files: []string{"C/kitty/kitty.conf", "C/alacritty/alacritty.toml", "C/wezterm/wezterm.lua",
			".wezterm.lua", "C/ghostty/config", "C/foot/foot.ini", "C/alacritty/alacritty.yml", ".alacritty.toml",
			".alacritty.yml", "C/rio/config.toml",
			"D/konsole/*.profile", "C/xfce4/terminal/terminalrc", "C/terminator/config"}, comment: "#|--",
			runs:     `\b(shell|program|command|Command|CustomCommand|custom_command|include|import|watcher|kitten|dofile|default_prog|startup_session)\b`,
			includes: `^\s*(include|import)\b`, data: `\b(working_directory|default_cwd|background_image|window_background_image)\b.*`},
		{program: "direnv", files: []string{"C/direnv/direnv.toml", "C/direnv/config.toml"}, comment: "#",
			trusts: `\b(prefix|exact)\b`, runs: `\bbash_path\b`},
		{program: "direnv", files: []string{"C/direnv/direnvrc", ".direnvrc", "C/direnv/lib/*"}, comment: "#",
			runs: `^\s*(source|\.|source_env\w*|dotenv\w*|PATH_add|path_add|load_prefix)\s`},
		{program: "mise", files: []string{"C/mise/config.toml", "C/mise/config.local.toml", "C/mise/conf.d/*.toml",
			".mise.toml", "mise.toml", "S/mise/trusted-configs/*"}, comment: "#", trusts: `trusted_config_paths`,
			runs: `_\.(source|file|path)|\b(file|source|path|script|run|enter)\b\s*=`},
		{program: "asdf", files: []string{".asdfrc"}, comment: "#"},
		{program: "the editor", files: editors, comment: "//",
			anywhere: `"task\.allowAutomaticTasks"\s*:\s*"on"|"security\.workspace\.trust\.enabled"\s*:\s*false|"claudeCode\.claudeProcessWrapper"\s*:\s*"(\./|\$\{)`,
			runs:     `"(git\.path|claudeCode\.claudeProcessWrapper|terminal\.integrated\.(profiles|shell|automation)[^"]*|python\.(defaultInterpreterPath|envFile|pythonPath)|[\w.-]*(executablePath|nodePath|tsdk|serverPath|server\.path|interpreter))"\s*:|^\s*"command"\s*:`,
			data:     `"(git\.(scanRepositories|ignoredRepositories|openRepository[^"]*|repositoryScan[^"]*)|(files|search|window|workbench|projectManager|remote|cSpell|explorer)\.[^"]*|terminal\.integrated\.cwd|folders?|cwd)"\s*:.*`},
		// It has no keys; a relative path counts from the file (Cursor, Hooks).
		{program: "the editor", files: []string{".cursor/hooks.json"}, runs: `"command"\s*:`},
		{program: "gpg", files: []string{".gnupg/gpg.conf", ".gnupg/gpg-agent.conf", ".gnupg/dirmngr.conf",
			".gnupg/scdaemon.conf", ".gnupg/common.conf", ".gnupg/gpgsm.conf"}, comment: "#",
			runs: `^\s*([\w-]+-program|photo-viewer|exec-path|[\w-]+-driver|options)\b`,
			data: `^\s*(log-file|default-key|encrypt-to|comment)\b.*`},
		{program: "Mercurial", files: []string{".hgrc", "C/hg/hgrc"}, comment: "[#;]", here: true, runs: `^\s*%include|^\s*[\w.-]+\s*=`,
			data: `^\s*(default|default-push|users|groups)\s*=.*`},
		{program: "psql, sqlite or R", files: []string{".psqlrc", ".sqliterc", ".Rprofile", ".irbrc", ".pryrc", ".guile",
			".ghci", ".octaverc", ".duckdbrc"}, comment: "--|#|;", here: true,
			runs: `\\i\b|\\ir\b|\\!|^\s*\.(read|load|shell|system)\b|\b(source|load|require|require_relative|eval|dyn\.load|use-modules)\b|^\s*:(script|load)\b`, data: `\bsetwd\b.*`},
		{program: "less", files: []string{".lessfilter", ".lesskey", "C/lesskey", ".mailcap"}, comment: "#"},
		{program: "launchd", files: []string{"Library/LaunchAgents/*.plist"}, comment: "<!--"},
	}, moreConfigurations()...)
})

// is says whether a text matches a pattern of a row; none matches where there is no pattern.
func is(pattern, text string) bool { return pattern != "" && lazy.Compiled(pattern).MatchString(text) }

// comments says whether a line is a comment.
func (c configured) comments(line string) bool {
	return c.comment != "" && is(`^\s*(`+c.comment+`)`, line)
}
