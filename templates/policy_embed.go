// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what install proposes for a project stands in two files
// that anyone can read without this program; it is compiled in unchanged.

package templates

import _ "embed" // the directives below

// Settings is settings.json: the policy before any question is answered.
//
//go:embed settings.json
var Settings []byte

// Policy is policy.toml: the reasons, the groups and the questions.
//
//go:embed policy.toml
var Policy []byte
