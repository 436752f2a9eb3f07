// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a secret that can be known by its own shape is known
// here, by its issuer's published prefix, wherever it stands.

package redact

import "strings"

// prefixes are the tokens that name themselves: what they start with and how
// many bytes must follow at least. Sources: AWS "IAM identifiers"; GitHub
// "About authentication: token formats"; Anthropic and OpenAI API references;
// Slack "Token types"; GitLab "Token overview"; Stripe "API keys"; npm
// "Access tokens"; PyPI "API tokens"; Google "API keys"; Docker Hub "Access
// tokens"; Hugging Face "User access tokens"; age(1).
var prefixes = [...]struct {
	prefix string
	least  int
}{
	{"AKIA", 16}, {"ASIA", 16}, {"ABIA", 16}, {"ACCA", 16},
	{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20},
	{"sk-ant-", 8}, {"sk_live_", 16}, {"sk_test_", 16}, {"rk_live_", 16},
	{"xoxa-", 10}, {"xoxb-", 10}, {"xoxe-", 10}, {"xoxo-", 10}, {"xoxp-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"xapp-", 10},
	{"hooks.slack.com/services/", 20},
	{"glpat-", 16}, {"npm_", 30}, {"pypi-", 30}, {"AIza", 30}, {"ya29.", 16}, {"dckr_pat_", 16}, {"hf_", 30},
	{"AGE-SECRET-KEY-1", 30},
}

// tokenEnd returns the length of the prefixed token at the start of s, or 0.
func tokenEnd(s string) int {
	if strings.IndexByte("Agsrxhnpyd", s[0]) < 0 {
		return 0
	}
	for _, p := range prefixes {
		if strings.HasPrefix(s, p.prefix) {
			if end := run(s, len(p.prefix), tokenByte); end-len(p.prefix) >= p.least {
				return end
			}
		}
	}
	// OpenAI's form has no more than "sk-" in common with kebab-case words,
	// which have no digits.
	if strings.HasPrefix(s, "sk-") {
		head := run(s[:min(len(s), 64)], 3, tokenByte)
		if head >= 19 && strings.ContainsAny(s[3:head], "0123456789") {
			return run(s, head, tokenByte)
		}
	}
	return 0
}

// Tokens returns where tokens with a known prefix begin and end in s, for who
// asks whether a text may be shared.
func Tokens(s string) (at [][2]int) {
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) || i > 0 && alnum(s[i-1]) {
			continue
		}
		if end := tokenEnd(s[i:]); end > 0 {
			at = append(at, [2]int{i, i + end})
			i += end - 1
		}
	}
	return at
}

// jwtEnd looks for a JSON web token (RFC 7519) at the start of s: two or
// three parts in base64url, of which the first decodes to something that
// begins with `{"`. It returns the token's length, 0 if there is none, and how
// far the first part reaches: nothing that starts within it is one either.
func jwtEnd(s string) (end, part int) {
	if !strings.HasPrefix(s, "eyJ") {
		return 0, 0
	}
	part = run(s, 0, base64Byte)
	if part < 10 || part == len(s) || s[part] != '.' {
		return 0, part
	}
	if end = run(s, part+1, base64Byte); end-part < 5 {
		return 0, part
	}
	if end < len(s) && s[end] == '.' {
		end = run(s, end+1, base64Byte)
	}
	return end, part
}

// run returns the end of the bytes of kind from position i on.
func run(s string, i int, kind func(byte) bool) int {
	for i < len(s) && kind(s[i]) {
		i++
	}
	return i
}

func base64Byte(c byte) bool { return alnum(c) || c == '-' || c == '_' }

func tokenByte(c byte) bool { return base64Byte(c) || c == '.' || c == '/' || c == '+' }

const pemBegin = "-----BEGIN "

// pemEnd returns the length of the private key block (RFC 7468) at the start
// of s, or 0. A block whose end is missing reaches to the end of the text.
func pemEnd(s string) int {
	if !strings.HasPrefix(s, pemBegin) {
		return 0
	}
	label := run(s, len(pemBegin), func(c byte) bool { return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == ' ' })
	if !strings.Contains(s[:label], "PRIVATE KEY") {
		return 0
	}
	end := strings.Index(s[label:], "-----END ")
	if end < 0 {
		return len(s)
	}
	end += label + len("-----END ")
	end = run(s, end, func(c byte) bool { return 'A' <= c && c <= 'Z' || c == ' ' })
	return run(s, end, func(c byte) bool { return c == '-' })
}
