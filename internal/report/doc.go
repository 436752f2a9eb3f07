// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package report holds the words of steward-setup as types: findings,
// changes, commands, plans, questions and verdicts.
//
// Contract: pure data. Nothing here reads, writes, starts or prints
// anything, and nothing here depends on another package of this module, so
// that every room can speak about the same things.
package report
