// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a run keeps of itself is written where the user said,
// for the user alone, and takes the place of nothing but an earlier one.

package engine

import (
	"bytes"
	"errors"
	iofs "io/fs"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Kept is a kind of file that a run writes because the user named one.
type Kept struct {
	// name is what people call it. Head begins every one; Kind is what it calls
	// itself there, if it does.
	name, Head, Kind string
}

const evidenceKind = report.Program + " evidence"

// The kinds: what the sessions of a rehearsal said (rehearsal.Save), where the time
// went (internal/profile), and what a verdict rests on (verify.Evidence).
var (
	Transcript = Kept{name: "transcript", Head: "{\n \"schema_version\": 1,\n \"sessions\": ["}
	Profile    = Kept{name: "profile",
		Head: "[\n" + `{"name":"process_name","ph":"M","ts":0,"dur":0,"pid":1,"tid":0,"args":{"name":"steward-setup `}
	Evidence = Kept{"evidence file", "{\n \"schema_version\": 1,\n \"kind\": \"" + evidenceKind + "\",", evidenceKind}
)

// Check says why none may be written to path: something else is there, or
// nothing can be. nil means that there is nothing, or an earlier one, and
// nothing is known to stand in the way. The error is a *report.Error with exit
// code 64.
func (k Kept) Check(path string) error {
	_, err := k.at(path)
	return err
}

// at is the change that would replace what is at path, without what it would
// leave.
func (k Kept) at(path string) (report.Change, error) {
	refused := &report.Error{Code: report.ExitUsage, Where: path, What: "is there already and is no " + k.name,
		Why: "it would be lost", Next: "name a file that is not there, or an earlier " + k.name}
	const unwritable = "cannot be written to"
	target, err := fs.Resolve(path)
	if err != nil {
		refused.What, refused.Err = unwritable, err
		return report.Change{}, refused
	}
	c := report.Change{ID: report.ID(k.name), Why: "you asked for it", Path: path, Target: target, Mode: 0o600,
		SetMode: true}
	c.Before, err = fs.ReadAll(target)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		c.Before = nil
	case err != nil:
		refused.Err = err
		return report.Change{}, refused
	case !bytes.HasPrefix(c.Before, []byte(k.Head)):
		return report.Change{}, refused
	}
	if err := fs.Denied(c); err != nil {
		refused.What, refused.Err = unwritable, cause(err)
		refused.Why, refused.Next = "the "+k.name+" would be lost", "name a file in a directory that is yours to write"
		return report.Change{}, refused
	}
	return c, nil
}

// StillValid is said where what a run was to keep of itself is not written.
const StillValid = "the result is valid, and is stored as usual"

// Save writes body, which holds no secret, to path, readable for the user alone
// (0600). The error is a *report.Error; what Check refuses is not written.
func (k Kept) Save(path string, body []byte) error {
	c, err := k.at(path)
	if err != nil {
		return err
	}
	c.After = body
	if err := fs.Apply(c, k.name, nil); err != nil {
		return &report.Error{Code: report.ExitLeft, Where: path, What: "the " + k.name + " could not be written",
			Err: cause(err), Why: StillValid, Next: "name another file"}
	}
	return nil
}

// cause is what the system said, without the words of a plan around it.
func cause(err error) error {
	if e, ok := errors.AsType[*report.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}
