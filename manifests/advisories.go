// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the advisories are embedded as they stand;
// internal/agent/claude/policy gives them meaning.

package manifests

import _ "embed"

// Advisories is advisories.toml: weaknesses of the runtime's versions that
// touch a policy.
//
//go:embed advisories.toml
var Advisories string
