// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what allow rules are said to let through runs without a question, and
// what is said to be asked about is.

package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// allowedLines run unasked, and are said to; of those behind them, and of lines, nothing
// is known but what the runtime answers.
var allowedLines = []string{
	"alpha a", "alpha a && alpha b", "alpha a; beta b; gamma", "alpha a | alpha b", "alpha a || alpha b",
	"alpha a\nalpha b", "alpha 2>/dev/null", "alpha a 2>&1", "alpha a b 'c d'", "alpha a # x", "! alpha a",
	"timeout 5 alpha a", "nice -n 5 alpha a", "nohup alpha a", "command alpha a", "stdbuf -oL alpha a",
	"xargs alpha a", "echo | xargs alpha a", "alpha ~/x", "cat ./in/x", "head in/x", "sort in/x | uniq",
	"git push origin", "foo bar --eta",
}

var unknownLines = []string{
	"alpha > ~/o", "alpha >> /tmp/o", "alpha < ~/secret/x", "alpha > f", "alpha > .git/config", "alpha > $X",
	"FOO=1 alpha a", "PATH=x alpha a", "LD_PRELOAD=x alpha a", "alpha a |& alpha b", "alpha $X", "alpha $HOME",
	"alpha *", "alpha x\\ y", "alpha {a,b}", "alpha $((1+1))", "alpha a &", "[[ -f x ]] && alpha a",
	"alpha <<EOF\nx\nEOF", "alpha <<'EOF'\nx\nEOF", "alpha <<< x", "function f { alpha a; }", "alpha 'a\nb'",
	"cd sub && alpha a", "cd ~ && alpha a", "cd /tmp && alpha a", "cd .. && alpha a", "sudo alpha a",
	"sh -c alpha", "./alpha a", "alpha\u00a0a", "alpha `x`", "alpha ${X:-y}", "alpha ~root/x",
	"export X=1; alpha a", "X=1; alpha a", "set -e; alpha a", "declare -x A=1", "trap alpha EXIT", "source x",
	". x", "alpha a >&2", "alpha a &>f", "alpha a >|f", "cat in/../../secret/x", "cat -- /etc/x",
}

// fileTools are each allowed, and tried with files in the project and outside of it.
const fileTools = `cat head tail ls grep sed tar xxd diff cp tee mv touch dd find rm mkdir rmdir python3 sort wc stat file awk od
	base64 rg ln chmod zip node jq strings cut uniq nl tr rsync hexdump md5sum`

func TestAllowedLinesRunUnasked(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	allow := []string{"Bash(alpha *)", "Bash(beta:*)", "Bash(gamma)", "Bash(delta x*)", "Bash(eps -* push*)",
		"Bash(/usr/bin/zeta *)", "Bash(* --eta)", "Bash(git push *)", "Bash(theta*)", "Bash(iota a b:*)", "Bash(kappa a)",
		"Bash(echo *)", "Bash(cd *)"}
	tried := slices.Concat(allowedLines, unknownLines, lines)
	for tool := range strings.FieldsSeq(fileTools) {
		allow = append(allow, "Bash("+tool+" *)")
		tried = append(tried, tool+" ~/secret/x", tool+" ./in/x", tool+" -a ~/secret/x b", tool+" ../secret/x",
			tool+" a ~/secret/y")
	}
	for _, start := range []struct {
		does         string
		allow, lines []string
		// out asks for a run outside of the sandbox; allowed is how many lines run unasked.
		out     bool
		allowed int
	}{
		{access.DoesRun, allow, tried, false, len(allowedLines)},
		{access.DoesLeave, allow, slices.Concat(allowedLines, unknownLines), true, len(allowedLines)},
		{access.DoesLeave, []string{"Bash"}, []string{"alpha a"}, true, 0},
		{access.DoesLeave, []string{"Bash(*)"}, []string{"alpha a"}, true, 0},
	} {
		l := newLab(t)
		l.settings("p/.claude/settings.json", map[string]any{"permissions": map[string]any{"allow": start.allow},
			"sandbox": map[string]any{"enabled": start.out}})
		l.put("secret/x", "s")
		l.put("p/in/x", "s")
		l.trust()
		s := l.start()
		var calls []model.Call
		for _, line := range start.lines {
			call := model.Bash(strings.ReplaceAll(line, "HOME/", l.home+"/"))
			if start.out {
				call.Input["dangerouslyDisableSandbox"] = true
			}
			calls = append(calls, call)
		}
		for i, c := range l.playAsked(calls) {
			line := calls[i].Input["command"].(string)
			rulings, _ := access.OfCommand(l.reader(), line, l.project).Rule(s)
			got := ruling(t, rulings, access.WhoBash, start.does)
			ran := c.Decision != agent.Asked && c.Decision != agent.Rule
			switch {
			case i < start.allowed && got.Answer != report.Allowed:
				t.Errorf("%s, %q: said %q (%s)", start.does, line, got.Answer, got.Why)
			case (!got.Open || start.allowed == 0) && (got.Answer == report.Allowed) != ran:
				t.Errorf("%s, %q: said %q (%s), the runtime %q: %.200s", start.does, line, got.Answer, got.Why, c.Decision, c.Text)
			}
		}
	}
}

// FuzzALine: no line is too odd to be judged, and a file outside of the project is one
// by whatever way it is named.
func FuzzALine(f *testing.F) {
	l := newLab(f)
	l.settings("p/.claude/settings.json", map[string]any{"permissions": map[string]any{
		"allow": []string{"Bash(cat *)", "Bash(timeout:*)", "Bash(xargs *)"}}})
	s, r := l.start(), l.reader()
	outside := "cat " + l.project + "/../secret/x"
	for _, line := range []string{"", "> /dev/null", "timeout", "timeout 5 nice", "cat x", outside,
		"cat ~", "xargs", "X=1", "cat <(", "cat x 2>&1 >/dev/null"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		rulings, _ := access.OfCommand(r, line, l.project).Rule(s)
		if got := ruling(t, rulings, access.WhoBash, access.DoesRun); line == outside && got.Answer == report.Allowed {
			t.Errorf("%q: %s", line, got.Why)
		}
	})
}
