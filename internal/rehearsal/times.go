// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the time of a session went is told by those who saw
// it: the host, the player on the stage, the scripted model, and the runtime's
// own stream. It is kept only when it is asked for.

package rehearsal

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Times says when the parts of a session were done.
type Times struct {
	// Begun is when the stage began to be worked out, Started when it was
	// started, Done when its result had been read: on the host.
	Begun   time.Time `json:"begun"`
	Started time.Time `json:"started"`
	Done    time.Time `json:"done"`
	// Inside is when the player had its job, Laid when the files lay there,
	// Launched and Ended are those of the runtime; on the stage.
	Inside   time.Time `json:"inside"`
	Laid     time.Time `json:"laid"`
	Launched time.Time `json:"launched"`
	Ended    time.Time `json:"ended"`
	// Requests are what the runtime asked the model.
	Requests []model.Asked `json:"requests,omitempty"`
	// CPU is the processor time of everything on the stage, 0 if it was not
	// counted.
	CPU time.Duration `json:"cpu_ns"`
	// Plays is how many times it was played.
	Plays int `json:"plays"`
}

// watch has the model note when it is asked, if the times are wanted.
func (raw *Raw) watch(api *model.Server) {
	if raw.Times != nil {
		api.Note(proc.Moment)
	}
}

// launched notes how long the runtime ran.
func (raw *Raw) launched(res proc.Result) {
	if raw.Times != nil {
		raw.Times.Launched, raw.Times.Ended = res.Began, res.Ended
	}
}

// FloorName is the name of the session of Floor.
const FloorName = "floor: the same runtime, nothing to do"

// Floor is a session in dir whose script is empty: what a session costs at the
// least.
func Floor(dir string) Session {
	return Session{Name: FloorName, Launch: report.Plain, Mode: Policy, Dir: dir, Turns: []model.Turn{{}}, Timed: true}
}

// CallTime is one call as the runtime's stream tells it.
type CallTime struct {
	// ID is that of the call (model.ID), Tool its tool, What the first words of
	// a command or the name of a file, Began when the runtime had it, Ended
	// when it had the result.
	ID, Tool     string
	What         string
	Began, Ended time.Time
}

// CallTimes are the calls whose times the stream tells: it has them since
// 2.1.324 at the latest. The runtime runs commands of one message one after the
// other: a call's own time begins when the call before it ended.
func (raw Raw) CallTimes() []CallTime {
	var list []CallTime
	at := map[string]int{}
	raw.lines(func(l line) {
		var blocks []struct {
			Type string `json:"type"`
			ID   string `json:"id"`
			Name string `json:"name"`
			Of   string `json:"tool_use_id"`
			In   struct {
				Command string `json:"command"`
				Path    string `json:"file_path"`
			} `json:"input"`
		}
		if l.Timestamp.IsZero() || json.Unmarshal(l.Message.Content, &blocks) != nil {
			return
		}
		for _, b := range blocks {
			switch i, known := at[model.Short(b.Of)]; {
			case b.Type == "tool_use":
				at[model.Short(b.ID)] = len(list)
				list = append(list, CallTime{ID: model.Short(b.ID), Tool: b.Name, What: what(b.In.Command, b.In.Path),
					Began: l.Timestamp})
			case b.Type == "tool_result" && known:
				list[i].Ended = l.Timestamp
			case b.Type == "tool_result": // of a session on a terminal answers alone are kept
				list = append(list, CallTime{ID: model.Short(b.Of), Ended: l.Timestamp})
			}
		}
	})
	return list
}

// maxWhat bounds what is shown of a command, in bytes.
const maxWhat = 60

// what a call is about: the word of the tool on the stage, or how its command
// begins.
func what(command, path string) string {
	if _, word, ours := strings.Cut(command, stage.Self+" stage "); ours {
		word, _, _ = strings.Cut(word, " ")
		return "stage " + word
	}
	text := command
	if path != "" {
		text = filepath.Base(path)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxWhat)], "")
}
