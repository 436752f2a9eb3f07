// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a transcript is written where the user said, for the user
// alone, and takes the place of nothing but an earlier transcript.

package engine

import (
	"bytes"
	"errors"
	iofs "io/fs"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// transcriptHead begins every transcript (rehearsal.Save).
const transcriptHead = "{\n \"schema_version\": 1,\n \"sessions\": ["

// CheckTranscript says why no transcript may be written to path: something
// else is there, or nothing can be. nil means that there is nothing, or an
// earlier transcript, and nothing is known to stand in the way. The error is a
// *report.Error with exit code 64.
func CheckTranscript(path string) error {
	_, err := transcriptAt(path)
	return err
}

// transcriptAt is the change that would replace what is at path, without what
// it would leave.
func transcriptAt(path string) (report.Change, error) {
	refused := &report.Error{Code: report.ExitUsage, Where: path, What: "is there already and is no transcript",
		Why: "it would be lost", Next: "name a file that is not there, or an earlier transcript"}
	target, err := fs.Resolve(path)
	if err != nil {
		refused.What, refused.Err = "cannot be written to", err
		return report.Change{}, refused
	}
	c := report.Change{ID: "transcript", Why: "you asked for it", Path: path, Target: target, Mode: 0o600, SetMode: true}
	c.Before, err = fs.ReadAll(target)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		c.Before = nil
	case err != nil:
		refused.Err = err
		return report.Change{}, refused
	case !bytes.HasPrefix(c.Before, []byte(transcriptHead)):
		return report.Change{}, refused
	}
	if err := fs.Denied(c); err != nil {
		return report.Change{}, &report.Error{Code: report.ExitUsage, Where: path, What: "cannot be written to", Err: cause(err),
			Why: "the transcript would be lost", Next: "name a file in a directory that is yours to write"}
	}
	return c, nil
}

// SaveTranscript writes body, which is a transcript without secrets, to path, readable for the user alone (0600). The error is a *report.Error; what
// CheckTranscript refuses is not written.
func SaveTranscript(path string, body []byte) error {
	c, err := transcriptAt(path)
	if err != nil {
		return err
	}
	c.After = body
	if err := fs.Apply(c, "transcript", nil); err != nil {
		return &report.Error{Code: report.ExitLeft, Where: path, What: "the transcript could not be written", Err: cause(err),
			Why: "the answer stands, and is stored as always", Next: "name another file"}
	}
	return nil
}

// cause is what the system said, without the words of a plan around it.
func cause(err error) error {
	var e *report.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}
