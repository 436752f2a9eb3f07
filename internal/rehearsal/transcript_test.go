// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/stage"
)

func sample() Raw {
	nonce := stage.Nonce("run", "/home/me/.aws/credentials")
	return Raw{Session: "plain",
		Stream: `{"type":"user","tool_result_meta":[{"id":"toolu_0_0","permission_decision":{"decision":"accept","reason_type":"rule"}}]}` + "\n" + `{"type":"result","n":1}`,
		Results: map[string]model.Result{"toolu_0_0": {Text: "aws_secret_access_key = " + nonce},
			"toolu_0_1": {Text: "yes /home/me/.npmrc: " + nonce},
			"toolu_0_2": {Text: "GH_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345", Error: true}},
		Asked: true, Hits: []string{"/x"}, Files: map[string]string{"/home/me/.bashrc": "written\n"},
		Outside: []string{"a unix socket was made\n"}}
}

// load reads what Save wrote.
func load(b []byte) ([]Raw, error) {
	var doc transcript
	err := json.Unmarshal(b, &doc)
	return doc.Sessions, err
}

// recording is what was recorded of sessions, by their names.
type recording map[string]Raw

func recordingOf(sessions []Raw) recording {
	r := recording{}
	for _, raw := range sessions {
		r[raw.Session] = raw
	}
	return r
}

func TestATranscriptIsReadAgain(t *testing.T) {
	b := Save([]Raw{sample()})
	if strings.Contains(string(b), "ghp_0123") {
		t.Errorf("a token was saved: %s", b)
	}
	sessions, err := load(b)
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	got := sessions[0]
	if again := Save(sessions); string(again) != string(b) {
		t.Errorf("saved twice:\n%s\n%s", b, again)
	}
	if c := got.Call(0, 0); c.Decision != agent.Ran || c.Why != "rule" {
		t.Errorf("the decision is lost: %+v", c)
	}
	// A canary that got through has got through in the transcript too.
	if !strings.Contains(got.Results["toolu_0_0"].Text, stage.Nonce("run", "/home/me/.aws/credentials")) {
		t.Errorf("an open door is saved as a closed one: %+v", got.Results)
	}
	if got.Complete() != nil || !strings.Contains(got.Results["toolu_0_1"].Text,
		stage.Nonce("run", "/home/me/.aws/credentials")) {
		t.Errorf("what was seen is lost: %+v", got)
	}
	if !reflect.DeepEqual(got.Hits, sample().Hits) || !reflect.DeepEqual(got.Files, sample().Files) ||
		!reflect.DeepEqual(got.Outside, sample().Outside) {
		t.Errorf("%+v", got)
	}
}

// TestEveryTextIsRedacted: a field that is added to Raw must not be forgotten.
func TestEveryTextIsRedacted(t *testing.T) {
	var raw Raw
	v := reflect.ValueOf(&raw).Elem()
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	texts := 0 // the names of the session and of its agent are none
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool, reflect.Int, reflect.Pointer: // the pointer is to Times, which has no text
			continue
		case reflect.String:
			if name := v.Type().Field(i).Name; name == "Session" || name == "Agent" {
				continue
			}
			f.SetString(token)
		case reflect.Slice:
			f.Set(reflect.Append(f, reflect.ValueOf(token)))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
			value := reflect.ValueOf(token)
			if f.Type().Elem() == reflect.TypeFor[model.Result]() {
				value = reflect.ValueOf(model.Result{Text: token})
			}
			f.SetMapIndex(reflect.ValueOf("x").Convert(f.Type().Key()), value)
		}
		texts++
	}
	if b := string(Save([]Raw{raw})); strings.Contains(b, token) || strings.Count(b, redact.Mark) < texts {
		t.Errorf("saved: %s", b)
	}
}

func TestASessionThatBrokeOffSaysSo(t *testing.T) {
	for want, raw := range map[string]Raw{
		"":                                sample(),
		"did not end by itself: too late": {Failed: "too late", Asked: true},
		"never asked the model: the runtime ended with exit code 1: no sandbox": {Exit: 1, Stderr: "x\nno sandbox\n"},
		"broke off: the runtime ended with exit code 137": {Exit: 137, Asked: true,
			Stream: `{"type":"user"}`},
	} {
		err := raw.Complete()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", raw, err, want)
		}
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add(Save([]Raw{sample()}))
	f.Add([]byte(`{"schema_version":1,"sessions":[{"stream":"{\"type\":7}\n{\"tool_result_meta\":[{}]}"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		sessions, err := load(b)
		if err != nil {
			return
		}
		for _, raw := range sessions {
			_, _, _ = raw.Call(0, 0), raw.Record().Hooks(), raw.Complete()
		}
		once := Save(sessions)
		again, err := load(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if len(again) != len(sessions) {
			t.Fatal("sessions are lost")
		}
	})
}
