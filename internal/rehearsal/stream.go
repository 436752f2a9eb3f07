// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who decided about a call is read from the structured
// channels of the runtime. Where a version has none, the words of the reply
// are all there is, and the decision says so.

package rehearsal

import (
	"bufio"
	"encoding/json"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/model"
)

// Decision is who let a call run, or kept it from running.
type Decision string

// The decisions.
const (
	Ran     Decision = "ran"     // it was started; what failed then, failed below the runtime
	Rule    Decision = "rule"    // a deny rule
	Asked   Decision = "asked"   // it would have asked: an ask rule, or nothing that allows it
	ByHook  Decision = "hook"    // a hook
	Untold  Decision = "untold"  // the channels do not say
	NotMade Decision = "notmade" // the call has no result: the session did not come so far
	Cut     Decision = "cut"     // it was ended before it had an end of its own
)

// Call is what came of one scripted call.
type Call struct {
	Decision Decision
	// Why is the runtime's own word for the reason ("rule",
	// "sandboxOverride", …), "" if there is none.
	Why string
	// Words says that the decision was read from the words of the reply.
	Words bool
	// Violation says that the runtime itself reports a refusal by its
	// proxy.
	Violation bool
	// Ended says that the stage's tool said its last word: what it did not
	// get before, it was refused.
	Ended bool
	// Shared says that the command did something else besides: who kept it from
	// running perhaps meant that.
	Shared bool
	// Text is the reply.
	Text string
}

// HookRun is one run of a hook.
type HookRun struct {
	Name    string `json:"hook_name"`
	Event   string `json:"hook_event"`
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
	Output  string `json:"output"`
	Exit    int    `json:"exit_code"`
	Outcome string `json:"outcome"`
}

// line is what is read of one line of the stream.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	HookRun
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

// lines calls f for each line that is a document.
func (raw Raw) lines(f func(line)) {
	scan := bufio.NewScanner(strings.NewReader(raw.Stream))
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var l line
		if json.Unmarshal(scan.Bytes(), &l) == nil {
			f(l)
		}
	}
}

// Calls reads the session once, and returns what came of call i of turn t.
func (raw Raw) Calls() func(t, i int) Call {
	var told []line
	raw.lines(func(l line) {
		if l.Subtype == "permission_denied" || l.Decided.Decision != "" || len(l.Meta) > 0 {
			told = append(told, l)
		}
	})
	return func(t, i int) Call { return raw.call(told, model.ID(t, i)) }
}

// Call returns what came of call i of turn t.
func (raw Raw) Call(t, i int) Call { return raw.Calls()(t, i) }

// call returns what came of the call with an ID; told are the lines that say
// something of calls.
func (raw Raw) call(told []line, id string) Call {
	result, made := raw.Results[id]
	if !made {
		return Call{Decision: NotMade}
	}
	c := Call{Decision: Untold, Text: result.Text}
	denied := ""
	for _, l := range told {
		if l.Subtype == "permission_denied" && l.ToolUse == id {
			denied = l.Reason
		}
		if l.of(id) {
			c.Why = l.Decided.Reason
			switch {
			case l.Decided.Decision == "accept":
				c.Decision = Ran
			case l.Decided.Code == "hook:PermissionRequest":
				c.Decision = Asked
			case l.Decided.Decision == "reject":
				c.Decision = Rule
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
				c.Decision = Rule
			case m.NotRun == "user-rejected":
				c.Decision = Asked
			case m.NotRun != "": // interrupted, cancelled, and what a later version adds
				c.Decision, c.Why = Cut, m.NotRun
			case m.Decision.Decision == "accept":
				c.Decision = Ran
			}
		}
	}
	if denied != "" {
		c.Why = denied
		if denied == "hook" {
			c.Decision = ByHook
		} else if c.Decision == Untold {
			c.Decision = Asked
		}
	}
	if c.Decision == Untold && c.Text == askedAbout {
		c.Decision = Asked
	}
	if c.Decision == Untold {
		c.Decision, c.Words = byWords(c), true
	}
	if c.Decision == Ran && (strings.HasPrefix(c.Text, "Command timed out") ||
		strings.Contains(c.Text, "[Request interrupted")) { // 2.1.329
		c.Decision, c.Why = Cut, "it did not come to its end"
	}
	before, after, ended := cutLine(c.Text, toolEnds)
	c.Text, c.Ended = strings.TrimSpace(before+"\n"+after), ended
	return c
}

// byWords reads a decision from a reply: the forms of 2.1.141 and 2.1.329
// (measured), which 2.1.141 tells nowhere else.
func byWords(c Call) Decision {
	switch {
	case strings.HasPrefix(c.Text, "Permission to use "), strings.Contains(c.Text,
		"is denied by your permission settings"),
		strings.Contains(c.Text, "directory that is denied by your permission"),
		strings.Contains(c.Text, "allowed_domains cannot widen network access"): // with strictAllowlist (2.1.329)
		return Rule
	case strings.Contains(c.Text, "haven't granted it yet"), strings.Contains(c.Text, "requires approval"),
		c.Text == "Run outside of the sandbox":
		return Asked
	case strings.Contains(c.Text, " hook error: "):
		return ByHook
	}
	return Ran
}

// HookRuns lists the runs of hooks that the session reported.
func (raw Raw) HookRuns() []HookRun {
	var runs []HookRun
	raw.lines(func(l line) {
		if l.Subtype == "hook_response" {
			runs = append(runs, l.HookRun)
		}
	})
	return runs
}
