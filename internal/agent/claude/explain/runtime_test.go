// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an explanation says without trying it is what the
// real runtime does, call by call.

package explain

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// lines are commands around rules for alpha and its like, which exist nowhere.
var lines = []string{
	"alpha", "alpha a", "alphabet a", "alpha  a", "/usr/bin/alpha a", "./alpha a", "X=1 alpha a", "env alpha a",
	"env X=1 alpha a", "env -i alpha a", "env -u X alpha a",
	"timeout 5 alpha a", "timeout -s KILL 5 alpha a", "nice alpha a", "nice -n 5 alpha a", "nohup alpha a", "time alpha a",
	"command alpha a", "builtin alpha a", "exec alpha a",
	"stdbuf -oL alpha a", "xargs alpha a", "echo | xargs alpha a", "echo | xargs -n 1 alpha a", "setsid alpha a",
	"(alpha a)", "{ alpha a; }", "if true; then alpha a; fi", "for i in 1; do alpha a; done",
	"while false; do alpha a; done", "! alpha a",
	"echo $(alpha a)", "echo `alpha a`", `echo "$(alpha a)"`, "cat <(alpha a)", "c=alpha; $c a", "bash -c 'alpha a'",
	"sh -c 'alpha a'", "eval alpha a", "eval 'alpha a'",
	"al''pha a", `\alpha a`, "'alpha' a", `"alpha" a`, "alpha\ta", "echo x|alpha a", "echo x & alpha a", "alpha a > f",
	"f() { alpha a; }; f",
	"alias q=alpha; q a", `find . -exec alpha {} \;`, "echo alpha a", "true\nalpha a", "cat <<EOF\nalpha a\nEOF",
	"cat <<EOF\n$(alpha a)\nEOF", "cat <<'EOF'\n$(alpha a)\nEOF",
	"true && alpha a", "true || alpha a", "# alpha a", "echo '$(alpha a)'", "echo 'x; alpha a'", "X=$(alpha a)",
	"[[ $(alpha a) ]]", "case x in x) alpha a;; esac",
	"beta", "beta a", "betamax", "gamma", "gamma a", "delta x", "delta xy", "delta y", "eps -C . push",
	"eps -c a=b push origin", "eps push", "eps -x nopush", "eps -C 'a b' push",
	"zeta a", "/usr/bin/zeta a", "foo --eta", "foo bar --eta", "foo --eta x", "git push", "git push origin",
	"git -C . push", "git --no-pager push", "GIT_DIR=x git push origin",
	"git  push origin", "'git' 'push' origin", "git pushx", "git push-x", "theta", "thetax y", "iota a b", "iota a b c",
	"iota a",
	"kappa a", "kappa", "alpha a; kappa a", "lambda a; alpha b", "cat ~/secret/x", "cat HOME/secret/x",
	"cat $HOME/secret/x", "head ~/secret/x", "cp ~/secret/x y", "grep s ~/secret/x",
	"cat < ~/secret/x", "cd ~/secret && cat x", "ls ~/secret", "cat ../secret/x", "cat ~/secret/../secret/x",
	"sed -n p ~/secret/x", "tar cf - ~/secret/x", "xxd ~/secret/x", "diff ~/secret/x y",
	"echo x > ~/secret/y", "tee ~/secret/y", "tee ed.txt", "echo x > ed.txt", "sed -i s/x/y/ ed.txt", "cp ax ed.txt",
	"mv ax ed.txt", "touch ed.txt", "cat ed.txt", "echo x >> ed.txt", "dd of=ed.txt",
}

func TestCommandsAreJudgedAsTheRuntimeJudgesThem(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat")
	for _, start := range []struct {
		auto bool
		mode string
	}{{false, claude.ModeDefault}, {true, claude.ModeDefault}, {true, claude.ModeDontAsk}} {
		l := newLab(t)
		l.settings("p/.claude/settings.json", map[string]any{
			"sandbox": map[string]any{"enabled": true, "autoAllowBashIfSandboxed": start.auto},
			"permissions": map[string]any{"defaultMode": start.mode, "ask": []string{"Bash(kappa *)"},
				"deny": []string{"Bash(alpha *)", "Bash(beta:*)", "Bash(gamma)", "Bash(delta x*)", "Bash(eps -* push*)",
					"Bash(/usr/bin/zeta *)", "Bash(* --eta)", "Bash(git push *)", "Bash(theta*)", "Bash(iota a b:*)",
					"Read(~/secret/**)", "Edit(ed.txt)"}}})
		l.put("secret/x", "s")
		s := l.start()
		var calls []model.Call
		for _, line := range lines {
			if start.mode == claude.ModeDontAsk && !strings.Contains(line, "kappa") && !strings.HasPrefix(line, "echo") {
				continue // what asks is the same for the rest
			}
			calls = append(calls, model.Bash(strings.ReplaceAll(line, "HOME/", l.home+"/")))
		}
		for i, c := range l.play(calls) {
			line := calls[i].Input["command"].(string)
			want := map[agent.Decision]report.Answer{agent.Rule: report.Denied, agent.Asked: report.Asks}[c.Decision]
			rulings, _ := access.OfCommand(l.reader(), line, l.project).Rule(s)
			got := ruling(t, rulings, access.WhoBash, access.DoesRun)
			if got.Open || got.Answer == report.Allowed {
				got.Answer = "" // no rule: the session runs it
			}
			if got.Answer != want {
				t.Errorf("%v: %q: said %q, the runtime %q: %s", start, line, got.Answer, want, c.Text)
			}
		}
	}
}

// TestToolsAreJudgedAsTheRuntimeJudgesThem: rules for paths, in every form and
// scope.
func TestToolsAreJudgedAsTheRuntimeJudgesThem(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"permissions": map[string]any{"deny": []string{
		"Read(one.txt)", "Read(/two.txt)", "Read(./three.txt)", "Read(sub/four.txt)", "Read(five)", "Read(six/**)",
		"Read(**/seven.txt)", "Read(~/eight.txt)", "Read(/HOME/nine.txt)", "Read(*.ten)",
		"Read(eleven/)", "Read(~/dir12)", "Read(~/dir13/**)", "Read(~/dir14/*)", "Read(~/dir15/)", "Read(HOME/sixteen.txt)",
		"Read(/sev/teen*)", "Read(../eighteen.txt)", "Edit(ed.txt)", "Read(nin?.txt)",
		"Read([ab]x.txt)", "Read(!neg.txt)", "Read(*/mid.txt)", "Read(sp ace.txt)", "Write(wr.txt)", "Read(UPPER.txt)",
		"Read({br,ce}.txt)"}}})
	l.settings("p/.claude/settings.local.json",
		map[string]any{"permissions": map[string]any{"deny": []string{"Read(/l2.txt)"}}})
	l.settings(".claude/settings.json", map[string]any{"permissions": map[string]any{"deny": []string{"Read(u1.txt)",
		"Read(/u2.txt)", "Read(./u3.txt)", "Read(ud/u4.txt)", "Read(**/u5.txt)"}}})
	var calls []model.Call
	for _, p := range strings.Split("p/one.txt p/sub/one.txt one.txt p/two.txt p/sub/two.txt p/three.txt "+
		"p/sub/three.txt p/sub/four.txt p/x/sub/four.txt p/five/a p/x/five/a p/six/a p/six/b/c p/x/six/a "+
		"p/seven.txt p/x/y/seven.txt q/seven.txt eight.txt p/eight.txt q/eight.txt nine.txt q/nine.txt p/a.ten p/x/y/a.ten "+
		"a.ten p/eleven/a p/x/eleven/a dir12/a/b q/dir12/a dir13/a/b q/dir13/a dir14/a dir14/a2/b dir15/a sixteen.txt "+
		"p/sev/teens/a p/sev/teen.txt eighteen.txt p/ed.txt p/ninx.txt p/ax.txt p/neg.txt p/k/mid.txt p/k/l/mid.txt "+
		"p/mid.txt p/wr.txt p/upper.txt p/br.txt p/{br,ce}.txt "+
		"p/u1.txt p/sub/u1.txt u1.txt p/u2.txt .claude/u2.txt p/u3.txt .claude/u3.txt u2.txt p/ud/u4.txt .claude/ud/u4.txt "+
		"p/k/u5.txt .claude/u5.txt zz/u5.txt p/l2.txt p/.claude/l2.txt p/.claude/two.txt", " ") {
		l.put(p, "CONTENT "+p+"\n")
		calls = append(calls, model.Call{Tool: "Read", Input: map[string]any{"file_path": l.path(p)}})
	}
	for _, p := range []string{"p/one.txt", "p/fresh/one.txt", "p/ed.txt", "p/wr.txt", "p/ax.txt", "p/free.txt"} {
		calls = append(calls, model.Call{Tool: "Write", Input: map[string]any{"file_path": l.path(p), "content": "new"}})
	}
	s := l.start()
	for i, c := range l.play(calls) {
		if got := l.ofFile(s, calls[i]); (got.Answer == report.Denied) != (c.Decision == agent.Rule) {
			t.Errorf("%s of %v: said %q, the runtime %q: %s", calls[i].Tool, calls[i].Input["file_path"], got.Answer,
				c.Decision, c.Text)
		}
	}
}

// TestFilesAreJudgedAsTheSandboxTreatsThem: what opens and what closes, nearer
// and farther, by every setting that can.
func TestFilesAreJudgedAsTheSandboxTreatsThem(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "python3")
	l := newLab(t)
	deny := func(paths ...string) (list []any) {
		for _, p := range paths {
			list = append(list, map[string]any{"path": p, "mode": "deny"})
		}
		return list
	}
	l.settings("p/.claude/settings.json", map[string]any{
		"sandbox": map[string]any{"enabled": true,
			"filesystem": map[string]any{
				"denyRead": []string{"~/", "~/d01", "~/d02", "~/d03/in", "~/d06/in", "~/d11/x", "^/o1", "^/o2/*.key", "^/o3",
					"~/d16/**", "./dx", "./dz/f", "~/d21/*.key"},
				"allowRead": []string{"~/d01", "~/d02/in", "~/d03", "~/d04", "~/d05", "~/d06", "~/d06/in/ok", "~/d07/in", "~/d08",
					"~/d09/f", "~/d12", "~/d16/in", "^/o3", "./dz", "~/d18/*", "~/d19/*.txt",
					"~/d20/", "~/d21", "~/d24/**"},
				"allowWrite": []string{"~/d10", "~/d11", "~/d12", "~/d17", "^/w", "~/d22/*"},
				"denyWrite":  []string{"~/d12/x", "./nw", "^/w/no", "./ns/*", "./nt/**", "**/n.lock", "./n?"}},
			"credentials": map[string]any{"files": deny("~/d07", "~/d08", "~/d09/f", "./cr", "^/cr")}},
		"permissions": map[string]any{
			"deny": []string{"Read(~/d04/**)", "Read(~/d05/x)", "Read(rr.txt)", "Read(^/rd)", "Read(/^/re)", "Read(/^/rf/**)",
				"Read(/sl.txt)", "Read(sub/sm.txt)", "Edit(~/d15/**)", "Edit(er.txt)", "Read(**/.env)",
				"Read(//**/.env2)", "Read(*.pem)", "Edit(./es/*)", "Edit(./et/**)", "Edit(**/e.lock)"},
			"allow": []string{"Edit(~/d14/**)", "Read(~/d13/**)", "Edit(~/d15/**)", "Edit(~/d25/*)"}}})
	reads := strings.Fields("other d01/a d02/in/a d02/out d03/a d03/in/a d04/a d04/b/c d05/x d05/y d06/a d06/in/a " +
		"d06/in/ok/a d07/in/a d08/a d09/f d10/a d11/x d11/y d12/x d13/a d14/a d15/a d16/a d16/in/a d17/a " +
		"d18/a d18/b/c d19/a.txt d19/a.md d20/a d21/a.key d21/b.txt d22/a d24/a d24/b/c ^/plain ^/o1/a ^/o2/a.key " +
		"^/o2/a.txt ^/o3/a ^/rd ^/re ^/rf/a ^/cr/a ^/w/a p/a p/rr.txt p/x/rr.txt ^/rr.txt p/sl.txt p/sub/sm.txt " +
		"p/er.txt p/.env p/sub/.env p/sub/.env2 ^/.env2 ^/.env p/dx/a p/dz/f p/dz/g p/cr/a p/k/a.pem p/a.pem ^/a.pem")
	writes := strings.Fields("other d01/w d10/w d11/x d11/w d12/x d12/w d14/w d15/w d17/w ^/w/a ^/w/no ^/plain p/w p/nw " +
		"p/er.txt p/rr.txt p/.env p/cr/a p/CLAUDE.md p/.claude/settings.json p/.claude/x.md p/.claude/hooks/a " +
		"p/ns/a p/nt/a p/nt/b/a p/n.lock p/n1 p/es/a p/et/a p/e.lock " +
		"d25/a p/.mcp.json p/.bashrc p/.vscode/a p/.git/hooks/x p/.git/config p/.idea/a p/.gitmodules .bashrc")
	for _, p := range append(reads, "p/.git/config", ".bashrc", "p/ns/a", "p/nt/a", "p/nt/b/a", "p/es/a", "p/et/a",
		"d25/a", "p/.git/hooks/first", "p/.claude/hooks/first") {
		l.put(p, "CONTENT\n")
	}
	s := l.start()
	for i, tried := range l.try(reads, writes) {
		q, err := access.OfPath(l.reader(), tried.path)
		if err != nil {
			t.Fatal(err)
		}
		rulings, _ := q.Rule(s)
		does := access.DoesRead
		if i >= len(reads) {
			does = access.DoesWrite
		}
		got := ruling(t, rulings, access.WhoCommand, does)
		if (got.Answer == report.Allowed) != tried.through || len(got.By) == 0 {
			t.Errorf("%s %s: said %q (%s, %v), the runtime: %s", does, tried.path, got.Answer, got.Why, got.By, tried.said)
		}
	}
}

// TestHostsAreJudgedAsTheProxyJudgesThem: names, stars, ports, and rules for
// WebFetch, which the proxy takes too.
func TestHostsAreJudgedAsTheProxyJudgesThem(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "python3")
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{
		"sandbox": map[string]any{"enabled": true,
			"network": map[string]any{"strictAllowlist": true, // not taken from a project
				"allowedDomains": []string{"exact.example", "*.star.example", "UPPER.example", "port.example:443", "both.example",
					"*.wide.example", "localhost", "10.1.2.3", "host.example:8443"},
				"deniedDomains": []string{"both.example", "no.wide.example", "*.deny.example"}}},
		"permissions": map[string]any{"deny": []string{"WebFetch(domain:wd.example)"},
			"allow": []string{"WebFetch(domain:wf.example)", "WebFetch(domain:*.wfs.example)"}}})
	l.settings(".claude/settings.json", map[string]any{
		"permissions": map[string]any{"allow": []string{"WebFetch(domain:uwf.example)"}}})
	hosts := strings.Fields("exact.example sub.exact.example EXACT.example a.star.example a.b.star.example star.example " +
		"upper.example port.example both.example yes.wide.example no.wide.example x.deny.example other.example " +
		"localhost 127.0.0.1 10.1.2.3 10.1.2.4 wf.example a.wfs.example uwf.example wd.example exact.example. " +
		"host.example:8443 host.example [::1]")
	l.hostsAgree(hosts)
}

// TestEntriesNameWhatTheProxyOpens: an entry in every spelling that somebody
// could write, alone where several would open the same.
func TestEntriesNameWhatTheProxyOpens(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "python3")
	hosts := strings.Fields("localhost LOCALHOST localhost. a.localhost 127.0.0.1 127.1 127.0.0.2 127.0.0.1. 0.0.0.0 0 " +
		"[::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] 2130706433 0x7f000001 0x7f.1 0177.0.0.1 " +
		"evil.example EVIL.example evil.example. evil.example:80 evil.example:22 x.evil.example xevil.example " +
		"a.star.example star.example xn--bcher-kva.example 169.254.169.254 [::ffff:169.254.169.254] 1.com")
	for _, entries := range [][]string{
		{"localhost.", "127.1", "127.*", "*.0.0.1", "127.0.0.0/8", "0", "2130706433", "0x7f000001", "0177.0.0.1",
			"localhost:*", "evil.example.", "*evil.example", "https://evil.example", "https://evil.example/",
			"evil.example/", "me@evil.example", " evil.example ", "evil.*", "e*.example", "**.example", "*.*", "**", ".example",
			"*.example.", "evil.example:0443", "evil.example:", "*.", "bücher.example", "[::1", "[::1]x", "::1]"},
		{"[::1%lo]"}, {"::1%lo"},
		{"LOCALHOST", "Evil.Example:443", "0.0.0.0", "[0:0:0:0:0:0:0:1]", "*.STAR.example", "169.254.169.254:443",
			"xn--bcher-kva.example"},
		{"127.0.0.1", "::", "*.localhost", "EVIL.example"},
		{"::ffff:127.0.0.1", "[::1]:443", "*.example:80", "1.com"},
		{"[::ffff:7f00:1]", "localhost:443", "*.evil.example"},
		{"*:443"},
	} {
		l := newLab(t)
		l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
			"network": map[string]any{"allowedDomains": entries}}})
		l.hostsAgree(hosts)
	}
}

// connect asks the proxy for hosts, as no library of a client would: in the
// spelling that it is given. On a busy machine a command may start before what
// listens in its sandbox does.
const connect = `import socket,os,time,urllib.parse,base64
p=urllib.parse.urlparse(os.environ["HTTPS_PROXY"])
a="Proxy-Authorization: Basic "+base64.b64encode(((p.username or "")+":"+(p.password or "")).encode()).decode()+"\r\n" if p.username else ""
for h in "%s".split():
  for i in range(100):
    try: s=socket.create_connection((p.hostname,p.port)); break
    except ConnectionRefusedError: time.sleep(0.2)
  s.sendall(("CONNECT %%s HTTP/1.1\r\nHost: %%s\r\n%%s\r\n"%%(h,h,a)).encode());print("ASKED",h,s.recv(300).decode().split("\r\n")[0])`

// hostsAgree asks the proxy for hosts, at port 443 unless they name another,
// and says what the explanation says otherwise.
func (l *lab) hostsAgree(hosts []string) {
	l.t.Helper()
	hosts = slices.Clone(hosts)
	for i, h := range hosts {
		if _, _, err := net.SplitHostPort(h); err != nil {
			hosts[i] += ":443"
		}
	}
	s := l.start()
	text := l.play([]model.Call{model.Bash("python3 - <<'EOF'\n" + fmt.Sprintf(connect, strings.Join(hosts, " ")) +
		"\nEOF")})[0].Text
	for _, h := range hosts {
		_, answer, asked := strings.Cut(text, "ASKED "+h+" HTTP/1.1 ")
		if !asked {
			l.t.Fatalf("the proxy was not asked for %s: %s", h, text)
		}
		answer, _, _ = strings.Cut(answer, "\n")
		q, err := access.OfHost(h)
		if err != nil {
			l.t.Fatal(err)
		}
		rulings, _ := q.Rule(s)
		want := report.Denied
		switch {
		case !strings.HasPrefix(answer, "403"):
			want = report.Allowed // 502: no name server here
		case strings.Contains(answer, "user denied"):
			want = report.Asks
		}
		if got := ruling(l.t, rulings, access.WhoCommand, access.ViaProxy); got.Answer != want {
			l.t.Errorf("%s: said %q, the proxy: %s", h, got.Answer, answer)
		}
	}
}
