// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a manifest, a checkout and an override say together
// is what the user would read in them, and a file that says something else
// than its author meant is refused with its line.

package pins

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

const local = "/c/pinned-versions.local.toml"

// framework is a manifest as a checkout has it: other pins, no floor, keys that
// this program does not read, a remark in place of a command.
const framework = `licence = "x"
pinned_at = "2026-07-01"

[tools.claude-code]
version = "2.1.196"
released = "2026-06-29"
cooldown_days = 1
upstream_releases = "https://example.invalid/releases"
install.npm = "npm install -g --no-save @anthropic-ai/claude-code@2.1.196"
install.brew = "# not there yet"

[tools.socat]
version = "1.8.1.1"
purpose = """
Two
lines.
"""
install.from_source = "https://example.invalid/socat.tar.gz"

[other]
x = 1
`

func checkout(name, text string, more ...string) disk {
	d := disk{"/f/tools/agent-isolation/" + name: text}
	for i := 0; i < len(more); i += 2 {
		d[more[i]] = more[i+1]
	}
	return d
}

func TestAnOverrideReplacesKeyByKey(t *testing.T) {
	set := load(t, disk{local: "[tools.bubblewrap]\nversion = '0.9.0-1ubuntu0.1'\n[tools.socat]\ncooldown_days = 3\n"}, "")
	p := pin(t, set, "bubblewrap")
	if p.Version != "0.9.0-1ubuntu0.1" || p.Where("version") != local+":2" ||
		!strings.HasPrefix(p.Where("docs"), "manifests/pinned-versions.toml (built in):") {
		t.Errorf("version %s from %s, docs from %s", p.Version, p.Where("version"), p.Where("docs"))
	}
	// What the manifest said of 0.11.2 is not said of the version that
	// stands in for it.
	if day, ok := p.Released(); ok {
		t.Errorf("the version of the override is said to be of %v", day)
	}
	for manager, want := range map[string]string{
		"apt": "apt-get install --no-install-recommends bubblewrap=0.9.0-1ubuntu0.1",
		"dnf": "dnf install bubblewrap-0.9.0-1ubuntu0.1",
	} {
		if line, ok := p.Install(manager); line != want || !ok {
			t.Errorf("install.%s = %q, want %q", manager, line, want)
		}
	}
	if line, _ := pin(t, load(t, disk{local: "[tools.bubblewrap]\nversion = '0.12.0'\n"}, ""),
		"bubblewrap").Install("apt"); line != "apt-get install --no-install-recommends bubblewrap=0.12.0-*" {
		t.Errorf("an upstream version takes any revision: %q", line)
	}
	if p := pin(t, set, "socat"); p.Version != "1.8.1.3" || p.cooldown.Hours() != 72 {
		t.Errorf("socat %s with %v", p.Version, p.cooldown)
	}
}

func TestAFrameworkReplacesTheManifest(t *testing.T) {
	d := checkout("pinned-versions.toml", framework)
	set := load(t, d, "/f")
	if len(set.Pins) != 2 || set.Pins[0].Tool != "claude-code" || set.PinnedAt.Format("2006-01") != "2026-07" {
		t.Errorf("pins %v of %v", set.Pins, set.PinnedAt)
	}
	claude := pin(t, set, "claude-code")
	if claude.MinVersion != "2.1.324" || !claude.BelowFloor() ||
		!strings.Contains(claude.Where("min_version"), "built in") {
		t.Errorf("the floor is %q (%s), the pin %s is below it: %v", claude.MinVersion, claude.Where("min_version"),
			claude.Version, claude.BelowFloor())
	}
	if line, ok := claude.Install("brew"); ok {
		t.Errorf("a remark is taken for a command: %q", line)
	}
	// The checkout's override lies over its manifest, the user's own over both.
	d["/f/tools/agent-isolation/pinned-versions.local.toml"] = "[tools.socat]\nversion = '1.8.1.2'\n" +
		"[tools.claude-code]\nmin_version = '2.0.0'\n"
	set = load(t, d, "/f")
	if pin(t, set, "socat").Version != "1.8.1.2" || pin(t, set, "claude-code").MinVersion != "2.1.324" {
		t.Errorf("the checkout's override is not heard, or it lowers a floor: %v", set.Pins)
	}
	d[local] = "[tools.socat]\nversion = '1.8.0.0'\n"
	if v := pin(t, load(t, d, "/f"), "socat").Version; v != "1.8.0.0" {
		t.Errorf("the user's own override gives way: %s", v)
	}
	_, err := Load(disk{}, "/c", "/f")
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitUsage {
		t.Errorf("a checkout without a manifest: %v", err)
	}
}

// A day means the same as a string and as a date of TOML.
func TestADayMayBeADateOfTOML(t *testing.T) {
	dates := strings.NewReplacer(`"2026-07-01"`, "2026-07-01", `"2026-06-29"`, "2026-06-29").Replace(framework)
	set := load(t, checkout("pinned-versions.toml", dates), "/f")
	released, ok := pin(t, set, "claude-code").Released()
	if set.PinnedAt.Format(time.DateOnly) != "2026-07-01" || !ok || released.Format(time.DateOnly) != "2026-06-29" {
		t.Errorf("pinned at %v, released %v", set.PinnedAt, released)
	}
	// An override keeps it as it is written.
	const own = "pinned_at = 2026-12-01\n"
	after, err := Apply(local, []byte(own), []Override{{Tool: "socat", Version: "1.8.1.3-1",
		Install: map[string]string{"apt": "apt-get install socat=1.8.1.3-1"}}})
	if err != nil || !strings.HasPrefix(string(after), own) {
		t.Errorf("%v\n%s", err, after)
	}
}

func TestAManifestThatIsNotUnderstoodIsRefused(t *testing.T) {
	for text, where := range map[string]string{
		"[tools.socat]\nversion = 1\n":                                       ":2:11",
		"[tools.socat]\nverison = '1.8'\n":                                   ":2:1",
		"[tools.socat.instal]\napt = 'x'\n":                                  ":1:2",
		"colour = 1\n":                                                       ":1:1",
		"[tools.socat]\nVersion = '1.8'\n":                                   ":2:1",
		"[Tools.socat]\n":                                                    ":1:2",
		"[tools.socat]\nversion = '1.8'\n[tools.socat.extra]\n":              ":3:2",
		"[tools]\nsocat = { verison = '1' }\n":                               ":2:1",
		"[tools.socat]\nversion = '1.8'\nversion = '1.9'\n":                  ":3:1",
		"pinned_at = 'soon'\n":                                               ":1",
		"pinned_at = 2026-07-01T10:00:00Z\n":                                 ":1",
		"pinned_at = 2026-02-30\n":                                           ":1:21",
		"[tools.socat]\nversion = '1.8'\nreleased = 20260701\n":              ":3",
		"\n\n[tools.socat]\nversion = 'latest'\n":                            ":4",
		"[tools.socat]\nreleased = '26 Jun'\n":                               ":2",
		"[tools.socat]\ncooldown_days = -1\n":                                ":2",
		"[tools.socat]\ncooldown_days = 'x'\n":                               ":2:17",
		"[tools.socat]\ndocs = 'javascript:x'\n":                             ":2",
		"[tools.socat]\n\ninstall.apt = \"apt-get\\u001b[2J install socat\"": ":3",
		"[tools]\nsocat = { cooldown_days = 400 }\n":                         ":2",
		"[tools.socat]\ninstall.apt = 'apt-get install socat=1.7-*'\n":       ":2",
		"[tools.socet]\nversion = '1.8'\n":                                   ":2",
		"[tools.socat]\n":                                                    "",
		"[tools.socat]\nx = \xff\n":                                          ":2:5",
		"\ufeff[tools.socat]\n":                                              ":1:1",
		strings.Repeat("# x\n", maxManifest/4+1):                             "",
	} {
		_, err := Load(disk{local: text}, "/c", "")
		malformedAt(t, err, local+where)
	}
	// Another project's manifest may hold more, and its tools may not.
	for text, where := range map[string]string{
		framework + "[tools.x]\nverison = '1'\n": ":23:1",
		"[tools.x]\npurpose = 'nothing'\n":       ":2",
		"[tools.x\n":                             ":1:9",
	} {
		_, err := Load(checkout("pinned-versions.toml", text), "/c", "/f")
		malformedAt(t, err, "/f/tools/agent-isolation/pinned-versions.toml"+where)
	}
	_, err := Load(unreadable{}, "/c", "")
	malformedAt(t, err, local)
}

type unreadable struct{ disk }

func (unreadable) Read(string) ([]byte, error) { return nil, errors.New("permission denied") }

// FuzzDecode holds that any bytes are either refused as malformed or become
// pins that can be judged, quickly and without a panic.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(framework), true)
	f.Add([]byte("tools = {socat = {version = '1.8.1.3-1', install = {apt = 'apt-get install socat=1.8.1.3'}}}\r\n"),
		false)
	f.Add([]byte("tools={at={0='',instAll={000=''}}}"), true)
	f.Add([]byte("[tools.claude-code]\nmin_version = '2'\n[[tools]]\na = [[[[1]]]]\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, lenient bool) {
		values, err := decode("m", data, lenient)
		if err == nil {
			for k, v := range values {
				if v.line < 1 || v.line > 1+strings.Count(string(data), "\n") {
					t.Errorf("%v stands on line %d", k, v.line)
				}
			}
			var set Set
			if set, err = build(values, toolsOf(values)); err == nil {
				for _, p := range set.Pins {
					at := cmp.Or(p.Version, p.MinVersion)
					if got, err := p.Judge(at); err != nil || (got != AsPinned) != p.BelowFloor() {
						t.Errorf("%s at %s is %q (%v)", p.Tool, at, got, err)
					}
				}
			}
		}
		var e *report.Error
		if err != nil && (!errors.As(err, &e) || e.Code != report.ExitMalformed) {
			t.Errorf("refused without a place: %v", err)
		}
	})
}

// Which versions do not enforce the policy is a fact about the tool: no
// checkout can say that an older one does.
func TestAFrameworkRaisesAFloorAndNeverLowersIt(t *testing.T) {
	const local = "/f/tools/agent-isolation/pinned-versions.local.toml"
	pinned := "[tools.claude-code]\nversion = '2.1.400'\n"
	for name, c := range map[string]struct{ manifest, override, want string }{
		"lower": {pinned + "min_version = '2.1.202'\nmin_version_reason = 'enough'\n", "",
			"2.1.324: before it"},
		"lower, without a reason": {pinned + "min_version = '2.1.202'\n", "", "2.1.324: before it"},
		"lower in the override":   {pinned, "[tools.claude-code]\nmin_version = '2.1.202'\n", "2.1.324: before it"},
		"none":                    {pinned, "", "2.1.324: before it"},
		"the tool is not named":   {"[tools.socat]\nversion = '1.8.1.3'\n", "", "2.1.324: before it"},
		"higher": {pinned + "min_version = '2.1.330'\nmin_version_reason = 'theirs'\n", "",
			"2.1.330: theirs"},
		"higher, without a reason":  {pinned + "min_version = '2.1.330'\n", "", "2.1.330"},
		"higher, with an empty one": {pinned + "min_version = '2.1.330'\nmin_version_reason = ' '\n", "", "2.1.330"},
		"higher only in an override": {pinned + "min_version = '2.1.330'\nmin_version_reason = 'theirs'\n",
			"[tools.claude-code]\nmin_version = '2.1.340'\n", "2.1.340"},
	} {
		t.Run(name, func(t *testing.T) {
			d := checkout("pinned-versions.toml", c.manifest)
			if c.override != "" {
				d[local] = c.override
			}
			floor := pin(t, load(t, d, "/f"), "claude-code").Floor()
			if c.want != floor && (!strings.HasSuffix(c.want, "before it") || !strings.HasPrefix(floor, c.want)) {
				t.Errorf("the floor is %q, want %q", floor, c.want)
			}
		})
	}
}
