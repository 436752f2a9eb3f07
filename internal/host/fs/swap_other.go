// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: two names of one directory change places at once, or nothing
// happens.

package fs

import (
	"errors"
	"os"
)

// swap is only there on Linux.
func swap(*os.Root, string, string) error { return errors.ErrUnsupported }
