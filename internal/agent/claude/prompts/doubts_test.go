// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: code is quiet only if its own words decide what it prints, in each form that a language has for
// values, names and texts.

package prompts

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
)

// decided prints a decision by its name.
const decided = "print(json.dumps({'permissionDecision': decision}))"

// doubted prints what others decide, by interpreter; quieter prints its own words.
var doubted, quieter = map[string][]string{
	"python3": {
		`print(r.stdout + r.stderr)`,
		`print(x, file=None)`,
		`print("ok" if c else sys.stdin.read())`,
		`print(", ".join(x))`,
		`print("a" if x else "b" if y else z)`,
		`print("a" ", ".join(x))`,
		`print("ok" and x)`,
		`print("ok" + a and x)`,
		`print("a {}".format(x) if c else y)`,
		`print(out if c else b + "!")`,
		`print(json.dumps({}) if c else raw)`,
		`print(json.dumps([{}, raw][1]))`,
		`print(len(x) and f(y))`,
		`print(json.dumps({k: v for k, v in json.load(sys.stdin).items()}))`,
		`print(json.dumps({f"{k}": v}))`,
		`print(json.dumps(dict(raw)))`,
		"decision = 'ask'\ndecision, reason = judge(d)\n" + decided,
		"decision = 'ask'\nreason, decision = judge(d)\n" + decided,
		"decision = 'ask'\nif f(d): *decision, reason = judge(d)\n" + decided,
		"decision = 'ask'\n(reason, decision) = judge(d)\n" + decided,
		"decision = 'ask'\ndecision += judge(d)\n" + decided,
		"ask = judge(d)\nprint(json.dumps({'permissionDecision': ask}))",
		"decision = ask\n" + decided,
		"decision = 'ask'\nfor _, decision in judge(d): pass\n" + decided,
		"decision = 'ask'\nwith judge(d) as decision: pass\n" + decided,
		"decision = 'ask'\ndef f(reason, decision):\n    " + decided,
		"out = {}\nout['permissionDecision'] += x\nprint(json.dumps(out))",
		"out = {}\nout['permissionDecision'], y = f()\nprint(json.dumps(out))",
		"out = '{}'\n*out, b = f()\nprint(out)",
		"out = '{}'\n(b, out) = f()\nprint(out)",
		"out = '{}'\nif f(x): b, out = g()\nprint(out)",
		"out = '{}'\ndef f(a=g(), out=None):\n    print(out)\nf(1, raw)",
	},
	"node": {
		`exec(c, (e, out, stderr) => console.log(stderr || out))`,
		`console.log("ok" && x)`,
		`console.log(a ? out : b + "!")`,
		`console.log(JSON.stringify({}) && raw)`,
		"i++ / 2; console.log(x); y / 2",
		strings.Repeat("=/[", 20<<10), // no pattern ends: given up
		"o.permissionDecision ??= data.x;",
		"o.permissionDecision += 'w';",
		"const out = {};\nout.permissionDecision ??= data.x;\nconsole.log(JSON.stringify(out));",
		"let out = '{}';\nout &&= x;\nconsole.log(out);",
		"let out = '{}';\nf((err, out) => console.log(out));",
		"let out = '{}';\nf((out) => console.log(out));",
		"let out = '{}';\nf(out => console.log(out));",
		"let out = '{}';\nf(async (a = g(1), out) => console.log(out));",
		"let out = '{}';\nf(function (err, out) { console.log(out); });",
		"let out = '{}';\nclass A { say(err, out) { console.log(out); } }",
		"let out = '{}';\nf(({ a: [out] }) => { console.log(out); });",
		"let out = '{}';\n({ a: out } = f());\nconsole.log(out);",
		"let out = '{}';\nconst f = (a = g(1), out) => { console.log(out); };\nf(1, raw);",
		`console.log(JSON.stringify({ get permissionDecision() { return raw } }))`,
		"const d = 'ask', e = judge(x);\nconsole.log(JSON.stringify({ permissionDecision: e }));",
		"let d = 'ask', e = 'deny', d = judge(x);\nconsole.log(JSON.stringify({ permissionDecision: d }));",
		"let d = 'ask';\ne = 1, d = judge(x);\nconsole.log(JSON.stringify({ permissionDecision: d }));",
		"let f = (e = 1, d = 'ask') => console.log(JSON.stringify({ permissionDecision: d }));\nf(1, raw);",
		"function f({ d = 'ask', e }) {\n  console.log(JSON.stringify({ permissionDecision: d }));\n}\nf(raw);",
	},
	"ruby": {
		`puts JSON.generate({ :decision => raw })`,
		`puts JSON.generate({ k => raw })`,
		`puts("ok" && x)`,
		"d = 'ask'\nd.replace(x)\nputs JSON.generate({ permissionDecision: d })",
		`t.sub!(/"/, x); puts t`,
	},
	"perl": {
		"my $out = '{}';\n$out .= $x;\nprint $out;",
		`print $STDERR, $x`,
		"my $d = 'ask'; $d =~ s/ask/$x/;\nprint encode_json({ permissionDecision => $d });",
		`$t =~ s/"//; print $t;`,
		`print encode_json({ $k => $x })`,
	},
}, map[string][]string{
	"python3": {
		`print(x, file=sys.stderr)`,
		`pprint(x, stream=sys.stderr)`,
		`click.echo(x, err=True)`,
		`print("a" f"{x}")`,
		`print("a" if x else "b" + y if z else f"c{x}")`,
		`print("a {}".format(x) + "b")`,
		`print("ok: " + str(x or y))`,
		`print(json.dumps({"a": raw, "tool-name": raw, 'decision': "block"}).encode())`,
		"print(json.dumps(\n    {\"a\": raw},\n    indent=2))",
		`print(json.dumps(dict(a=raw)))`,
		"decision = 'ask'\nemit(decision, reason=x)\nif decision == 'ask': pass\n" + decided,
		"out = {}\nout['a'] += x\nprint(json.dumps(out))",
		"out = '{}'\nif f(out): pass\nprint(out)",
		"def f(p):\n    returncode = p.wait()\n    return {}\nprint(json.dumps(f(x)))",
		"name = '{}'\n" + strings.Repeat("print(name)\n", 60) + strings.Repeat("x = 1\n", 4000),
		strings.Repeat("def f(x):\n    decision = 'ask'\n"+
			strings.Repeat("    log.write('allow', x)\n", 28)+"    "+decided+"\n", 40),
	},
	"node": {
		`console.log("=".repeat(20))`,
		"console.log(`a ${x}` + x?.y)",
		`console.log(JSON.stringify({ a: raw, reason }, null, 2))`,
		"o.permissionDecision = 'ask';",
		"const ask = 'ask', deny = 'deny';\nconsole.log(JSON.stringify({ permissionDecision: ask }));",
		"const ask = 'ask', deny = 'deny';\nconsole.log(JSON.stringify({ permissionDecision: deny }));",
		"const f = (x) => {\n  const a = 'ask',\n    b = x.y,\n    c = 'deny';\n" +
			"  console.log(JSON.stringify({ permissionDecision: c }));\n}",
		"for (let d = 'ask', i = 0; i < 3; i++) console.log(JSON.stringify({ permissionDecision: d }));",
		"i++ / 2; y = /[/\"]/; z = 1 / 2; x = y - /'/",
		"let out = '{}';\nif (out) { console.log(out); }",
		"const f = (a, out) => { console.log(out); };\nf(raw, '{}');",
	},
	"ruby": {
		`puts "ok" if x`,
		`puts "decision: block in a text"`,
		`puts "ok #{x}" unless y`,
		`puts JSON.generate({ :reason => raw, decision: 'block' })`,
	},
	"perl": {
		`print STDERR $x;`,
		`print {*STDERR} $x;`,
		`print STDERR "a", $x if $y;`,
		`print "Branch: " . $b;`,
		`print encode_json({ reason => $x });`,
	},
}

func TestDoubtedCode(t *testing.T) {
	quieter["pypy3.10"] = quieter["python3"]
	for want, codes := range map[Saying]map[string][]string{SaysPerhaps: doubted, SaysNothing: quieter} {
		for by, texts := range codes {
			for _, text := range texts {
				if _, got := codeSays(grants.Ground{}, preToolUse, readCode(text, by), text, "", "", 0); got != want {
					t.Errorf("%s: %d is known, want %d of\n%s", by, got, want, text)
				}
			}
		}
	}
}
