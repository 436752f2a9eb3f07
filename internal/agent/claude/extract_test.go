// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package claude_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// binary maps a runtime into memory, for reading.
func binary(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(b) })
	return b
}

// frontKeys lists the keys of the front matter of texts, by the kind of text.
func frontKeys(t *testing.T, b []byte) map[claude.Text][]string {
	t.Helper()
	kinds := map[claude.Text][]string{}
	for _, k := range []struct {
		kind      claude.Text
		mark, key string
	}{
		{claude.Skill, "Tools available to the model while this file is active", "allowed-tools"},
		{claude.Skill, "Guidance for when the", "when_to_use"},
		{claude.Agent, "Agent identifier. Required", "name"},
		{claude.Style, "Shown in the Output style picker", "description"},
	} {
		keys := claude.Around(b, k.mark, k.key)
		if len(keys) < 4 {
			t.Errorf("%d keys of a %s with %s: they are not where they were", len(keys), k.kind, k.key)
		}
		kinds[k.kind] = append(kinds[k.kind], keys...)
	}
	return kinds
}
