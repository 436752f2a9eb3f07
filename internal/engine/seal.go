// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a receipt says which files undo writes, so it is sealed with
// the key that no command of the agent can read. One without a seal that fits is
// still shown, with a warning: what it says may be somebody else's.

package engine

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// unsealed is a receipt's seal while it is signed: the bytes that are signed are
// those of the file with it in place of the seal, not those of what a version
// reads in them.
const unsealed = `"seal": ""`

// sealOf is the seal of a receipt's bytes without theirs. What is signed begins
// otherwise than a result, so that one is never taken for the other.
func sealOf(key, b []byte) string { return code(key, "steward-setup receipt\n", b) }

// code is the message authentication code of a text and its kind (RFC 2104), in
// hexadecimal.
func code(key []byte, kind string, b []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(kind))
	mac.Write(b)
	return hex.EncodeToString(mac.Sum(nil))
}

// sealed is a receipt as it is stored. The key is made where there is none.
func (a Applier) sealed(r Receipt) ([]byte, error) {
	key, err := theResultKey(a.State)
	if err != nil {
		return nil, err
	}
	r.Seal = ""
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	b = append(b, '\n')
	return bytes.Replace(b, []byte(unsealed), []byte(`"seal": "`+sealOf(key, b)+`"`), 1), nil
}

// altered says whether a receipt's bytes are not as a run of this user sealed
// them: they were changed, they are from a version without seals, or the key is
// another one.
func (a Applier) altered(b []byte, seal string) bool {
	key, ok := resultKey(a.State)
	b = bytes.Replace(b, []byte(`"seal": "`+seal+`"`), []byte(unsealed), 1)
	return !ok || !hmac.Equal([]byte(sealOf(key, b)), []byte(seal))
}

// Unaltered are those of receipts that are as a run of this user sealed them. What
// the others say is shown, and decides nothing by itself.
func Unaltered(receipts []Receipt) []Receipt {
	return slices.DeleteFunc(slices.Clone(receipts), func(r Receipt) bool { return r.Altered })
}

// Doubts warns of those of receipts that are not as a run sealed them; nil if all
// are.
func (a Applier) Doubts(receipts []Receipt) []report.Finding {
	var seen []report.Evidence
	for _, r := range receipts {
		if r.Altered {
			seen = append(seen, report.FileEvidence(a.receiptFile(r.ID), "was changed, or is from an earlier version"))
		}
	}
	if seen == nil {
		return nil
	}
	return []report.Finding{{Check: "undo", Status: report.Warn, Decide: true, Evidence: seen,
		Summary: report.Counted(len(seen), "1 receipt cannot be verified: it", "%d receipts cannot be verified: they") +
			" may name other files than steward-setup wrote",
		Remedies: []report.Remedy{report.DocLink{Title: "check every file and its diff before you approve",
			Target: a.receiptsDir()}}}}
}

// sane says why a receipt names what no run writes: paths are absolute and
// clean, and kept bytes lie beside the receipt. nil if it does not.
func (r Receipt) sane() error {
	paths := slices.Concat(r.Dirs, r.RemoveDirs)
	for _, c := range r.Changes {
		paths = append(paths, c.Path, c.Target)
		if c.Within != "" {
			paths = append(paths, c.Within)
		}
		if c.Kept != "" && (c.Kept != filepath.Base(c.Kept) || !strings.HasPrefix(c.Kept, keptPrefix)) {
			return fmt.Errorf("old bytes %q are not beside it", c.Kept)
		}
	}
	for _, d := range slices.Concat(r.Emptied, r.MakeDirs) {
		paths = append(paths, d.Path)
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return fmt.Errorf("the path %q is not absolute", path)
		}
	}
	return nil
}
