#!/bin/sh
# steward-setup script: git-hook.sh
#
# One of git's hooks, for every repository that sets no core.hooksPath itself.
# After a checkout it registers the worktree's root, as far as that was
# approved. Then it becomes the hook that git would run without this directory:
# same arguments, stdin, environment and exit code; where there is none, it
# exits 0 with stdin unread.

set +aeu # whatever SHELLOPTS says

steward_setup_binary=@BINARY@
# The global core.hooksPath that this directory replaces; '' if there was none.
steward_setup_before=@BEFORE@
# yes: another one counts in some repositories (includeIf), so git is asked.
steward_setup_asks=@ASKS@

steward_setup_name=${0##*/}

# A hook of core.hooksPath that asks git for hooks/NAME and starts it comes back
# here, as the same process or a child of it. Without this directory git would
# have named that hook itself.
if [ -n "${STEWARD_SETUP_HOOK-}" ]; then
	case $STEWARD_SETUP_HOOK in
	"$$ $steward_setup_name" | "$PPID $steward_setup_name") exit 0 ;;
	esac
fi

if [ "$steward_setup_name" = post-checkout ] && [ "${3-}" = 1 ] && [ -d .claude ] && [ -x "$steward_setup_binary" ]; then
	"$steward_setup_binary" hook post-checkout "$@" </dev/null >/dev/null 2>&1 || :
fi

# The one line of a file.
steward_setup_line() {
	{
		IFS= read -r steward_setup_said || [ -n "$steward_setup_said" ] || return 1
		if IFS= read -r steward_setup_more || [ -n "$steward_setup_more" ]; then return 1; fi
	} <"$1"
}

# The directory that all worktrees share, as git names it when it runs a hook.
steward_setup_common() {
	steward_setup_dir=${GIT_DIR:-.git}
	if [ -n "${GIT_COMMON_DIR-}" ]; then
		steward_setup_dir=$GIT_COMMON_DIR
		return
	fi
	if [ -f "$steward_setup_dir" ] && steward_setup_line "$steward_setup_dir"; then
		steward_setup_dir=${steward_setup_said#gitdir: }
	fi
	if [ -f "$steward_setup_dir/commondir" ] && steward_setup_line "$steward_setup_dir/commondir"; then
		case $steward_setup_said in
		/*) steward_setup_dir=$steward_setup_said ;;
		*) steward_setup_dir=$steward_setup_dir/$steward_setup_said ;;
		esac
		steward_setup_dir=$(CDPATH='' cd -P -- "$steward_setup_dir" 2>/dev/null && pwd -P && echo x)
		steward_setup_dir=${steward_setup_dir%?x}
	fi
	[ ! -d "$steward_setup_dir/objects" ] || return 0
	steward_setup_dir=$(git rev-parse --git-common-dir 2>/dev/null && echo x)
	steward_setup_dir=${steward_setup_dir%?x}
}

# The core.hooksPath that would count without this directory, at "$1".
steward_setup_ask() {
	steward_setup_before=
	steward_setup_all=$(git config --type=path --get-all core.hooksPath 2>/dev/null) || return 0
	while IFS= read -r steward_setup_said; do
		# shellcheck disable=SC3013 # dash, bash, ksh and busybox have -ef
		if [ ! "${steward_setup_said:-/}" -ef "$1" ]; then
			steward_setup_before=${steward_setup_said:-/}
		fi
	done <<-END
		$steward_setup_all
	END
}

if [ "$steward_setup_asks" = yes ]; then
	steward_setup_ask "${0%/*}"
fi
if [ -n "$steward_setup_before" ]; then
	steward_setup_hook=$steward_setup_before/$steward_setup_name
	STEWARD_SETUP_HOOK="$$ $steward_setup_name"
	export STEWARD_SETUP_HOOK
else
	steward_setup_common
	steward_setup_hook=${steward_setup_dir:+$steward_setup_dir/hooks/$steward_setup_name}
	steward_setup_hook=${steward_setup_hook#./}
fi

# Not this file again, by whatever name.
# shellcheck disable=SC3013
if [ -f "$steward_setup_hook" ] && [ -x "$steward_setup_hook" ] && [ ! "$steward_setup_hook" -ef "$0" ]; then
	exec "$steward_setup_hook" "$@"
fi

# git leaves the work tree to this hook where it finds one, so without one the
# usual update is made here, as githooks(5) describes it.
if [ "$steward_setup_name" = push-to-checkout ]; then
	fail() {
		echo "$1" >&2
		exit 1
	}
	git update-index -q --ignore-submodules --refresh || fail "Up-to-date check failed"
	git diff-files --quiet --ignore-submodules -- || fail "Working directory has unstaged changes"
	if git rev-parse --verify -q HEAD >/dev/null; then
		head=HEAD
	else
		head=$(git hash-object -t tree --stdin </dev/null)
	fi
	git diff-index --quiet --cached --ignore-submodules "$head" -- || fail "Working directory has staged changes"
	git read-tree -u -m "$1" || fail "Could not update working tree to new HEAD"
fi
exit 0
