// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a finding that is read back is the finding that was
// written, remedies included; bytes that are anything else are refused whole.

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// The bounds of DecodeFindings: a verify has fifteen findings of a few
// kilobytes.
const (
	maxEncoded  = 4 << 20 // bytes
	maxFindings = 200
)

// The forms in which findings are kept. They are not those of --json, which is
// for readers: there a change is its diff.
type (
	keptFinding struct {
		Finding
		Remedies []keptRemedy  `json:"remedies"`
		Duration time.Duration `json:"duration_ns"`
	}
	// keptRemedy holds exactly one of its fields.
	keptRemedy struct {
		Change  *Change  `json:"change,omitempty"`
		Command *Command `json:"command,omitempty"`
		Link    *DocLink `json:"link,omitempty"`
	}
)

// EncodeFindings returns findings as bytes that DecodeFindings reads.
func EncodeFindings(findings []Finding) ([]byte, error) {
	kept := make([]keptFinding, 0, len(findings))
	for _, f := range findings {
		k := keptFinding{Finding: f, Duration: f.Duration, Remedies: []keptRemedy{}}
		for _, r := range f.Remedies {
			switch r := r.(type) {
			case Change:
				k.Remedies = append(k.Remedies, keptRemedy{Change: &r})
			case Command:
				k.Remedies = append(k.Remedies, keptRemedy{Command: &r})
			case DocLink:
				k.Remedies = append(k.Remedies, keptRemedy{Link: &r})
			}
		}
		kept = append(kept, k)
	}
	b, err := json.Marshal(kept)
	if err == nil && len(b) > maxEncoded {
		err = tooMany(b)
	}
	return b, err
}

func tooMany(b []byte) error {
	return fmt.Errorf("%d bytes of findings, more than %d", len(b), maxEncoded)
}

// DecodeFindings reads what EncodeFindings wrote. A word that is not one of
// ours, a finding without evidence, a key too many: the error says which, and
// there are no findings.
func DecodeFindings(b []byte) ([]Finding, error) {
	if len(b) > maxEncoded {
		return nil, tooMany(b)
	}
	var kept []keptFinding
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&kept); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one list of findings")
	}
	if len(kept) > maxFindings {
		return nil, fmt.Errorf("%d findings, more than %d", len(kept), maxFindings)
	}
	findings := make([]Finding, 0, len(kept))
	for _, k := range kept {
		f := k.Finding
		f.Duration, f.Remedies = k.Duration, nil
		if len(f.Launches) == 0 {
			f.Launches = nil
		}
		if len(f.Covers) == 0 {
			f.Covers = nil
		}
		for _, r := range k.Remedies {
			remedy, err := r.remedy()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Check, err)
			}
			f.Remedies = append(f.Remedies, remedy)
		}
		if err := f.sound(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Check, err)
		}
		findings = append(findings, f)
	}
	return findings, nil
}

func (k keptRemedy) remedy() (Remedy, error) {
	switch {
	case k.Change != nil && k.Command == nil && k.Link == nil:
		return *k.Change, nil
	case k.Command != nil && k.Change == nil && k.Link == nil:
		return *k.Command, nil
	case k.Link != nil && k.Change == nil && k.Command == nil:
		return *k.Link, nil
	}
	return nil, errors.New("a remedy that is not exactly one thing")
}

// sound says what keeps f from being a finding.
func (f Finding) sound() error {
	switch {
	case f.Check == "":
		return errors.New("no check")
	case !slices.Contains(Statuses, f.Status):
		return fmt.Errorf("no status: %q", f.Status)
	case !slices.Contains(Layers, f.Layer):
		return fmt.Errorf("no layer: %q", f.Layer)
	case len(f.Evidence) == 0:
		return errors.New("no evidence")
	case f.Duration < 0:
		return errors.New("a negative duration")
	}
	for _, l := range f.Launches {
		if l.Launch != Plain && l.Launch != Iso || !slices.Contains(Statuses, l.Status) {
			return fmt.Errorf("no launch: %q %q", l.Launch, l.Status)
		}
	}
	for _, c := range f.Covers {
		if c.Launch != Plain && c.Launch != Iso || !slices.Contains(Statuses, c.Status) ||
			!slices.Contains(StartDirs, c.Start) || c.Denied < 0 || c.Through < 0 {
			return fmt.Errorf("no start: %q %q %q", c.Launch, c.Start, c.Status)
		}
	}
	return nil
}
