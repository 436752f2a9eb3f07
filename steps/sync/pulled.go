// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: memory is taken without a prompt, since it does not run.
// The agent reads it, and so each pull says which of it came.

package sync

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// Pulled is what a pull took.
type Pulled struct {
	Commits []string `json:"commits"`
	Files   []string `json:"files"`
	// Memory are those of the files that the agent reads in its next session of
	// their project.
	Memory []string `json:"memory"`
	// Unlinked are the symlinks that are not in place afterwards.
	Unlinked []Link `json:"unlinked"`
}

// Took says what Pull computed, and what of it is not linked.
func (e *Exchange) Took(ctx context.Context, r host.Reader) Pulled {
	p := Pulled{Commits: append([]string{}, e.Arriving...), Files: []string{}, Memory: []string{}, Unlinked: []Link{}}
	for _, c := range e.Changes {
		rel := strings.TrimPrefix(string(c.ID), "pull/")
		p.Files = append(p.Files, rel)
		if part, _, below := strings.Cut(rel, "/"); below && part == syncrepo.Memory && c.After != nil {
			p.Memory = append(p.Memory, rel)
		}
	}
	if s, err := Look(ctx, r); err == nil { // else status says it
		p.Unlinked = append(p.Unlinked, s.Unlinked()...)
	}
	return p
}

// Lines say it, self being how this program is called.
func (p Pulled) Lines(self string) (lines []string) {
	if len(p.Memory) > 0 {
		lines = append(lines, "Memory that the agent reads in its next session: "+strings.Join(p.Memory, ", "))
	}
	for _, l := range p.Unlinked {
		if l.State == Missing {
			lines = append(lines, Count(len(p.Unlinked), "symlink")+" not in place: "+self+" sync link")
			break
		}
	}
	return lines
}
