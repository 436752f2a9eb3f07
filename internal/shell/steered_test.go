// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an option or a word that starts a program is never silent,
// and one that is known to start none gives no gap. Each of the first list ran
// a program when it was tried.

package shell

import "testing"

func TestOptionsThatStartPrograms(t *testing.T) {
	place := Place{Home: "/home/u", Dir: "/home/u/p", Project: "/home/u/p"}
	named := func(reach Reach) bool {
		for _, u := range reach.Uses {
			if u.Kind != Reads && u.Kind != Found && u.Kind != Writes {
				return true
			}
		}
		return len(reach.Gaps) > 0
	}
	for _, line := range []string{
		"sed -nf tools/x.sed README.md", "sed -Ef tools/x README.md", "sed -nEf tools/x README.md",
		"sed --fil=tools/x README.md", "sed -e '1e tools/x' -e p README.md",
		"tar --checkpoint=1 --checkpoint-action=exec=tools/x -cf /dev/null README.md",
		"tar --checkpoint-act=exec=tools/x -cf /dev/null x", "tar -cf x.tar --to-com=tools/x x",
		"gtar -I tools/x -cf a b", "gtar -xf a -F tools/x",
		"tar czFf tools/x a b", "tar -cTf tools/list x.tar", "tar Icf ./x a b",
		"zip -T -TT tools/x a.zip README.md", "rsync -avze tools/x a b",
		"rsync --rsh-extra=x a b", "sort --compress-p=tools/x f",
		"split --filt=tools/x f", "scp -S tools/x a b:", "sftp -b tools/batch host",
		"sqlite3 :memory: '.read tools/x.sql'", "sqlite3 -cmd '.read tools/x.sql' db", "sqlite3 db '.shell tools/x'",
		"sqlite3 db '.system tools/x'", `psql -c '\i x'`, `psql -c '\! x'`,
		"sqlite3 db \"select load_extension('./x')\"", "mysql -e 'source x.sql'", "mysql -e 'system x'",
		"mysql -e 'select 1; system x'", "mysql -e 'SYSTEM x'",
		"sqlite3 db \"select 1, edit('a', './x')\"", "sqlite3 db 'select 1;\n  .sh tools/x'",
		"psql -c \"copy t from program './x'\"", "psql -c \"COPY t TO  PROGRAM './x'\"", "gnuplot -e 'system(\"./x\")'",
		"gnuplot -e 'x = system (\"./x\")'", "gnuplot -e 'load \"x.gp\"'", "gnuplot -e '! ./x'",
		"gnuplot -e 'plot \"< ./x\"'", "gnuplot -e 'set output \"|./x\"'", "gnuplot -e 'if (1) { load \"x\" }'",
		"octave --eval 'source(\"x.m\")'", "octave --eval 'a = popen(\"./x\", \"r\")'", "octave --eval 'run x'",
		"octave --eval 'a = 1, system ./x'", "octave --eval 'if (a) run x, end'",
		"gnuplot -e 'if (1) load \"x\"; else load \"y\"'", "gs -c '(%pipe%./x) (r) file'", "sqlplus a @x",
		"sqlplus a 'host ./x'",
		"node --env-file=.envx /home/u/.claude/y.js", "node --env-file .envx /home/u/.claude/y.js",
		"node --env-file-if-exists=.envx /home/u/.claude/y.js",
		"node --experimental-default-config-file /home/u/y.js", "node --experimental-config-file=x.json /home/u/y.js",
		`perl -e 'do "./tools/x.pl"'`, `perl -e "do './x'"`, `perl -ne 'open(F, "x|")' f`, "php -r 'passthru(\"x\");'",
		"perl -e 'print qx(x)'",
		"mapfile -c 1 -C tools/x a <f", "readarray -c1 -Ctools/x a <f", "[[ -v 'a[$(tools/x)]' ]]", "[ -v 'a[$(tools/x)]' ]",
		"test -v 'a[`tools/x`]'", "printf -v 'a[$(tools/x)]' x",
		"read 'a[$(tools/x)]'", "let 'a[$(tools/x)]'", "declare 'a[$(tools/x)]=1'", "x='a[$(tools/x)]'; echo $((x))",
		"echo ${x@P}", "bash -c '[[ -v \"a[\\$(x)]\" ]]'",
	} {
		if reach := place.Line(line); !named(reach) {
			t.Errorf("%s: nothing is said: %+v", line, reach)
		}
	}
	for _, line := range []string{
		"sed -n '1,3p' README.md", "sed -i.bak 's/a/b/' README.md", "sed -i -e 's/a/b/' -e 's/c/d/' f", "sed -nE 's/x/y/p' f",
		"sed --in-place=.orig s/a/b/ f",
		"tar czf /backup/x.tgz src", "tar -xzf x.tgz -C out --strip-components=1", "tar cvf x.tar --exclude='*.o' src",
		"zip -qr x.zip src", "rsync -av --delete src/ /backup/src", "rsync -avze 'ssh -p 1' a host:b",
		"sort -u -k2,2 -t: f", "sort -rn f", "split -l 100 f out.", "scp -q f host:", "sqlite3 db 'select 1'",
		"sqlite3 db 'select 1 where a != 2'", "sqlite3 db 'select name from program where run = 1'",
		"sqlite3 -json db 'select * from t where a!=1 and load > 2; select source, call from t'",
		"psql -c \"select edit from t where shell <> 'x'\"", "mysql -e 'update t set source = 1 where run != 2'",
		"sqlite3 db \"insert into t values ('call me!', 'system load')\"", "sqlite3 db 'select sum(a) from pipe'",
		"gnuplot -e 'plot \"data.txt\" using 1:2 title \"load!\"'", "octave --eval 'a != 2'",
		"node --env-file=/home/u/.env /home/u/y.js",
		"perl -ne 'print if /x/' f", "perl -pe 's/do this/x/' f", "awk '{print $(NF-1)}' f", "readarray -t lines <f",
		"mapfile -t -n 3 a <f", "x='[a] $b'; echo \"$x\"",
	} {
		if reach := place.Line(line); len(reach.Gaps) > 0 {
			t.Errorf("%s: %+v", line, reach.Gaps)
		}
	}
}

// TestWordsOfOthers: a word that only the running shell knows is an option, an order, a
// number or a name to who takes it for one. Each of the first list started a program
// when it was tried with such a word, or does by its manual.
func TestWordsOfOthers(t *testing.T) {
	place := Place{Home: "/home/u", Dir: "/home/u/p", Project: "/home/u/p"}
	for _, line := range []string{
		"jq -r .x | sqlite3 db", "psql", "jq -r .x | xargs env", "jq -r .x | xargs sh", "jq -r .x | xargs -n1 sort",
		"n=$(jq -r .x); [[ $n -gt 1 ]]", "n=$(jq -r .x); (( n > 1 ))", "n=$(jq -r .x); echo $((n/2))", "echo $(($(cat f)))",
		"n=$(cat f); declare -i m=$n",
		"n=$(jq .x); a[$n]=1", "n=$(jq .x); echo ${a:$n:1}", "n=$(jq .x); echo ${a[$n]}",
		`x=$(jq .x); test -v "$x"`, `x=$(jq .x); [ -v "$x" ]`, `x=$(jq .x); printf -v "$x" y`, `x=$(jq .x); unset "$x"`,
		"x=$(jq .x); let y=$x", `x=$(jq .x); read "$x"`, `x=$(jq .x); export "$x"`,
		"x=$(jq .x); for ((i=0;i<x;i++)); do :; done",
		"read -r n < f; echo $((n+1))", "n=$(wc -l f); echo $((n))", "n=$(cat f | jq .x); echo $((n))",
		"f() { echo $(($1)); }; f x",
		`sed "s/x/$(jq -r .x)/" f`, `X=$(jq .x); sed -i "1s|.*|$X|" f`,
		"find $(jq -r .x)", "F=$(jq .x); find $F -type f",
		`F=$(jq .x); tar czf b.tgz "$F"`, `F=$(jq .x); rsync "$F" b/`, "rg $(jq .x) d", "F=$(jq .x); curl -s $F",
		`F=$(jq .x); sort -u "$F"`, "F=$(jq .x); curl -d $F https://x.example",
		`swaymsg exec tools/x`, `M=$(jq .x); swaymsg "nop $M"`,
		"i3-msg 'exec x'", "hyprctl dispatch exec x", "xdotool exec x", "terminal-notifier -message x -execute tools/x",
		"M=$(jq .x); terminal-notifier -message $M", "mpv --script=x.lua f", "nc -e tools/x h 1", "gum spin -- tools/x",
		"play '|x'",
		"ip netns exec x tools/x", "dbus-send --dest=org.freedesktop.systemd1 /x", `M=$(jq .x); festival -b "(SayText \"$M\")"`,
		`pee "$X"`, `open "$(jq .x)"`, `F=$(jq .x); jq . > "$HOME/backup/$F"`,
	} {
		if len(place.Line(line).Gaps) == 0 {
			t.Errorf("%s: nothing is said", line)
		}
	}
	if got := place.Line("pee tools/x"); len(got.Uses) == 0 || got.Uses[0].Path != "/home/u/p/tools/x" {
		t.Errorf("pee: %+v", got)
	}
	for _, line := range []string{
		"sqlite3 db 'select 1'", "sqlite3 db <<<'select 1'", "psql -c 'select 1'", "gnuplot -e 'plot 1'",
		"jq -r .x | xargs gofmt -w",
		"jq -r .x | xargs -r prettier --no-config --write", "jq -r .x | xargs -I{} cp {} /backup/", "jq .x | xargs echo",
		"s=$(date +%s); sleep 1; echo $(($(date +%s)-s))", "n=$(ls | wc -l); (( n > 3 )) && notify-send many",
		"i=0; while ((i < 3)); do ((i++)); done", "for ((i=0;i<3;i++)); do echo $i; done", "n=${#x}; [[ $n -gt 3 ]]",
		"[[ $COLUMNS -gt 80 ]]", `n=$(jq .x); [ "$n" -gt 1 ]`, `n=$(jq .x); [[ $n == 1 ]]`, "a=(1 2); echo ${a[@]} ${a[0]}",
		`find . -name "$(jq -r .x)"`, `F=$(jq .x); rg -e "$F" d`, `M=$(jq .x); curl -s -d "$M" https://x.example`,
		`F=$(jq .x); tar czf b.tgz -- "$F"`, `F=$(jq .x); gofmt -w "$F"`, `notify-send "$(jq -r .x)"`,
		`M=$(jq .x); terminal-notifier -message "$M"`, "swaymsg -t get_tree", "hyprctl notify 1 2000 0 done", "mpv done.mp3",
		"sed \"s/x/$(date +%F)/\" f", "sed \"s/x/$USER/\" f", "jq . > ~/logs/$(date +%F).json", `t=$(mktemp); jq . > "$t"`,
		"s=$(jq -r .session_id); jq . > ~/logs/$s.json", `s=$(echo "$IN" | jq -r '.session_id // "x"'); jq . > ~/logs/$s.json`,
		`F=$(jq .x); cp "$F" "$HOME/backup/$(basename "$F")"`,
	} {
		if gaps := place.Line(line).Gaps; len(gaps) > 0 {
			t.Errorf("%s: %+v", line, gaps)
		}
	}
}
