// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the variables of other programs that the runtime, a hook or
// a server starts. Sources: bash(1), zsh(1), sh(1), ld.so(8), git(1), locale(7),
// tzset(3), no-color.org; the manuals of Node, Bun, Python, Perl, Ruby, Java,
// less, OpenSSL, npm, uv, cargo, Deno, PHP, R, Lua, Erlang, .NET. That what "env"
// in settings sets reaches hooks and the programs that the runtime starts, also
// in a folder that nobody trusted, is measured with 2.1.329.

package claude

// LoadsCode and ScrubEffect are said by claude-iso, too, which drops such variables.
const (
	LoadsCode   = "loads code into every program that is started"
	ScrubEffect = "changes the environment of sandboxed commands, past the policy"
)

// managedDirs are variables with the directory of a version manager, a toolchain or
// plugins (the manuals of each). pyenv was run: with PYENV_ROOT in the project
// "pyenv exec python" runs a file there, and what "pyenv init -" prints puts the
// directory shims there on PATH (2.6.30).
const managedDirs = `
	PYENV_ROOT NODENV_ROOT RBENV_ROOT GOENV_ROOT JENV_ROOT PLENV_ROOT PHPENV_ROOT LUAENV_ROOT SWIFTENV_ROOT TFENV_ROOT
	PERLBREW_ROOT RVM_PATH FNM_DIR FNM_MULTISHELL_PATH SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR NVM_DIR N_PREFIX VOLTA_HOME
	MISE_DATA_DIR MISE_STATE_DIR MISE_CACHE_DIR PROTO_HOME PROTO_ROOT KREW_ROOT GOROOT PNPM_HOME PIPX_HOME PIPX_BIN_DIR
	WORKON_HOME COREPACK_HOME CONDA_EXE MAMBA_EXE MAMBA_ROOT_PREFIX HERMIT_STATE_DIR DOTNET_ROOT OPAMROOT STACK_ROOT
	RUSTUP_HOME ADOTDIR ZPLUG_HOME ZINIT_HOME ZSH_CACHE_DIR VIMRUNTIME HELIX_RUNTIME GRADLE_HOME GRADLE_USER_HOME
	MAVEN_HOME M2_HOME ANT_HOME GROOVY_HOME KOTLIN_HOME SCALA_HOME SBCL_HOME CABAL_DIR
	MIX_HOME HELM_PLUGINS TMUX_PLUGIN_MANAGER_PATH VIRTUALENVWRAPPER_HOOK_DIR IPYTHONDIR`

// ownConfiguration are variables with the configuration of gpg, Mercurial, jj, podman,
// docker, bat, curl, taskwarrior, pylint and gcloud, by their manuals; in the first, docker's
// and gcloud's lie keys and logins, too.
const ownConfiguration = ` GNUPGHOME HGRCPATH JJ_CONFIG CONTAINERS_CONF CONTAINERS_CONF_OVERRIDE DOCKER_CONFIG
	BAT_CONFIG_PATH BAT_CONFIG_DIR CURL_HOME TASKRC TASKDATA PYLINTRC CLOUDSDK_CONFIG`

// moduleDirs are variables with directories of modules that programs load, or with
// their own programs, moduleNames those with modules, of which a name without a slash is
// looked for elsewhere; commandFiles those with a file of commands, by the manuals of
// GTK, GIO, Qt, GStreamer, Mesa, the Vulkan loader, ALSA, libp11, SASL, ImageMagick, Guile,
// Emacs, Julia, Jupyter, Tcl, Composer, pre-commit, CMake, psql, run-mailcap, kubectl
// (credential plugins), irb and pry.
const (
	moduleDirs = ` GTK_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR LIBGL_DRIVERS_PATH LIBVA_DRIVERS_PATH VDPAU_DRIVER_PATH VK_LAYER_PATH
		VK_ADD_LAYER_PATH VK_ICD_FILENAMES VK_DRIVER_FILES GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH EMACSLOADPATH JULIA_LOAD_PATH
		JULIA_DEPOT_PATH ALSA_CONFIG_PATH ALSA_CONFIG_DIR COMPOSER_HOME PRE_COMMIT_HOME QT_PLUGIN_PATH
		QT_QPA_PLATFORM_PLUGIN_PATH QML2_IMPORT_PATH GST_PLUGIN_PATH SASL_PATH MAGICK_CONFIGURE_PATH
		MAGICK_CODER_MODULE_PATH JUPYTER_PATH TCLLIBPATH R_LIBS R_LIBS_USER`
	moduleNames  = ` GTK_MODULES PKCS11_MODULE_PATH`
	commandFiles = ` PSQLRC MAILCAPS CMAKE_TOOLCHAIN_FILE CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER KUBECONFIG
		IRBRC PRYRC`
)

// javaOptions are options of java, those of the build tools among them; buildPrograms name a
// program that cargo, golang.org/x/tools/go/packages, gh, gcloud or yarn start.
const (
	javaOptions   = ` JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS SBT_OPTS`
	buildPrograms = ` RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER GOPACKAGESDRIVER
		GH_PATH CLOUDSDK_PYTHON YARN_YARN_PATH`
)

// compilers are command lines that make, cmake, configure and go start for a build, by the manuals of each;
// GOENV is go's file of them, GOAUTH a command that go starts for a login (go help goauth, go 1.26).
const compilers = ` CC CXX CPP AR LD FC GCCGO PKG_CONFIG`

// loginFiles are files of logins in which credential_process (AWS) or an executable
// source (Google, with GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES) is run by the runtime,
// outside the sandbox, where requests go to Bedrock or Vertex (2.1.330, both launches).
const loginFiles = ` AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE GOOGLE_APPLICATION_CREDENTIALS`

var otherVariables = []variableRow{
	{Harmless, "chooses words, colours and times", `
		LANG LANGUAGE LC_* TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES TERM LS_COLORS LESS GREP_COLORS PY_COLORS BAT_THEME TERM_PROGRAM TERM_PROGRAM_VERSION`, Traits{}},
	{Harmless, "says where a program runs",
		`CI CONTINUOUS_INTEGRATION NODE_ENV RAILS_ENV RACK_ENV APP_ENV GO_ENV MIX_ENV FLASK_ENV ENVIRONMENT PWD USER LOGNAME USERNAME HOSTNAME`, Traits{}},
	{Harmless, "chooses what a program prints", `
		NODE_DEBUG NODE_NO_WARNINGS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONWARNINGS PYTHONHASHSEED RUST_BACKTRACE RUST_LOG GOTRACEBACK
		GIT_TERMINAL_PROMPT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_MERGE_AUTOEDIT GIT_OPTIONAL_LOCKS
		GIT_ADVICE CARGO_TERM_COLOR CARGO_INCREMENTAL PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT NPM_CONFIG_FUND NPM_CONFIG_AUDIT NPM_CONFIG_UPDATE_NOTIFIER NPM_CONFIG_LOGLEVEL
		NPM_CONFIG_COLOR UV_NO_PROGRESS DEBIAN_FRONTEND UV_THREADPOOL_SIZE GOMAXPROCS LOG_LEVEL VERBOSE DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO NEXT_TELEMETRY_DISABLED HOMEBREW_NO_ANALYTICS
		HOMEBREW_NO_AUTO_UPDATE`, Traits{}},

	{Runs, "decides which programs run, bwrap and git among them", `PATH PATHEXT`, Traits{}},
	{Runs, "is a script that every bash runs first", `BASH_ENV`, Traits{First: true}},
	{Runs, "is a script that every interactive sh runs first", `ENV`, Traits{First: true}},
	{Runs, "switches options of every bash: with xtrace, PS4 runs before each of its commands", `SHELLOPTS`,
		Traits{First: true}},
	{Runs, "switches options of every bash", `BASHOPTS`, Traits{Personal: true}},
	{Runs, "is expanded, with the commands in it, before each command of a bash that traces", `PS4`, Traits{First: true}},
	{Runs, "puts a function in the place of a command in every bash", `BASH_FUNC_*`, Traits{First: true}},
	{Runs, "names the directory whose files every zsh runs first", `ZDOTDIR`, Traits{Personal: true}},
	{Runs, LoadsCode, `LD_*`, Traits{First: true}},
	{Runs, LoadsCode + " (macOS)", `DYLD_*`, Traits{First: true}},
	{Runs, "loads code into every Node program, or changes where it looks for it", `NODE_OPTIONS`, Traits{First: true}},
	{Runs, "loads code into every Bun program, the agent among them", `BUN_OPTIONS`, Traits{First: true}},
	{Redirects, "makes the agent trust another authority for TLS: whoever holds it can read its requests",
		`NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA`, Traits{Indirect: true}},
	{Redirects, "disables TLS verification", `NODE_TLS_*`, Traits{}},
	{Runs, "loads code into every Bun program, the agent among them", `BUN_*`, Traits{}},
	{Runs, "loads code into every Node program that npm starts", `NPM_CONFIG_NODE_OPTIONS`,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "loads code into every Node program, or changes where it looks for it", `NODE_PATH`, Traits{Indirect: true}},
	{Runs, "loads code into every Node program, or changes where it looks for it", `NODE_*`, Traits{}},
	{Runs, "loads code into every Python program, hooks among them", `PYTHON*`, Traits{Indirect: true}},
	{Runs, "loads code into every Perl program", `PERL5*`, Traits{Indirect: true, Personal: true}},
	{Runs, "loads code into every Ruby program", `RUBY*`, Traits{Indirect: true, Personal: true}},
	{Runs, "loads code into every Java program", javaOptions, Traits{Indirect: true, Personal: true}},
	{Runs, "may name a program that go starts for each step of a build", `GOFLAGS`,
		Traits{Indirect: true, Personal: true}},
	{Runs, "holds options of tar or valgrind, which may name a program", `TAR_OPTIONS VALGRIND_OPTS`,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "names a program that cargo, go, gh, gcloud or yarn starts", buildPrograms,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is a command that builds start", compilers, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is a command that go starts for a login", `GOAUTH`, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is go's file of settings, which names programs", `GOENV`, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "names directories of scripts that every shim of a version manager runs",
		`PYENV_HOOK_PATH RBENV_HOOK_PATH NODENV_HOOK_PATH`, Traits{Indirect: true, Personal: true}},
	{Runs, "names the directory of what a version manager, a compiler, a shell or an editor runs", managedDirs,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "names expressions that nix builds, and whose commands nix-shell runs", `NIX_PATH`,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "names modules that programs load", moduleNames, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "names directories of modules that programs load", moduleDirs,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is a file of commands, or starts one", commandFiles, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is run by every Lua program", `LUA_INIT LUA_INIT_5_*`, Traits{Indirect: true, Personal: true}},
	{Runs, "is configuration that names programs", ownConfiguration, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "says where programs find a bus, and may name a program to start (unixexec)",
		`DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS`, Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is the list of files that autoenv runs without asking", `AUTOENV_AUTH_FILE`,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "is a file that every make reads first", `MAKEFILES`, Traits{Indirect: true, Personal: true}},
	{Runs, "is run by every R", `R_PROFILE R_PROFILE_USER`, Traits{Indirect: true, Personal: true}},
	{Runs, "is a file of settings of every PHP, which can load code", `PHPRC PHP_INI_SCAN_DIR`,
		Traits{Indirect: true, Personal: true}},
	{Runs, "loads code into every .NET program", `DOTNET_STARTUP_HOOKS`, Traits{Indirect: true, Personal: true}},
	{Runs, "holds commands that vim runs first", `VIMINIT GVIMINIT EXINIT`, Traits{Indirect: true, Personal: true}},

	{Redirects, "leads git to another repository, whose configuration names programs", `GIT_DIR GIT_COMMON_DIR`,
		Traits{Repository: true, Indirect: true}},
	{Redirects, "leads git to another repository",
		`GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_CEILING_DIRECTORIES GIT_OBJECT_DIRECTORY`,
		Traits{Repository: true, Data: true}},
	{Redirects, "makes programs trust another authority for TLS", `GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_NO_VERIFY`,
		Traits{}},
	{Runs, "names a program that git runs outside the sandbox", `GIT_ASKPASS`, Traits{Named: true}},
	{Runs, "is configuration of git, which may name a program or a directory of hooks", `GIT_CONFIG_VALUE_*`,
		Traits{Named: true}},
	{Runs, "names programs that git runs outside the sandbox, or leads it to another repository", `GIT_*`, Traits{}},

	{Redirects, "sends traffic through another proxy, or past it", `*_PROXY`, Traits{}},
	{Redirects, "sends requests to another place",
		`*_BASE_URL AWS_ENDPOINT_URL* AZURE_AUTHORITY_HOST GCE_METADATA_HOST GCE_METADATA_IP SESSION_INGRESS_URL GH_HOST`,
		Traits{Personal: true}},
	{Redirects, "is a login, or says whose it is", `
		AWS_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN
		AWS_CONTAINER_* GOOGLE_CLOUD_PROJECT CLOUDSDK_* AZURE_* GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN GH_CONFIG_DIR`, Traits{Personal: true, Indirect: true, Tool: true}},
	{Runs, "is a file of logins, which may name a program that the agent itself runs", loginFiles, Traits{Personal: true}},
	{Harmless, "chooses a region", `AWS_REGION AWS_DEFAULT_REGION`, Traits{}},
	{Redirects, "makes programs trust another authority for TLS", `SSL_CERT_* *_CA_BUNDLE`,
		Traits{Indirect: true, Personal: true}},
	{Runs, "decides what ~ means, in rules and settings too", `HOME`, Traits{Personal: true}},
	{Runs, "names the shell that runs every command", `SHELL`, Traits{Personal: true}},
	{Runs, "names a program that runs outside the sandbox", `EDITOR VISUAL PAGER`, Traits{Personal: true}},
	{Runs, "names a program that runs outside the sandbox", `
		BROWSER *PAGER *_EDITOR *_BROWSER *_ASKPASS NULLCMD READNULLCMD FCEDIT HGEDITOR HGMERGE KUBECTL_EXTERNAL_DIFF CVS_RSH RSYNC_RSH SVN_SSH FZF_*_COMMAND`,
		Traits{Personal: true, Named: true}},
	{Runs, "is a command that less runs on every file", `LESSOPEN`, Traits{Personal: true, Named: true}},
	{Runs, "is a command that less runs after every file", `LESSCLOSE`, Traits{Personal: true, Named: true}},
	{Redirects, "is a file of keys, which can name commands", `LESSKEY LESSKEYIN INPUTRC`,
		Traits{Indirect: true, Personal: true, Named: true}},
	{Runs, "names a file of options for the agent's search, which can name a program", `RIPGREP_CONFIG_PATH`,
		Traits{Personal: true}},
	{Runs, "loads code into every program that uses OpenSSL", `OPENSSL_*`, Traits{Personal: true}},
	{Runs, "loads code into every program that converts text", `GCONV_PATH`, Traits{Personal: true}},
	{Runs, "puts other settings in the place of yours, git's among them", `XDG_CONFIG_*`, Traits{Personal: true}},
	{Runs, "says where approvals are kept", `XDG_STATE_HOME`, Traits{Personal: true}},
	{Runs, "says where stored proofs are kept", `XDG_CACHE_HOME`, Traits{Personal: true}},
	{Runs, "puts other programs' files in the place of yours", `XDG_DATA_*`, Traits{Personal: true}},
	{Redirects, "says where the sockets of programs lie", `XDG_RUNTIME_DIR`, Traits{Personal: true, Indirect: true}},
	{Redirects, "says which agent signs for you", `SSH_AUTH_SOCK`, Traits{Personal: true, Indirect: true}},
	{Redirects, "decides where what runs outside the sandbox keeps its files", `TMPDIR`,
		Traits{Personal: true, Indirect: true}},
	{Redirects, "decides where what runs outside the sandbox keeps its files", `TMP TEMP`,
		Traits{Personal: true, Tool: true}},

	{Runs, "loads code into the program, or names one", `
		CLASSPATH JAVA_* UV_* NPM_CONFIG_* CORECLR_PROFILER* LUA_* ERL_* ELIXIR_ERL_OPTIONS
		GEM_* BUNDLE_GEMFILE CARGO_HOME CARGO_* RUSTC* RUSTFLAGS DENO_* PROMPT_COMMAND CDPATH MAKEFLAGS PIP_*`, Traits{Personal: true, Tool: true}},
	// Only a guess from the name.
	{Unknown, "may name the configuration of a program", `
		*VIMRC SCREENRC WGETRC CURLRC FZF_* ZSH ZSH_CUSTOM OSH* BASH_IT* BASH_COMPLETION* *_CONFIG *_CONFIG_FILE *_CONFIG_DIR *_COMMAND *_RC *_INIT *_PLUGIN*
		*_STARTUP MODULE_PATH`, Traits{Personal: true, Named: true}},
}
