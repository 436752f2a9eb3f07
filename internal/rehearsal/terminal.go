// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session on a terminal is what a person starts: nothing
// is read off its screen. What the runtime would ask the person is told by a
// hook, which says no; what became of a call is in the runtime's own record.

package rehearsal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
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

// wordAsked is what the hook calls this program with.
const wordAsked = "asked"

// askedAbout is what a call gets back that the runtime would have asked a
// person about; refusal is the answer of a PermissionRequest hook that says so
// in place of the dialog (measured with 2.1.324 and 2.1.329: the hook runs
// where the dialog would open, in every permission mode, and the turn goes on).
const askedAbout = "steward-setup: the runtime would have asked about this call"

var refusal = claude.Refusal(askedAbout) + "\n"

// asking is that hook in a settings file.
var asking = json.RawMessage(claude.CommandHook(claude.PermissionRequest, stage.Self+" stage "+wordAsked))

// answered are the keys of the runtime's state that keep its first screens
// from asking: the key of the environment is accepted (the last 20 characters
// name it), and the notices of auto mode have been seen (read in 2.1.324 and
// 2.1.329).
func answered(key string) map[string]any {
	return map[string]any{
		"customApiKeyResponses": map[string]any{"approved": []string{key[max(0, len(key)-20):]},
			"rejected": []string{}},
		"hasSeenAutoModeEntryWarning":      true,
		"hasSeenAutoModeOutsideReadPrompt": true,
		"hasSeenAutoDefaultNotice":         true,
	}
}

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
	api, certificate, err := model.StartFirstParty(listener, j.sealed()...)
	if err != nil {
		return err
	}
	defer api.Close()
	raw.watch(api)
	if err := fs.Lay([]fs.Laid{{Path: authority, Mode: 0o644, Data: certificate}}); err != nil {
		return err
	}
	environ := append(j.Environ, "NODE_EXTRA_CA_CERTS="+authority)
	over, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() { end(watch(over, api)) }()
	res := proc.Runner{Env: env.New(environ)}.Run(over, j.agent(environ).OnTerminal())
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
	for _, path := range fs.Records(filepath.Join(j.Agent, "projects")) {
		if b, err := fs.Read(path); err == nil {
			raw.Stream += ofCalls(b)
		}
	}
	raw.read(s, api, heard)
	return nil
}

// watch returns when the session is to be ended: its script is over, or it waits
// for something, which is the error.
func watch(over context.Context, api *model.Server) error {
	begun := proc.Moment()
	if !happens(over, proc.Patience(0), api.Spoken()) {
		return fmt.Errorf("claude asked for nothing within %v", proc.Patience(0))
	}
	if patience := proc.Patience(proc.Moment().Sub(begun)); !happens(over, patience, api.Played()) {
		return fmt.Errorf("claude did not answer within %v", patience)
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

// ofCalls are the lines of the runtime's record that say what became of a call
// or which permission mode is in force.
func ofCalls(record []byte) string {
	var kept strings.Builder
	scan := bufio.NewScanner(bytes.NewReader(record))
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var l line
		if json.Unmarshal(scan.Bytes(), &l) == nil && (l.Decided.Decision != "" || l.Permission != "") {
			kept.Write(scan.Bytes())
			kept.WriteByte('\n')
		}
	}
	return kept.String()
}

// ownRecord is a line of the runtime's own record of a session (measured with
// 2.1.324 and 2.1.329).
type ownRecord struct {
	Decided struct {
		Decision string `json:"decision"`
		Reason   string `json:"reasonType"`
		Code     string `json:"reasonCode"`
	} `json:"permissionDecision"`
	Permission string `json:"permissionMode"`
	Message    struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// of says whether the line is about the call with that ID.
func (r ownRecord) of(id string) bool {
	var blocks []struct {
		ID string `json:"tool_use_id"`
	}
	if r.Decided.Decision == "" || json.Unmarshal(r.Message.Content, &blocks) != nil {
		return false
	}
	for _, b := range blocks {
		if model.Short(b.ID) == id {
			return true
		}
	}
	return false
}

// PermissionMode is the permission mode that a session on a terminal was in,
// in the runtime's own word; "" if it is unknown.
func (raw Raw) PermissionMode() string {
	mode := ""
	raw.lines(func(l line) {
		if mode == "" {
			mode = l.Permission
		}
	})
	return mode
}

// noTerminal is why a replica plays no session on a terminal.
var noTerminal = &report.Error{Code: report.ExitLeft, Where: "a session on a terminal", What: "needs a stage",
	Why: "the first-party endpoint cannot be put in the place of the real one", Next: "verify where bubblewrap works"}
