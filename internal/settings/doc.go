// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package settings knows the agent runtime's settings files: how they are
// read, which of several scopes wins, what the runtime throws away, and how
// to add to one without disturbing the rest.
//
// Contract: bytes in, bytes out. Nothing here reads, writes, or asks for the
// environment; the callers name the paths and bring the bytes.
//
//   - Parse accepts strict JSON of bounded size and depth and nothing else.
//     Problems says what the runtime would drop from an accepted document,
//     and Check refuses a document that it would drop whole.
//   - Combine puts the documents of all scopes together and answers with
//     provenance: which value is in force, where it stands, what it overrules.
//   - Splice changes the text of a document where it is told to and leaves
//     every other byte alone; Merge and WireHook work out what to change.
//
// Splicing. A scan of our own keeps the position of every value. The new text
// of an array or object is built from it in the file's own style, and sjson
// puts it in place, at a path in which every special character is escaped,
// after gjson has found the same bytes there. The document itself has no
// path, and sjson would put a new key of it on one line and drop the final
// newline: there, and under a key that is the empty string, the text is put
// in place by position. Afterwards encoding/json decodes both documents, and
// only what the edits say may differ (docs/adr/0002-sjson-behind-guards.md).
//
// What this package says of the runtime was measured with Claude Code 2.1.329
// on Linux; the tests that need it ask the real one again.
package settings
