// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a name is credential-shaped depends on its words
// alone, however they are written: API_KEY, apiKey, api-key and ApiKey are
// the same name.

package redact

import (
	"slices"
	"strings"
)

// What makes a name credential-shaped. A word may end in one of suffixes
// ("PGPASSWORD", "authtoken"); a pair is two words in a row; a last word
// counts only behind another, so that PWD, PASS and AUTH alone do not.
var (
	suffixes = []string{"password", "passwd", "passphrase", "token", "secret", "secrets", "credential", "credentials",
		"apikey", "storepass", "keypass"}
	whole = []string{"authorization", "bearer", "jwt", "cookie", "sshpass", "passcode"}
	last  = []string{"auth", "pass", "pwd", "pw", "pat"}
	keys  = []string{"api", "access", "secret", "private", "signing", "encryption", "account", "storage", "shared",
		"master", "deploy", "ssh"}
	// about are last words that speak about a secret without holding it.
	about = []string{"file", "path", "dir", "url", "uri", "endpoint", "type", "ttl", "expiry", "expires", "expiration",
		"timeout", "length", "count", "limit", "sock", "socket", "helper", "name", "names", "version", "policy",
		"vars", "files"}
)

// CredentialName says whether name is shaped like the name of a variable, a
// key, a header or a flag that holds a credential: GITHUB_TOKEN, apiKey,
// X-Api-Key, --password. Names of counts and places (MAX_TOKENS,
// PASSWORD_FILE, SSH_AUTH_SOCK) are not.
func CredentialName(name string) bool {
	var before, word string
	shaped := false
	for rest := name; ; {
		var next string
		next, rest = nextWord(rest)
		if next == "" {
			break
		}
		before, word = word, next
		shaped = shaped || endsIn(word, suffixes) || isOne(word, whole) ||
			strings.EqualFold(word, "key") && isOne(before, keys) ||
			strings.EqualFold(word, "config") && strings.EqualFold(before, "auth") ||
			strings.EqualFold(word, "string") && strings.EqualFold(before, "connection")
	}
	switch {
	case isOne(word, about):
		return false
	case shaped:
		return true
	case before == "":
		return false
	}
	return isOne(word, last) || word == "KEY" || word == "HEADERS" // OTEL_EXPORTER_OTLP_HEADERS
}

// nextWord splits the first word off name, at anything that is not a letter
// or a digit and where the case says that a word begins ("apiKey", "APIKey").
func nextWord(name string) (word, rest string) {
	i := 0
	for i < len(name) && !alnum(name[i]) {
		i++
	}
	name = name[i:]
	for i = 0; i < len(name) && alnum(name[i]); i++ {
		if i == 0 || !upper(name[i]) {
			continue
		}
		if !upper(name[i-1]) || i+1 < len(name) && lower(name[i+1]) {
			break
		}
	}
	return name[:i], name[i:]
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }

func isOne(word string, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return len(w) == len(word) && strings.EqualFold(w, word) })
}

func endsIn(word string, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		return len(word) >= len(w) && strings.EqualFold(word[len(word)-len(w):], w)
	})
}
