// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: evidence comes from anybody. It is understood completely or
// refused with its place, and nothing in it makes the reader work long.

package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/strict"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// The bounds of a recorded session: a rehearsal's has three turns and some 150 calls,
// whose replies have up to 6 kB. Each call may read the longest of them.
const (
	maxTurn  = 16
	maxCalls = 1000
	maxReads = 64 << 20
)

// ReadEvidence reads what Evidence.File wrote; name is what errors call the file. They
// are *report.Errors with exit code 65.
func ReadEvidence(name string, file []byte) (e Evidence, err error) {
	refuse := func(where, what string, err error) error {
		return &report.Error{Code: report.ExitMalformed, Where: where, What: what, Err: err,
			Why: "nothing of it is judged", Next: "ask for the file as verify --evidence wrote it"}
	}
	at := func(offset int64) string {
		before := file[:min(max(offset, 0), int64(len(file)))]
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		return fmt.Sprintf("%s:%d:%d", name, bytes.Count(before, []byte("\n"))+1, max(1, len(line)))
	}
	understood := func(begins int, err error) error {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return refuse(at(int64(begins)+syntax.Offset), "is not understood", err)
		}
		if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return refuse(at(int64(begins)+kind.Offset), "is not understood", err)
		}
		return refuse(name, "is not understood", err)
	}
	var doc envelope
	if len(file) > fs.MaxRead {
		return e, refuse(name, strict.TooLarge(fs.MaxRead), nil)
	}
	if err := json.Unmarshal(file, &doc); err != nil {
		return e, understood(0, err)
	}
	switch {
	case doc.Kind != engine.Evidence.Kind:
		return e, refuse(name, "is no evidence of steward-setup", nil)
	case doc.SchemaVersion > 1:
		return e, refuse(name, fmt.Sprintf("has schema %d; this program reads schema 1: update it", doc.SchemaVersion), nil)
	case doc.SchemaVersion != 1:
		return e, refuse(name, fmt.Sprintf("has schema %d, which there is not", doc.SchemaVersion), nil)
	case doc.Digest != report.DigestOf(doc.Body):
		return e, refuse(name, "is damaged or was edited: its digest is that of other bytes", nil)
	}
	d := json.NewDecoder(bytes.NewReader(doc.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, understood(max(0, bytes.Index(file, doc.Body)), err)
	}
	if what := e.wrong(); what != "" {
		return e, refuse(name, what, nil)
	}
	return e, nil
}

// wrong is what of evidence cannot be: "" if nothing.
func (e Evidence) wrong() string {
	if e.At.Unix() <= 0 {
		return "does not say when the test was"
	}
	for _, name := range []string{PlainRoot, Twin} {
		if e.Untested == "" && !slices.ContainsFunc(e.Played.Sessions, func(s Session) bool { return s.Name == name }) {
			return fmt.Sprintf("lacks the session %q, and does not say why", name)
		}
	}
	known := []string{Twin}
	for _, p := range places {
		known = append(known, p.session)
	}
	for i, s := range e.Played.Sessions {
		if !slices.Contains(known, s.Name) || slices.ContainsFunc(e.Played.Sessions[:i], func(o Session) bool {
			return o.Name == s.Name
		}) {
			return fmt.Sprintf("has a session %q, which there is not, or twice", s.Name)
		}
		calls, longest := len(s.Probes)+len(s.More), 0
		for _, r := range s.Raw.Results {
			longest = max(longest, len(r.Text))
		}
		if calls > maxCalls || calls*longest > maxReads {
			return fmt.Sprintf("has %d calls in a session, with replies of up to %d bytes: too many to judge", calls, longest)
		}
		if what := wrongCall(append(slices.Clip(s.Probes), s.More...)); what != "" {
			return what
		}
	}
	for _, f := range e.Findings {
		if !slices.Contains(report.Statuses, f.Status) || len(f.Evidence) == 0 {
			return fmt.Sprintf("has a finding %q without a status or without evidence", f.Check)
		}
		if !slices.Contains(report.Layers, f.Layer) { // a report shows findings by their layer
			return fmt.Sprintf("has a finding %q of the layer %q, which there is not", f.Check, f.Layer)
		}
	}
	return ""
}

func wrongCall(probes []trial.Probe) string {
	for _, p := range probes {
		switch {
		case p.Turn < 0 || p.Turn > maxTurn:
			return fmt.Sprintf("has the call %q in turn %d", p.ID, p.Turn)
		case p.Call.Input == nil:
			return fmt.Sprintf("has the call %q without its input", p.ID)
		}
		if what := wrongCall(p.With); what != "" {
			return what
		}
	}
	return ""
}
