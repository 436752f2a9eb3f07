// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a transcript holds what was seen and no secret.

package rehearsal

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/stage"
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
		doc.Sessions = append(doc.Sessions, raw.Redacted())
	}
	b, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return append(redact.JSON(b), '\n')
}

// Redacted is the session without secrets.
func (raw Raw) Redacted() Raw {
	return raw.mapped(func(text string) string {
		// Line by line: each of the stream's is a document, and an
		// open quote in one must not hide the next.
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = RedactLine(l)
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

// RedactLine redacts the strings of a line that is a document, so that it
// stays one, and else the line. The nonces of canaries stay.
func RedactLine(line string) string {
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
	for _, list := range []*[]string{&out.Hits, &out.Outside, &out.Sent, &out.Unlooked} {
		*list = slices.Clone(*list)
		for i, text := range *list {
			(*list)[i] = f(text)
		}
	}
	return out
}
