// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what would be written is shown, and what is the user's
// stays secret. Where the two meet, a secret is hidden only if it stands in
// the file already.

package text

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
)

// Diff is a change's preview, safe for a terminal: what a terminal would obey
// appears as a visible sign. Lines that stay or go are the user's, and the
// secrets in them are hidden. Lines that come are shown to the letter, since
// nothing unseen is written (ARCHITECTURE, law 2): an added line may thus show a
// secret, but only one that is new. A line of the user's that only moved or
// gained a comma is shown as it was, and a token that the file holds already
// stays hidden on a line that is written anew around it.
func Diff(c report.Change) string {
	was := readBefore(c)
	var b strings.Builder
	at := 0 // the index of the next line of Before
	for line := range preview.Lines(preview.Diff(c)) {
		text := line.Text
		switch line.Sign {
		case '@':
			at = line.Old - 1
		case ' ', '-':
			text = text[:1] + was.lines[at]
			at++
		case '+':
			text = "+" + was.added(text[1:])
		case 0:
			if strings.HasPrefix(text, "- ") { // where a link led
				text = redact.Text(text)
			}
		}
		b.WriteString(text + "\n")
	}
	return redact.Block(b.String())
}

// Read is Diff for a person. The file's own lines stay in a document.
func Read(c report.Change) string {
	if laid, is := laidOut(c); is {
		return "one line in the file, shown entry by entry\n" + Diff(laid)
	}
	return Diff(c)
}

// Added counts the lines that Read adds and removes.
func Added(c report.Change) (added, removed int) {
	c, _ = laidOut(c)
	return preview.Stat(c)
}

// laidOut is a change of a file that is one long line of JSON, with each entry on a line of
// its own, in the words and the order of the file. It is not done where less would be
// hidden.
func laidOut(c report.Change) (report.Change, bool) {
	if c.Link() || c.Turns || c.Emptied || !longLine(c.Before) && !longLine(c.After) {
		return c, false
	}
	laid := c
	for _, b := range []*[]byte{&laid.Before, &laid.After} {
		var to bytes.Buffer
		if *b != nil && json.Indent(&to, *b, "", "  ") != nil {
			return c, false
		} else if *b != nil {
			*b = to.Bytes()
		}
	}
	said := Diff(laid)
	for secret := range readBefore(c).secrets {
		if strings.Contains(said, secret) {
			return c, false
		}
	}
	return laid, true
}

// longLine says whether b is one line that no window shows whole.
func longLine(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 80 && !bytes.ContainsRune(b, '\n')
}

// before is what is known of the file that a change replaces.
type before struct {
	// lines are its lines without their secrets, own the forms (bare) of
	// those that hold one, by the form that they have in the file.
	lines []string
	own   map[string]string
	// secrets are what was hidden, also as far as its string goes (inString), and the words of
	// it (secretWords).
	secrets map[string]bool
	// json says that the file is JSON, in which nothing that stands beside a value makes
	// it another.
	json bool
}

func readBefore(c report.Change) before {
	was := before{own: make(map[string]string), secrets: make(map[string]bool),
		json: json.Valid(c.Before) && json.Valid(c.After)}
	if c.Link() || preview.Binary(c) {
		return was
	}
	whole := string(c.Before)
	was.lines = strings.Split(was.learn(whole), "\n")
	for i, line := range strings.Split(whole, "\n") {
		if line = bare(line); line != "" && line != bare(was.lines[i]) {
			was.own[line] = bare(was.lines[i])
		}
	}
	return was
}

// learn takes the secrets of a text, and returns it without them.
func (was before) learn(text string) string {
	return redact.Replace(text, func(secret string) string {
		for _, w := range append(secretWords(secret), secret) {
			was.secrets[w] = true
		}
		if in, rest := was.inString(secret); rest != "" {
			was.secrets[in] = true
			was.learn(rest)
		}
		return redact.Mark + strings.Repeat("\n"+redact.Mark, strings.Count(secret, "\n"))
	})
}

// inString is what is hidden as far as its string of JSON goes, and what follows; "" and
// nothing where it does not end there.
func (was before) inString(hidden string) (in, rest string) {
	for i := 1; was.json && i < len(hidden); i++ {
		switch hidden[i] {
		case '\\':
			i++
		case '"':
			return hidden[:i], hidden[i:]
		}
	}
	return "", ""
}

// added shows a line that would be written.
func (was before) added(line string) string {
	if shown, ok := was.own[bare(line)]; ok {
		return strings.Replace(line, bare(line), shown, 1)
	}
	return redact.Replace(line, func(secret string) string {
		if in, rest := was.inString(secret); was.secrets[in] {
			return redact.Mark + was.added(rest)
		}
		if was.json && was.secrets[secret] {
			return redact.Mark
		}
		for _, w := range secretWords(secret) {
			if was.secrets[w] {
				secret = strings.Replace(secret, w, redact.Mark, 1)
			}
		}
		return secret
	})
}

// secretWords are the words of what is hidden in which nothing can be said to a shell:
// only such ones may be hidden on a line that is not the user's own. What is hidden may
// go on behind the secret, to the end of a line of JSON: of what follows the first word
// only what looks random counts.
func secretWords(hidden string) (words []string) {
	const opaque = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-."
	for i, w := range strings.FieldsFunc(hidden, func(r rune) bool { return !strings.ContainsRune(opaque, r) }) {
		first := i == 0 && strings.HasPrefix(hidden, w)
		if w == hidden || first && len(w) >= 6 || len(w) >= 8 && strings.ContainsAny(w, "0123456789") {
			words = append(words, w)
		}
	}
	return words
}

// bare is a line without what it may gain or lose by moving.
func bare(line string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), ","))
}
