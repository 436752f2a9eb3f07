// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// session is an agent whose project a line is told.
var session = Agent{Program: "claude", Plain: []string{"--version"},
	Project: "CLAUDE_PROJECT_DIR", Own: "CLAUDE_CONFIG_DIR",
	Loads: func(name string) bool {
		return slices.Contains([]string{"PATH", "LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "GIT_DIR", "GIT_COMMON_DIR",
			"BASH_ENV"}, name)
	}}

var place = Place{Home: "/h", Dir: "/h/p/sub", Project: "/h/p", Root: "/h/p", Agent: session,
	Look: func(name string) (string, error) {
		if strings.HasPrefix(name, "missing") {
			return "", errors.New("missing")
		}
		return "/usr/bin/" + name, nil
	},
	Stays: func(dir string) bool { return dir == "/safe" }}

// said is an answer in short, without what was found on PATH and what is data.
func said(reach Reach) string {
	var list []string
	for _, u := range reach.Uses {
		if u.Kind != Found && u.Kind != Reads && u.Kind != Writes {
			list = append(list, string(u.Kind)+" "+u.Path)
		}
	}
	if len(reach.Gaps) > 0 {
		list = append(list, "gap")
	}
	return strings.Join(list, ", ")
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		// Where the file is.
		{"~/x", "runs /h/x"},
		{`"~/x"`, "runs /h/p/sub/~/x"},
		{`"$HOME/a b" c`, "runs /h/a b, names /h/p/sub/c"},
		{`"${HOME}"/x`, "runs /h/x"},
		{`"$CLAUDE_PROJECT_DIR"/x`, "runs /h/p/x"},
		{`${CLAUDE_PROJECT_DIR:-.}/x`, "runs /h/p/x"},
		{`"$PWD/x"`, "runs /h/p/sub/x"},
		{"./x", "runs /h/p/sub/x"},
		{`/a/b\ c`, "runs /a/b c"},
		{`"$(git rev-parse --show-toplevel)/x"`, "runs /h/p/x"},
		{"`git rev-parse --show-toplevel`/x", "runs /h/p/x"},
		{`"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/x"`, "runs /h/p/x, runs /h/p/sub/x"},
		{`"$(dirname "$CLAUDE_PROJECT_DIR")/x"`, "runs /h/x"},
		{`R=$(git rev-parse --show-toplevel); "$R"/x`, "runs /h/p/x"},
		{`D="$(cd .. && pwd)"; bash "$D/x"`, "runs /h/p/x"},
		// Directories.
		{"cd .. && ./x", "runs /h/p/x"},
		{"cd ..; ./x", "runs /h/p/x, runs /h/p/sub/x"},
		{"cd .. || exit 1; ./x", "runs /h/p/x"},
		{"cd /safe; ./x", "runs /safe/x"},
		{"cd /gone; ./x", "runs /gone/x, runs /h/p/sub/x"},
		{"(cd /safe && ./x); ./y", "runs /safe/x, runs /h/p/sub/y"},
		{"cd && ./x", "runs /h/x"},
		{`cd "$X" && ./x`, "gap"},
		{"if cd /a; then ./x; else ./y; fi; ./z", "runs /a/x, runs /h/p/sub/y, runs /a/z, runs /h/p/sub/z"},
		{"while true; do ./x; cd ..; done", "runs /h/p/sub/x, runs /h/p/x, runs /h/x, runs /x"},
		{"cd /a && npm test", "decides /a"},
		// Conditions, loops, functions.
		{"test -x ./x && ./x", "runs /h/p/sub/x"},
		{"[ -f x ] && . x", "runs /h/p/sub/x"},
		{"[[ -f x ]] && source ./x || true", "runs /h/p/sub/x"},
		{"for s in a b; do ./$s; done", "runs /h/p/sub/a, runs /h/p/sub/b"},
		{`for s in tools/*.sh; do bash "$s"; done`, "decides /h/p/sub/tools"},
		{"tools/*.sh", "decides /h/p/sub/tools"},
		{`for s in $(ls); do "$s"; done`, "gap"},
		{"f() { ./x; }; f", "runs /h/p/sub/x"},
		{"f() { ./x; }", ""},
		{"case $1 in a) ./x;; esac", "runs /h/p/sub/x"},
		{"exit 0; ./x", ""},
		{"true || ./x", ""},
		{"! ./x", "runs /h/p/sub/x"},
		{"trap './x' EXIT", "runs /h/p/sub/x"},
		{`bind -x '"\C-g": ./x'`, "runs /h/p/sub/x"},
		{"complete -o nospace -C ./x git", "runs /h/p/sub/x"},
		{"./x &", "runs /h/p/sub/x"},
		{"time ./x", "runs /h/p/sub/x"},
		// Lines in lines.
		{"bash x", "runs /h/p/sub/x"},
		{"bash -eu ./x a", "runs /h/p/sub/x"},
		{"bash -c './x'", "runs /h/p/sub/x"},
		{"bash -c 'f() { ./x; }; f'", "runs /h/p/sub/x"},
		{`bash -lc "cd .. && ./x"`, "runs /h/p/x"},
		{`bash -c "$X"`, "gap"},
		{`bash -c "bash -c 'bash ./x'"`, "runs /h/p/sub/x"},
		{"eval './x'", "runs /h/p/sub/x"},
		{`eval "$X"`, "gap"},
		{"echo $(./x)", "runs /h/p/sub/x"},
		{`echo "${X:-$(./x)}"`, "runs /h/p/sub/x"},
		{"cat <(./x)", "runs /h/p/sub/x"},
		{"A=$(./x)", "runs /h/p/sub/x"},
		{"[[ $(./x) ]]", "runs /h/p/sub/x"},
		{"bash < x", "runs /h/p/sub/x"},
		{"bash <<'E'\n./x\nE", "runs /h/p/sub/x"},
		{"cat <<E\n./x\nE", ""},
		{"less README.md", ""},
		{"less '+!./x' README.md", "unclear /h/p/sub, names /h/p/sub/+!./x, names /h/p/sub/README.md"},
		{"cat <<E\n$(./x)\nE", "runs /h/p/sub/x"},
		{"cat x | bash", "gap"},
		{"curl -s https://example.org | sh", "gap"},
		// Programs in front.
		{"env A=b ./x", "runs /h/p/sub/x"},
		{"env -i ./x", "runs /h/p/sub/x"},
		{"env -C .. ./x", "runs /h/p/x"},
		{"/usr/bin/env python3 x.py", "runs /usr/bin/env, runs /h/p/sub/x.py"},
		{"exec ./x", "runs /h/p/sub/x"},
		{"exec ./x; ./y", "runs /h/p/sub/x"},
		{"timeout 5 ./x", "runs /h/p/sub/x"},
		{"timeout -k 1 5s nice -n 5 ./x", "runs /h/p/sub/x"},
		{"timeout --odd 5 ./x", "gap"},
		{"nohup setsid ./x", "runs /h/p/sub/x"},
		{"ls | xargs -n 1 ./x", "runs /h/p/sub/x"},
		{"ls | xargs -I{} ./{}", "gap"},
		{"ls | xargs bash", "gap"},
		{"command ./x", "runs /h/p/sub/x"},
		{"find . -name y -exec ./x {} +", "runs /h/p/sub/x"},
		{"flock /tmp/l ./x", "runs /h/p/sub/x"},
		{"sudo ./x", "runs /h/p/sub/x"},
		{"A=1 ./x", "runs /h/p/sub/x"},
		// Interpreters.
		{"python3 x.py", "runs /h/p/sub/x.py"},
		{"python3 -u ~/x.py a", "runs /h/x.py"},
		{"python3 -m mod", "decides /h/p/sub"},
		{"python3 -I -m mod", ""},
		{"python3 -Im mod", ""},
		{`python3 -c "import json"`, "decides /h/p/sub"},
		{`python3 -Ic "import json"`, ""},
		{`python3 -c "print(1)"`, ""},
		{"python3 - <<E\nimport json\nE", "decides /h/p/sub"},
		{"cd /safe && python3 -m mod", "decides /safe"},
		{"node x.js", "runs /h/p/sub/x.js"},
		{"node --no-warnings -r ./y x.js", "runs /h/p/sub/y, runs /h/p/sub/x.js"},
		{"node -r ts-node/register ~/x", "decides /h/p/sub, runs /h/x"},
		{`node -e "console.log(1)"`, ""},
		{`node -e "require('fs').statSync('x')"`, ""},
		{`node -e "require('left-pad')"`, "gap"},
		{"node $X", "gap"},
		{"perl -ne 'print' x", ""},
		{"perl x.pl", "runs /h/p/sub/x.pl"},
		{"perl -I. x.pl", "gap"},
		{"ruby x.rb", "runs /h/p/sub/x.rb"},
		{"php x.php", "runs /h/p/sub/x.php"},
		{"awk '{print $1}' x", ""},
		{"awk -f x.awk y", "runs /h/p/sub/x.awk"},
		{"awk 'BEGIN{system(\"./x\")}'", "gap"},
		{"sed -n 's/a/b/p' x", ""},
		{"sed '1e ./x' y", "gap"},
		{"java -jar x.jar", "runs /h/p/sub/x.jar"},
		// Files of the project decide.
		{"npm run s", "decides /h/p/sub"},
		{"yarn s", "decides /h/p/sub"},
		{"pnpm s", "decides /h/p/sub"},
		{"npx tool", "decides /h/p/sub"},
		{"npx -y tool@1.2.3", "decides /h/p/sub"},
		{"bunx tool", "decides /h/p/sub"},
		{"npm --prefix ~/q run s", "decides /h/q"},
		{"npm --version", ""},
		{"make", "decides /h/p/sub"},
		{"make -C .. x", "decides /h/p"},
		{"make -C $X x", "gap"},
		{"just x", "decides /h/p/sub"},
		{"just --completions zsh", ""},
		{"task --completion bash", ""},
		{"lefthook completion bash", ""},
		{"cargo run", "decides /h/p/sub"},
		{"go run ./x", "decides /h/p/sub"},
		{"go vet ./...", ""},
		{"uv run x", "decides /h/p/sub"},
		{"uvx tool@1.2.3", ""},
		{"uv tool run x", ""},
		{"uvx --python 3.12 --with=rich,httpx[http2] --from git+https://x.example/y z", ""},
		{"uvx --from . x", "decides /h/p/sub"},
		{"uvx --with=rich,./lib --python ../.venv/bin/python x", "decides /h/p/sub/lib, decides /h/p/.venv/bin/python"},
		{"uv tool run --with-editable lib --from 'x @ file:///h/p/x' x", "runs /h/p/sub/lib, decides /h/p/x"},
		{"uvx --from git+file:///h/p x", "decides /h/p"},
		{`uvx --from "$X" x`, "gap"},
		{"poetry run x", "decides /h/p/sub"},
		{"pytest -q", "decides /h/p/sub"},
		{"prettier --write x", "configures /h/p/sub"},
		{"prettier --no-config --write x", ""},
		{"Rscript ~/x.R", "configures /h/p/sub, runs /h/x.R"},
		{"Rscript --vanilla ~/x.R", "runs /h/x.R"},
		{"lua ~/x.lua", "configures /h/p/sub, runs /h/x.lua"},
		{"pipx run x", "decides /h/p/sub"},
		{"pipx list", ""},
		{"Rscript ~/x.R --vanilla", "configures /h/p/sub, runs /h/x.R"},
		{"octave ~/x.m --norc", "configures /h/p/sub, names /h/x.m, runs /h/x.m"},
		{"prettier --write x --no-config", ""},
		{"octave --norc ~/x.m", "names /h/x.m, runs /h/x.m"},
		{"octave-cli ~/x.m", "configures /h/p/sub, names /h/x.m, runs /h/x.m"},
		// What else decides.
		{"PATH=./bin:$PATH tool", "decides /h/p/sub/bin, unclear /h/p/sub"},
		{`PATH="$HOME/.local/bin:$PATH"; tool`, "decides /h/.local/bin, unclear /h/p/sub"},
		{"PATH=$X tool", "unclear /h/p/sub, gap"},
		{"export PATH=~/b:~/c; tool", "decides /h/b, decides /h/c, unclear /h/p/sub"},
		{"LD_PRELOAD=/h/p/x.so tool", "decides /h/p/x.so, unclear /h/p/sub"},
		{"PYTHONPATH=. python3 ~/x.py", "runs /h/x.py, gap"},
		{"NODE_OPTIONS=--max-old-space-size=4096 tool", "unclear /h/p/sub"},
		{"alias ls=./x", "gap"},
		{"$X", "gap"},
		{`"$1"`, "gap"},
		{"X=./x; $X", "runs /h/p/sub/x"},
		{`X="bash ./x"; $X`, "gap"},
		{`read X; $X`, "gap"},
		{"{a,b}/x", "gap"},
		// Lines that mean something else than they seem to.
		{"HOME=.; ~/x", "runs /h/p/sub/x"},
		{"HOME=. ; cd && ./x", "gap"},
		{"HOME=. bash -c '~/x'", "gap"},
		{"env HOME=. bash -c '~/x'", "gap"},
		{"unset HOME; ~/x", "gap"},
		{"CLAUDE_PROJECT_DIR=/a; $CLAUDE_PROJECT_DIR/x", "runs /a/x"},
		{"IFS=:; X=/bin/sh:./x; $X", "gap"},
		{"IFS= read -r f; gofmt -w \"$f\"", ""},
		{"X=/a; printf -v X ./x; $X", "gap"},
		{"X=; : ${X:=./x}; $X", "gap"},
		{"X=/a; declare -n Y=X; Y=./x; $X", "runs /a, gap"},
		{"cd /a &> /dev/null && ./x", "runs /a/x, runs /h/p/sub/x"},
		{"[[ a || ./x ]]", "runs /h/p/sub/x"},
		{"[[ -n $f && $f == *.go ]]", ""},
		{"shopt -s lastpipe; cd .. | cd ..; ./x", "runs /h/p/sub/x, gap"},
		{"A=1 cd ..; ./x", "runs /h/p/x, runs /h/p/sub/x"},
		{"A=b f() { ./x; }; f", "gap"},
		{"ssh host ./x", "gap"},
		{"lua -l x", "configures /h/p/sub, gap"},
		{"someTool --script=./x y", "unclear /h/p/sub, names /h/p/sub/x, names /h/p/sub/y"},
		{"git -c core.pager=./x log", "runs /h/p/sub/x, gap"},
		{"a )", "gap"},
		{strings.Repeat("x", MaxLine+1), "gap"},
		// What runs nothing of the project.
		{"jq -r '.tool_input.command' >> ~/log.txt", ""},
		{`jq -r .tool_input.file_path | { read f; if echo "$f" | grep -q '\.go$'; then gofmt -w "$f"; fi; }`, ""},
		{`f=$(jq -r .tool_input.file_path); [ -n "$f" ] && black -q "$f"`, ""},
		{"notify-send 'Claude Code' \"done: $X\"", ""},
		{"osascript -e 'display notification \"done\"'", ""},
		{"date +%s > /tmp/x", ""},
		{`git -C "$CLAUDE_PROJECT_DIR" branch --show-current`, ""},
		{"missing-tool", "unclear /h/p/sub"},
		{"/usr/bin/clangd; cd /; /opt/x/tool", "runs /usr/bin/clangd, unclear /h/p/sub, runs /opt/x/tool"},
		{"missing-tool < x.txt", "unclear /h/p/sub, names /h/p/sub/x.txt"},
		{"~/bin/missing-tool", "runs /h/bin/missing-tool"},
		{"cd / && missing-tool", "unclear /"},
		{"tar czf ~/p.tgz *", "decides /h/p/sub"},
		{"tar czf ~/p.tgz -- *", ""},
		{"tar czf ~/p.tgz ./*", ""},
		{"rm -f *", ""},
		{"sqlite3 :memory: < x.sql", "runs /h/p/sub/x.sql, names /h/p/sub/:memory:"},
		{"sqlite3 ~/log.db 'select 1'", "names /h/log.db, names /h/p/sub/select 1"},
		{"", ""},
	} {
		if got := said(place.Line(c.line)); got != c.want {
			t.Errorf("%.60q: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestExec(t *testing.T) {
	for _, c := range []struct {
		command string
		args    []string
		want    string
	}{
		{"/a/x", nil, "runs /a/x"},
		{"./x", nil, "runs /h/p/sub/x"},
		{"${CLAUDE_PROJECT_DIR}/x", nil, "runs /h/p/x"},
		{"~/x", nil, "runs /h/p/sub/~/x"},
		{"a b", nil, "unclear /h/p/sub"},
		{"npx", []string{"-y", "server"}, "decides /h/p/sub"},
		{"node", []string{"x.js"}, "runs /h/p/sub/x.js"},
		{"bash", []string{"-c", "cd .. && ./x"}, "runs /h/p/x"},
		{"uvx", []string{"server"}, ""},
		{"python3", []string{"-m", "server"}, "decides /h/p/sub"},
		{"${TOOL}", nil, "gap"},
		{"cd", []string{"x"}, "unclear /h/p/sub, names /h/p/sub/x"},
	} {
		if got := said(place.Exec(c.command, c.args)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.command, c.args, got, c.want)
		}
	}
}

func TestTheWordOfAFileIsKnown(t *testing.T) {
	for line, want := range map[string]string{
		`"$CLAUDE_PROJECT_DIR"/x --fix`: `"$CLAUDE_PROJECT_DIR"/x`,
		"cd .. && ./x":                  "./x",
		"bash x":                        "x",
		"bash -c './x'":                 "",
		"for s in a b; do ./$s; done":   "",
	} {
		for _, u := range place.Line(line).Uses {
			if u.Kind != Runs {
				continue
			}
			if got := line[u.From:u.To]; got != want {
				t.Errorf("%s: %s is at %q, want %q", line, u.Path, got, want)
			}
		}
	}
	if u := place.Exec("node", []string{"x.js"}).Uses; len(u) != 2 || u[1].From != -2 {
		t.Errorf("exec form: %+v", u)
	}
}

func TestWords(t *testing.T) {
	for command, want := range map[string]string{
		"~/x":                          "/h/x",
		`"~/x"`:                        "~/x",
		`"$HOME/a b" c`:                "/h/a b|c",
		`${HOME}/x`:                    "/h/x",
		"bash -":                       "-",
		`sh '/a/b'`:                    "/a/b",
		"a; b":                         "",
		"$(a)":                         "",
		"a $X":                         "",
		"a | b":                        "",
		"a &":                          "",
		"! a":                          "",
		`/a/b\ c`:                      "/a/b c",
		"/a/*.sh":                      "",
		"FOO=1 ~/x":                    "/h/x",
		"/a 2>/dev/null":               "/a",
		"$PWD/x":                       "",
		"${HOME:-/x}/y":                "/h/y",
		"~root/x":                      "",
		strings.Repeat("x", MaxLine+1): "",
	} {
		if got := strings.Join(Words(command, "/h"), "|"); got != want {
			t.Errorf("%.40q: %q, want %q", command, got, want)
		}
	}
}

// TestEveryShellIsOne: in front of a script, as its interpreter, and with a line.
func TestEveryShellIsOne(t *testing.T) {
	place := Place{Home: "/h", Dir: "/p"}
	for _, name := range Shells {
		if got := Words(name+" /a/b", "/h"); len(got) != 1 || !IsScript([]byte("#!/bin/"+name+"\nx\n")) {
			t.Errorf("%s: %q", name, got)
		}
		isTold := func(u Use) bool { return u.Path == "/a/b" }
		if uses := place.Line(name + " -c /a/b").Uses; !slices.ContainsFunc(uses, isTold) {
			t.Errorf("%s -c: %v", name, uses)
		}
	}
}

func TestPaths(t *testing.T) {
	for line, want := range map[string]string{
		"~/bin/a --flag ~/b":                  "/h/bin/a|/h/b",
		`"$HOME/bin/a b" | '/h/c'`:            "/h/bin/a b|/h/c",
		`sh -c "x" && ${HOME}/x/../y`:         "/h/y",
		`"~/quoted" $OTHER/x $(cat ~/z)`:      "/h/z",
		`relative/path && /abs\ olute`:        "/abs olute",
		"if (":                                "",
		strings.Repeat("/x ", MaxLine):        "",
		`for f in ~/a ~/b; do cat $f; done`:   "/h/a|/h/b",
		"/h/.claude/scripts/s.sh 2>/dev/null": "/h/.claude/scripts/s.sh|/dev/null",
	} {
		if got := strings.Join(Paths(line, "/h"), "|"); got != want {
			t.Errorf("%.60s: %q, want %q", line, got, want)
		}
	}
}

// FuzzLine: every line has an answer, whose paths are absolute and whose
// places lie within the line.
func FuzzLine(f *testing.F) {
	for _, s := range []string{`cd a && "$(git rev-parse --show-toplevel)"/x`, "for i in a b; do ./$i; done",
		"f() { f; }; f", `bash -c "bash -c 'x'"`,
		"a <<E | b\n$(c)\nE", "case x in a) b;; esac", "env -S 'a b' c", "python3 -Icx", "while a; do cd b; done",
		"X=$X$X; $X", "node -r", "make -C", "select x in a; do b; done", "()0", "bash -c 'f() { x; }; f'",
		"f() { :; }; command f", "[[ a || b ]]", "a &>b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, u := range place.Line(line).Uses {
			if !strings.HasPrefix(u.Path, "/") || u.From < 0 || u.From > u.To || u.To > len(line) {
				t.Fatalf("%q gives %+v", line, u)
			}
		}
		place.Exec(line, strings.Fields(line))
		Words(line, "/h")
		Paths(line, "/h")
	})
}
