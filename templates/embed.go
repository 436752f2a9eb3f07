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
