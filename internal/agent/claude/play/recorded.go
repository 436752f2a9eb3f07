// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime itself writes down of a session, and when a call began.

package play

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Kept implements agent.Agent: the lines that say what became of a call or which
// permission mode is in force.
func (Claude) Kept(record []byte) string {
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
		if short(b.ID) == id {
			return true
		}
	}
	return false
}

// Times implements agent.Record, of the calls whose times the stream tells: it has them since
// 2.1.324 at the latest. The runtime runs commands of one message one after the
// other: a call's own time begins when the call before it ended.
func (r record) Times() []agent.CallTime {
	var list []agent.CallTime
	at := map[string]int{}
	for _, l := range r.all {
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
			continue
		}
		for _, b := range blocks {
			switch i, known := at[short(b.Of)]; {
			case b.Type == "tool_use":
				at[short(b.ID)] = len(list)
				list = append(list, agent.CallTime{ID: short(b.ID), Tool: b.Name, What: what(b.In.Command, b.In.Path),
					Began: l.Timestamp})
			case b.Type == "tool_result" && known:
				list[i].Ended = l.Timestamp
			case b.Type == "tool_result": // of a session on a terminal answers alone are kept
				list = append(list, agent.CallTime{ID: short(b.Of), Ended: l.Timestamp})
			}
		}
	}
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
