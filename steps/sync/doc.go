// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package sync keeps the private repository of a user's own configuration in
// step: it proposes what a new machine needs, what arrives from the remote, and
// what would go there.
//
// Contract: proposals only read, and fetch into a repository of this program's
// own. What arrives is written by the engine; the user's git commits and pushes
// what was approved, with its hooks and without force.
package sync
