// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a version has a weakness, is without it, or lies between
// what was measured; the last is said, and never taken for the second.

package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/strict"
	"github.com/steward-setup/steward-setup/manifests"
)

// runtime is the runtime's name among the pinned tools.
const runtime = "claude-code"

// Touch names what of the settings in force, or of the repository, makes an
// advisory matter. Whoever knows the settings decides (checks).
type Touch string

// The touches.
const (
	TouchTrailingSlash  Touch = "deny-read-trailing-slash" // a denyRead entry that ends in a slash
	TouchWorktree       Touch = "linked-worktree"          // the repository has a linked worktree
	TouchCredentials    Touch = "credentials"              // sandbox.credentials has an entry
	TouchStrict         Touch = "strict-allowlist"         // strictAllowlist is true
	TouchFailIf         Touch = "fail-if-unavailable"      // failIfUnavailable is true
	TouchBareBash       Touch = "bare-bash-and-escape"     // Bash is allowed whole, and commands may ask to leave
	TouchMayRunWithout  Touch = "may-run-without"          // failIfUnavailable is not true
	TouchBypass         Touch = "bypass-and-open-network"  // bypassPermissions can be entered, strictAllowlist is not true
	TouchCommaMatcher   Touch = "comma-matcher"            // a hook's matcher has a comma
	TouchAutoAllowUnset Touch = "auto-allow-unset"         // autoAllowBashIfSandboxed is set nowhere
	TouchBashDeny       Touch = "bash-deny-rule"           // permissions.deny has a Bash rule
	TouchEditDeny       Touch = "edit-deny-rule"           // permissions.deny has an Edit rule
	TouchSandbox        Touch = "sandbox"                  // the sandbox is on: what runs in it is not trusted
)

// Loss is what a weakness costs.
type Loss string

// The losses, as manifests/advisories.toml explains them.
const (
	LossVoid     Loss = "void"
	LossLost     Loss = "lost"
	LossNarrower Loss = "narrower"
)

// Advisory is one weakness of some versions of the runtime.
type Advisory struct {
	ID      string `toml:"id"`
	Title   string `toml:"title"`
	Touches Touch  `toml:"touches"`
	Loss    Loss   `toml:"loss"`
	// The bounds are versions, "" where nobody knows one;
	// manifests/advisories.toml says what each means.
	ClearUntil string `toml:"clear_until"`
	Since      string `toml:"since"`
	SeenUntil  string `toml:"seen_until"`
	FixedIn    string `toml:"fixed_in"`
	// Effect is a sentence; Sources say from where it is known.
	Effect  string   `toml:"effect"`
	Sources []string `toml:"sources"`
}

// Standing is what is known of a version and a weakness.
type Standing uint8

// The standings. Perhaps is a version between two that were measured.
const (
	Clear Standing = iota
	Perhaps
	Affected
)

// Of says what is known of a version of the runtime. The error is that of
// pins.Compare: version is not one.
func (a Advisory) Of(version string) (Standing, error) {
	var failed error
	older := func(v, than string) bool {
		c, err := pins.Compare(runtime, v, than)
		failed = errors.Join(failed, err)
		return err == nil && c < 0
	}
	s := Affected
	switch {
	case a.FixedIn != "" && !older(version, a.FixedIn), a.ClearUntil != "" && !older(a.ClearUntil, version):
		s = Clear
	case a.Since != "" && older(version, a.Since), a.SeenUntil != "" && older(a.SeenUntil, version):
		s = Perhaps
	}
	if failed != nil {
		return Perhaps, failed
	}
	return s, nil
}

// Range says in words which versions have the weakness.
func (a Advisory) Range() string {
	var parts []string
	add := func(format, version string) {
		if version != "" {
			parts = append(parts, fmt.Sprintf(format, version))
		}
	}
	add("not in %s", a.ClearUntil)
	if a.SeenUntil != "" {
		add("seen in %s", a.SeenUntil)
		add("not in %s", a.FixedIn)
	} else {
		add("fixed in %s", a.FixedIn)
	}
	if a.FixedIn == "" {
		parts = append(parts, "no fixed version is known")
	}
	return strings.Join(parts, ", ")
}

// Advisories returns those that this version knows. The file is compiled in: one that
// is not understood panics.
func Advisories() []Advisory {
	var file struct {
		Schema     int        `toml:"schema"`
		Advisories []Advisory `toml:"advisory"`
	}
	if err := strict.TOML("manifests/advisories.toml", manifests.Advisories, "", &file); err != nil {
		panic(err)
	}
	return file.Advisories
}
