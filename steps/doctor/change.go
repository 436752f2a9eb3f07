// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a change is judged before anybody is shown it, on the machine as it
// would be.

package doctor

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// judge lists, as sentences, what verify would fail on a machine as a change leaves it
// (Agent.WouldOpen).
type judge func(after func(host.Reader) host.Reader) ([]string, error)

// refusal says what a change would open that verify fails; "" if nothing.
func (opens judge) refusal(c report.Change) (string, error) {
	list, err := opens(func(r host.Reader) host.Reader { return with(r, c) })
	if err != nil || list == nil {
		return "", err
	}
	return "rejected: verify would fail: " + several(list), nil
}

// patched is the machine with one file as a change would leave it.
type patched struct {
	host.Reader
	paths []string
	bytes []byte
}

func with(r host.Reader, c report.Change) host.Reader {
	return patched{r, []string{c.Path, c.Target}, c.After}
}

// Read implements host.Reader.
func (p patched) Read(path string) ([]byte, error) {
	if slices.Contains(p.paths, path) {
		return p.bytes, nil
	}
	return p.Reader.Read(path)
}

// ReadAll implements host.Reader.
func (p patched) ReadAll(path string) ([]byte, error) {
	if slices.Contains(p.paths, path) {
		return p.bytes, nil
	}
	return p.Reader.ReadAll(path)
}
