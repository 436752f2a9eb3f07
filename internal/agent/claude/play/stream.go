// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who decided about a call is read from the structured
// channels of the runtime. Where a version has none, the words of the reply
// are all there is, and the decision says so.

package play

import (
	"bytes"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// line is what is read of one line of the stream.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	hookRun
	ownRecord
	Timestamp time.Time `json:"timestamp"`
	ToolUse   string    `json:"tool_use_id"`
	Reason    string    `json:"decision_reason_type"`
	Meta      []struct {
		ID       string `json:"id"`
		NotRun   string `json:"non_execution_kind"`
		Decision struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason_type"`
		} `json:"permission_decision"`
		Remedy struct {
			Kind string `json:"kind"`
		} `json:"remedy"`
	} `json:"tool_result_meta"`
}

// hookRun is agent.HookRun in the words of the stream.
type hookRun struct {
	Name    string `json:"hook_name"`
	Event   string `json:"hook_event"`
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
	Output  string `json:"output"`
	Exit    int    `json:"exit_code"`
	Outcome string `json:"outcome"`
}

// lines are the documents of a stream, and what is read of each.
func lines(stream []byte) iter.Seq2[[]byte, line] {
	return func(yield func([]byte, line) bool) {
		for text := range bytes.SplitSeq(stream, []byte("\n")) {
			var l line
			if json.Unmarshal(text, &l) == nil && !yield(text, l) {
				return
			}
		}
	}
}

// record is a stream that was read once; told are its lines that say something of
// calls.
type record struct{ all, told []line }

// Read implements agent.Agent.
func (Claude) Read(stream string) agent.Record {
	var r record
	for _, l := range lines([]byte(stream)) {
		r.all = append(r.all, l)
		if l.Subtype == "permission_denied" || l.Decided.Decision != "" || len(l.Meta) > 0 {
			r.told = append(r.told, l)
		}
	}
	return r
}

// Ended implements agent.Record: the last document is the result.
func (r record) Ended() bool {
	return slices.ContainsFunc(r.all, func(l line) bool { return l.Type == "result" })
}

// Mode implements agent.Record.
func (r record) Mode() string {
	for _, l := range r.all {
		if l.Permission != "" {
			return l.Permission
		}
	}
	return ""
}

// Told implements agent.Record.
func (r record) Told(id, reply string) agent.Told {
	c := agent.Told{Decision: agent.Untold}
	denied := ""
	for _, l := range r.told {
		if l.Subtype == "permission_denied" && l.ToolUse == id {
			denied = l.Reason
		}
		if l.of(id) {
			c.Why = l.Decided.Reason
			switch {
			case l.Decided.Decision == "accept":
				c.Decision = agent.Ran
			case l.Decided.Code == "hook:PermissionRequest":
				c.Decision = agent.Asked
			case l.Decided.Decision == "reject":
				c.Decision = agent.Rule
			}
		}
		for _, m := range l.Meta {
			if m.ID != id {
				continue
			}
			c.Why = m.Decision.Reason
			c.Violation = m.Remedy.Kind == "sandbox_violation"
			switch {
			case m.NotRun == "permission-rule", m.NotRun == "" && m.Decision.Decision == "reject":
				c.Decision = agent.Rule
			case m.NotRun == "user-rejected":
				c.Decision = agent.Asked
			case m.NotRun != "": // interrupted, cancelled, and what a later version adds
				c.Decision, c.Why = agent.Cut, m.NotRun
			case m.Decision.Decision == "accept":
				c.Decision = agent.Ran
			}
		}
	}
	if denied != "" {
		c.Why = denied
		if denied == "hook" {
			c.Decision = agent.ByHook
		} else if c.Decision == agent.Untold {
			c.Decision = agent.Asked
		}
	}
	if c.Decision == agent.Untold && reply == askedAbout {
		c.Decision = agent.Asked
	}
	if c.Decision == agent.Untold {
		c.Decision, c.Words = byWords(reply), true
	}
	if c.Decision == agent.Ran && (strings.HasPrefix(reply, "Command timed out") ||
		strings.Contains(reply, "[Request interrupted")) { // 2.1.329
		c.Decision, c.Why = agent.Cut, "it did not come to its end"
	}
	return c
}

// byWords reads a decision from a reply: the forms of 2.1.141 and 2.1.329
// (measured), which 2.1.141 tells nowhere else.
func byWords(reply string) agent.Decision {
	switch {
	case strings.HasPrefix(reply, "Permission to use "), strings.Contains(reply, "is denied by your permission settings"),
		strings.Contains(reply, "directory that is denied by your permission"),
		strings.Contains(reply, "allowed_domains cannot widen network access"): // with strictAllowlist (2.1.329)
		return agent.Rule
	case strings.Contains(reply, "haven't granted it yet"), strings.Contains(reply, "requires approval"),
		reply == "Run outside of the sandbox":
		return agent.Asked
	case strings.Contains(reply, " hook error: "):
		return agent.ByHook
	}
	return agent.Ran
}

// Hooks implements agent.Record.
func (r record) Hooks() (runs []agent.HookRun) {
	for _, l := range r.all {
		if l.Subtype == "hook_response" {
			runs = append(runs, agent.HookRun(l.hookRun))
		}
	}
	return runs
}

// Kept implements agent.Agent: the lines that say what became of a call or which
// permission mode is in force.
func (Claude) Kept(record []byte) string {
	var kept strings.Builder
	for text, l := range lines(record) {
		if l.Decided.Decision != "" || l.Permission != "" {
			kept.Write(text)
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
func (r record) Times() (list []agent.CallTime) {
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
