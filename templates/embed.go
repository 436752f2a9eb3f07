// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package templates holds the files that install writes, as they are before
// their placeholders are filled in.
//
// Contract: data only. A path in Files is that below this directory.
package templates

import "embed"

// Files are the templates.
//
//go:embed scripts/*.sh agent-isolation/claude-iso.*
var Files embed.FS

// Settings is settings.json: the policy before any question is answered.
//
//go:embed settings.json
var Settings []byte

// Policy is policy.toml: the reasons, the groups and the questions.
//
//go:embed policy.toml
var Policy []byte
