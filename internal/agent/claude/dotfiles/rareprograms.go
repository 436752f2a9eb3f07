// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the rows of programs.go for programs that fewer people
// use, from their manuals.

package dotfiles

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// startDir is a setting for the directory in which a program is started.
const startDir = `(?i)^\s*(?:Path|WorkingDirectory)\s*=\s*-?(.+)$`

// Programs are the programs whose configuration is judged.
func Programs() (names []string) {
	for _, c := range configurations() {
		names = report.Union(names, strings.Split(strings.ReplaceAll(c.program, " or ", ", "), ", ")...)
	}
	return names
}

func moreConfigurations() []configured {
	return []configured{
		{program: "go", files: []string{"C/go/env", "$GOENV", "Library/Application Support/go/env"}, comment: "#", here: true,
			runs:    `^\s*(GOFLAGS|CC|CXX|AR|FC|GCCGO|PKG_CONFIG|GOROOT|GOTOOLDIR|GOAUTH|CGO_\w+)\s*=`,
			command: `^\s*(?:GOFLAGS\s*=.*?-toolexec[= ]|(?:CC|CXX)\s*=)`,
			data:    `^\s*(GOPATH|GOBIN|GOMODCACHE|GOCACHE|GOTMPDIR|GOPRIVATE|GOPROXY|GONOSUMDB|GONOPROXY)\s*=.*`},
		{program: "aws", files: []string{".aws/config", "$AWS_CONFIG_FILE"}, comment: "[#;]",
			runs:    `^\s*(credential_process|plugins|cli_legacy_plugin_path|cli_pager)\s*=`,
			command: `^\s*(?:credential_process|cli_pager)\s*=\s*`, data: `^\s*(ca_bundle|web_identity_token_file)\s*=.*`},
		{program: "aws", files: []string{".aws/cli/alias"}, comment: "[#;]", runs: `=\s*!`, command: `^\s*[\w-]+\s*=\s*!`},
		{program: "kubectl", files: []string{".kube/config", "$KUBECONFIG", ".kube/kuberc", ".krew/bin/*"}, closed: true},
		{program: "docker", files: []string{".docker/config.json", ".docker/cli-plugins/*", "$DOCKER_CONFIG/cli-plugins/*"},
			closed: true},
		{program: "Terraform", files: []string{".terraformrc", ".tofurc", ".terraform.d/plugins", "$TF_CLI_CONFIG_FILE"},
			closed: true},
		{program: "mail", files: []string{".muttrc", ".mutt/muttrc", "C/mutt/muttrc", "C/neomutt/neomuttrc", ".mbsyncrc",
			"C/isyncrc", ".msmtprc", "C/msmtp/config", ".fetchmailrc", ".procmailrc", ".offlineimaprc"}, closed: true},
		{program: "yarn or bun", files: []string{".yarnrc.yml", ".bunfig.toml", "C/.bunfig.toml"}, closed: true},
		{program: "yarn", files: []string{".yarnrc"}, comment: "#",
			runs: `^\s*"?(yarn-path|--use-yarnrc|script-shell|plugins?)"?\s`},
		{program: "podman", files: []string{"C/containers/containers.conf", "C/containers/containers.conf.d/*.conf",
			"C/containers/storage.conf"}, comment: "#",
			runs: `\b(hooks_dir|conmon_path|helper_binaries_dir|init_path|runtime|network_cmd_path|cni_plugin_dirs|netavark_plugin_dirs|mount_program|crun|runc)\b["']?\s*=`, data: `\b(volumes|graphroot|runroot)\b\s*=.*`},
		{program: "podman", files: []string{"C/containers/systemd/*", "C/containers/systemd/*/*"}, comment: "[#;]",
			startsIn: startDir, runs: `^\s*(Exec(Start|Stop|Reload)\w*|Yaml|ContainersConfModule|GlobalArgs)\s*=`,
			command: `^\s*Exec(?:Start|Stop|Reload)\w*\s*=\s*[-@:+!|]*`,
			data:    `^\s*(Volume|Mount|EnvironmentFile|Environment|Label|Exec|File|SetWorkingDirectory|WorkingDirectory|Tmpfs|Secret|Description)\s*=.*`},
		{program: "starship", files: []string{"C/starship.toml", "$STARSHIP_CONFIG"}, comment: "#", here: true,
			runs: `^\s*(command|when|shell)\s*=`, command: `^\s*(?:command|when)\s*=\s*["']{0,3}`},
		{program: "helix", files: []string{"C/helix/config.toml", "C/helix/languages.toml", "C/helix/runtime/*"},
			comment: "#", runs: `\b(command|shell|program|args|path)\b\s*=`},
		{program: "zed", files: []string{"C/zed/settings.json", "C/zed/tasks.json", "C/zed/keymap.json"}, comment: "//",
			runs: `"(path|command|program|external|shell|arguments|args)"\s*:`,
			data: `"(working_directory|cwd|file_scan_\w+)"\s*:.*`},
		{program: "zellij", files: []string{"C/zellij/config.kdl", "C/zellij/layouts/*.kdl", "C/zellij/plugins/*"},
			comment: "//", runs: `\b(default_shell|command|copy_command|scrollback_editor|plugin|location|layout_dir)\b`,
			data: `\b(default_cwd|cwd)[\s=]+\S+`},
		{program: "tcsh or xonsh", files: []string{".tcshrc", ".cshrc", ".login", ".logout", ".xonshrc", "C/xonsh/rc.xsh",
			"C/xonsh/rc.d/*.xsh", "C/xonsh/rc.d/*.py"}, comment: "#", here: true,
			runs:     `^\s*(\.|source(-\w+)?|use|eval|exec|set\s+path|alias\s+(cwdcmd|precmd|postcmd|periodic|cd))\s|\$\(\.{1,2}/`,
			includes: `^\s*(\.|source)\s`, data: `^\s*(cd|alias\s+\w+\s*=?\s*cd)\s+[~/$]\S*`},
		{program: "ksh or nushell", files: []string{"C/nushell/config.nu", "C/nushell/env.nu", "C/nushell/autoload/*.nu",
			"C/nushell/login.nu", "D/nushell/vendor/autoload/*.nu", "C/elvish/rc.elv", "C/elvish/lib/*.elv",
			"D/elvish/lib/*.elv"}, comment: "#", here: true,
			runs: `^\s*(\.|source|source-env|use|overlay\s+use|eval|exec|plugin\s+add|register|const\s+NU_\w+|set\s+path)\s|` +
				`\b(code|hooks?|load-env|eval|after-chdir|before-chdir|before-readline)\b|\bedit:r?prompt\b|\$env\.PROMPT_\w+|[({|]\s*\^?\.{1,2}/`,
			includes: `^\s*(\.|source|source-env|use)\s`, later: `^\s*(export\s+)?(def|alias|fn)\b`,
			// What a file includes lies beside it.
			data: `^\s*(cd|alias\s+\w+\s*=?\s*cd)\s+\S+|(^|[{;|]\s*)(source|source-env|use|overlay\s+use)\s+\./\S*`},
		{program: "mail", files: []string{".forward"}, comment: "#", runs: `[|]|:include:`, command: `^\s*"?[|]`},
		{program: "sensible-editor", files: []string{".selected_editor"}, comment: "#", runs: `.`},
		{program: "im-config", files: []string{".xinputrc"}, comment: "#", runs: `^\s*(\.|source|exec)\s|/`},
		{program: "the desktop", files: []string{"D/thumbnailers/*.thumbnailer"}, comment: "#",
			runs: `^\s*(Try)?Exec\s*=`, command: `^\s*Exec\s*=\s*`},
		{program: "D-Bus", files: []string{"D/dbus-1/services/*.service"}, comment: "#", runs: `^\s*Exec\s*=`,
			command: `^\s*Exec\s*=\s*`},
		{program: "the desktop", files: []string{".desktop", "Desktop/*.desktop", "D/kservices5/*.desktop",
			"D/kio/servicemenus/*.desktop", "D/nautilus/scripts/*", "C/plasma-workspace/env/*", "C/autostart-scripts/*"},
			comment: "#",
			runs:    `^\s*(Try)?Exec\s*=`, command: `^\s*Exec\s*=\s*`, startsIn: startDir,
			data: `^\s*(Path|Icon|Name|Comment|GenericName|Keywords|URL|X-[\w-]+)(\[\w+\])?\s*=.*`},
		{program: "the browser", files: []string{".mozilla/native-messaging-hosts/*.json",
			".librewolf/native-messaging-hosts/*.json", "C/google-chrome/NativeMessagingHosts/*.json",
			"C/chromium/NativeMessagingHosts/*.json",
			"C/BraveSoftware/Brave-Browser/NativeMessagingHosts/*.json", "C/microsoft-edge/NativeMessagingHosts/*.json",
			"C/vivaldi/NativeMessagingHosts/*.json", "Library/Application Support/Mozilla/NativeMessagingHosts/*.json",
			"Library/Application Support/Google/Chrome/NativeMessagingHosts/*.json"}, runs: `"path"\s*:`},
		{program: "mpv", files: []string{"C/mpv/mpv.conf", "C/mpv/input.conf", "C/mpv/scripts/*", ".mpv/config"},
			comment: "#", runs: `\b(scripts?|include|load-scripts|ytdl_path|script-opts)\b.*=|\brun\b`,
			includes: `^\s*include\s*=`,
			data:     `\b(screenshot-\w+|watch-later-dir\w*|sub-file-paths|log-file|gpu-shader-cache-dir)\s*=.*`},
		{program: "ranger, lf or nnn", files: []string{"C/ranger/rc.conf", "C/ranger/scope.sh", "C/ranger/rifle.conf",
			"C/ranger/commands.py", "C/ranger/plugins/*", "C/lf/lfrc", "C/lf/preview", "C/nnn/plugins/*", "C/yazi/yazi.toml",
			"C/yazi/init.lua", "C/yazi/plugins/*"}, comment: "#",
			runs: `\b(source|previewer|cleaner|preview_script|run|exec)\b`, includes: `^\s*source\s`,
			later: `^\s*(map|cmap|cmd|copymap)\b`, data: `\b(cd|mkcd|tab_new)\s+\S+`},
		{program: "jupyter", files: []string{".jupyter/jupyter_*_config.py", ".jupyter/jupyter_*_config.json",
			"D/jupyter/kernels/*/kernel.json", ".ipython/profile_*/startup/*"}, comment: "#",
			runs: `argv|sys\.path|exec|extra_\w+_path|module|\bopen\(|^\s*"`,
			data: `\b(root_dir|notebook_dir|preferred_dir|workspaces_dir)\b.*`},
		{program: "ccache, distcc or sccache", files: []string{".ccache/ccache.conf", "C/ccache/ccache.conf",
			"C/sccache/config"}, comment: "#", runs: `^\s*(compiler|path|prefix_command|prefix_command_cpp|compiler_check)\s*=`,
			data: `^\s*(base_dir|cache_dir|temporary_dir|log_file)\s*=.*`},
		{program: "latexmk", files: []string{".latexmkrc", "C/latexmk/latexmkrc"}, comment: "#", runs: `.`,
			data: `\$(out_dir|aux_dir|out2_dir)\s*=.*`},
		{program: "make or cmake", files: []string{"C/cmake/*", ".cmake/packages/*/*"}, comment: "#"},
		{program: "perl", files: []string{".perldb", ".cpan/CPAN/MyConfig.pm", ".perltidyrc"}, comment: "#",
			runs: `\b(do|require|lib)\b`},
		{program: "sbt, Leiningen or Clojure", files: []string{".sbt/*/global.sbt", ".sbt/*/plugins/*", ".sbtopts",
			".lein/profiles.clj", ".clojure/deps.edn"}, comment: "//|;", runs: `.`},
		{program: "gh", files: []string{"C/gh/config.yml", "D/gh/extensions/*"}, comment: "#",
			runs: `^\s*(editor|pager|browser)\s*:|:\s*["']?!`},
		{program: "jj", files: []string{"C/jj/config.toml", "C/jj/conf.d/*.toml", ".jjconfig.toml"}, comment: "#", here: true,
			runs: `\b(program|editor|pager|diff-(editor|formatter|instructions)|merge-editor|command|(merge|edit|diff)-args|backends?\.[\w.-]+|monitor|executable-path)\b\s*=|["']util["']\s*,\s*["']exec["']`},
		{program: "lazygit or tig", files: []string{"C/lazygit/config.yml", ".tigrc", "C/tig/config"}, comment: "#",
			runs:     `\b(command|edit\w*|open\w*|pager|externalDiffCommand|genericCmd)\b\s*:|^\s*source\b|^\s*bind\s.*[!@+?<>]`,
			includes: `^\s*source\b`},
		{program: "bat or ripgrep", files: []string{"C/bat/config", "$BAT_CONFIG_PATH", ".ripgreprc", "C/ripgrep/config",
			"$RIPGREP_CONFIG_PATH"}, comment: "#", runs: `--(pager|pre|hostname-bin)\b`, data: `^\s*--(glob|iglob|ignore-file|map-syntax)\b.*`},
		{program: "yt-dlp", files: []string{"C/yt-dlp/config", "C/yt-dlp.conf", ".yt-dlp/plugins/*", "C/yt-dlp/plugins/*"},
			comment: "#",
			runs:    `--(exec|exec-before-download|plugin-dirs|config-locations|downloader|external-downloader|ffmpeg-location)\b`,
			data:    `^\s*(-o|-P|-a|--(output|paths|batch-file|download-archive|cache-dir|cookies))\b.*`},
		{program: "vifm", files: []string{"C/vifm/vifmrc", ".vifm/vifmrc", "C/vifm/plugins/*"}, comment: `"`,
			runs:     `^\s*(source|so|filex?type|fileviewer|plugin)\b|\bset\s+(vicmd|shell|statusline)\b`,
			includes: `^\s*(source|so)\b`, later: `^\s*([nvcmq]?(nore)?map|com(mand)?)!?\s`, data: `^\s*(mark|cd|bmark)\s.*`},
		{program: "julia or elixir", files: []string{".julia/config/startup.jl", ".iex.exs"}, comment: "#",
			runs: `\b(include|evalfile|LOAD_PATH|Pkg\.activate|import_file\w*|Code\.\w+_file)\b`},
		{program: "qutebrowser", files: []string{"C/qutebrowser/config.py", "C/qutebrowser/userscripts/*",
			"C/qutebrowser/greasemonkey/*"}, comment: "#", runs: `config\.source|\bexec\(|\bopen\(|sys\.path|spawn|editor\.command`},
		{program: "espanso or xbindkeys", files: []string{"C/espanso/match/*.yml", "C/espanso/match/packages/*",
			".xbindkeysrc"}, comment: "#", runs: `\b(cmd|args|imports)\s*:|^\s*"`},
		{program: "gem or bundler", files: []string{".gemrc", "C/gem/gemrc", ".bundle/config", "$BUNDLE_USER_CONFIG"},
			closed: true},
		{program: "rofi, dunst or waybar", files: []string{"C/rofi/config.rasi", "C/dunst/dunstrc", "C/waybar/config",
			"C/waybar/config.jsonc", "C/polybar/config.ini", "C/sxhkd/sxhkdrc", "C/swayidle/config", "C/picom.conf"},
			comment: "#|//",
			runs:    `"?\b(exec|exec-if|on-click\S*|script|include-file|@import|@theme|dmenu|browser)\b"?\s*[=:"]|^\s*timeout\b`,
			data:    `\b(icon\S*|image)\b\s*[=:].*`},
	}
}
