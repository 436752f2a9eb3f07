// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry without price, source or proof is not knowledge.

package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/strict"
)

// checked is Load, and that each entry says what it has to. The error is a *report.Error
// with code ExitMalformed that names line and column, or the entry.
func checked(name string, data []byte) ([]Entry, error) {
	entries, err := Load(name, data)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if err := e.check(); err != nil {
			return nil, malformed(name, fmt.Sprintf("entry %q", e.ID), err)
		}
		if seen[e.ID] {
			return nil, malformed(name, fmt.Sprintf("has two entries %q", e.ID), nil)
		}
		seen[e.ID] = true
	}
	for _, e := range entries {
		for i, s := range e.Symptoms {
			if j := slices.IndexFunc(s.Over, func(id string) bool { return !seen[id] || id == e.ID }); j >= 0 {
				return nil, malformed(name, fmt.Sprintf("entry %q", e.ID),
					fmt.Errorf("symptom %d: %q is no other entry", i+1, s.Over[j]))
			}
		}
	}
	return entries, nil
}

// maxWithin bounds the lines that a symptom may span.
const maxWithin = 16

var layers = []Refuser{Seccomp, Mount, Namespace, Proxy, Seatbelt, PermissionRule, Environment, Dependency, Settings,
	Several, None}

// topics are those of the page, in its order.
var topics = []Topic{"files", "network", "git", "sockets", "logins", "programs", "start", "rules", "ordinary"}

var confirms = []Confirm{Nothing, Sandbox, Inside, Exists, Allowed, Writable, Temporary, Socket, Listener,
	Repository, Program, Owned, Witness, Explain, Words, Login, Sure, Shown, Barred, Foreign, LowPort, Disk, Mode,
	Absent, Reached}

// places are the ways to confirm that look at the witness: at one file, or at
// files and variables with a space between them.
var places = []Confirm{Witness, Login, Shown, Reached}

var proofs = []Proof{Measured, Refuted, Documented, Unknown}

// platforms and probes are the names that an entry may use; the probes are
// the doctor's.
var (
	platforms = []string{"linux", "darwin"}
	probes    = []string{"ssh-agent", "localhost-bind", "docker", "podman", "unix-sockets", "userns", "gpg-sign",
		"git-worktree", "egress", "package-managers",
		"git-remote", "tmpdir", "browsers"}
)

func malformed(where, what string, err error) error {
	return strict.Malformed(where, what, unchecked, err)
}

func (e Entry) check() error {
	switch {
	case !kebab(e.ID):
		return errors.New("the id is not kebab-case")
	case e.Title == "" || e.Hint == "" || e.Cause == "":
		return errors.New("title, hint and cause have to be there")
	case strings.ContainsAny(e.Hint, "\n\t"):
		return errors.New("the hint has to be one line")
	case !slices.Contains(layers, e.Layer):
		return fmt.Errorf("there is no layer %q", e.Layer)
	case !slices.Contains(topics, e.Topic):
		return fmt.Errorf("there is no topic %q", e.Topic)
	case e.Probe != "" && !slices.Contains(probes, e.Probe):
		return fmt.Errorf("there is no probe %q", e.Probe)
	case len(e.Platforms) == 0 || !subset(e.Platforms, platforms):
		return fmt.Errorf("platforms have to be some of %v", platforms)
	case !version(e.Since) || e.Until != "" && !version(e.Until):
		return errors.New("since and until have to be versions")
	case e.Layer == None && (len(e.Fixes) > 0 || len(e.Alternatives) == 0 || e.Probe != ""):
		return errors.New("an entry of layer none has alternatives, and neither fixes nor a probe")
	case len(e.Symptoms) == 0 || len(e.Sources) == 0:
		return errors.New("symptoms and sources have to be there")
	}
	for i, s := range e.Symptoms {
		if err := s.check(); err != nil {
			return fmt.Errorf("symptom %d: %w", i+1, err)
		}
		if other := slices.Contains(others, s.Confirm); e.Layer == None && !other ||
			e.Layer != None && other && !slices.Contains(others[:2], s.Confirm) {
			return fmt.Errorf("symptom %d: confirm %q does not belong to layer %q", i+1, s.Confirm, e.Layer)
		}
	}
	for _, f := range e.Fixes {
		if err := f.check(e.Platforms); err != nil {
			return fmt.Errorf("fix %q: %w", f.Title, err)
		}
	}
	return nil
}

func (s Symptom) check() error {
	switch {
	case s.anchor() == "":
		return fmt.Errorf("no piece of match has %d bytes of plain ASCII", minAnchor)
	case slices.ContainsFunc(slices.Concat(s.Match, s.Any, s.Unless), noPiece):
		return errors.New("a piece of match is empty or has a newline")
	case s.Within < 0 || s.Within > maxWithin:
		return fmt.Errorf("within has to be at most %d lines", maxWithin)
	case !slices.Contains(confirms, s.Confirm):
		return fmt.Errorf("there is no confirm %q", s.Confirm)
	case slices.Contains(places, s.Confirm) != (s.Witness != ""):
		return fmt.Errorf("a witness belongs to confirm = one of %q", places)
	case len(s.Seen) == 0:
		return errors.New("where it was seen has to be there")
	}
	return nil
}

// noPiece says that a text can stand on no line.
func noPiece(s string) bool { return s == "" || strings.Contains(s, "\n") }

func (f Fix) check(on []string) error {
	var object map[string]any
	switch {
	case f.Title == "" || f.Price == "":
		return errors.New("title and price have to be there")
	case f.Exclude && f.Settings != "":
		return errors.New("a fix that excludes names changes no settings")
	case !f.Exclude && (json.Unmarshal([]byte(f.Settings), &object) != nil || len(object) == 0):
		return errors.New("settings have to be a JSON object")
	case !slices.Contains([]Scope{User, Project, Local}, f.Scope):
		return fmt.Errorf("there is no scope %q", f.Scope)
	case len(f.Proof) != len(on):
		return fmt.Errorf("proof has to speak about %v", on)
	}
	for _, platform := range on {
		if !slices.Contains(proofs, f.Proof[platform]) {
			return fmt.Errorf("proof has to speak about %s", platform)
		}
	}
	return nil
}

func subset(list, of []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(of, s) })
}

func kebab(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		!strings.HasPrefix(s, "-") && !strings.HasSuffix(s, "-") && !strings.Contains(s, "--")
}

func version(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }

// anchor is the longest stretch of a piece of match that every JSON encoder
// writes as it is, in lower case; "" if none has minAnchor bytes.
func (s Symptom) anchor() string {
	longest := ""
	for _, piece := range s.Match {
		for _, stretch := range strings.FieldsFunc(piece, escaped) {
			if len(stretch) > len(longest) {
				longest = stretch
			}
		}
	}
	if len(longest) < minAnchor {
		return ""
	}
	return toLower(longest)
}

// escaped says whether some JSON encoder writes r as an escape.
func escaped(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&'`, r) }
