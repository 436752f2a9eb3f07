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
		"tar czFf tools/x a b", "tar -cTf tools/list x.tar", "zip -T -TT tools/x a.zip README.md", "rsync -avze tools/x a b",
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
		"zip -qr x.zip src", "rsync -av --delete src/ /backup/src",
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
