#!/bin/sh
# steward-setup script: git-post-checkout.sh
#
# git's post-checkout hook: adds the path of a new worktree to its own
# settings.local.json, as far as that was approved. git takes this file's exit
# code for its own, so it is always 0.

binary=@BINARY@

if [ -f "$binary" ] && [ -s "$binary" ] && [ -x "$binary" ]; then
	"$binary" hook post-checkout "$@" || :
fi
exit 0
