#!/bin/sh
# steward-setup script: sandbox-add-project-root.sh
#
# Adds this worktree's path to its own settings.local.json, as far as that was
# approved. Git hooks call it, so without steward-setup it is silent.

binary=@BINARY@
# On a host that this file was synced to, the program is in ~/.local/bin; the
# home is the one that this file lies in, whatever HOME says.
if [ ! -x "$binary" ] && [ -x "${0%/*/*/*}/.local/bin/steward-setup" ]; then
	binary=${0%/*/*/*}/.local/bin/steward-setup
fi

if [ -f "$binary" ] && [ -s "$binary" ] && [ -x "$binary" ]; then
	# Not exec: git takes the exit code of post-checkout for its own, and
	# a file that cannot be started (126, 127) must not break a checkout.
	"$binary" project-root "$@"
	code=$?
	case $code in
	126 | 127) ;;
	*) exit "$code" ;;
	esac
fi
exit 0
