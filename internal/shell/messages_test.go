// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import "testing"

// A message of a multiplexer starts nothing; what it expands, types or runs may.
func TestMessagesOfAMultiplexer(t *testing.T) {
	for line, want := range map[string]int{
		"tmux display-message 'claude waits'":           0,
		"tmux display-message -d 0 \"#S is done\"":      0,
		"[ -n \"$TMUX\" ] && tmux rename-window claude": 0,
		"tmux set-option -p @claude waiting":            0,
		"tmux set -g status-style bg=red":               0,
		"tmux setw -t x automatic-rename on":            0,
		"tmux wait-for -S done":                         0,
		"screen -X title done":                          0,
		"zellij action rename-tab done":                 0,
		"tmux display-message \"$(jq -r .message)\"":    1,
		"tmux display-message '#(./x)'":                 1,
		"tmux display-message '#{E:window_name}'":       1,
		"tmux display-message '#{E;=9:@x}'":             1,
		"tmux display-message '#{=9;T:@x}'":             1,
		"tmux display-message x \\; run-shell ./x":      1,
		"tmux display-message 'x;' run-shell ./x":       1,
		"tmux set -g default-command ./x":               1,
		"tmux set -g status-right '#(./x)'":             1,
		"tmux set -t x -g default-command ./x":          1,
		"tmux set -F @a '#{E:window_name}'":             1,
		"tmux send-keys -t 1 ./x Enter":                 1,
		"tmux new-window ./x":                           1,
		"tmux -S ./sock display-message x":              1,
		"screen -X exec ./x":                            1,
		"zellij action write-chars ./x":                 1,
		"zellij run ./x":                                1,
	} {
		if got := len(place.Line(line).Gaps); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
