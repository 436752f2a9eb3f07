// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a receipt says which files undo writes, so it is sealed with
// the key that no command of the agent can read. One without a seal that fits is
// still shown, with a warning: what it says may be somebody else's.

package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/report"
)

// sealOf is the seal of a receipt: the code of its JSON without a seal
// (RFC 2104), in hexadecimal. What is signed begins otherwise than a result, so
// that one is never taken for the other.
func sealOf(key []byte, r Receipt) (string, error) {
	r.Seal = ""
	b, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("steward-setup receipt\n"))
	mac.Write(b)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// seal seals a receipt that is about to be stored. The key is made where there
// is none.
func (a Applier) seal(r *Receipt) (err error) {
	key, ok := resultKey(a.State)
	if !ok {
		if key, err = newResultKey(a.State); err != nil {
			return err
		}
	}
	r.Seal, err = sealOf(key, *r)
	return err
}

// altered says whether a receipt is not as a run of this user sealed it: it was
// changed, it is from a version without seals, or the key is another one.
func (a Applier) altered(r Receipt) bool {
	key, ok := resultKey(a.State)
	if !ok {
		return true
	}
	seal, err := sealOf(key, r)
	return err != nil || !hmac.Equal([]byte(seal), []byte(r.Seal))
}

// doubts warns of those of receipts that are not as a run sealed them; nil if all
// are.
func (a Applier) doubts(receipts []Receipt) []report.Finding {
	var seen []report.Evidence
	for _, r := range receipts {
		if r.Altered {
			seen = append(seen, report.FileEvidence(a.receiptFile(r.ID), "was changed, or is from an earlier version"))
		}
	}
	if seen == nil {
		return nil
	}
	what := fmt.Sprintf("%d receipts cannot be verified: they", len(seen))
	if len(seen) == 1 {
		what = "1 receipt cannot be verified: it"
	}
	return []report.Finding{{Check: "undo", Status: report.Warn, Decide: true, Evidence: seen,
		Summary: what + " may name other files than steward-setup wrote",
		Remedies: []report.Remedy{report.DocLink{Title: "check every file and its diff before you approve",
			Target: a.receiptsDir()}}}}
}

// sane says why a receipt names what no run writes: paths are absolute and
// clean, and kept bytes lie beside the receipt. nil if it does not.
func (r Receipt) sane() error {
	paths := append(append([]string{}, r.Dirs...), r.RemoveDirs...)
	for _, c := range r.Changes {
		paths = append(paths, c.Path, c.Target)
		if c.Within != "" {
			paths = append(paths, c.Within)
		}
		if c.Kept != "" && c.Kept != filepath.Base(c.Kept) {
			return fmt.Errorf("old bytes %q are not beside it", c.Kept)
		}
	}
	for _, d := range append(append(r.Emptied[:0:0], r.Emptied...), r.MakeDirs...) {
		paths = append(paths, d.Path)
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return fmt.Errorf("the path %q is not absolute", path)
		}
	}
	return nil
}
