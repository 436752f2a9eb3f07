// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

var noble = []Override{
	{Tool: "bubblewrap", Version: "0.9.0-1ubuntu0.1",
		Install: map[string]string{"apt": "apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1"}},
	{Tool: "socat", Version: "1.8.0.0-4build3",
		Install: map[string]string{"apt": "apt-get install --no-install-recommends socat=1.8.0.0-4build3"}},
}

const nobleTables = `
[tools.bubblewrap]
version = "0.9.0-1ubuntu0.1"
install.apt = "apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1"

[tools.socat]
version = "1.8.0.0-4build3"
install.apt = "apt-get install --no-install-recommends socat=1.8.0.0-4build3"
`

func TestAnOverrideIsWritten(t *testing.T) {
	line := `install.apt = "apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1"`
	for name, c := range map[string]struct{ before, after string }{
		"no file":    {"", preamble + nobleTables},
		"other keys": {"# mine\npinned_at = \"2026-12-01\"", "# mine\npinned_at = \"2026-12-01\"\n" + nobleTables},
		"another version and a remark": {
			"[tools.bubblewrap] # mine\nversion = '0.8.0' # since May\ncooldown_days = 3\n",
			"[tools.bubblewrap] # mine\n" + line + "\nversion = \"0.9.0-1ubuntu0.1\" # since May\ncooldown_days = 3\n"},
		"no final newline": {"[tools.bubblewrap]\nversion = '1'",
			"[tools.bubblewrap]\n" + line + "\nversion = \"0.9.0-1ubuntu0.1\""},
		"an empty table at the end is refused as it stands": {"[tools.socat]\nversion = '1'\n[tools.bubblewrap]", ""},
		"CRLF": {"[tools.bubblewrap]\r\nversion = '1'\r\n",
			"[tools.bubblewrap]\r\n" + line + "\r\nversion = \"0.9.0-1ubuntu0.1\"\r\n"},
		"dotted keys": {"tools.bubblewrap.version = '1' # a\n[tools.socat]\nreleased = \"2026-01-01\"\n",
			"tools.bubblewrap." + line + "\ntools.bubblewrap.version = \"0.9.0-1ubuntu0.1\" # a\n[tools.socat]\n" +
				"released = \"2026-01-01\"\n"},
		"dotted keys in a table": {"[tools]\nbubblewrap.cooldown_days = 3\n",
			"[tools]\nbubblewrap.version = \"0.9.0-1ubuntu0.1\"\nbubblewrap." + line + "\nbubblewrap.cooldown_days = 3\n"},
		"a table of install lines": {"[tools.bubblewrap]\nversion = '1'\n[tools.bubblewrap.install]\n" +
			"dnf = 'dnf install x-1'\n",
			"[tools.bubblewrap]\nversion = \"0.9.0-1ubuntu0.1\"\n[tools.bubblewrap.install]\n" +
				strings.TrimPrefix(line, "install.") + "\ndnf = 'dnf install x-1'\n"},
		"a decoy in a string": {"[tools.socat]\npurpose = \"\"\"\n[tools.bubblewrap]\nversion = '1'\n\"\"\"\n",
			"[tools.socat]\npurpose = \"\"\"\n[tools.bubblewrap]\nversion = '1'\n\"\"\"\n\n[tools.bubblewrap]\n" +
				"version = \"0.9.0-1ubuntu0.1\"\n" + line + "\n"},
		"an inline table": {"[tools]\nbubblewrap = { version = '1' }\n", ""},
		"malformed":       {"[tools.bubblewrap\n", ""},
	} {
		overrides, existing := noble[:1], []byte(c.before)
		if strings.HasSuffix(c.after, nobleTables) {
			overrides = noble
		}
		if c.before == "" {
			existing = nil
		}
		got, err := Apply(local, existing, overrides)
		var e *report.Error
		if c.after == "" {
			if !errors.As(err, &e) || e.Code != report.ExitMalformed || e.Next == "" {
				t.Errorf("%s: written as %q, %v", name, got, err)
			}
			continue
		}
		if diff := cmp.Diff(c.after, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		again, err := Apply(local, got, overrides)
		if string(again) != string(got) || err != nil {
			t.Errorf("%s: a second time changes it again: %q, %v", name, again, err)
		}
	}
}

func TestAnOverrideHoldsOnlyPlainWords(t *testing.T) {
	for _, bad := range []string{"1.0\"", "1.0\n[x]", "", "1 && rm", "$(x)", "1.0\x1b"} {
		o := noble[0]
		o.Version = bad
		if got, err := Apply(local, nil, []Override{o}); err == nil {
			t.Errorf("version %q is written: %s", bad, got)
		}
		o = noble[0]
		o.Install = map[string]string{"apt": bad}
		if got, err := Apply(local, nil, []Override{o}); err == nil {
			t.Errorf("line %q is written: %s", bad, got)
		}
	}
}

// What Apply writes is what Load then says.
func TestAnOverrideIsRead(t *testing.T) {
	text := testenv.Must(Apply(local, nil, noble))(t)
	set := load(t, disk{local: string(text)}, "")
	for _, o := range noble {
		p := pin(t, set, o.Tool)
		if line, _ := p.Install("apt"); p.Version != o.Version || line != o.Install["apt"] ||
			!strings.HasPrefix(p.Where("version"), local) {
			t.Errorf("%s %s from %s, installed by %q", o.Tool, p.Version, p.Where("version"), line)
		}
	}
}

// FuzzApply holds that an edit of any override that decodes either is refused
// or changes exactly the intended keys, and that every line it did not have to
// change is still there, in order.
func FuzzApply(f *testing.F) {
	f.Add("[tools.bubblewrap] # x\nversion = '1' # y\n\n# z\n[tools.socat]\ninstall.dnf = 'dnf install socat'\n")
	f.Add("tools.socat.install.apt = \"\"\"\napt-get\"\"\"\r\ntools.\"bubblewrap\".released='2026-01-01'")
	f.Add("tools = {bubblewrap = {version = '1'}}")
	f.Add("[tools.bubblewrap.install]\napt='x'\n[tools]\nsocat.version='1'")
	f.Fuzz(func(t *testing.T, text string) {
		before, err := decode("m", []byte(text), false)
		if err != nil {
			t.Skip()
		}
		after, err := Apply("m", []byte(text), noble)
		if err != nil {
			return
		}
		got, err := decode("m", after, false)
		if err != nil {
			t.Fatalf("%q becomes %q: %v", text, after, err)
		}
		for _, o := range noble {
			for _, k := range o.keys() {
				if got[k].text != o.text(k) {
					t.Errorf("%v is %q", k, got[k].text)
				}
				delete(got, k)
				delete(before, k)
			}
		}
		for k, v := range before {
			if got[k].text != v.text {
				t.Errorf("%v was %q and is %q", k, v.text, got[k].text)
			}
			delete(got, k)
		}
		if len(got) > 0 {
			t.Errorf("new keys: %v", got)
		}
		rest := string(after)
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if strings.Contains(line, "=") || strings.Contains(text, `'''`) || strings.Contains(text, `"""`) {
				continue // may hold, or belong to, a value that changed
			}
			i := strings.Index(rest, line)
			if i < 0 {
				t.Fatalf("the line %q is gone:\n%s", line, after)
			}
			rest = rest[i+len(line):]
		}
	})
}
