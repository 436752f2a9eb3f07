// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: manifests are laid over each other key by key, the most
// personal last, and every key remembers which file stated it.

package pins

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/manifests"
)

// FrameworkDir is where a checkout of the framework has its scripts, and its manifest
// and override under these names. A user has the override beside this program's
// configuration.
const (
	FrameworkDir = "tools/agent-isolation"
	manifestName = "pinned-versions.toml"
	localName    = "pinned-versions.local.toml"
	builtIn      = "manifests/" + manifestName + " (built in)"
)

// Reader is the part of host.Reader that manifests are read through.
type Reader interface {
	Read(path string) ([]byte, error)
	ReadIn(root, rel string) ([]byte, error)
}

// LocalPath is the user's own override, in this program's configuration
// directory.
func LocalPath(config string) string { return filepath.Join(config, localName) }

// Load returns the pins that hold on this machine. It starts from the manifest
// that is built in, or, where framework names a checkout, from that checkout's;
// over it lie the checkout's override and then the user's own in config, each
// if it exists. The user's own comes last, since it is what an answer given to
// install writes.
//
// A floor that is built in holds for a framework's manifest too, unless that
// states a higher one: which versions do not enforce the policy is a fact about
// the tool, and the framework's manifest of 2026-07 pins such a version.
func Load(r Reader, config, framework string) (Set, error) {
	values, err := decode(builtIn, []byte(manifests.PinnedVersions), false)
	if err != nil {
		return Set{}, err
	}
	order := toolsOf(values)
	if framework != "" {
		theirs, err := read(r, framework, manifestName)
		if err != nil {
			return Set{}, err
		}
		if theirs == nil {
			return Set{}, &report.Error{Code: report.ExitUsage, Where: filepath.Join(framework, FrameworkDir, manifestName),
				What: "does not exist", Why: "--framework takes the pins from a checkout",
				Next: "name the root of a checkout of the framework"}
		}
		if err := overlay(theirs, toolsOf(theirs), r, framework, localName); err != nil {
			return Set{}, err
		}
		raise(theirs, values)
		values, order = theirs, toolsOf(theirs)
	}
	if err := overlay(values, order, r, "", LocalPath(config)); err != nil {
		return Set{}, err
	}
	return build(values, order)
}

// raise puts the floors of ours, with their reasons, in place of those of a
// framework that are lower or not there. A tool with a floor
// that the framework does not name keeps it, without a pin.
func raise(theirs, ours map[key]stated) {
	for k, floor := range ours {
		if k.name != "min_version" {
			continue
		}
		if their, states := theirs[k]; states {
			if c, err := Compare(k.tool, their.text, floor.text); err != nil || c >= 0 {
				continue // build refuses what is not understood, with its line
			}
		}
		theirs[k] = floor
		reason := key{k.tool, "min_version_reason"}
		delete(theirs, reason)
		if why, states := ours[reason]; states {
			theirs[reason] = why
		}
	}
}

// read decodes one file of a checkout, or, with checkout "", one of the
// user's; nil means that there is none.
func read(r Reader, checkout, name string) (map[key]stated, error) {
	path := name
	var data []byte
	var err error
	if checkout == "" {
		data, err = r.Read(path)
	} else {
		path = filepath.Join(checkout, FrameworkDir, name)
		data, err = r.ReadIn(checkout, filepath.Join(FrameworkDir, name))
	}
	if errors.Is(err, iofs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, malformed(path, fs.NotRead, err)
	}
	return decode(path, data, checkout != "")
}

// overlay lays an override over values, if it exists. It may change what is
// pinned and not what is not: a misspelt tool must not look like a pin.
func overlay(values map[key]stated, pinned []string, r Reader, checkout, name string) error {
	over, err := read(r, checkout, name)
	if err != nil {
		return err
	}
	for k, v := range over {
		if k.tool != "" && !slices.Contains(pinned, k.tool) {
			return malformed(v.where(), "overrides "+k.tool+", which no manifest pins", nil)
		}
	}
	for k, v := range over {
		old, ok := values[k]
		switch {
		case !ok || old.text == v.text:
		case k.name == "version":
			follow(values, k.tool, old.text, v)
		case k.name == "min_version": // the reason was that of the other floor
			delete(values, key{k.tool, "min_version_reason"})
		}
	}
	maps.Copy(values, over)
	return nil
}

// follow makes a tool's other values follow its new version: the release day
// was that of the old one, and the install lines named it. An override need
// not repeat them.
func follow(values map[key]stated, tool, old string, version stated) {
	delete(values, key{tool, "released"})
	for k, v := range values {
		if k.tool != tool || !strings.HasPrefix(k.name, "install.") || !strings.Contains(v.text, old) {
			continue
		}
		text := strings.ReplaceAll(v.text, old, version.text)
		if revised(version.text) {
			// "pkg=0.11.2-*" takes any revision; this is a whole one.
			text = strings.ReplaceAll(text, version.text+"-*", version.text)
		}
		values[k] = stated{text, version.file, version.line}
	}
}

// toolsOf lists the tools of one manifest in the order in which it states
// them.
func toolsOf(values map[key]stated) []string {
	first := make(map[string]int)
	for k, v := range values {
		if line, ok := first[k.tool]; k.tool != "" && (!ok || v.line < line) {
			first[k.tool] = v.line
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(a, b string) int {
		return cmp.Or(first[a]-first[b], strings.Compare(a, b))
	})
}
