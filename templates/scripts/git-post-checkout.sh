#!/bin/sh
# steward-setup script: git-post-checkout.sh
#
# git's post-checkout hook: adds the path of a new worktree to its own
# settings.local.json, as far as that was approved. git takes this file's exit
# code for its own, so it is always 0.

binary=@BINARY@
# On a host that ~/.claude/git-hooks was synced to, the program is in
# ~/.local/bin; the home is the one that this file lies in, whatever HOME says.
# Any other directory of hooks may be one that commands write.
case $0 in
/*/.claude/git-hooks/*)
	if [ ! -x "$binary" ] && [ -x "${0%/*/*/*}/.local/bin/steward-setup" ]; then
		binary=${0%/*/*/*}/.local/bin/steward-setup
	fi
	;;
esac

if [ -f "$binary" ] && [ -s "$binary" ] && [ -x "$binary" ]; then
	"$binary" hook post-checkout "$@" || :
else
	echo "post-checkout: steward-setup is missing at $binary: run \"steward-setup install\" on this host" >&2
fi
exit 0
