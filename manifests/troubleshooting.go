// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the catalog is embedded as it stands; internal/catalog
// gives it meaning.

package manifests

import _ "embed"

// Troubleshooting is troubleshooting.toml: what people run into with a
// sandboxed agent, and what helps.
//
//go:embed troubleshooting.toml
var Troubleshooting string
