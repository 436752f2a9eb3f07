// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file counts as written by an earlier version only if it
// is, byte for byte, what that version rendered; the path of the program that
// it calls may be any.

package scripts

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/report"
)

// earlierTable has a line for each version of each template: the file's name,
// the day on which it came, the offset of its first field, and the digest of
// its canonical form. TestEveryTemplateIsKnown holds it to the history of
// templates/, and writes it with -update.
//
//go:embed earlier.txt
var earlierTable string

// Version is one version of a template.
type Version struct {
	Name, Day string
	at        int
	digest    string
}

// versions is earlierTable, read.
var versions = sync.OnceValue(func() []Version {
	var list []Version
	for line := range strings.Lines(earlierTable) {
		words := strings.Fields(line)
		if len(words) != 4 || words[0] == "#" {
			continue
		}
		if at, err := strconv.Atoi(words[2]); err == nil {
			list = append(list, Version{words[0], words[1], at, words[3]})
		}
	}
	return list
})

// Written says which version of this program's file b is: the name that its
// marker gives, the day on which that version came. ok is false for a file
// that no version wrote.
func Written(b []byte) (v Version, ok bool) {
	s, ours := Recognize(b)
	if !ours {
		return v, false
	}
	for _, known := range versions() {
		if known.Name == s.Name && known.is(b) {
			return known, true
		}
	}
	return v, false
}

func (v Version) is(b []byte) bool {
	form, ok := canonical(v.Name, b, v.at)
	return ok && digest(form) == v.digest
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// canonical is b with its fields in place of their values: of the program's
// path, which stands at offset at, wherever it stands, and, in a dispatcher, of
// the two that are assigned after it.
func canonical(name string, b []byte, at int) (form []byte, ok bool) {
	if at < 0 || at > len(b) {
		return nil, false
	}
	binary, ok := unquote(string(b[at:]), strings.HasSuffix(name, ".fish"))
	if !ok || !filepath.IsAbs(binary) {
		return nil, false
	}
	quote, inJSON := QuoteFor(name), jsonText(binary)
	text := string(b)
	if inJSON != binary {
		text = strings.ReplaceAll(text, quote(inJSON), binaryField)
	}
	text = strings.ReplaceAll(text, quote(binary), binaryField)
	if name != gitDispatcher {
		return []byte(text), true
	}
	for _, assigns := range []string{"\nsteward_setup_before=", "\nsteward_setup_asks="} {
		before, rest, found := strings.Cut(text, assigns)
		if !found {
			return nil, false
		}
		value, known := unquote(rest, false)
		after, whole := strings.CutPrefix(rest, quote(value))
		if !known || !whole {
			return nil, false
		}
		text = before + assigns + "@" + after
	}
	return []byte(text), true
}

// jsonText is a path as it stands between the quotes of a JSON string.
func jsonText(path string) string {
	quoted := jsontext.Quote(path)
	return quoted[1 : len(quoted)-1]
}

// fill puts values into the fields of a template's text.
func fill(name, text, binary string, d Dispatcher) []byte {
	quote := QuoteFor(name)
	return []byte(strings.NewReplacer(binaryField, quote(binary), "@BINARY_IN_JSON@", quote(jsonText(binary)),
		beforeField, quote(d.Before), asksField, quote(report.YesNo(d.Asks))).Replace(text))
}
