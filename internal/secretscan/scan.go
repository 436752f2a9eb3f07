// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package secretscan finds secrets in a file that is about to be shared.
//
// Contract: pure; what it returns names lines and rules, never a value. The
// rules are those of gitleaks, copied whole (docs/adr/0018-secret-rules.md),
// and the tokens that internal/redact knows by their issuer's prefix. What was
// not read is said: a file without a hit and with Unread set is unknown to
// be free of secrets.
package secretscan

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// Limit is how much text is scanned, in bytes, and BinaryLimit how large a file
// may be of which only the readable parts count. A larger one is not scanned at
// all, since one that was scanned half would look clean.
const (
	Limit       = 4 << 20
	BinaryLimit = 64 << 20
)

// OwnRule is the rule of the tokens that internal/redact knows. AllowMark on a
// line says that what stands there is no secret, as gitleaks reads it.
const (
	OwnRule   = "self-naming-token"
	AllowMark = "gitleaks:allow"
)

// Hit is one place that looks like a secret. Line is 0 in a binary file, and
// where the name of the file alone tells.
type Hit struct {
	Line int
	Rule string
}

// Result is what a file came to.
type Result struct {
	Hits []Hit
	// Allowed are the hits on lines that are marked with AllowMark.
	Allowed []Hit
	// Unread says why the file was not scanned, "" if it was.
	Unread string
}

// Scan looks through a file; path is its name in the repository.
func Scan(ctx context.Context, path string, content []byte) Result {
	f, err := rules()
	if err != nil {
		return Result{Unread: err.Error()}
	}
	return f.scan(ctx, path, content)
}

func (f *ruleFile) scan(ctx context.Context, path string, content []byte) (res Result) {
	s := scan{path: path, seen: map[Hit]bool{}}
	for _, r := range f.Rules {
		if r.Regex == "" && r.Path != "" && s.named(r) { // the name alone tells
			s.hits = append(s.hits, Hit{Rule: r.ID})
		}
	}
	text, binary := decodeText(content[:min(len(content), BinaryLimit)])
	if limit := map[bool]int{true: BinaryLimit, false: Limit}[binary]; len(content) > limit || len(text) > Limit {
		s.result(&res)
		res.Unread = fmt.Sprintf("larger than %d MiB", min(limit, max(len(content), Limit))>>20)
		return res
	}
	s.text, s.lower, s.binary = text, strings.ToLower(text), binary
	// The rule file passes over files of some names. They are scanned all the same, but not for what only looks random:
	// here a few files are looked at before they leave, not a whole history.
	passed := slices.ContainsFunc(f.Allowlists, func(a allowlist) bool { return matches(a.Paths, path) })
	for _, r := range f.Rules {
		if ctx.Err() != nil {
			res.Unread = "stopped before the end"
			break
		}
		// Compiled code and images are full of names with something beside
		// them; a token that names itself is one there, too.
		if r.Regex == "" || !s.keyword(r) || r.generic() && (binary || passed) {
			continue
		}
		s.apply(f, r)
	}
	for _, t := range redact.Tokens(s.text) {
		token := s.text[t[0]:t[1]]
		s.judge(f, ownRule, t[0], token, token)
	}
	s.result(&res)
	return res
}

// shortest is the shortest readable part of a binary file that counts, in
// bytes: no token of a known form is shorter.
const shortest = 16

// decodeText is the content as text; UTF-16 with a byte order mark is decoded.
// binary says that it has NUL bytes: what is left is what strings(1) would show.
func decodeText(content []byte) (text string, binary bool) {
	if len(content) >= 2 && (content[0] == 0xff && content[1] == 0xfe || content[0] == 0xfe && content[1] == 0xff) {
		units := make([]uint16, 0, len(content)/2)
		for i := 2; i+1 < len(content); i += 2 {
			lo, hi := content[i], content[i+1]
			if content[0] == 0xfe {
				lo, hi = hi, lo
			}
			units = append(units, uint16(lo)|uint16(hi)<<8)
		}
		return string(utf16.Decode(units)), false
	}
	if bytes.IndexByte(content, 0) < 0 {
		return string(content), false
	}
	var parts strings.Builder
	from := 0
	for i := 0; i <= len(content); i++ {
		if i < len(content) && (content[i] >= ' ' && content[i] < 0x7f || content[i] == '\t') {
			continue
		}
		// A line end goes on with the part: a key block is many lines.
		if i < len(content) && (content[i] == '\n' || content[i] == '\r') && i > from {
			continue
		}
		if i-from >= shortest {
			parts.Write(content[from:i])
			parts.WriteByte('\n')
		}
		from = i + 1
	}
	return parts.String() + wideParts(content), true
}

// wideParts are the readable parts of a binary file whose characters are each
// beside a NUL byte: UTF-16 without a byte order mark, and strings of Windows
// programs. A line end goes on with the part, as in decodeText.
func wideParts(content []byte) string {
	var parts strings.Builder
	var part []byte
	for i := 0; i < len(content); i++ {
		c := content[i]
		readable := c >= ' ' && c < 0x7f || c == '\t' || (c == '\n' || c == '\r') && len(part) > 0
		if readable {
			part = append(part, c)
		}
		if readable && i+1 < len(content) && content[i+1] == 0 {
			i++
			continue
		}
		if len(part) >= shortest {
			parts.Write(part)
			parts.WriteByte('\n')
		}
		part = part[:0]
	}
	if len(part) >= shortest {
		parts.Write(part)
	}
	return parts.String()
}

type scan struct {
	path, text, lower string
	hits, allowed     []Hit
	seen              map[Hit]bool
	ends              []int // where the lines end
	binary            bool
}

func (s *scan) named(r *rule) bool { return r.Path == "" || lazy.Compiled(r.Path).MatchString(s.path) }

func (s *scan) keyword(r *rule) bool {
	return len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, func(k string) bool {
		return strings.Contains(s.lower, strings.ToLower(k))
	})
}

// apply notes the matches of one rule.
func (s *scan) apply(f *ruleFile, r *rule) {
	if !s.named(r) {
		return
	}
	for _, at := range lazy.Compiled(r.Regex).FindAllStringSubmatchIndex(s.text, -1) {
		match := strings.Trim(s.text[at[0]:at[1]], "\n")
		s.judge(f, r, at[0]+strings.Index(s.text[at[0]:at[1]], match), match, secretOf(r, s.text, at))
	}
}

// secretOf is the group that the rule names, the first that took part, or the
// whole match.
func secretOf(r *rule, text string, at []int) string {
	for g := 1; g < len(at)/2; g++ {
		if at[2*g] >= 0 && at[2*g+1] > at[2*g] && (r.SecretGroup == 0 || r.SecretGroup == g) {
			return text[at[2*g]:at[2*g+1]]
		}
	}
	return strings.Trim(text[at[0]:at[1]], "\n")
}

func (s *scan) judge(f *ruleFile, r *rule, at int, match, secret string) {
	if r.Entropy != 0 && entropy(secret) <= r.Entropy {
		return
	}
	line := s.line(at, at+len(match))
	what := found{s.path, line, match, secret}
	allows := func(a allowlist) bool {
		if len(a.Paths) > 0 && a.Condition == "" {
			a.Paths = nil // passed says what a name alone may excuse
		}
		return a.allows(what)
	}
	if slices.ContainsFunc(f.Allowlists, allows) || slices.ContainsFunc(r.Allowlists, allows) {
		return
	}
	hit := Hit{s.number(at), r.ID}
	if s.seen[hit] {
		return
	}
	s.seen[hit] = true
	if strings.Contains(line, AllowMark) {
		s.allowed = append(s.allowed, hit)
		return
	}
	s.hits = append(s.hits, hit)
}

// aroundMatch is how much of a line counts on each side of a match: a line may
// be the whole file.
const aroundMatch = 4 << 10

// line is the line, or lines, that hold s.text[from:to].
func (s *scan) line(from, to int) string {
	begin := max(0, from-aroundMatch)
	before, after := s.text[begin:from], s.text[to:min(len(s.text), to+aroundMatch)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	return before + s.text[from:to] + after
}

// number is that of the line which holds the byte at, from 1 on.
func (s *scan) number(at int) int {
	if s.binary {
		return 0
	}
	if s.ends == nil {
		s.ends = []int{}
		for i := range len(s.text) {
			if s.text[i] == '\n' {
				s.ends = append(s.ends, i)
			}
		}
	}
	n, _ := slices.BinarySearch(s.ends, at)
	return n + 1
}

// ownRule is that of the tokens that redact knows: gitleaks names those of
// Anthropic's API, for one, but not the one that Claude Code signs in with.
var ownRule = &rule{ID: OwnRule, Entropy: 3.5, Allowlists: []allowlist{{Regexes: []string{`EXAMPLE`}}}}

// result sorts the hits. A line that a rule knows by its own form needs no
// second one that knows it by its name.
func (s *scan) result(res *Result) {
	sorted := func(hits []Hit) []Hit {
		better := map[int]bool{}
		for _, h := range hits {
			better[h.Line] = better[h.Line] || !strings.Contains(h.Rule, "generic") && h.Rule != OwnRule
		}
		hits = slices.DeleteFunc(hits, func(h Hit) bool {
			return better[h.Line] && (strings.Contains(h.Rule, "generic") || h.Rule == OwnRule)
		})
		slices.SortFunc(hits, func(a, b Hit) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return strings.Compare(a.Rule, b.Rule)
		})
		return hits
	}
	res.Hits, res.Allowed = sorted(s.hits), sorted(s.allowed)
}
