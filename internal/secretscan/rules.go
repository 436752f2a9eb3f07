// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the rule file means here what it means to gitleaks 8.30: a
// pattern is compiled when a keyword of its rule was found, and not before.

package secretscan

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/strict"
	"github.com/steward-setup/steward-setup/manifests"
)

// ruleFile is the form of gitleaks.toml; a key that is not here is an error,
// since it could be a condition that would not be met.
type ruleFile struct {
	Title      string      `toml:"title"`
	MinVersion string      `toml:"minVersion"`
	Allowlist  allowlist   `toml:"allowlist"`
	Allowlists []allowlist `toml:"allowlists"`
	Rules      []*rule     `toml:"rules"`
}

type rule struct {
	ID          string      `toml:"id"`
	Description string      `toml:"description"`
	Regex       string      `toml:"regex"`
	Path        string      `toml:"path"`
	SecretGroup int         `toml:"secretGroup"`
	Entropy     float64     `toml:"entropy"`
	Keywords    []string    `toml:"keywords"`
	Tags        []string    `toml:"tags"`
	Allowlists  []allowlist `toml:"allowlists"`
}

// allowlist names what is no secret although a rule matches. Each of its kinds
// is enough, or all are needed (condition "AND").
type allowlist struct {
	Description string   `toml:"description"`
	Condition   string   `toml:"condition"`
	RegexTarget string   `toml:"regexTarget"` // "match", "line"; "" is the secret
	Paths       []string `toml:"paths"`
	Regexes     []string `toml:"regexes"`
	Stopwords   []string `toml:"stopwords"`
}

// rules are those of the embedded file. They are read at the first scan.
var rules = sync.OnceValues(func() (*ruleFile, error) { return decode(manifests.GitleaksRules) })

func decode(text string) (*ruleFile, error) {
	f := &ruleFile{}
	if err := strict.TOML("gitleaks.toml", text, "", f); err != nil {
		return nil, err
	}
	f.Allowlists = append(f.Allowlists, f.Allowlist)
	return f, nil
}

// generic says that the rule knows a secret by the name beside it alone.
func (r *rule) generic() bool { return strings.Contains(r.ID, "generic") }

// found is one match of a rule.
type found struct{ path, line, match, secret string }

// allows says whether the list takes a match for no secret.
func (a allowlist) allows(f found) bool {
	target := cmp.Or(map[string]string{"match": f.match, "line": f.line}[a.RegexTarget], f.secret)
	var met, of int
	kind := func(given, holds bool) {
		if given {
			of++
		}
		if given && holds {
			met++
		}
	}
	kind(len(a.Paths) > 0, matches(a.Paths, f.path))
	kind(len(a.Regexes) > 0, matches(a.Regexes, target))
	lower := strings.ToLower(f.secret)
	stop := false
	for _, w := range a.Stopwords {
		stop = stop || strings.Contains(lower, strings.ToLower(w))
	}
	kind(len(a.Stopwords) > 0, stop)
	if strings.EqualFold(a.Condition, "and") || a.Condition == "&&" {
		return of > 0 && met == of
	}
	return met > 0
}

func matches(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return lazy.Compiled(p).MatchString(s) })
}

// entropy is Shannon's, in bits for each character.
func entropy(s string) (bits float64) {
	count := map[rune]int{}
	for _, r := range s {
		count[r]++
	}
	for _, n := range count {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}
