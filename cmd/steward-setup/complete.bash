# bash completion for steward-setup. It needs nothing but bash 4.
_steward_setup() {
	local line=${COMP_LINE:0:COMP_POINT} words out directive value candidate
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	value=${words[${#words[@]}-1]}
	out=$("${words[0]}" __completeNoDesc "${words[@]:1}" 2>/dev/null) || return
	directive=${out##*:}
	out=${out%:*}
	[[ $value == -*=* ]] && value=${value#*=}
	COMPREPLY=()
	while IFS= read -r candidate; do
		[[ -n $candidate && $candidate == "$value"* ]] || continue
		# readline replaces what follows the last colon.
		[[ $value == *:* ]] && candidate=${candidate#"${value%:*}:"}
		candidate=$(printf %q "$candidate")
		COMPREPLY+=("${candidate//\\,/,}")
	done <<<"$out"
	if ((directive & 2)); then compopt -o nospace; fi
	if ((directive & 16)); then
		compopt -o dirnames
	elif ! ((directive & 4)) && ((${#COMPREPLY[@]} == 0)); then
		compopt -o default
	fi
}
complete -F _steward_setup steward-setup
