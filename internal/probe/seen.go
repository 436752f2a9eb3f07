// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever plans calls beside these probes reads what came of
// them by the same rule.

package probe

import "github.com/steward-setup/steward-setup/internal/rehearsal"

// Seen says whether raw shows that a call got through; reply is what the call
// got back.
func (t Through) Seen(raw rehearsal.Raw, reply string) bool { return t.seen(raw, reply) }
