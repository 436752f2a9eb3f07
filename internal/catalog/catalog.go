// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package catalog is what is known of the troubles with a sandboxed agent:
// how each looks, which layer causes it, what helps and what that costs.
//
// Contract: one data file, manifests/troubleshooting.toml, is the source.
// Load gives all of it and refuses what it does not understand; Match
// recognises a text by the symptoms alone, which are compiled into the
// program (signatures_gen.go, hints_gen.go), so that a hook pays neither for decoding nor
// at init. Both are pure.
package catalog

import (
	"errors"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Entry is one trouble.
type Entry struct {
	// ID is kebab-case and stable: hints and the journal name it.
	ID    string `toml:"id"`
	Title string `toml:"title"`
	// Topic is where on the page it stands.
	Topic Topic   `toml:"topic"`
	Layer Refuser `toml:"layer"`
	// Probe is the doctor's probe that shows the trouble; "" if none does.
	Probe string `toml:"probe"`
	// Platforms are those on which it occurs: "linux", "darwin".
	Platforms []string `toml:"platforms"`
	// Since and Until bound the runtime versions in which it was seen; ""
	// for Until means that it still is.
	Since string `toml:"since"`
	Until string `toml:"until"`
	// Hint is one or two sentences for the moment in which it happens.
	Hint     string    `toml:"hint"`
	Cause    string    `toml:"cause"`
	Symptoms []Symptom `toml:"symptom"`
	// Fixes are changes of settings, the smallest first; Alternatives are
	// ways around that change none.
	Fixes        []Fix    `toml:"fix"`
	Alternatives []Way    `toml:"alternatives"`
	Sources      []string `toml:"sources"`
}

// Way is what to do where no setting helps: Line is one of this program that follows
// Text. In the file it stands between backticks.
type Way struct {
	Text string
	Line report.Line
}

// UnmarshalText reads a way as the file has it.
func (w *Way) UnmarshalText(b []byte) error {
	before, line, own := strings.Cut(string(b), "`"+report.Program+" ")
	w.Text = before
	if own {
		w.Line.Words, w.Line.After, own = strings.Cut(line, "`")
		if !own {
			return errors.New("a line of this program has no end")
		}
	}
	return nil
}

func (w Way) String() string { return w.Text + w.Line.String() }

// Symptom is one way in which a trouble shows itself.
type Symptom struct {
	// Match are pieces of text that stand in this order on one line, or
	// on at most Within lines; case does not matter. One of them, the
	// anchor, has at least minAnchor bytes of plain ASCII.
	Match  []string `toml:"match"`
	Within int      `toml:"within"`
	// Any are pieces of which at least one stands on those lines, wherever;
	// Unless are pieces that, on those lines, speak of another cause.
	Any    []string `toml:"any"`
	Unless []string `toml:"unless"`
	// Start says that the first piece begins its line: a quotation in a
	// listing or a document does not.
	Start bool `toml:"start"`
	// Command, if not empty, is a piece of text that the command has to
	// contain, where a command is known; case does not matter.
	Command string `toml:"command"`
	// Confirm says what must be true outside the sandbox for the symptom
	// to count, Witness which file for the witness.
	Confirm Confirm `toml:"confirm"`
	Witness string  `toml:"witness"`
	// Over are the ids of entries: in a text with this symptom theirs are what
	// came of it.
	Over []string `toml:"over"`
	// Frame says that it tells that something failed, and another line why: any
	// other symptom of the text counts before it.
	Frame bool `toml:"frame"`
	// Ways are what to do where this symptom speaks, in the place of the entry's
	// fixes and alternatives, which are for its other causes; none if those help.
	Ways []Way `toml:"ways"`
	// Example is a literal text, Seen where it was: runtime versions, the
	// source document, "documented", or an address.
	Example string   `toml:"example"`
	Seen    []string `toml:"seen"`
}

// Fix is a change of settings that is said to help.
type Fix struct {
	Title string `toml:"title"`
	// Settings is the change as a JSON object to be merged. "${NAME}" in
	// it stands for a value of the machine: a path, a host.
	Settings string `toml:"settings"`
	// Exclude says that the fix changes no settings: it adds the names that
	// the runtime protects and that do not exist to .git/info/exclude.
	Exclude bool `toml:"exclude"`
	// Scope is the narrowest scope in which the setting works.
	Scope Scope `toml:"scope"`
	// Price is what becomes possible to every sandboxed command.
	Price string `toml:"price"`
	// Proof says for each of the entry's platforms what is known.
	Proof map[string]Proof `toml:"proof"`
}

// Scope is for whom a setting is.
type Scope string

// The scopes of fixes.
const (
	User    Scope = "user"    // for the user in every project
	Project Scope = "project" // for everybody in the project
	Local   Scope = "local"   // for the user in the project
)

// Setting is the fix with these settings in place of its own.
func (f Fix) Setting(settings string) Fix {
	f.Settings = settings
	return f
}

// Effect is what kind of change a fix is.
type Effect struct {
	// Allows says that it only adds entries to lists of what is allowed: with more of
	// them, nothing is refused that was allowed with fewer.
	Allows bool
	// Hosts says that it allows hosts by name, Sockets that it opens every unix socket.
	Hosts, Sockets bool
}

// Rules are what an agent's settings say in a session about what its sandbox may let.
type Rules struct {
	// Denies are the entries that deny a host: they win over those that allow it.
	Denies func(host string) []report.Evidence
	// Forbids are those that keep the agent from every command.
	Forbids []report.Evidence
	// Unsandboxed is where a setting has a command line run outside the sandbox, "" if
	// none does.
	Unsandboxed func(line string) (where string)
}

// Refuser is what refuses, as far as a symptom can tell.
type Refuser string

// The layers that refuse.
const (
	Seccomp        Refuser = "seccomp"         // a system call, whatever its arguments
	Mount          Refuser = "mount"           // what of the file system is there, and read-only
	Namespace      Refuser = "namespace"       // network and user namespaces
	Proxy          Refuser = "proxy"           // the runtime's network proxy
	Seatbelt       Refuser = "seatbelt"        // the profile on macOS
	PermissionRule Refuser = "permission-rule" // allow, ask and deny rules
	Environment    Refuser = "environment"     // variables
	Dependency     Refuser = "dependency"      // bubblewrap and socat
	Settings       Refuser = "settings"        // the settings files
	Several        Refuser = "several"         // the text says which
	None           Refuser = "none"            // nothing of the sandbox: the error has another cause
)

// Topic is what a reader of the page looks for.
type Topic string

// Confirm is what must be true outside the sandbox before a text counts as a
// symptom of it: most errors have ordinary causes too.
type Confirm string

// The ways to confirm. Explain is for texts that say too little even then:
// they are recognised when somebody asks, never by a hook. Words is for what only
// the runtime writes and what a hook need not repeat. Sure, Shown, Barred, Foreign,
// LowPort, Disk, Mode, Absent and Reached belong to entries of layer None: Sure is for a text that no
// setting of this program can cause, as the entry's cause says; what the others
// look at is the machine and what the policy keeps from commands.
const (
	Nothing    Confirm = ""           // the text is enough, in a call that asked for no bypass
	Sandbox    Confirm = "sandbox"    // nothing but the sandbox writes it, whatever the call asked for
	Inside     Confirm = "inside"     // the text is enough in a call that ran in the sandbox, not where it is pasted
	Exists     Confirm = "exists"     // a path in it exists, hidden by the policy
	Allowed    Confirm = "allowed"    // a path in it may be read and written
	Writable   Confirm = "writable"   // a path in it may be written or created
	Temporary  Confirm = "temporary"  // the same, and it lies below /tmp
	Socket     Confirm = "socket"     // a socket path in it may be connected to
	Listener   Confirm = "listener"   // a port in it is listened on
	Repository Confirm = "repository" // the working directory lies in a git repository
	Program    Confirm = "program"    // the program that it names is on PATH, hidden by the policy
	Owned      Confirm = "owned"      // a file in it belongs to root, and nobody else may write it
	Witness    Confirm = "witness"    // one of the symptom's witness files exists
	Explain    Confirm = "explain"
	Words      Confirm = "words"    // the text is enough where somebody asks
	Login      Confirm = "login"    // a login in one of the witness's places is hidden: never more than unknown
	Sure       Confirm = "sure"     // the text is enough to say that it is not the sandbox
	Shown      Confirm = "shown"    // the policy hides none of the witness's places: files and variables
	Barred     Confirm = "barred"   // the path in it may not be written outside either, and the policy does not hide it
	Foreign    Confirm = "foreign"  // the host in it that refused is no address of this machine
	LowPort    Confirm = "low-port" // the port in it is one that users may not open
	Disk       Confirm = "disk"     // the path in it lies on a disk, not in a directory that the policy hides
	Mode       Confirm = "mode"     // the file in it was to be run, and has no execute permission
	Absent     Confirm = "absent"   // the file in it is missing outside too, where commands may read
	// Reached: a unix socket was opened, and the policy opens none, or hides none of
	// the witness's places.
	Reached Confirm = "reached"
)

// Hinted says whether a hook may name an entry for it.
func Hinted(c Confirm) bool { return c != Words && !slices.Contains(others, c) }

// others are the ways to confirm that an error has another cause; the first two
// belong to every layer.
var others = []Confirm{Explain, Login, Sure, Shown, Barred, Foreign, LowPort, Disk, Mode, Absent, Reached}

// Proof is what is known of a fix on a platform.
type Proof string

// The proofs. Measured and Refuted were seen with a real runtime, Documented
// is said by its documentation or its users, Unknown by nobody.
const (
	Measured   Proof = "measured"
	Refuted    Proof = "refuted"
	Documented Proof = "documented"
	Unknown    Proof = "unknown"
)
