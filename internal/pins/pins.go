// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package pins knows at which version each tool of the setup is pinned, who
// said so, and how a version that is installed stands to it.
//
// Contract: data in, data out. Manifests come in as bytes or through a Reader
// that the caller hands in; nothing is started and nothing is written. A
// manifest that is not understood is a *report.Error with path, line and
// column and exit code 65.
package pins

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// Pin is what the manifests say about one tool.
type Pin struct {
	Tool string
	// Version is the pinned version: upstream's, or, from an override,
	// that of a distribution's package. It is "" if there is only a floor.
	Version string
	// MinVersion is the floor below which a version fails and not merely
	// drifts; MinVersionReason says why. Both may be "".
	MinVersion, MinVersionReason string
	// Purpose is one or more sentences; Docs and Releases are addresses.
	Purpose, Docs, Releases string

	released time.Time     // zero if unknown
	cooldown time.Duration // whole days
	install  map[string]string
	stated   map[string]stated
}

// defaultCooldown is the cooldown of a tool whose manifest states none, in
// days (source document, "Required tools").
const defaultCooldown = 7

// Where says which file and line state a value of the pin ("version",
// "min_version", "install.apt", ...), or "" if none does.
func (p Pin) Where(name string) string {
	if s, ok := p.stated[name]; ok {
		return s.where()
	}
	return ""
}

// Origin says in one line what is pinned and by which file, for evidence.
func (p Pin) Origin() (where, text string) {
	if p.Version == "" {
		return p.Where("min_version"), p.Tool + " at least " + p.MinVersion
	}
	text = p.Tool + " " + p.Version
	if released, ok := p.Released(); ok {
		text += ", released " + released.Format(time.DateOnly)
	}
	return p.Where("version"), text
}

// Install returns the line that installs the pinned version with a package
// manager, without sudo; ok is false if the manifests have none. A line that
// begins with "#" is a remark of a framework's manifest and counts as none.
func (p Pin) Install(manager string) (line string, ok bool) {
	line, ok = p.install[manager]
	return line, ok && !strings.HasPrefix(line, "#")
}

// Released returns the day on which the pinned version was released (UTC);
// ok is false where the manifests do not know it.
func (p Pin) Released() (day time.Time, ok bool) { return p.released, !p.released.IsZero() }

// Settled returns the first day on which the pinned version, whose release day is
// known, had been public for its cooldown.
func (p Pin) Settled() time.Time { return p.released.Add(p.cooldown) }

// Cooldown is how long a release of the tool has to be public before it is
// pinned.
func (p Pin) Cooldown() time.Duration { return p.cooldown }

// Floor is the floor with its reason, if there is one.
func (p Pin) Floor() string {
	if p.MinVersionReason == "" {
		return p.MinVersion
	}
	return p.MinVersion + ": " + p.MinVersionReason
}

// BelowFloor says whether the manifests contradict each other: they pin a
// version that is older than the floor, so that installing it would leave the
// machine unprotected.
func (p Pin) BelowFloor() bool {
	if p.Version == "" || p.MinVersion == "" {
		return false
	}
	c, err := Compare(p.Tool, p.Version, p.MinVersion)
	return err == nil && c < 0
}

// Standing is how a version stands to its pin.
type Standing string

// The standings. A version below the floor is Insufficient whatever the pin.
const (
	AsPinned     Standing = "as pinned"
	Older        Standing = "older than the pin"
	Newer        Standing = "newer than the pin"
	Insufficient Standing = "below the floor"
)

// Judge says how an installed version stands to the pin. The error is that of
// Compare: the version was not understood.
func (p Pin) Judge(version string) (Standing, error) {
	if p.MinVersion != "" {
		c, err := Compare(p.Tool, version, p.MinVersion)
		if err != nil {
			return "", err
		}
		if c < 0 {
			return Insufficient, nil
		}
	}
	if p.Version == "" {
		return AsPinned, nil
	}
	return standing(Compare(p.Tool, version, p.Version))
}

// standing is how what was compared with a pin stands to it.
func standing(c int, err error) (Standing, error) {
	if err != nil {
		return "", err
	}
	return []Standing{Older, AsPinned, Newer}[1+cmp.Compare(c, 0)], nil
}

// NamesPackage says whether the pin names one package of a distribution, and not
// every package of an upstream version.
func (p Pin) NamesPackage() bool {
	_, agent := env.OfTool(p.Tool)
	return !agent && revised(p.Version)
}

// JudgePackage says how an installed package stands to a pin that names one, in
// the order of the package manager; "" if the pin names none, or if one of the
// two is no version to that package manager.
func (p Pin) JudgePackage(manager, packaged string) Standing {
	s, ok := SchemeOf(manager)
	if !ok || !p.NamesPackage() {
		return ""
	}
	is, _ := standing(s.Compare(packaged, p.Version))
	return is
}

// Provides says whether a package of this version string provides the pin: the
// very package, where the pin names one, else any package of that upstream
// version.
func (p Pin) Provides(packaged string) bool {
	if p.Version == "" || p.NamesPackage() {
		return packaged == p.Version
	}
	c, err := Compare(p.Tool, packaged, p.Version)
	return err == nil && c == 0
}

// Set is every pin, in the order of the manifest.
type Set struct {
	// PinnedAt is the day (UTC) for which the manifest promises that every
	// pin had settled.
	PinnedAt time.Time
	Pins     []Pin
}

// Pin returns the pin of a tool.
func (s Set) Pin(tool string) (Pin, bool) {
	i := slices.IndexFunc(s.Pins, func(p Pin) bool { return p.Tool == tool })
	if i < 0 {
		return Pin{}, false
	}
	return s.Pins[i], true
}

// build makes a Set of merged values; order is that of their tools.
func build(values map[key]stated, order []string) (Set, error) {
	var set Set
	var err error
	if at, ok := values[key{"", "pinned_at"}]; ok {
		if set.PinnedAt, err = day(at); err != nil {
			return Set{}, err
		}
	}
	for _, tool := range order {
		p := Pin{Tool: tool, cooldown: defaultCooldown * 24 * time.Hour, install: make(map[string]string),
			stated: make(map[string]stated)}
		for k, v := range values {
			if k.tool == tool {
				p.stated[k.name] = v
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.stated)) {
			if err := p.take(name, p.stated[name]); err != nil {
				return Set{}, err
			}
		}
		if err := p.consistent(); err != nil {
			return Set{}, err
		}
		set.Pins = append(set.Pins, p)
	}
	return set, nil
}

// take reads one value into the pin, or says what is wrong with it.
func (p *Pin) take(name string, v stated) error {
	for _, r := range v.text {
		if unicode.IsControl(r) && (r != '\n' || name != "purpose") {
			return malformed(v.where(), fmt.Sprintf("%s holds a control character", name), nil)
		}
	}
	var err error
	switch name {
	case "version", "min_version":
		if _, err = Compare(p.Tool, v.text, v.text); err != nil {
			return malformed(v.where(), name+" is not understood", err)
		}
		if name == "version" {
			p.Version = v.text
		} else {
			p.MinVersion = v.text
		}
	case "min_version_reason":
		p.MinVersionReason = strings.TrimSpace(v.text)
	case "purpose":
		p.Purpose = strings.TrimSpace(v.text)
	case "released":
		p.released, err = day(v)
	case "cooldown_days":
		n, parseErr := strconv.Atoi(v.text)
		if parseErr != nil || n < 0 || n > 365 {
			return malformed(v.where(), "cooldown_days is not a number of days from 0 to 365", nil)
		}
		p.cooldown = time.Duration(n) * 24 * time.Hour
	case "docs":
		p.Docs, err = address(name, v)
	case "upstream_releases":
		p.Releases, err = address(name, v)
	default:
		p.install[strings.TrimPrefix(name, "install.")] = strings.TrimSpace(v.text)
	}
	return err
}

// consistent says what the pin lacks as a whole.
func (p *Pin) consistent() error {
	if p.Version == "" && p.MinVersion == "" {
		first := slices.Min(slices.Collect(maps.Keys(p.stated)))
		return malformed(p.Where(first), "pins "+p.Tool+" to nothing: it states neither version nor min_version", nil)
	}
	// These managers install the version that their line names; another
	// one there would be installed in place of the pinned one.
	for _, manager := range []string{"apt", "dnf", "npm"} {
		if line, ok := p.Install(manager); ok && p.Version != "" && !strings.Contains(line, Upstream(p.Version)) {
			return malformed(p.Where("install."+manager), "installs another version than the pinned "+p.Version, nil)
		}
	}
	return nil
}

func day(v stated) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, v.text)
	if err != nil {
		return t, malformed(v.where(), fmt.Sprintf("%q is not a day such as 2026-11-20", v.text), nil)
	}
	return t, nil
}

func address(name string, v stated) (string, error) {
	if !strings.HasPrefix(v.text, "https://") && !strings.HasPrefix(v.text, "http://") ||
		strings.ContainsAny(v.text, " \"'<>") {
		return "", malformed(v.where(), name+" is not an address", nil)
	}
	return v.text, nil
}
