// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a probe says of a fix is true of that fix, and a host that
// was refused is named in the line that allows it.

package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestARefusedHostHasItsLine(t *testing.T) {
	failed := func(entry, host string, status report.Status) result {
		return result{ask: ask{entry: entry}, status: status, layer: catalog.Proxy, vars: map[string]string{"HOST": host}}
	}
	c := &inquiry{results: []result{failed("egress-blocked", "a.example", report.Fail),
		failed("egress-blocked", "b.example", report.Pass), failed("egress-blocked", "pypi.org", report.Fail),
		failed("egress-blocked", "files.pythonhosted.org", report.Fail), failed("package-cache", "c.example", report.Fail),
		failed("egress-blocked", "", report.Fail)}}
	entries, err := catalog.Load(fixes.Claude{}.Catalog())
	if err != nil {
		t.Fatal(err)
	}
	r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + testenv.Home(t)}), GOOS: "linux", Root: "/",
		Now: time.Now}))(t)
	list := (&bench{r: r, o: Options{Agent: fixes.Claude{}}}).allowing(t.Context(), c, entries)
	if len(list) != 1 {
		t.Fatalf("%d lines: %v", len(list), list)
	}
	const want = "install --plan --domains=python --allow-host=a.example"
	if line := list[0].(report.Command).Line; !strings.HasSuffix(line, want) {
		t.Error(line)
	}
}

// The line with a place for a host is for who knows of none that was refused, and has a sandbox.
func TestTheLineForAnyHostIsTheLastResort(t *testing.T) {
	for _, row := range []struct{ named, voids, says bool }{{says: true}, {named: true}, {voids: true}} {
		c := &inquiry{control: egressOutside(t.Context(), &bench{r: plainHost(t, "linux"),
			o: Options{Agent: fixes.Claude{}}})}
		c.finding.Voids = row.voids
		c.leadsGenerally(row.named)
		if (len(c.finding.Remedies) == 1) != row.says || c.control.remedies != nil {
			t.Errorf("%+v: %v", row, c.finding.Remedies)
		}
	}
}

// What is refused inside, and works outside, has the sandbox as its cause: no entry is named
// that says otherwise.
func TestAProbeNamesNoOtherCause(t *testing.T) {
	entries, err := catalog.Load(fixes.Claude{}.Catalog())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{r: testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + testenv.Home(t)}), GOOS: "linux",
		Root: "/", Now: time.Now}))(t), entries: entries}
	if found, ok := b.recognise(ask{entry: "loopback-host", call: tool(rehearsal.ToolReach, "tcp", hostServer, "/x")},
		"connect: connection refused"); ok {
		t.Errorf("%s: %s", found.Hint.ID, found.Hint.Text)
	}
}

// What the runtime adds to an error says less than the program does.
func TestTheProgramIsQuoted(t *testing.T) {
	npm := "npm error 403 403 Forbidden - GET http://registry.npmjs.org:8480/x"
	reply := npm + "\nnpm error 403 In most cases, you\n<sandbox_violations>\n" +
		"deny network-outbound registry.npmjs.org:8480\n</sandbox_violations>"
	found, ok := catalog.Match(reply, "", func(catalog.Found) bool { return true })
	if !ok || found.Hint.ID != "egress-blocked" || strings.Contains(found.Text, "npm error") {
		t.Fatalf("%v", found)
	}
	if got := (ask{}).own(reply, found.Hint); got != npm {
		t.Errorf("%q", got)
	}
}

// A fix that changes no setting lowers no protection.
func TestOnlySettingsLowerProtection(t *testing.T) {
	for exclude, lowers := range map[bool]bool{true: false, false: true} {
		a := &attempt{fix: catalog.Fix{Title: "X", Exclude: exclude}, treatment: &treatment{}}
		said := (&inquiry{}).mended("X", []*attempt{a})
		if !strings.Contains(said, "“X” it works") || strings.Contains(said, "lower") != lowers {
			t.Errorf("exclude %v: %q", exclude, said)
		}
	}
}

// A smaller fix that lets one of two calls work is not said to let both.
func TestACallIsSaidOfTheFixThatLetsItWork(t *testing.T) {
	var asks []ask
	for _, id := range []string{"one", "two"} {
		asks = append(asks, ask{id: id, title: "call " + id, call: tool(rehearsal.ToolSelf, "/"+id),
			through: trial.Through{Reply: "/" + id}})
	}
	c := &inquiry{}
	for _, a := range asks {
		c.results = append(c.results, result{ask: a, status: report.Fail})
	}
	fix := func(title, one, two string) *attempt {
		s := trial.New(rehearsal.Session{}, []trial.Probe{trial.Inputs{Run: "r"}.Control(), asks[0].probe(), asks[1].probe()})
		s.Raw.Results = map[string]model.Result{model.ID(0, 0): {Text: "x\n(part 0 has ended)\n" + one +
			"\n(part 1 has ended)\n" + two + "\n(part 2 has ended)\n(the tool has ended)"}}
		return &attempt{fix: catalog.Fix{Title: title}, treatment: &treatment{trials: map[string]*trial.Trial{"": s}}}
	}
	small, large := fix("small", "/one", "refused"), fix("large", "/one", "/two")
	for _, row := range []struct {
		work []*attempt
		want string
	}{
		{[]*attempt{small, large}, "; with “small” this works, but protection is lower: call one" +
			"; with “large” also, but protection is lower: call two"},
		{[]*attempt{small}, "; with “small” this works, but protection is lower: call one; still refused: call two"},
		{[]*attempt{large}, "; with “large” it works, but protection is lower"},
	} {
		if said := c.mended(row.work[0].fix.Title, row.work); said != row.want {
			t.Errorf("%q, want %q", said, row.want)
		}
	}
}
