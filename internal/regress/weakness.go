// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a weakness is told in sentences; which settings it touches is for the
// runtime to say.

package regress

// Weakness is a known fault of some versions of a runtime; Effect says of which, and what
// follows.
type Weakness struct{ ID, Title, Effect string }
