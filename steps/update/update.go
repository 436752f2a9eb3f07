// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package update says what has drifted, and what an upgrade of the runtime
// would take away, before it is made.
//
// Contract: nothing is changed outside the state and the cache directory. Of a
// denial that was not observed nobody says that it was kept, or lost.
package update
