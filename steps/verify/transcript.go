// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a transcript holds what a session said, and no secret: on
// the stage there are only canaries, and what else looks like a secret is
// taken out.

package verify

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// Transcript returns the sessions as JSON, a line each, redacted. The nonces
// of canaries stay: without them nobody could judge it again.
func Transcript(raws []rehearsal.Raw) ([]byte, error) {
	var out bytes.Buffer
	for _, raw := range raws {
		b, err := json.Marshal(raw)
		if err != nil {
			return nil, err
		}
		var doc any
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.UseNumber()
		if err := dec.Decode(&doc); err != nil {
			return nil, err
		}
		if b, err = json.Marshal(hidden(doc)); err != nil {
			return nil, err
		}
		out.Write(append(b, '\n'))
	}
	return out.Bytes(), nil
}

// hidden is a JSON value with each of its texts redacted, so that what is left
// is the same document.
func hidden(v any) any {
	switch v := v.(type) {
	case string:
		return redact.Replace(v, canariesOf)
	case []any:
		for i := range v {
			v[i] = hidden(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = hidden(v[key])
		}
	}
	return v
}

// nonce is the shape of a canary's nonce (stage.Nonce).
var nonce = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("canary[0-9a-f]{26}") })

// canariesOf is what stays of something that looks like a secret.
func canariesOf(secret string) string {
	if found := nonce().FindAllString(secret, -1); found != nil {
		return strings.Join(found, " ")
	}
	return redact.Mark
}
