// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: how the value of a variable is read is told once for each,
// from the manual of the program that reads it; where nobody tells, its words are.

package claude

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Holds is what the value of a variable is.
type Holds int

const (
	// HoldsWords may be paths, each by itself or behind an option.
	HoldsWords Holds = iota
	// HoldsPath is one path, whether it is there or not; a command could make it.
	HoldsPath
	// HoldsName is one path, or the name of a program or a stage.
	HoldsName
	// HoldsPaths is a list of paths, between colons or spaces.
	HoldsPaths
	// HoldsPathsOrHere is such a list, in which an empty entry is the working directory
	// (ld.so(8); java(1); python3, measured with 3.11). PYTHONPATH=$PYTHONPATH:/x
	// makes one.
	HoldsPathsOrHere
	// HoldsOptions are options, some of which name a file to load.
	HoldsOptions
	// HoldsModules are options of a program that looks for a bare name below the
	// working directory, too (Node's and Bun's modules).
	HoldsModules
	// HoldsLine is a command line, as for a shell.
	HoldsLine
	// HoldsCommands are those of vim (vim(1), ex(1)).
	HoldsCommands
)

// valueRows say what values hold; of patterns the first counts. Sources: the
// manuals at the head of othervariables.go, and less(1), lesskey(1), git(1), make(1),
// R (Startup), php.net (PHP_INI_SCAN_DIR), xdg-open(1), fzf(1), learn.microsoft.com
// (DOTNET_STARTUP_HOOKS).
var valueRows = []struct {
	holds Holds
	names string
}{
	{HoldsName, `HOME SHELL ENV TMPDIR GIT_DIR GIT_COMMON_DIR SSH_AUTH_SOCK ` + ShellVariable},
	{HoldsPath, `*_HOME ZDOTDIR BASH_ENV ` + ConfigDirVariable + ` ` + EnvFileVariable + ` GIT_EXEC_PATH GIT_CONFIG_GLOBAL
		GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR PYTHONSTARTUP RIPGREP_CONFIG_PATH OPENSSL_CONF SSL_CERT_FILE
		NODE_EXTRA_CA_CERTS R_PROFILE R_PROFILE_USER PHPRC LESSKEY LESSKEYIN INPUTRC
		NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG AUTOENV_AUTH_FILE` + managedDirs + ownConfiguration + loginFiles},
	{HoldsPathsOrHere, `LD_LIBRARY_PATH PYTHONPATH CLASSPATH`},
	{HoldsPaths, moduleDirs + commandFiles + ` GCONV_PATH NODE_PATH PERL5LIB RUBYLIB MAKEFILES PHP_INI_SCAN_DIR DOTNET_STARTUP_HOOKS`},
	{HoldsModules, `NODE_OPTIONS BUN_OPTIONS NPM_CONFIG_NODE_OPTIONS`},
	{HoldsName, buildPrograms + ` GOENV`},
	{HoldsOptions, `PERL5OPT RUBYOPT GOFLAGS TAR_OPTIONS VALGRIND_OPTS NIX_PATH` + javaOptions},
	{HoldsLine, `EDITOR VISUAL PAGER BROWSER *_EDITOR *PAGER *_BROWSER FCEDIT HGEDITOR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF
		NULLCMD READNULLCMD
		GIT_PROXY_COMMAND LESSOPEN LESSCLOSE HGMERGE KUBECTL_EXTERNAL_DIFF CVS_RSH RSYNC_RSH SVN_SSH FZF_*_COMMAND
		GOAUTH CLAUDE_CODE_SHELL_PREFIX` + compilers},
	{HoldsCommands, `VIMINIT GVIMINIT EXINIT`},
}

// HoldsOf is what the value of a variable holds.
func HoldsOf(name string) Holds {
	name = strings.ToUpper(name)
	for _, row := range valueRows {
		if pathname.Like(name, strings.Fields(row.names)...) {
			return row.holds
		}
	}
	return HoldsWords
}
