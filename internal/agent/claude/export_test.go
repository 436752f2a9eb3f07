// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what reads schemas is for the tests of this package too.

package claude

// What reads the literals of the runtime's schemas.
var (
	Around = around
	KeysOf = keysOf
)
