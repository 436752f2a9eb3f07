#!/bin/sh
# steward-setup script: sandbox-bypass-warn.sh
#
# PreToolUse hook: makes a request to run outside the sandbox impossible to
# miss. steward-setup judges the call; where it is missing or cannot be
# started, this file still warns.

binary=@BINARY@
binary_in_json=@BINARY_IN_JSON@
# On a host that this file was synced to, the program is in ~/.local/bin; the
# home is the one that this file lies in, whatever HOME says.
if [ ! -x "$binary" ] && [ -x "${0%/*/*/*}/.local/bin/steward-setup" ]; then
	binary=${0%/*/*/*}/.local/bin/steward-setup
fi

if [ -f "$binary" ] && [ -s "$binary" ] && [ -x "$binary" ]; then
	# Not exec: if the system cannot start the file (126, 127), the
	# payload is still unread, and the warning below must come.
	"$binary" hook bypass-warn
	code=$?
	case $code in
	126 | 127) ;;
	# The runtime takes 2 for "block every call"; only a crash gives it.
	2) exit 1 ;;
	*) exit "$code" ;;
	esac
fi

PATH=$PATH:/usr/bin:/bin
LC_ALL=C
export PATH LC_ALL
# In JSON a quote inside a string is escaped, so the quoted names below can
# only be keys and values, whatever the spacing and nesting was.
if ! payload=$(tr -d '[:space:]\000'); then
	echo "[sandbox-bypass] not judged: no tr on PATH, and steward-setup is missing at $binary" >&2
	exit 1
fi
case $payload in
*'"dangerouslyDisableSandbox":true'*) ;;
*) exit 0 ;;
esac
case $payload in
*'"hook_event_name":"PreToolUse"'*)
	printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"%s%s%s"}}\n' \
		'This command asks to run OUTSIDE the sandbox. Its reason could not be read: steward-setup is missing at ' \
		"$binary_in_json" '. Read the command before you allow it.'
	exit 0
	;;
esac
printf '\033[1;31m%s\033[0m\n' \
	'==================== SANDBOX BYPASS REQUESTED ====================' \
	'A command asks to run OUTSIDE the sandbox. Read it before you allow it.' \
	"Its reason could not be read: steward-setup is missing at $binary" \
	'==================================================================' >&2
exit 1
