// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the words of a report are the same in every renderer.

package text

import (
	"fmt"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

// About says in a few words what a layer is about.
func About(l report.Layer) string {
	switch l {
	case report.LayerCleanEnv:
		return "what the agent's environment holds"
	case report.LayerSandbox:
		return "what its commands can read, write and reach"
	case report.LayerPermissions:
		return "what its own tools are denied"
	case report.LayerConfirmation:
		return "what it has to ask about"
	case report.LayerVisibility:
		return "what you get to see"
	case report.LayerTools:
		return "what all of this is made of"
	}
	return ""
}

// Launch is what the user types to start the agent in this way.
func Launch(l report.Launch) string {
	if l == report.Iso {
		return "claude-iso"
	}
	return "plain claude"
}

// Ago is how long ago something was: "just now", "5 minutes ago", "2 days
// ago". Less than no time is just now.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Counted(int(d/time.Minute), "%d minute ago", "%d minutes ago")
	case d < 24*time.Hour:
		return Counted(int(d/time.Hour), "%d hour ago", "%d hours ago")
	}
	return Counted(int(d/(24*time.Hour)), "%d day ago", "%d days ago")
}

// Seconds is how long something took: "0.06 s", "2.4 s", "75 s".
func Seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.995:
		return fmt.Sprintf("%.2f s", s)
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	default:
		return fmt.Sprintf("%.0f s", s)
	}
}
