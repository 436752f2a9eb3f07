// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session on a terminal is what a person starts: nothing
// is read off its screen. What the runtime would ask the person is told by a
// hook, which says no; what became of a call is in the runtime's own record.

package rehearsal

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/listen"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// firstPartyPort is where the first-party endpoint is.
const firstPartyPort = 443

// authority is where the certificate of the stage's own endpoint lies.
const authority = stage.Own + "/authority.pem"

// onTerminal plays the session on the terminal that the stage was lent. It is
// over when the script is; a runtime that waits for a person never comes so
// far, and is ended after its time.
func (j job) onTerminal(ctx context.Context, heard *model.Listener, raw *Raw) error {
	s := j.Session
	raw.Terminal = true
	listener, err := listen.Stage()
	if err != nil {
		return err
	}
	api, certificate, err := model.StartFirstParty(listener, j.agent(), j.Endpoint, j.sealed()...)
	if err != nil {
		return err
	}
	defer api.Close()
	raw.watch(api)
	if err := fs.Lay([]fs.Laid{{Path: authority, Mode: 0o644, Data: certificate}}); err != nil {
		return err
	}
	environ := j.variables(api.URL(), authority)
	over, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() { end(watch(over, api, filepath.Base(j.Runtime))) }()
	res := proc.Runner{Env: env.New(environ)}.Run(over, j.start(environ).OnTerminal())
	raw.launched(res)
	select {
	case <-api.Played():
		raw.Played, raw.Exit = true, max(res.Code, 0)
	default:
		if raw.Exit = res.Code; res.Err != nil {
			raw.Failed = res.Err.Error()
		}
		if waits := context.Cause(over); waits != nil {
			raw.Failed = waits.Error()
		}
	}
	for _, path := range fs.Records(j.Records) {
		if b, err := fs.Read(path); err == nil {
			raw.Stream += j.agent().Kept(b)
		}
	}
	raw.read(s, api, heard)
	return nil
}

// watch returns when the session is to be ended: its script is over, or it waits
// for something, which is the error.
func watch(over context.Context, api *model.Server, agent string) error {
	begun := proc.Moment()
	if !happens(over, proc.FirstWord, api.Spoken()) {
		return fmt.Errorf("%s asked its model for nothing within %v: on a terminal it first asks you where settings are "+
			"malformed", agent, proc.FirstWord)
	}
	if patience := proc.Patience(proc.Moment().Sub(begun)); !happens(over, patience, api.Played()) {
		return fmt.Errorf("%s did not answer within %v", agent, patience)
	}
	return nil
}

// happens says whether something happened in that time.
func happens(ctx context.Context, patience time.Duration, happened <-chan struct{}) bool {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	select {
	case <-happened:
		return true
	case <-ctx.Done():
		return false
	}
}

// noTerminal is why a replica plays no session on a terminal.
var noTerminal = &report.Error{Code: report.ExitLeft, Where: "a session on a terminal", What: "needs a stage",
	Why: "the first-party endpoint cannot be put in the place of the real one", Next: "verify where bubblewrap works"}
