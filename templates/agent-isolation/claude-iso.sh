# steward-setup script: claude-iso.sh
#
# Source this from ~/.bashrc or ~/.zshrc. It defines claude-iso, which starts
# the agent with a clean environment:
#
#   claude-iso [--main-checkout] [ARGUMENTS OF claude]
#   CLAUDE_ISO_ALLOW="GH_TOKEN" GH_TOKEN=... claude-iso
#
# shellcheck shell=sh disable=SC3028

__steward_setup_iso() {
	if [ -f @BINARY@ ] && [ -s @BINARY@ ] && [ -x @BINARY@ ]; then
		@BINARY@ iso "$@"
		return
	fi
	\printf 'claude-iso: steward-setup is missing at %s\n' @BINARY@ >&2
	\printf '%s\n' 'claude-iso: put it back and run "steward-setup install"; without a clean environment: command claude' >&2
	return 127
}

# A name with a hyphen is no function name in POSIX mode, where defining it
# ends the shell. "function" keeps an alias of that name from being expanded.
if [ -n "${BASH_VERSION:-}${ZSH_VERSION:-}" ]; then
	case :${SHELLOPTS:-}: in
	*:posix:*) ;;
	*) eval 'function claude-iso { __steward_setup_iso "$@"; }' ;;
	esac
fi
