// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a question is a call that only looks, and whose answer
// does not change while one command of ours runs.

package proc

import "fmt"

// Question says whether the call is a question of that kind: a tool's version,
// or what git says of a place. Two calls with the same key ask the same.
func (s Spec) Question() (key string, ok bool) {
	if !s.version && (s.name != "git" || s.args[0] != "-C") { // what makes the sample repository begins otherwise
		return "", false
	}
	return fmt.Sprintf("%q %q %q %q %q %q", s.name, s.path, s.dir, s.args, s.extra, s.stdin), s.fds == nil
}
