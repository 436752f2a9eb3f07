// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever in an existing document takes protection away is
// named with its place and with what it opens, in words; a union that would
// keep it does not keep it silently.

package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Document is a settings document that exists.
type Document struct {
	Content *settings.Value
	// Scope says what relative paths mean: the project in project and local
	// scope, the agent's own directory in user scope.
	Scope settings.Scope
	// Home is the home directory, to understand absolute paths.
	Home string
	// Sealed says that allowUnsandboxedCommands is false in force, whichever
	// document says so: no command leaves the sandbox by asking.
	Sealed bool
	// ReadsHeld and WritesHeld say that the agent's tools are held in the
	// working directories, which no allow rule lifts:
	// blockReadsOutsideWorkingDirectories and its like are true in force.
	ReadsHeld, WritesHeld bool
	// SkillsHeld says that the agent cannot use a skill of claude.ReadingSkills by itself.
	SkillsHeld bool
	// Start is the directory in which the session starts, Root says that root
	// starts it.
	Start string
	Root  bool
	// Hosts are the entries of allowedDomains in force, of every document.
	Hosts []string
	// Where says "file:line" for the value at a path; an element of an
	// array has its index as the last part.
	Where func(path []string) string
}

// Weakening is one value that takes protection away.
type Weakening struct {
	// Kind groups weakenings of one sort: "excluded-command",
	// "credential-path". Scope is that of its document.
	Kind  string
	Scope settings.Scope
	// Path leads to the value, Where says "file:line", Text is the value.
	Path  []string
	Where string
	Text  string
	// Opens says what it opens, as a sentence.
	Opens string
}

// switches are the values that weaken by being what they are. Those that send sessions
// away the runtime takes from the user's own settings (schemas and code of 2.1.324 and
// 2.1.329); a project's are a matter of project-code.
var switches = []struct {
	key   string
	bad   any
	kind  string
	opens string
}{
	{claude.KeySandboxEnabled.String(), false, "sandbox-off", "Every command runs outside the sandbox."},
	{claude.KeyFilesystemDisabled.String(), true, "filesystem-off", "Commands read and write every file that you can."},
	{claude.KeyFailIfUnavailable.String(), false, "may-run-without",
		"Where bwrap or socat is missing, every command runs outside the sandbox."},
	{claude.KeyAllowUnsandboxedCommands.String(), true, "escape",
		"Commands may ask to run unsandboxed, and a pattern in permissions.allow approves that for you."},
	{claude.KeyAutoAllowBashIfSandboxed.String(), true, "auto-allow",
		"Sandboxed commands run without a prompt, and Read(...) rules no longer apply to them."},
	{claude.KeyEnableWeakerNestedSandbox.String(), true, "weaker-sandbox", "Commands see the processes of this machine."},
	{claude.KeyEnableWeakerNetworkIsolation.String(), true, "weaker-sandbox",
		"On macOS, commands reach system services that can carry data past the proxy."},
	{claude.KeyAllowNestedUserNamespaces.String(), true, "weaker-sandbox",
		"Commands can create namespaces, which exposes more of the kernel to attack."},
	{claude.KeyAllowAppleEvents.String(), true, "weaker-sandbox",
		"On macOS, commands drive other programs, which run outside the sandbox."},
	{claude.KeyAllowAllUnixSockets.String(), true, "sockets", "Commands reach every socket: ssh-agent, gpg-agent, D-Bus " +
		"and docker act for you outside the sandbox."},
	{claude.KeyAllowLocalBinding.String(), true, "sockets", "On macOS, commands reach the services of this machine."},
	{claude.KeyAllowPlaintextInject.String(), true, "credentials", "Credentials are sent over connections without " +
		"encryption."},
	{claude.KeyDefaultMode.String(), claude.ModeBypass, "bypass",
		"Sessions start without prompts, and hosts outside allowedDomains are reachable."},
	{claude.KeyDefaultMode.String(), claude.ModeAuto, "auto",
		"Sessions start in auto mode: the agent reads files outside the project " +
			"without a prompt, and a classifier decides about the rest."},
	{claude.KeyDefaultMode.String(), claude.ModeAcceptEdits, "accept-edits",
		"Sessions start in acceptEdits: the agent changes files " +
			"of the project without a prompt, also those that you run later."},
	{claude.KeySkipAutoPermissionPrompt.String(), true, "auto", "Auto mode starts without the dialog that explains it."},
	{claude.KeyUseAutoModeDuringPlan.String(), true, "auto",
		"In plan mode the agent reads files outside the project without a prompt."},
	{claude.KeyDisableAllHooks.String(), true, "hooks-off", "No hook runs, neither the bypass-warn hook nor your own."},
	{claude.KeyEnableAllProjectMcpServers.String(), true, "project-servers",
		"Programs that the project names in .mcp.json start outside the sandbox without a prompt."},
	{claude.KeyRemoteControlAtStartup.String(), true, "sends",
		"Each session can be controlled from claude.ai: who is logged in to your account there " +
			"writes prompts and approves calls."},
	{claude.KeyAutoUploadSessions.String(), true, "sends",
		"Each session is copied to claude.ai, with what the agent reads."},
}

// lists are arrays in which every element weakens.
var lists = []struct{ key, kind, opens string }{
	{claude.KeyAllowUnixSockets.String(), "sockets",
		"On macOS, commands reach this socket; on Linux the entry has no effect."},
	{claude.KeyAllowMachLookup.String(), "sockets", "On macOS, commands reach this service, which runs outside the " +
		"sandbox."},
	{claude.KeyAutoModeAllow.String(), "auto",
		"In auto mode the classifier approves what this rule describes, without a prompt."},
	{claude.KeyAutoModeEnvironment.String(), "auto", "In auto mode the classifier trusts what this entry describes."},
}

// Weakenings lists what in the document takes protection away, in a fixed
// order.
func Weakenings(d Document) []Weakening {
	w := &finder{Document: d}
	for _, s := range switches {
		if is(at(d.Content, s.key), s.bad) && !(kinds[s.kind].own && d.Scope.OfProject()) {
			w.add(s.kind, keys(s.key), fmt.Sprint(s.bad), s.opens)
		}
	}
	w.excluded()
	for _, l := range lists {
		for i, v := range elements(d.Content, l.key) {
			w.add(l.kind, index(l.key, i), shown(v), l.opens)
		}
	}
	for _, key := range []string{claude.KeyHTTPProxyPort.String(), claude.KeySocksProxyPort.String()} {
		if v := at(d.Content, key); v != nil {
			w.add("own-proxy", keys(key), shown(v), "The proxy at this port decides which hosts are allowed: commands "+
				"reach every host that it reaches, whatever allowedDomains and deniedDomains say.")
		}
	}
	for _, k := range claude.Rows() {
		if v := at(d.Content, k.Path); k.Program && v != nil && !is(v, "") {
			w.add("program", keys(k.Path), programIn(v), "The agent runs this program outside the sandbox.")
		}
	}
	w.classifier()
	w.environment()
	w.directories()
	w.allowRules()
	w.paths(claude.KeyAllowRead.String())
	w.paths(claude.KeyAllowWrite.String())
	for i, host := range texts(d.Content, claude.KeyAllowedDomains.String()) {
		at := index(claude.KeyAllowedDomains.String(), i)
		if why := overWide(host); why != "" {
			w.add(wideKind(host), at, host, strings.ToUpper(why[:1])+why[1:]+".")
		} else if sharedBelow(host) {
			w.add("shared-domain", at, host, sharedHosts)
		}
	}
	for i, host := range texts(d.Content, claude.KeyDeniedDomains.String()) {
		if _, ok := ParseHostEntry(host); !ok {
			w.add("denies-nothing", index(claude.KeyDeniedDomains.String(), i), host,
				"The proxy does not understand this entry: it denies nothing.")
		}
	}
	w.masks()
	return w.found
}

// classifier judges lists of what auto mode denies: one without "$defaults"
// takes the place of the runtime's own (schema of 2.1.329).
func (w *finder) classifier() {
	for _, key := range []string{claude.KeyAutoModeSoftDeny.String(), claude.KeyAutoModeHardDeny.String()} {
		if list := texts(w.Content, key); at(w.Content, key) != nil && !slices.Contains(list, "$defaults") {
			w.add("auto", keys(key), shown(at(w.Content, key)), "It replaces what auto mode's classifier denies by itself; "+
				"\"$defaults\" is missing in it.")
		}
	}
}

type finder struct {
	Document
	found []Weakening
}

func (w *finder) add(kind string, path []string, text, opens string) {
	where := ""
	if w.Where != nil {
		where = w.Where(path)
	}
	w.found = append(w.found, Weakening{kind, w.Scope, path, where, text, opens})
}

// paths judges the entries of allowRead or allowWrite.
func (w *finder) paths(key string) {
	for i, p := range texts(w.Content, key) {
		write := strings.HasSuffix(key, claude.KeyAllowWrite.Leaf())
		if w.Scope == settings.User && settings.IsRelative(p) {
			w.add("user-scope-relative", index(key, i), p, InAgentDir+
				"commands can "+access(write)+"its login and the transcripts of every project.")
			continue
		}
		w.opened(index(key, i), p, p, write)
	}
}

// opened judges a path that commands may read, or read and write, and says
// whether it should not be open. text is the value that opens it.
func (w *finder) opened(at []string, text, p string, write bool) bool {
	if which, ok := sensitive.CredentialPath(p, w.Home); ok {
		w.add("credential-path", at, text, "Commands can "+access(write)+which+".")
		return true
	}
	which, ok := sensitive.RunsOutside(p, w.Home)
	if ok = ok && write; ok {
		w.add("writable-outside", at, text, "Commands can change "+which+", outside the sandbox.")
	}
	return ok
}

// programIn is the command line in a setting that names a program, without
// arguments that may be secrets.
func programIn(v *settings.Value) string {
	if v.Kind == settings.Str {
		return redact.Command(v.Text)
	}
	command := at(v, "command")
	if command == nil {
		return redact.Mark
	}
	line := shown(command)
	for _, arg := range elements(v, "args") {
		line += " " + shown(arg)
	}
	return redact.Command(line)
}

// shown is a value as it stands in a document, a text without its quotes.
func shown(v *settings.Value) string {
	if v.Kind == settings.Str {
		return v.Text
	}
	return settings.Inline(v)
}

func access(write bool) string {
	if write {
		return "read and write "
	}
	return "read "
}

// masks lists credentials that are to be masked where the runtime does not
// mask. Measured: in project scope a masked variable passes as it is, without
// a message.
func (w *finder) masks() {
	if !w.Scope.OfProject() {
		return
	}
	for _, key := range []string{claude.KeyCredentialFiles.String(), claude.KeyCredentialVariables.String()} {
		for i, v := range elements(w.Content, key) {
			if textOf(v.Get("mode")) == claude.Mask {
				w.add("mask-ignored", index(key, i), Entry{Key: key, Value: v}.ID(),
					"Masking works in user scope only: here the credential is not masked.")
			}
		}
	}
}

func keys(key string) []string { return strings.Split(key, ".") }

func index(key string, i int) []string { return append(keys(key), strconv.Itoa(i)) }
