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

// Advisories is advisories.toml: weaknesses of the runtime's versions that
// touch a policy.
//
//go:embed advisories.toml
var Advisories string

// Troubleshooting is troubleshooting.toml: what people run into with a
// sandboxed agent, and what helps.
//
//go:embed troubleshooting.toml
var Troubleshooting string

// Rules that others keep are copied whole, by a program, and never edited here.
//
//go:generate go -C ../tools run ./gitleaks
