// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a rehearsal found is kept in the cache under the
// digest of everything that it was found with, signed with a key that no
// command of the agent can read, and is found again under that digest alone.
// What is not whole, or not signed, is as if it were not there.

package engine

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// most bounds how many results of a kind are kept: a user has several projects,
// and looks for the version that changed something among many.
func (k Kind) most() int {
	if k == Records {
		return 64
	}
	return 20
}

// stamp is how the time of a result begins its file's name, in UTC, so that
// names are in the order of time.
const stamp = idTime + "-"

type keptResult struct {
	Version  int             `json:"version"`
	Key      string          `json:"key"`
	At       time.Time       `json:"at"`
	Findings json.RawMessage `json:"findings"`
}

// Kind is what is kept, and the directory of the cache that it lies in. It is
// part of the key that is signed, so that one is never taken for the other.
type Kind string

const (
	findings Kind = "verify"
	Records  Kind = "rehearsals"
)

func (k Kind) dir(cache string) string { return filepath.Join(cache, string(k)) }

// key is the key of this kind of result.
func (k Kind) key(key string) string {
	if k == findings || key == "" {
		return key
	}
	return string(k) + "." + key
}

// ResultKey is the file with the key that results are signed with: in the
// state directory, which the policy hides from commands.
func ResultKey(state string) string { return filepath.Join(state, "result.key") }

// keySize is the length of that key in bytes (RFC 2104: that of the hash).
const keySize = sha256.Size

// signed is b behind its signature: hexadecimal, and a newline.
func signed(key, b []byte) []byte {
	return append([]byte(code(key, "steward-setup result\n", b)+"\n"), b...)
}

// resultKey reads the key. A file that others may read, that is a link, or
// that has another length, is none.
func resultKey(state string) ([]byte, bool) {
	b, err := fs.ReadPrivate(ResultKey(state))
	return b, err == nil && len(b) == keySize
}

// theResultKey is the key. Where there is none it is made, once: of runs that
// begin together, one makes it. The error is a *report.Error.
func theResultKey(state string) (key []byte, err error) {
	if key, ok := resultKey(state); ok {
		return key, nil
	}
	err = fs.Alone(ResultKey(state)+".lock", func() error {
		var ok bool
		if key, ok = resultKey(state); ok {
			return nil
		}
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // it never fails (crypto/rand, Go 1.24)
		return fs.Store(ResultKey(state), key)
	})
	return key, err
}

// KeepResult keeps findings below cache under key, in place of an earlier
// result of that key. The key that it is signed with is made where there is
// none. The error is a *report.Error, or that of encoding.
func KeepResult(state, cache, key string, now time.Time, list []report.Finding) error {
	encoded, err := report.EncodeFindings(list)
	if err != nil {
		return err
	}
	return findings.Keep(state, cache, key, now, encoded)
}

// KeptResult returns the newest result that is kept under key, and its time.
// ok is false where there is none, or none that can be read, or one that this
// user's key did not sign, or one from a time after now.
func KeptResult(state, cache, key string, now time.Time) (list []report.Finding, at time.Time, ok bool) {
	b, at, ok := findings.Kept(state, cache, key, now)
	if !ok {
		return nil, time.Time{}, false
	}
	list, err := report.DecodeFindings(b)
	return list, at, err == nil && len(list) > 0
}

// Keep keeps content, which is JSON, below cache under key, in place of what is kept so.
// The key that it is signed with is made where there is none.
func (k Kind) Keep(state, cache, key string, now time.Time, content []byte) error {
	key = k.key(key)
	b, err := json.Marshal(keptResult{Version: 2, Key: key, At: now, Findings: content})
	if err != nil {
		return err
	}
	secret, err := theResultKey(state)
	if err != nil {
		return err
	}
	dir, name := k.dir(cache), now.UTC().Format(stamp)+key
	if err := fs.Cache(filepath.Join(dir, name), signed(secret, b)); err != nil {
		return err
	}
	names, _ := fs.List(dir)
	more := surplus(names, now, k.most())
	fs.Uncache(dir, slices.DeleteFunc(names, func(old string) bool {
		return old == name || !strings.HasSuffix(old, "-"+key) && !slices.Contains(more, old)
	}))
	return nil
}

// surplus lists which of names, which begin with a stamp, are more than most: first
// those of a time to come, which a clock that was ahead gave, then the oldest. A run
// beside this one may have a later stamp, but none that is an hour later.
func surplus(names []string, now time.Time, most int) []string {
	ahead, _ := slices.BinarySearch(names, now.Add(time.Hour).UTC().Format(stamp))
	return slices.Concat(names[ahead:], names[:ahead])[:max(0, len(names)-most)]
}

// Kept returns the newest content that is kept under key, and its time. ok is as that of
// KeptResult.
func (k Kind) Kept(state, cache, key string, now time.Time) (content []byte, at time.Time, ok bool) {
	key = k.key(key)
	secret, ok := resultKey(state)
	if !ok {
		return nil, time.Time{}, false
	}
	dir := k.dir(cache)
	names, _ := fs.List(dir)
	for i := len(names) - 1; i >= 0 && key != ""; i-- {
		if !strings.HasSuffix(names[i], "-"+key) {
			continue
		}
		b, err := fs.Read(filepath.Join(dir, names[i]))
		_, body, whole := bytes.Cut(b, []byte{'\n'})
		if err != nil || !whole || !hmac.Equal(b, signed(secret, body)) {
			return nil, time.Time{}, false
		}
		var kept keptResult
		if json.Unmarshal(body, &kept) != nil || kept.Version != 2 || kept.Key != key || kept.At.After(now) {
			return nil, time.Time{}, false
		}
		return kept.Findings, kept.At, true
	}
	return nil, time.Time{}, false
}

// Past is what is kept of one rehearsal of a project.
type Past struct {
	Key    string
	Record []byte
}

// PastOf is what each call of the rehearsals of a project came to, one beside the other.
func PastOf(project string) Kind { return Kind("history-" + report.DigestOf([]byte(project)).Name(16)) }

// All returns what is kept of the kind, the newest first. What this user's key did not
// sign is passed over.
func (k Kind) All(state, cache string, now time.Time) (list []Past) {
	names, _ := fs.List(k.dir(cache))
	for _, name := range slices.Backward(names) {
		_, key, ours := strings.Cut(name, string(k)+".")
		if !ours || key == "" {
			continue
		}
		if b, _, ok := k.Kept(state, cache, key, now); ok {
			list = append(list, Past{key, b})
		}
	}
	return list
}
