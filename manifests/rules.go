// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: rules that others keep are copied whole, by a program, and
// never edited here.

package manifests

//go:generate go -C ../tools run ./gitleaks
