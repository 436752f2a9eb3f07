// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package secretscan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/manifests"
)

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
)

// some returns n characters of a set, the same at every run.
func some(set string, n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7)) // a test's input
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

// tokens are secrets of many kinds, each with the rules that may name it.
func tokens() map[string]string {
	word := lower + upper + digit
	return map[string]string{
		"gh" + "p_" + some(word, 36):                                            "github-pat",
		"github" + "_pat_" + some(word, 82):                                     "github-fine-grained-pat",
		"gl" + "pat-" + some(word, 20):                                          "gitlab-pat",
		"AKI" + "A" + some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16):              "aws-access-token",
		"sk-" + "ant-api03-" + some(word, 93) + "AA":                            "anthropic-api-key",
		"sk-" + "ant-oat01-" + some(word, 95) + "AA":                            OwnRule,
		"xox" + "b-" + some(digit, 12) + "-" + some(digit, 12) + some(word, 24): "slack-bot-token",
		"np" + "m_" + some(lower+digit, 36):                                     "npm-access-token",
		"AI" + "za" + some(word, 35):                                            "gcp-api-key",
		"h" + "f_" + some(lower, 34):                                            "huggingface-access-token",
		"dop" + "_v1_" + some("abcdef"+digit, 64):                               "digitalocean-pat",
		"SG" + "." + some(word, 66):                                             "sendgrid-api-token",
		"shp" + "at_" + some("abcdef"+digit, 32):                                "shopify-access-token",
		"sk" + "_live_" + some(word, 24):                                        "stripe-access-token",
		"AGE-SECRET" + "-KEY-1" + some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58):  "age-secret-key",
		"pypi" + "-AgEIcHlwaS5vcmc" + some(word, 60):                            "pypi-upload-token",
		"dapi" + some("abcdef"+digit, 32):                                       "databricks-api-token",
		"-----BEGIN OPENSSH PRIVATE" + " KEY-----\n" + some(word, 300) + "\n-----END OPENSSH PRIVATE" +
			" KEY-----": "private-key",
		`client_secret = "` + some(word, 40) + `"`:                              "generic-api-key",
		"curl -u admin:" + some(word, 20) + " https://build.example.com":        "curl-auth-user",
		`curl -H "Authorization: Bearer ` + some(word, 40) + `" https://x.test`: "curl-auth-header",
	}
}

func rulesOf(hits []Hit) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%d:%s ", h.Line, h.Rule)
	}
	return strings.TrimSpace(b.String())
}

func TestPlantedTokensAreFound(t *testing.T) {
	for token, rule := range tokens() {
		text := "# Notes\n\nthe second line\n" + token + "\nand the rest\n"
		res := Scan(context.Background(), "memory/notes.md", []byte(text))
		if got, want := rulesOf(res.Hits)+" ", "4:"+rule+" "; !strings.HasPrefix(got, want) || strings.Contains(got, " 5:") {
			t.Errorf("%s: found %q, want %q", rule, got, want)
		}
		if strings.Contains(fmt.Sprint(res), token) {
			t.Errorf("%s: the value is in the result", rule)
		}
	}
}

func TestFormsOfAFile(t *testing.T) {
	token := "gh" + "p_" + some(lower+upper+digit, 36)
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("one\ntoken: " + token + "\n")) {
		wide = append(wide, byte(u), byte(u>>8)) // the halves of one unit
	}
	swapped := make([]byte, 0, len(wide))
	for i := 2; i < len(wide); i += 2 {
		swapped = append(swapped, wide[i+1], wide[i])
	}
	code := append([]byte("\x7fELF\x00\x01\x02"), strings.Repeat("api_key_of_a_function_name_41x\x00", 2000)...)
	for name, c := range map[string]struct {
		path, content, hits, allowed string
		unread                       bool
	}{
		"windows lines":     {path: "a.md", content: "one\r\n" + token + "\r\n", hits: "2:github-pat"},
		"no final line end": {path: "a.md", content: token, hits: "1:github-pat"},
		"UTF-16":            {path: "a.md", content: string(wide), hits: "2:github-pat"},
		"UTF-16, unmarked":  {path: "a.md", content: string(wide[2:]), hits: "0:github-pat"},
		"big-endian UTF-16": {path: "a.md", content: string(swapped), hits: "0:github-pat"},
		"a wide string": {path: "bin/x.exe", content: string(code) + string(wide[2:]) + "\x01\x00",
			hits: "0:github-pat"},
		"a long line": {path: "a.json", content: strings.Repeat(`{"a":1},`, 100_000) + `"` + token + `"`,
			hits: "1:github-pat"},
		"invalid UTF-8":       {path: "a.md", content: "\xc3\x28\n" + token, hits: "2:github-pat"},
		"in compiled code":    {path: "bin/x-linux", content: string(code) + token + "\x00", hits: "0:github-pat"},
		"compiled code":       {path: "bin/x-linux", content: string(code)},
		"an excused name":     {path: "bin/gitleaks.toml", content: token, hits: "1:github-pat"},
		"marked":              {path: "a.md", content: "one\n" + token + " # gitleaks:allow\n", allowed: "2:github-pat"},
		"marked elsewhere":    {path: "a.md", content: "gitleaks:allow\n" + token, hits: "2:github-pat"},
		"a key store by name": {path: "scripts/me.p12", content: "x", hits: "0:pkcs12-file"},
		"an example":          {path: "a.md", content: "AKI" + "AIOSFODNN7EXAMPLE"},
		"a reference":         {path: "a.sh", content: `token="$GITHUB_TOKEN"; curl -u "me:$PASSWORD" https://x.test`},
		"too large":           {path: "a.md", content: strings.Repeat("word\n", Limit/4), unread: true},
		"empty":               {path: "a.md"},
	} {
		res := Scan(context.Background(), c.path, []byte(c.content))
		if rulesOf(res.Hits) != c.hits || rulesOf(res.Allowed) != c.allowed || (res.Unread != "") != c.unread {
			t.Errorf("%s: %+v, want %q, allowed %q", name, res, c.hits, c.allowed)
		}
	}
}

func TestAStoppedScanSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res := Scan(ctx, "a.md", []byte("token")); res.Unread == "" {
		t.Error("a scan that was stopped calls the file scanned")
	}
}

// TestOrdinaryFilesHaveNone: documentation and scripts as people keep them.
func TestOrdinaryFilesHaveNone(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "templates/*.json", "templates/scripts/*",
		"*.sh", ".github/*/*", ".gitignore"} {
		list := testenv.Must(filepath.Glob("../../" + pattern))(t)
		paths = append(paths, list...)
	}
	if len(paths) < 30 {
		t.Fatalf("only %d files", len(paths))
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			continue // a directory
		}
		if res := Scan(context.Background(), strings.TrimPrefix(p, "../../"), b); len(res.Hits) > 0 || res.Unread != "" {
			t.Errorf("%s: %+v", p, res)
		}
	}
	for name, text := range map[string]string{
		"CLAUDE.md": "# How I work\n\n- Use `gh auth token` never; ask for a token instead.\n" +
			"- password: never write one.\n- The API key lives in 1Password.\n",
		"memory/_root_/MEMORY.md": "- [Build](build.md) — `make test KEY=value`, commit " +
			"3f2c1a9b0d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a fixed it\n",
		"scripts/statusline.sh": "#!/usr/bin/env bash\nexport TOKEN=\"${TOKEN:-}\"\nkey=$(printf '%s' \"$1\" | sha256sum)\n",
		"commands/review.md": "---\nallowed-tools: Bash(git diff:*)\n---\nReview the diff. Session: " +
			"0b1c2d3e-4f5a-6b7c-8d9e-0f1a2b3c4d5e\n",
	} {
		if res := Scan(context.Background(), name, []byte(text)); len(res.Hits) > 0 {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

func TestTheRuleFileIsWhole(t *testing.T) {
	sum := sha256.Sum256([]byte(manifests.GitleaksRules))
	if hex.EncodeToString(sum[:]) != manifests.GitleaksDigest {
		t.Error("gitleaks.toml is not the file that gitleaks.go names: run go generate ./manifests")
	}
	f := testenv.Must(rules())(t)
	if len(f.Rules) < 200 {
		t.Errorf("only %d rules", len(f.Rules))
	}
	lists := f.Allowlists
	for _, r := range f.Rules {
		if _, err := regexp.Compile(r.Regex); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if _, err := regexp.Compile(r.Path); err != nil || r.Regex == "" && r.Path == "" {
			t.Errorf("%s: path %q: %v", r.ID, r.Path, err)
		}
		lists = append(lists, r.Allowlists...)
	}
	for _, a := range lists {
		for _, p := range append(a.Paths, a.Regexes...) {
			if _, err := regexp.Compile(p); err != nil {
				t.Error(err)
			}
		}
		if c := a.Condition; c != "" && c != "AND" && c != "OR" || a.RegexTarget != "" && a.RegexTarget != "line" &&
			a.RegexTarget != "match" {
			t.Errorf("a list with condition %q and target %q, which nothing here knows", c, a.RegexTarget)
		}
	}
	if _, err := decode("[[rules]]\nid = \"a\"\nunless = 1\n"); err == nil {
		t.Error("a key that means nothing here is passed over")
	}
}

func FuzzScan(f *testing.F) {
	for token := range tokens() {
		f.Add("a.md", []byte("x\n"+token))
	}
	f.Add("a.yaml", []byte("kind: Secret\ndata:\n  a: b\n"))
	f.Add("a", []byte{0, 0xff, 0xfe})
	f.Fuzz(func(t *testing.T, path string, b []byte) {
		res := Scan(context.Background(), path, b)
		for _, h := range append(res.Hits, res.Allowed...) {
			if h.Line < 0 || h.Line > strings.Count(string(b), "\n")+1 && b[0] < 0xfe || h.Rule == "" {
				t.Errorf("%+v is no place in the file", h)
			}
		}
	})
}
