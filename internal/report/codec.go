// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a finding that is read back is the finding that was
// written, remedies included. The bytes are signed and kept under a digest of the
// program (engine.KeepResult, verify.Key): no other's are read here.

package report

import (
	"encoding/json"
	"time"
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
		k := keptFinding{Finding: f, Duration: f.Duration}
		for _, r := range f.Remedies {
			var one keptRemedy
			switch r := r.(type) {
			case Change:
				one.Change = &r
			case Command:
				one.Command = &r
			case DocLink:
				one.Link = &r
			}
			k.Remedies = append(k.Remedies, one)
		}
		kept = append(kept, k)
	}
	return json.Marshal(kept)
}

// DecodeFindings reads what EncodeFindings wrote.
func DecodeFindings(b []byte) ([]Finding, error) {
	var kept []keptFinding
	if err := json.Unmarshal(b, &kept); err != nil {
		return nil, err
	}
	findings := make([]Finding, 0, len(kept))
	for _, k := range kept {
		f := k.Finding
		f.Duration, f.Remedies = k.Duration, nil
		for _, r := range k.Remedies {
			switch {
			case r.Change != nil:
				f.Remedies = append(f.Remedies, *r.Change)
			case r.Command != nil:
				f.Remedies = append(f.Remedies, *r.Command)
			case r.Link != nil:
				f.Remedies = append(f.Remedies, *r.Link)
			}
		}
		findings = append(findings, f)
	}
	return findings, nil
}
