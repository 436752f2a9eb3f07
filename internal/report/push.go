// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what leaves the machine is in the plan: which commits, to
// which branch of which remote, with which message. Only what a plan names is
// pushed.

package report

// Push is what would be committed and pushed.
type Push struct {
	ID  ID
	Why string
	// Remote is the address without a password, Branch the remote's branch, From
	// the commit that the plan was computed from ("" for none).
	Remote, Branch, From string
	// Files are what one new commit with Message would hold; none means that
	// nothing is left to commit.
	Files   []string
	Message string
	// Commits are those that are there already and not pushed, one line each.
	Commits []string
}

func (Push) item() {}

// Key is the item's id within its plan.
func (p Push) Key() ID { return p.ID }
