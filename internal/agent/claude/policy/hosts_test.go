// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry names what the real proxy opened for it, in every
// spelling; that the proxy agrees is shown where the runtime runs
// (steps/doctor, TestEntriesNameWhatTheProxyOpens).

package policy

import "testing"

func TestAnEntryNamesWhatTheProxyOpens(t *testing.T) {
	for entry, hosts := range map[string]map[string]bool{
		"localhost": {"localhost": true, "LOCALHOST": true, "localhost.": true, "127.0.0.1": false,
			"a.localhost": false},
		"LOCALHOST":  {"localhost": true},
		"localhost.": {"localhost": false},
		"127.0.0.1": {"127.1": true, "2130706433": true, "0x7f000001": true, "0x7f.1": true, "0177.0.0.1": true,
			"[::ffff:127.0.0.1]": true, "[::ffff:7f00:1]": true, "127.0.0.1.": true, "127.0.0.2": false, "localhost": false},
		"[::ffff:127.0.0.1]":   {"127.0.0.1": true},
		"::ffff:127.0.0.1":     {"127.0.0.1": true},
		"127.1":                {"127.0.0.1": false, "127.1": false},
		"2130706433":           {"127.0.0.1": false},
		"0177.0.0.1":           {"127.0.0.1": false},
		"127.*":                {"127.0.0.1": false},
		"0.0.0.0":              {"0": true, "127.0.0.1": false},
		"[::1]":                {"[0:0:0:0:0:0:0:1]": true, "::1": true},
		"*.0.0.1":              {"127.0.0.1": false},
		"Evil.Example:443":     {"evil.example": true},
		"evil.example:22":      {"evil.example": false},
		"evil.example:0443":    {"evil.example": false},
		"evil.example.":        {"evil.example": false},
		"*.EXAMPLE":            {"evil.example": true, "a.b.example.": true, "example": false},
		"*evil.example":        {"evil.example": false, "xevil.example": false},
		".evil.example":        {"x.evil.example": false},
		"evil.*":               {"evil.example": false},
		"https://evil.example": {"evil.example": false},
		"me@evil.example":      {"evil.example": false},
		"bücher.example":       {"xn--bcher-kva.example": false},
		"*":                    {"evil.example": true, "127.0.0.1": true},
		"**":                   {"evil.example": false},
	} {
		for host, want := range hosts {
			if got := HostNamed(entry, host); got != want {
				t.Errorf("%q names %q: %v", entry, host, got)
			}
		}
	}
}

// TestASpellingHidesNothing: what is over-wide is so however it is written.
func TestASpellingHidesNothing(t *testing.T) {
	for kind, entries := range map[string][]string{
		"own-machine": {"localhost", "LocalHost", "localhost:5432", "127.0.0.1", "127.0.0.2:80", "0.0.0.0", "[::]", "::",
			"[::1]", "::1", "[::1]:8080", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
			"::ffff:7f00:1", "*.localhost", "db.LOCALHOST", "ip6-localhost", "localhost.localdomain"},
		"wide-domain": {"*:443", "*.COM", "*.com:443", "*.Co.Uk", "Webhook.Site", "x.NGROK.io:443", "169.254.169.254:80",
			"[::ffff:169.254.169.254]", "169.254.170.2", "[fd00:ec2::254]",
			"Metadata.Google.Internal", "*.google.internal", "[fe80::1]", "168.63.129.16"},
		"": {"github.com", "GitHub.com:443", "*.GitHub.com", "10.1.2.3", "127.1", "2130706433", "https://evil.example",
			"evil.example."},
	} {
		for _, entry := range entries {
			got := weakenings(t, Project, `{"sandbox":{"network":{"allowedDomains":["`+entry+`"]}}}`)
			if kind == "" && len(got) > 0 || kind != "" && (len(got) != 1 || got[0].Kind != kind) {
				t.Errorf("%q, want %q: %+v", entry, kind, got)
			}
			if got := weakenings(t, Project, `{"permissions":{"allow":["WebFetch(domain:`+entry+`)"]}}`); kind != "" &&
				(len(got) != 1 || got[0].Kind != kind) {
				t.Errorf("WebFetch(domain:%s), want %q: %+v", entry, kind, got)
			}
		}
	}
}

// TestAFetchRuleForAnAllowedHostOpensNothingNew, in whatever spelling.
func TestAFetchRuleForAnAllowedHostOpensNothingNew(t *testing.T) {
	for rule, opens := range map[string]bool{"GitHub.com": false, "github.com:443": false, "api.github.com": false,
		"*.API.github.com": false, "evil.example": true, "Evil.Example:443": true, "*.github.co": true} {
		got := weakenings(t, Project, `{"sandbox":{"network":{"allowedDomains":["GITHUB.com","*.github.com"]}},"permissions":{"allow":["WebFetch(domain:`+rule+`)"]}}`)
		if opens != (len(got) == 1 && got[0].Kind == "fetch-host") || !opens && len(got) > 0 {
			t.Errorf("%s: %+v", rule, got)
		}
	}
}
