// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifests holds the data files that the program is built with.
//
// Contract: the files as they stand in this directory; whoever uses one parses
// it. Each is a variable of its own, so that a program which needs one does
// not read the others.
package manifests

import _ "embed"

// PinnedVersions is pinned-versions.toml: the tools of the setup and the
// version at which each is pinned. internal/pins gives it meaning.
//
//go:embed pinned-versions.toml
var PinnedVersions string

// RecordedRehearsal is recorded-rehearsal.json: what each call that the policy
// denies came to with the pinned runtime, for machines that cannot rehearse.
// A test of cmd/steward-setup records it.
//
//go:embed recorded-rehearsal.json
var RecordedRehearsal string
