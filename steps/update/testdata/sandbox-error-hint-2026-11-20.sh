#!/bin/sh
# steward-setup script: sandbox-error-hint.sh
#
# PostToolUse and PostToolUseFailure hook: names the sandbox rule behind an
# error, and the probe that explains it. Without steward-setup it is silent.

binary=@BINARY@

if [ -f "$binary" ] && [ -s "$binary" ] && [ -x "$binary" ]; then
	exec "$binary" hook error-hint
fi
# Whoever writes the payload must not meet a closed pipe.
cat >/dev/null 2>&1
exit 0
