// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said to be in force is what the runtime has in
// force. The rows were measured with Claude Code 2.1.329; those without
// managed settings are measured again where the runtime is installed.

package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

var dirs = Dirs{Home: "/home/me", Agent: "/home/me/.claude", Start: "/home/me/p"}

// combine puts the sandbox settings of several scopes together.
func combine(t *testing.T, sandbox map[Scope]string) *Effective {
	t.Helper()
	var layers []ScopedDoc
	for scope, text := range sandbox {
		d := testenv.Must(Parse(scope.String(), []byte(`{"sandbox": {`+text+`}}`)))(t)
		layers = append(layers, ScopedDoc{scope, d})
	}
	return Combine(layers, dirs)
}

// stateRows are the sandbox settings of scopes and what is in force.
var stateRows = []struct {
	sandbox map[Scope]string
	want    string // of: on, strict, relaxed, auto
}{
	{map[Scope]string{User: `"enabled": true`}, "on"},
	{map[Scope]string{Project: `"enabled": true`}, "on"},
	{map[Scope]string{Local: `"enabled": true`}, "on"},
	{map[Scope]string{User: `"enabled": true`, Project: `"enabled": false`}, ""},
	{map[Scope]string{User: `"enabled": true`, Local: `"enabled": false`}, ""},
	{map[Scope]string{User: `"enabled": true`, Flag: `"enabled": false`}, ""},
	{map[Scope]string{Project: `"enabled": false`, Flag: `"enabled": true`}, "on"},
	{map[Scope]string{Project: `"enabled": true`, Local: `"enabled": false`}, ""},
	{map[Scope]string{User: `"enabled": true`, Project: `"enabled": "false"`}, "on"},
	{map[Scope]string{User: `"enabled": true, "filesystem": {"denyRead": "x"}`}, ""},
	{map[Scope]string{User: `"enabled": true`, Project: `"enabled": false`, Flag: `"allowUnsandboxedCommands": false`},
		"on strict"},
	{map[Scope]string{User: `"enabled": true`, Local: `"enabled": false`, Flag: `"allowUnsandboxedCommands": false`},
		"on strict"},
	{map[Scope]string{User: `"enabled": true, "allowUnsandboxedCommands": false`, Project: `"enabled": false`}, "strict"},
	{map[Scope]string{Project: `"enabled": true`, Local: `"enabled": false`, Flag: `"allowUnsandboxedCommands": false`},
		"strict"},
	{map[Scope]string{Project: `"enabled": true`, Flag: `"allowUnsandboxedCommands": false`}, "on strict"},
	{map[Scope]string{User: `"enabled": true, "allowUnsandboxedCommands": false`,
		Project: `"allowUnsandboxedCommands": true`}, "on strict"},
	{map[Scope]string{User: `"enabled": true, "allowUnsandboxedCommands": false`,
		Local: `"allowUnsandboxedCommands": true`}, "on strict"},
	{map[Scope]string{User: `"enabled": true`, Project: `"allowUnsandboxedCommands": false`,
		Local: `"allowUnsandboxedCommands": true`}, "on"},
	{map[Scope]string{User: `"enabled": true, "allowUnsandboxedCommands": false`,
		Flag: `"allowUnsandboxedCommands": true`}, "on"},
	{map[Scope]string{User: `"enabled": true`, Project: `"filesystem": {"disabled": true}`}, "on"},
	{map[Scope]string{User: `"enabled": true`, Local: `"filesystem": {"disabled": true}`}, "on"},
	{map[Scope]string{User: `"enabled": true, "filesystem": {"disabled": true}`,
		Project: `"filesystem": {"disabled": false}`}, "on relaxed"},
	{map[Scope]string{User: `"enabled": true, "filesystem": {"disabled": true}`,
		Flag: `"filesystem": {"denyRead": ["/x"]}`}, "on relaxed"},
	{map[Scope]string{User: `"enabled": true`, Project: `"autoAllowBashIfSandboxed": true`}, "on auto"},
	{map[Scope]string{User: `"enabled": true`, Project: `"autoAllowBashIfSandboxed": true`,
		Flag: `"allowUnsandboxedCommands": false`}, "on strict auto"},

	{map[Scope]string{Managed: `"enabled": true`, Local: `"enabled": false`, Flag: `"enabled": false`}, "on"},
	{map[Scope]string{Managed: `"enabled": false`, Project: `"enabled": true`}, ""},
	{map[Scope]string{Managed: `"enabled": true, "filesystem": {"denyRead": "x"}`}, "on"},
	{map[Scope]string{User: `"enabled": true`, Project: `"enabled": false`, Managed: `"allowUnsandboxedCommands": false`},
		"on strict"},
	{map[Scope]string{User: `"enabled": true`, Project: `"enabled": false`, Flag: `"allowUnsandboxedCommands": false`,
		Managed: `"allowUnsandboxedCommands": true`}, ""},
	{map[Scope]string{User: `"enabled": true, "filesystem": {"disabled": true}`, Managed: `"filesystem": {}`}, "on"},
	{map[Scope]string{User: `"enabled": true`, Flag: `"filesystem": {"disabled": true}`,
		Managed: `"filesystem": {"denyRead": ["/x"]}`}, "on"},
	{map[Scope]string{User: `"enabled": true, "filesystem": {"disabled": true}`,
		Managed: `"credentials": {"files": [{"path": "/x", "mode": "deny"}]}`}, "on"},
	{map[Scope]string{User: `"enabled": true`, Managed: `"filesystem": {"disabled": true}`}, "on relaxed"},
}

// words writes a state as the rows do.
func (st state) words() string {
	var words []string
	for _, w := range []struct {
		word string
		is   bool
	}{{"on", st.Enabled}, {"strict", st.StrictMode}, {"relaxed", st.FilesystemPolicy == "relaxed"},
		{"auto", st.AutoAllowBashIfSandboxed}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " ")
}

func TestScalarsInForceAreThoseOfTheRuntime(t *testing.T) {
	for _, r := range stateRows {
		e := combine(t, r.sandbox)
		st := state{
			Enabled:                  e.Scalar("sandbox", "enabled").Value.True(),
			StrictMode:               e.Scalar("sandbox", "allowUnsandboxedCommands").Value.False(),
			AutoAllowBashIfSandboxed: e.Scalar("sandbox", "autoAllowBashIfSandboxed").Value.True(),
		}
		if e.Scalar("sandbox", "filesystem", "disabled").Value.True() {
			st.FilesystemPolicy = "relaxed"
		}
		if got := st.words(); got != r.want {
			t.Errorf("%v: %q, want %q", r.sandbox, got, r.want)
		}
	}
}

func TestTheRuntimeAgreesOnScalarsInForce(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	newSession(t)
	for i, r := range stateRows {
		if _, ok := r.sandbox[Managed]; ok {
			continue // writing managed settings needs root
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			for scope, text := range r.sandbox {
				s.layer(scope, `{"sandbox": {`+text+`}}`)
			}
			if got := s.state().words(); got != r.want {
				t.Errorf("%v: the runtime has %q, want %q", r.sandbox, got, r.want)
			}
		})
	}
}

func TestAScalarNamesItsPlaceAndWhatItOverrules(t *testing.T) {
	layer := func(s Scope, text string) ScopedDoc {
		d := testenv.Must(Parse(s.String()+".json", []byte(text)))(t)
		return ScopedDoc{s, d}
	}
	e := Combine([]ScopedDoc{
		layer(User, "{\n \"sandbox\": {\n  \"failIfUnavailable\": true}}"),
		layer(Project, "{\"sandbox\": {\"failIfUnavailable\": false}}"),
		layer(Flag, "{\"sandbox\": {\"allowUnsandboxedCommands\": false}}"),
	}, dirs)
	s := e.Scalar("sandbox", "failIfUnavailable")
	if !s.Value.True() || s.Where() != "user.json:3:24" || s.Scope != User {
		t.Errorf("in force: %+v", s.Candidate)
	}
	if len(s.Others) != 1 || s.Others[0].Where() != "project.json:1:35" ||
		!strings.Contains(s.Others[0].Ignored, "allowUnsandboxedCommands is false") {
		t.Errorf("others: %+v", s.Others)
	}
	if s := e.Scalar("model"); s.Value != nil || s.Others != nil || s.Value.True() || s.Value.False() {
		t.Errorf("a key that nobody sets: %+v", s)
	}
}

func TestADroppedDocumentIsNotInForceAndSaysWhy(t *testing.T) {
	e := combine(t, map[Scope]string{User: `"enabled": true`, Project: `"enabled": false, "excludedCommands": "x"`})
	if !e.Scalar("sandbox", "enabled").Value.True() {
		t.Error("a dropped document is in force")
	}
	if len(e.Dropped) != 1 || e.Dropped[0].Scope != Project ||
		KeyPath(e.Dropped[0].Problem.Path) != "sandbox.excludedCommands" {
		t.Errorf("dropped: %+v", e.Dropped)
	}
}

// pathRows are file system settings and what of a project's is in force.
var pathRows = []struct {
	sandbox     map[Scope]string
	read, write string
}{
	{map[Scope]string{User: `"filesystem": {"denyRead": ["~/"], "allowRead": ["~/u"]}`,
		Project: `"filesystem": {"allowRead": [".", "~/p", "/opt/p"], "allowWrite": ["~/w", "/opt/w"]}`}, "~/u . ~/p /opt/p",
		"~/w /opt/w"},
	{map[Scope]string{User: `"filesystem": {"denyRead": ["~/"], "allowRead": ["~/u"]}`,
		Flag:    `"filesystem": {"denyRead": ["/x"]}`,
		Project: `"filesystem": {"allowRead": [".", "~/p", "/opt/p"], "allowWrite": ["~/w", "/opt/w"]}`}, "~/u /opt/p",
		"/opt/w"},
	{map[Scope]string{User: `"filesystem": {"denyRead": ["~/"], "allowRead": ["~/u"]}`,
		Flag:    `"allowUnsandboxedCommands": false`,
		Project: `"filesystem": {"allowRead": [".", "/opt/p"], "allowWrite": ["~/w", "/opt/w"]}`}, "~/u /opt/p", ""},
	{map[Scope]string{User: `"filesystem": {"denyRead": ["~/"]}, "allowUnsandboxedCommands": false`,
		Project: `"filesystem": {"allowRead": ["."], "allowWrite": ["~/w"]}`}, ".", "~/w"},
	{map[Scope]string{Flag: `"credentials": {"files": [{"path": "/x/c", "mode": "deny"}]}`,
		Local: `"filesystem": {"allowRead": ["/x/c", "/x", "/y"], "allowWrite": ["/x/c", "/x"]}`}, "/x /y", "/x"},
	{map[Scope]string{Managed: `"filesystem": {"denyRead": ["/m"]}`, User: `"filesystem": {"denyRead": ["/u"]}`,
		Local: `"filesystem": {"allowRead": ["/u/x", "/m/x", "/ok"]}`}, "/ok", ""},
	{map[Scope]string{Flag: `"filesystem": {"denyRead": ["/a/b"]}`,
		Project: `"filesystem": {"allowRead": ["/a", "/a/b", "/a/b/", "/a/b/c", "/a/bc", "/a/b/../x", "//a/b/z", "/q/../a/b/y"], "allowWrite": ["/a", "/a/b/c"]}`},
		"/a /a/bc /a/b/../x", "/a"},
	{map[Scope]string{Flag: `"filesystem": {"denyRead": ["/x"]}`,
		Project: `"filesystem": {"allowRead": ["/opt/*", "/opt/[ab]", "/opt/?", "/opt/{a,b}"], "allowWrite": ["/opt/*w"]}`},
		"/opt/{a,b}", ""},
	{map[Scope]string{User: `"filesystem": {"denyRead": ["/u"]}`, Flag: `"filesystem": {"denyRead": []}`,
		Project: `"filesystem": {"allowRead": ["/u/x"]}`}, "/u/x", ""},
	{map[Scope]string{User: `"filesystem": {"denyRead": ["/u"], "allowRead": ["/u/u"]}`,
		Flag: `"filesystem": {"denyRead": ["/x"], "allowRead": ["/u/f"]}`}, "/u/f /u/u", ""},
}

func TestPathsOfAProjectAreGuardedAsByTheRuntime(t *testing.T) {
	for _, r := range pathRows {
		e := combine(t, r.sandbox)
		read, write := e.Strings("sandbox", "filesystem", "allowRead"), e.Strings("sandbox", "filesystem", "allowWrite")
		slices.Sort(read)
		slices.Sort(write)
		if want := strings.Fields(r.read); !slices.Equal(read, slices.Sorted(slices.Values(want))) {
			t.Errorf("%v\nallowRead %q, want %q", r.sandbox, read, want)
		}
		if want := strings.Fields(r.write); !slices.Equal(write, slices.Sorted(slices.Values(want))) {
			t.Errorf("%v\nallowWrite %q, want %q", r.sandbox, write, want)
		}
	}
	e := combine(t, map[Scope]string{User: `"network": {"strictAllowlist": false}`,
		Project: `"network": {"strictAllowlist": true}`})
	if e.Scalar("sandbox", "network", "strictAllowlist").Value.True() {
		t.Error("a project sets strictAllowlist")
	}
}

func TestAReadRuleArmsTheGuards(t *testing.T) {
	for rule, armed := range map[string]bool{"Read(/x)": true, "Bash(x)": false, "Read(x:*)": false} {
		flag := mustParse(t, fmt.Sprintf(`{"permissions": {"deny": [%q]}}`, rule))
		user := mustParse(t, `{"sandbox": {"filesystem": {"denyRead": ["~/"]}}}`)
		project := mustParse(t, `{"sandbox": {"filesystem": {"allowRead": ["~/p"]}}}`)
		e := Combine([]ScopedDoc{{Flag, flag}, {User, user}, {Project, project}}, dirs)
		if got := e.Strings("sandbox", "filesystem", "allowRead"); (len(got) == 0) != armed {
			t.Errorf("%s: allowRead %q", rule, got)
		}
	}
}

func TestArraysAreUnitedWithTheirPlaces(t *testing.T) {
	e := combine(t, map[Scope]string{
		User: `"network": {"deniedDomains": ["a", "b"]}`, Local: `"network": {"deniedDomains": ["b", "c"]}`,
		Flag: `"network": {"deniedDomains": ["d"]}`, Managed: `"network": {"deniedDomains": "x"}`})
	var got []string
	for _, c := range e.List("sandbox", "network", "deniedDomains") {
		got = append(got, c.Value.Text+"@"+c.Where())
	}
	if want := "d@--settings:1:44 b@local:1:44 c@local:1:49 a@user:1:44 b@user:1:49"; strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
	if got := e.Strings("sandbox", "network", "deniedDomains"); strings.Join(got, "") != "dbca" {
		t.Errorf("strings %q", got)
	}
}

func TestRulesWinByTheirListWhateverTheirScope(t *testing.T) {
	e := Combine([]ScopedDoc{
		{Managed, mustParse(t, `{"permissions": {"allow": ["Bash(x)", "Bash(y)"]}}`)},
		{User, mustParse(t, `{"permissions": {"ask": ["Bash(y)"], "deny": ["Bash(x)", "Bash("]}}`)},
		{Project, mustParse(t, `{"permissions": {"allow": ["Read(z)", "Bash("]}}`)},
	}, dirs)
	var got []string
	for _, r := range e.Rules() {
		mark := ""
		if r.Ignored != "" {
			mark = "!"
		}
		got = append(got, mark+r.List+" "+r.Value.Text)
	}
	want := []string{"deny Bash(x)", "!deny Bash(", "ask Bash(y)", "!allow Bash(x)", "!allow Bash(y)", "allow Read(z)",
		"!allow Bash("}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPathsResolveAsInTheRuntime(t *testing.T) {
	for _, c := range []struct {
		p    string
		s    Scope
		want string
	}{
		{"~/x", Project, "/home/me/x"}, {"~", User, "/home/me"}, {"~/", User, "/home/me"}, {"~/a/../b", User, "/home/me/b"},
		{".", Project, "/home/me/p"}, {".", Local, "/home/me/p"}, {".", Managed, "/home/me/p"},
		{".", User, "/home/me/.claude"},
		{"./r", User, "/home/me/.claude/r"}, {"r/s/", Project, "/home/me/p/r/s"}, {"../up", Project, "/home/me/up"},
		{"../up", User, "/home/me/up"},
		{"/abs/", User, "/abs"}, {"//dbl", Project, "/dbl"}, {"/a/./b/../c", User, "/a/c"}, {" /sp", User, "/sp"},
		{"\tt", User, "/home/me/.claude/t"},
		{"~root/x", User, "/home/me/.claude/~root/x"}, {"$HOME/z", User, "/home/me/.claude/$HOME/z"},
		{"", User, "/home/me/.claude"},
		{"rel", Flag, ""}, {"/abs", Flag, "/abs"}, {"~/h", Flag, "/home/me/h"},
	} {
		if got := dirs.Resolve(c.p, c.s); got != c.want {
			t.Errorf("%q in %s settings: %q, want %q", c.p, c.s, got, c.want)
		}
	}
	if got := (Dirs{Flag: "/etc/policy"}).Resolve("./r", Flag); got != "/etc/policy/r" {
		t.Errorf("in a --settings file: %q", got)
	}
}
