#!/bin/sh
# steward-setup script: sandbox-status-line.sh
#
# Status line: says whether the sandbox is in force. Without steward-setup it
# says that it is not known.

binary=@BINARY@
# On a host that this file was synced to, the program is in ~/.local/bin; the
# home is the one that this file lies in, whatever HOME says.
if [ ! -x "$binary" ] && [ -x "${0%/*/*/*}/.local/bin/steward-setup" ]; then
	binary=${0%/*/*/*}/.local/bin/steward-setup
fi

if [ -f "$binary" ] && [ -s "$binary" ] && [ -x "$binary" ]; then
	exec "$binary" hook status-line
fi
printf 'sandbox unknown: steward-setup is missing at %s\n' "$binary"
# Whoever writes the payload must not meet a closed pipe.
cat >/dev/null 2>&1
exit 0
