// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a transcript holds what was seen and no secret, and is
// read again as untrusted input.

package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Bounds of a transcript that is read: bytes of the file, sessions, and
// results or files of each. A session's own output has at most 4 MB
// (internal/host/proc).
const (
	maxTranscript = 64 << 20
	maxSessions   = 200
	maxResults    = 5000
)

// transcript is the file. Its version is its own.
type transcript struct {
	SchemaVersion int   `json:"schema_version"`
	Sessions      []Raw `json:"sessions"`
}

// Save is the sessions as a JSON document with schema_version 1, without
// secrets: every text has passed internal/redact. The nonces of canaries stay.
func Save(sessions []Raw) []byte {
	doc := transcript{SchemaVersion: 1, Sessions: []Raw{}}
	for _, raw := range sessions {
		doc.Sessions = append(doc.Sessions, raw.redacted())
	}
	b, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return append(redact.JSON(b), '\n')
}

// Load reads what Save wrote. The error is a *report.Error with exit code 65.
func Load(b []byte) ([]Raw, error) {
	bad := func(what string, err error) ([]Raw, error) {
		return nil, &report.Error{Code: report.ExitMalformed, Where: "the transcript", What: what, Err: err,
			Why: "what was seen cannot be judged again", Next: "steward-setup verify --transcript FILE   # writes a new one"}
	}
	if len(b) > maxTranscript {
		return bad(fmt.Sprintf("is larger than %d MB", maxTranscript>>20), nil)
	}
	var doc transcript
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&doc); err != nil {
		return bad("is not JSON of its form", err)
	}
	if doc.SchemaVersion != 1 {
		return bad(fmt.Sprintf("has schema_version %d; this program reads 1", doc.SchemaVersion), nil)
	}
	if len(doc.Sessions) > maxSessions {
		return bad(fmt.Sprintf("has more than %d sessions", maxSessions), nil)
	}
	for _, raw := range doc.Sessions {
		if len(raw.Results) > maxResults || len(raw.Files) > maxResults || len(raw.Hits) > maxResults ||
			len(raw.Sent) > maxResults || len(raw.Outside) > maxResults {
			return bad(fmt.Sprintf("has more than %d results in one session", maxResults), nil)
		}
	}
	return doc.Sessions, nil
}

// redacted is the session without secrets.
func (raw Raw) redacted() Raw {
	return raw.mapped(func(text string) string {
		// Line by line: each of the stream's is a document, and an
		// open quote in one must not hide the next.
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = redactLine(l)
		}
		return redact.Replace(strings.Join(lines, "\n"), nonces)
	})
}

// nonces is what is left of a secret: the nonces of canaries in it, which show
// that something got through. Without them an open door would be read as a
// closed one.
func nonces(secret string) string {
	if found := stage.Nonces(secret); len(found) > 0 {
		return strings.Join(found, " ")
	}
	return redact.Mark
}

// redactLine redacts the strings of a line that is a document, so that it
// stays one, and else the line.
func redactLine(line string) string {
	var doc any
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &doc) != nil {
		return redact.Replace(line, nonces)
	}
	b, err := json.Marshal(redactValue("", doc))
	if err != nil {
		return redact.Replace(line, nonces)
	}
	return string(b)
}

func redactValue(name string, v any) any {
	switch v := v.(type) {
	case string:
		if redact.CredentialName(name) {
			return nonces(v)
		}
		return redact.Replace(v, nonces)
	case []any:
		for i := range v {
			v[i] = redactValue(name, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = redactValue(k, v[k])
		}
	}
	return v
}

// mapped is the session with every text of it as f makes it.
func (raw Raw) mapped(f func(string) string) Raw {
	out := raw
	out.Stream, out.Stderr, out.Failed, out.Sandbox, out.Status = f(raw.Stream), f(raw.Stderr), f(raw.Failed),
		f(raw.Sandbox), f(raw.Status)
	out.Results = map[string]model.Result{}
	for id, r := range raw.Results {
		out.Results[id] = model.Result{Text: f(r.Text), Error: r.Error}
	}
	out.Files = map[string]string{}
	for path, text := range raw.Files {
		out.Files[f(path)] = f(text)
	}
	out.NotOffered = map[OfferKind]string{}
	for kind, why := range raw.NotOffered {
		out.NotOffered[kind] = f(why)
	}
	out.Hits, out.Outside, out.Sent = nil, nil, nil
	for _, nonce := range raw.Sent {
		out.Sent = append(out.Sent, f(nonce))
	}
	for _, hit := range raw.Hits {
		out.Hits = append(out.Hits, f(hit))
	}
	for _, text := range raw.Outside {
		out.Outside = append(out.Outside, f(text))
	}
	return out
}

// Recording is a Player that plays nothing: it answers each session with what
// was recorded under its name.
type Recording map[string]Raw

// Record makes a Recording of sessions; of two with one name the last counts.
func Record(sessions []Raw) Recording {
	r := Recording{}
	for _, raw := range sessions {
		r[raw.Session] = raw
	}
	return r
}

// Play implements Player. A session that was not recorded is an error.
func (r Recording) Play(ctx context.Context, s Session) (Raw, error) {
	if ctx.Err() != nil {
		return Raw{}, &report.Error{Code: report.ExitInterrupted, What: "interrupted"}
	}
	raw, ok := r[s.Name]
	if !ok {
		return Raw{}, &report.Error{Code: report.ExitLeft, Where: "the transcript", What: "has no session named " + s.Name,
			Why:  "it was recorded with other sessions",
			Next: "record it again with this version: steward-setup verify --transcript FILE"}
	}
	return raw, nil
}

// Recorder is a Player that keeps what another plays. Several goroutines may
// play at a time.
type Recorder struct {
	Player
	mu       sync.Mutex
	sessions []Raw
}

// Sessions are what was played so far, by name.
func (r *Recorder) Sessions() []Raw {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(slices.Values(r.sessions), func(a, b Raw) int {
		return strings.Compare(a.Session, b.Session)
	})
}

// Play implements Player.
func (r *Recorder) Play(ctx context.Context, s Session) (Raw, error) {
	raw, err := r.Player.Play(ctx, s)
	if err == nil {
		r.mu.Lock()
		r.sessions = append(r.sessions, raw)
		r.mu.Unlock()
	}
	return raw, err
}
