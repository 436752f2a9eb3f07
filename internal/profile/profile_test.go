// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/profile"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

type event struct {
	Name    string
	Ph      string
	Ts, Dur int64
	Tid     int
	Args    map[string]any
}

// at is a time so many milliseconds after the run began.
func at(ms int) time.Time { return time.UnixMilli(1_800_000_000_000 + int64(ms)).UTC() }

// session is one from begun to done, in milliseconds, with two calls in one
// message.
func session(name string, begun, done int) rehearsal.Raw {
	line := func(ms int, kind, block string) string {
		return `{"type":"` + kind + `","timestamp":"` + at(begun+ms).Format(time.RFC3339Nano) + `","message":{"content":[` +
			block + `]}}` + "\n"
	}
	stream := line(20, "assistant", `{"type":"tool_use","id":"toolu_0_0","name":"Bash","input":{"command":"echo ghp_0123456789abcdefghijklmnopqrstuvwxyzABCD"}}`) +
		line(21, "assistant", `{"type":"tool_use","id":"toolu_0_1","name":"Read","input":{"file_path":"/home/x/README.md"}}`) +
		line(30, "user", `{"type":"tool_result","tool_use_id":"toolu_0_0"}`) + line(35, "user",
		`{"type":"tool_result","tool_use_id":"toolu_0_1"}`)
	return rehearsal.Raw{Session: name, Stream: stream, Results: map[string]model.Result{"toolu_0_0": {}, "toolu_0_1": {}},
		Times: &rehearsal.Times{
			Begun: at(begun), Started: at(begun + 2), Inside: at(begun + 4), Laid: at(begun + 5), Launched: at(begun + 6),
			Ended: at(done - 2), Done: at(done),
			Requests: []model.Asked{{At: at(begun + 15), Answered: at(begun + 16), Bytes: 9},
				{At: at(begun + 40), Answered: at(begun + 41)}},
			CPU: 300 * time.Millisecond, Plays: 1}}
}

func TestATraceOfTwoSessions(t *testing.T) {
	clock := 0
	trace := profile.New(func() time.Time { return at(clock) })
	sink := trace.Sink(func(engine.Event) {})
	sink(engine.CheckStarted{ID: "denials"})
	clock = 200
	sink(engine.CheckDone{Finding: report.Finding{Check: "denials", Status: report.Pass}})
	trace.Session(session("one", 0, 60))
	trace.Session(session("two", 10, 70))
	floor := session(rehearsal.FloorName, 80, 150)
	floor.Times.CPU = 100 * time.Millisecond
	trace.Session(floor)
	trace.Session(rehearsal.Raw{Session: "without times"})
	b := trace.JSON("verify")
	if strings.Contains(string(b), "ghp_") {
		t.Error("a token is shown")
	}
	var events []event
	if err := json.Unmarshal(b, &events); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	lanes, parts := map[string]int{}, map[string]int64{}
	for _, e := range events {
		switch {
		case e.Ph == "M":
		case e.Ph != "X" || e.Dur < 0 || e.Ts < 0:
			t.Errorf("%+v", e)
		case e.Name == "one" || e.Name == "two" || e.Name == rehearsal.FloorName:
			lanes[e.Name] = e.Tid
		case e.Name == "verify" && e.Args["cpu_per_session_and_floor"] != 3.0:
			t.Errorf("%v", e.Args)
		case e.Tid > 0 && e.Tid == lanes["two"] && e.Ts < 70_000 && e.Name != "runtime":
			parts[e.Name] += e.Dur
		}
	}
	if lanes["one"] == lanes["two"] || lanes["one"] != lanes[rehearsal.FloorName] {
		t.Errorf("lanes %v", lanes)
	}
	sum := int64(0)
	for _, took := range parts {
		sum += took
	}
	if sum != 60_000 {
		t.Errorf("the parts of a session of 60 ms come to %d µs: %v", sum, parts)
	}
	if parts["call: Read README.md"] != 5000 {
		t.Errorf("a call begins when the one before it ended: %v", parts)
	}
}

// What it makes is what the engine takes for an earlier one.
func TestATraceTakesThePlaceOfAnEarlierOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	for _, command := range []string{"verify", "doctor"} {
		if err := engine.Profile.Save(path, profile.New(func() time.Time { return at(0) }).JSON(command)); err != nil {
			t.Error(err)
		}
	}
	if err := engine.Transcript.Check(path); err == nil {
		t.Error("a profile is no transcript")
	}
}
