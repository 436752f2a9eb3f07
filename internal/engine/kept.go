// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a rehearsal found is kept in the cache under the
// digest of everything that it was found with, and is found again under that
// digest alone. What is not whole is as if it were not there.

package engine

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// maxKept bounds how many results are kept: a user has several projects.
const maxKept = 20

// stamp is how the time of a result begins its file's name, in UTC, so that
// names are in the order of time.
const stamp = "20060102-150405.000-"

type keptResult struct {
	Version  int             `json:"version"`
	Key      string          `json:"key"`
	At       time.Time       `json:"at"`
	Findings json.RawMessage `json:"findings"`
}

func resultsDir(cache string) string { return filepath.Join(cache, "verify") }

// KeepResult keeps findings below cache under key, in place of an earlier
// result of that key. The error is a *report.Error, or that of encoding.
func KeepResult(cache, key string, now time.Time, findings []report.Finding) error {
	encoded, err := report.EncodeFindings(findings)
	if err != nil {
		return err
	}
	b, err := json.Marshal(keptResult{Version: 1, Key: key, At: now, Findings: encoded})
	if err != nil {
		return err
	}
	dir, name := resultsDir(cache), now.UTC().Format(stamp)+key
	if err := fs.Store(filepath.Join(dir, name), b); err != nil {
		return err
	}
	names, _ := fs.List(dir)
	for i, old := range names {
		if old != name && (strings.HasSuffix(old, "-"+key) || i < len(names)-maxKept) {
			_ = fs.Forget(filepath.Join(dir, old))
		}
	}
	return nil
}

// KeptResult returns the newest result that is kept under key, and its time.
// ok is false where there is none, or none that can be read, or one from a
// time after now.
func KeptResult(cache, key string, now time.Time) (findings []report.Finding, at time.Time, ok bool) {
	dir := resultsDir(cache)
	names, _ := fs.List(dir)
	for i := len(names) - 1; i >= 0 && key != ""; i-- {
		if !strings.HasSuffix(names[i], "-"+key) {
			continue
		}
		b, err := fs.Read(filepath.Join(dir, names[i]))
		var kept keptResult
		if err != nil || json.Unmarshal(b, &kept) != nil || kept.Version != 1 || kept.Key != key || kept.At.After(now) {
			return nil, time.Time{}, false
		}
		findings, err := report.DecodeFindings(kept.Findings)
		return findings, kept.At, err == nil && len(findings) > 0
	}
	return nil, time.Time{}, false
}
