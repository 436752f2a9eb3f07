// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command floor reads its input and does nothing with it: what a hook written
// in Go costs at the least.
package main

import (
	"io"
	"os"
)

func main() {
	_, _ = io.Copy(io.Discard, os.Stdin)
}
