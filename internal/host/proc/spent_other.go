// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: there is no stage here, and nobody to adopt.

package proc

// Adopt does nothing.
func Adopt() {}

func reap() {}
