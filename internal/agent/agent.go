// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package agent is the seam: what playing and judging ask of any agent runtime.
//
// Contract: what is played is told in the words of model.Act and Start, what was
// seen in those of Told; an Agent translates both. Whatever one calls its files,
// settings, tools, variables and requests stays behind it. An agent that cannot
// do a thing says so, and nothing is concluded from that
// (docs/adr/0022-an-agent-is-a-seam.md).
package agent

import (
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
)

// Agent is one runtime.
type Agent interface {
	// Protocol is how it speaks to its model.
	model.Protocol
	// Name tells the agents apart, in a transcript and for the process on a stage.
	Name() string
	// Layout says where it has its files, and what it calls them.
	Layout(env.Places) Layout
	// Start works out, by looking, what a session needs of this machine. The error
	// says why there can be none.
	Start(host.Reader, Start) (Started, error)
	// Diverts is a settings file that a replica home cannot replace and that holds
	// more than a policy, "" if there is none; err says why it cannot be read.
	Diverts(host.Reader) (path string, err error)
	// Reaches are the variables that lead it to the model at url, NAME=value. Where
	// authority is not "", the model stands in the place of Layout.Endpoint, with a
	// certificate of this PEM file's.
	Reaches(url, authority string) []string
	// Light are variables by which a short session takes less of a processor and does
	// the same, NAME=value. A version that does not know one may refuse to start.
	Light() []string
	// Tool is what makes a call; false if the agent has no such tool.
	Tool(model.Call) (Tool, bool)
	// Says reads what the words of a reply say that no other channel does; of the
	// zero Call what a reply to any call may say.
	Says(c model.Call, reply string) Saying
	// Clean is what its clean-env launch in dir goes by: the project whose policy it
	// takes, "" if it finds none, and a file that approves that policy.
	Clean(r host.Reader, dir string) (project string, approval fs.Laid)
	// Planted are files of dir that have a session which started above it run a
	// command, once model.UsePlanted is called. Mentioned are those that
	// model.Mention needs, below Layout.Own.
	Planted(dir, command string) []fs.Laid
	Mentioned(own string) []fs.Laid
	// Read reads what a session printed. Of one on a terminal it is what Kept leaves
	// of the agent's own record of it.
	Read(stream string) Record
	Kept(record []byte) string
}

// Layout is where an agent has its files.
type Layout struct {
	// Program is the name of its executable.
	Program string
	// Own is its directory in the home, absolute; Secrets are the credentials in it,
	// and Records is the directory there for the records of sessions.
	Own     string
	Secrets []Secret
	Records string
	// Dir is the name of its directory in a project, Settings are the files there
	// that a session reads its settings from, the user's own last.
	Dir      string
	Settings []string
	// Silent are programs that it starts for itself, and does without.
	Silent []string
	// Endpoint is the host of its vendor's API, which a session on a terminal asks;
	// "" if no such session can be played.
	Endpoint string
	// Page is a host that it fetches pages of unasked; "" if there is none.
	Page string
	// Places are the kinds of place that it starts other agents in (model.Delegate).
	Places []string
	// Temporary is its variable for the directory of temporary files. Clean, NAME=value,
	// has the clean-env launch let through what a session needs; "" if there is no such
	// launch.
	Temporary, Clean string
}

// Secret is a credential file, and what stands before and after the secret in it.
type Secret struct{ Path, Before, After string }

// Start is what a session is to have.
type Start struct {
	// Run is the nonce of the run.
	Run string
	// Dir is where it starts, Dirs are the directories whose settings are its own.
	Dir  string
	Dirs []string
	// Settings says that it has those that a policy is made of, in every scope,
	// Hooks that it has the user's hooks besides.
	Settings, Hooks bool
	// Terminal says that a person would sit before it, StatusLine is then the file
	// that what a status line is told is left in; "" for none.
	Terminal   bool
	StatusLine string
}

// Started is what it needs for that.
type Started struct {
	Args    []string
	Environ []string // NAME=value
	Files   []fs.Laid
	// Hooks are the paths that the hooks name.
	Hooks []string
}

// Tool is a call in the agent's own words.
type Tool struct {
	Name  string
	Input map[string]any
	// Tried is what the reply says once the agent did it, or tried to and was kept
	// from it by nobody who was asked; "" where another channel shows that.
	Tried string
}

// Saying is what the words of a reply say.
type Saying string

// The sayings; "" is none of them.
const (
	NoTool    Saying = "no-tool"    // the session has no such tool
	Unread    Saying = "unread"     // a file has to be read before it is changed
	NoSandbox Saying = "no-sandbox" // the sandbox did not come up in time
)

// Record is what the agent's own channels say of a session.
type Record interface {
	// Ended says that it came to its end.
	Ended() bool
	// Mode is the permission mode it was in, in the agent's own word; "" if that
	// is unknown.
	Mode() string
	// Told says who decided about the call with an ID (model.ID) that got this reply.
	Told(id, reply string) Told
	Hooks() []HookRun
	Times() []CallTime
}

// Told is who decided about a call.
type Told struct {
	Decision Decision
	// Why is the runtime's own word for the reason ("rule", …), "" if there is none.
	Why string
	// Words says that the decision was read from the words of the reply.
	Words bool
	// Violation says that the runtime itself reports a refusal by its proxy.
	Violation bool
}

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

// HookRun is one run of a hook.
type HookRun struct {
	Name, Event            string
	Stdout, Stderr, Output string
	Exit                   int
	Outcome                string
}

// CallTime is one call as the runtime's stream tells it.
type CallTime struct {
	// ID is that of the call (model.ID), Tool its tool, What the first words of a
	// command or the name of a file, Began when the runtime had it, Ended the result.
	ID, Tool     string
	What         string
	Began, Ended time.Time
}

// known are the agents of this program, by their names.
var known = map[string]Agent{}

// Add makes an agent known, by its name and these others. The package of an agent
// does so when it is loaded.
func Add(a Agent, names ...string) {
	for _, name := range append(names, a.Name()) {
		known[name] = a
	}
}

// Named is the agent of that name, or else the one of no name.
func Named(name string) Agent {
	if a, ok := known[name]; ok {
		return a
	}
	return known[""]
}
