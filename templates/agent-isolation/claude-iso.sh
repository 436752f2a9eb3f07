# steward-setup script: claude-iso.sh
#
# Source this from ~/.bashrc or ~/.zshrc. It defines claude-iso, which starts
# the agent with a clean environment:
#
#   claude-iso [--main-checkout] [ARGUMENTS OF claude]
#   CLAUDE_ISO_ALLOW="GH_TOKEN" GH_TOKEN=... claude-iso
#
# shellcheck shell=sh disable=SC3028

# On a host that this file was synced to, the program is in ~/.local/bin; the
# home is the one that this file lies in, whatever HOME says.
__steward_setup_other=
if [ -n "${BASH_VERSION:-}" ]; then
	__steward_setup_other=${BASH_SOURCE:-}
elif [ -n "${ZSH_VERSION:-}" ]; then
	eval '__steward_setup_other=${(%):-%x}'
fi
case $__steward_setup_other in
/*/.claude/agent-isolation/claude-iso.sh) __steward_setup_other=${__steward_setup_other%/.claude/*}/.local/bin/steward-setup ;;
*) __steward_setup_other= ;;
esac

__steward_setup_iso() {
	if [ -f @BINARY@ ] && [ -s @BINARY@ ] && [ -x @BINARY@ ]; then
		@BINARY@ iso "$@"
		return
	fi
	if [ -f "$__steward_setup_other" ] && [ -s "$__steward_setup_other" ] && [ -x "$__steward_setup_other" ]; then
		"$__steward_setup_other" iso "$@"
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
