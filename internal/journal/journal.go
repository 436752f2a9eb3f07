// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package journal is the record of what the hooks saw: each request to run
// outside the sandbox and each denial that was recognised, one JSON line each.
//
// Contract: a record holds no secret and no control character, whatever was
// put into it, and is at most MaxLine bytes long. Reading takes any bytes: a
// torn or foreign line is passed over. The package is pure; who appends and
// reads the file hands its own functions in.
package journal

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// MaxFile bounds the journal and its one old generation, each, in bytes.
const MaxFile = 1 << 20

// MaxLine bounds one record, in bytes.
const MaxLine = 8 << 10

// Path is the journal's file in the state directory.
func Path(stateDir string) string { return filepath.Join(stateDir, "journal.jsonl") }

// Generations are the files that hold records, oldest first: what
// fs.AppendLine renamed, and the journal. Either may be absent.
func Generations(stateDir string) []string { return []string{Path(stateDir) + ".1", Path(stateDir)} }

// Kind says what was seen.
type Kind string

// The kinds.
const (
	// Bypass is a call that asked to run outside the sandbox. Whether it
	// was allowed to is unknown when the hook runs.
	Bypass Kind = "bypass"
	// Denial is an error that a troubleshooting entry explains.
	Denial Kind = "denial"
)

// Record is one line of the journal.
type Record struct {
	Time time.Time `json:"time"`
	// Session is the runtime's id of the session, Project the directory
	// that it worked in; either is "" if the call did not say.
	Session string `json:"session,omitempty"`
	Project string `json:"project,omitempty"`
	Kind    Kind   `json:"kind"`
	// Entry is the troubleshooting entry of a Denial.
	Entry   string `json:"entry,omitempty"`
	Command string `json:"command,omitempty"`
	// Reason is why the agent asked for a Bypass, in its own words.
	Reason string `json:"reason,omitempty"`
}

// Limits of the texts in a record, in characters. A character takes at most 6
// bytes in JSON, so that a whole record stays below MaxLine.
const (
	maxName = 128
	maxPath = 256
	maxText = 400
)

// clean redacts, neutralises and cuts the record's texts.
func (r *Record) clean() {
	r.Session = redact.Short(r.Session, maxName)
	r.Project = redact.Short(r.Project, maxPath)
	r.Entry = redact.Short(r.Entry, maxName)
	r.Command = redact.Short(r.Command, maxText)
	r.Reason = redact.Short(r.Reason, maxText)
}

// Line returns the record as one line of JSON without a newline, its texts
// redacted, neutralised and cut, its time in UTC to the second. A time that
// JSON cannot hold gives nil.
func (r Record) Line() []byte {
	r.clean()
	r.Time = r.Time.UTC().Truncate(time.Second)
	line, err := jsontext.Of(r)
	if err != nil {
		return nil
	}
	return line
}

// Parse returns the records in data, oldest first. Lines that are no record
// or are longer than MaxLine are passed over; of more than twice MaxFile the
// first part is. The texts are cleaned again: the file may be anybody's.
func Parse(data []byte) []Record {
	var records []Record
	for line := range bytes.Lines(data[max(0, len(data)-2*MaxFile):]) {
		var r Record
		if len(line) > MaxLine || json.Unmarshal(line, &r) != nil || r.Kind != Bypass && r.Kind != Denial {
			continue
		}
		r.clean()
		records = append(records, r)
	}
	return records
}

// Bypasses counts the requests of a session to run outside the sandbox in data.
// The texts of the records are not looked at: a footer counts on every refresh,
// and a session may have hundreds.
func Bypasses(data []byte, session string) (n int) {
	for line := range bytes.Lines(data) {
		if len(line) > MaxLine || !bytes.Contains(line, []byte(session)) {
			continue
		}
		var r struct {
			Time    time.Time `json:"time"`
			Session string    `json:"session"`
			Kind    Kind      `json:"kind"`
		}
		if json.Unmarshal(line, &r) == nil && r.Kind == Bypass && r.Session == session {
			n++
		}
	}
	return n
}
