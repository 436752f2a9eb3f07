// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of pages is what the runtime does: the tool reads rules
// otherwise than the sandbox's proxy.

package explain

import (
	"maps"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// fetchedHosts are asked for by the tool; of hosts with a directory on the runtime's
// list a page outside of it.
const fetchedHosts = `al.example a.al.example x.star.example star.example up.example UP.example port.example
	port.example:8443 both.example dot.example dot.example. sp.example amid.example mid.example e1.q.example 127.0.0.1
	127.0.0.1:80 10.1.2.3 ask.example de.example DE.example a.dstar.example dstar.example docs.python.org react.dev
	nodejs.org github.com huggingface.co as.example other.example sand.example sandd.example deup.example deport.example
	deport.example:8443 dedot.example al.example:444 de.example:444 de.example. al.example. localhost www.nodejs.org
	pypi.org single`

func TestPagesAreJudgedAsTheRuntimeJudgesThem(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	allow := strings.Fields(`WebFetch(domain:al.example) WebFetch(domain:*.star.example) WebFetch(domain:UP.example)
		WebFetch(domain:port.example:8443) WebFetch(domain:both.example) WebFetch(domain:dot.example.) WebFetch(url:x)
		WebFetch(domain:*mid.example) WebFetch(domain:e*.q.example) WebFetch(domain:127.0.0.1) WebFetch(domain:ask.example)`)
	for _, set := range []map[string]any{
		{"allow": append(allow, "WebFetch(domain: sp.example)")},
		{"allow": append(allow, "WebFetch(*)"), "defaultMode": "dontAsk"},
		{"allow": append(allow, "WebFetch"), "ask": []string{claude.FetchPages}},
		{"allow": []string{"WebFetch"}},
	} {
		l := newLab(t)
		permissions := map[string]any{
			"deny": strings.Fields(`WebFetch(domain:de.example) WebFetch(domain:both.example) WebFetch(domain:*.dstar.example)
				WebFetch(domain:docs.python.org) WebFetch(domain:DEUP.example) WebFetch(domain:deport.example:443)
				WebFetch(domain:dedot.example.)`),
			"ask": strings.Fields("WebFetch(domain:as.example) WebFetch(domain:ask.example) WebFetch(domain:react.dev)"),
		}
		maps.Copy(permissions, set)
		l.settings("p/.claude/settings.json", map[string]any{"permissions": permissions, "skipWebFetchPreflight": true,
			"sandbox": map[string]any{"enabled": true, "network": map[string]any{
				"allowedDomains": []string{"sand.example"}, "deniedDomains": []string{"sandd.example"}}}})
		l.trust()
		hosts := strings.Fields(fetchedHosts)
		// The tool is there once it was looked for, which takes a message of its own.
		calls := []model.Call{{Tool: "ToolSearch", Input: map[string]any{"query": "select:" + claude.ToolWebFetch}}}
		for len(calls) < perMessage {
			calls = append(calls, model.Call{Tool: claude.ToolRead, Input: map[string]any{"file_path": l.path("none")}})
		}
		for _, h := range hosts {
			calls = append(calls, model.Call{Tool: claude.ToolWebFetch, Input: map[string]any{"url": "https://" + h + "/x",
				"prompt": "x"}})
		}
		s := l.start()
		for i, played := range l.playAsked(calls)[perMessage:] {
			q, err := access.OfHost(hosts[i])
			if err != nil {
				t.Fatal(err)
			}
			want := decided[played.Decision]
			if strings.Contains(played.Text, "without a dot") {
				want = report.Denied
			}
			rulings, _ := q.Rule(s)
			got := ruling(t, rulings, access.WhoFetch, access.DoesReach)
			if refused := got.Final && played.Decision == agent.Asked; got.Answer != want && !refused || len(got.By) == 0 {
				t.Errorf("%v: %s: said %q (%s, %v), the runtime %q: %.200s", set, hosts[i], got.Answer, got.Why, got.By,
					played.Decision, played.Text)
			}
		}
	}
}
