// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a project's settings only what restricts is taken, and
// taken whole; the same restrictions have the same digest, however the file is
// written and whatever else stands in it.

package iso

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Policy is what of a project's settings a launch takes over: sandbox and the
// deny and ask rules.
type Policy struct {
	// Text is the extract as a JSON document, keys in order; nil if the
	// project has none of it.
	Text []byte
	doc  *settings.Doc
}

// Digest is what the user approves; that a project has no policy any more can
// be approved too.
func (p Policy) Digest() report.Digest { return report.DigestOf(p.Text) }

// Empty says that the project restricts nothing.
func (p Policy) Empty() bool { return p.Text == nil }

// left are keys of sandbox that name programs, or that mean nothing outside
// managed settings.
var left = append(slices.Clip(claude.SandboxPrograms), claude.KeyEnabledPlatforms.Leaf(), claude.KeyWindows.Leaf())

// taken are the keys of permissions that restrict, and that the runtime takes
// from a project too (measured with 2.1.329). A false one restricts nothing:
// true in any scope wins.
var taken = []string{claude.Deny, claude.Ask, claude.KeyDisableBypassPermissionsMode.Leaf(),
	claude.KeyDisableAutoMode.Leaf(), blocksReads, claude.KeyBlockWrites.Leaf()}

// blocksReads keeps the agent from reading outside the project, by an import of
// its instructions too.
var blocksReads = claude.KeyBlockReads.Leaf()

// policyFrom takes the policy out of a project's settings and the local settings
// beside them, the strongest first: scalars of the stronger win and arrays are
// united, as the runtime does. roots are the work trees' own roots, which
// every launch allows by itself; entries that name them are left out, so that
// all worktrees of a repository have one digest. The error is a *report.Error.
func policyFrom(project *settings.Doc, locals []*settings.Doc, roots ...string) (Policy, error) {
	merged, err := restrictions(project, locals, roots)
	if err != nil || len(merged.Members) == 0 {
		return Policy{}, err
	}
	doc, err := document("policy", sorted(merged))
	if err != nil {
		return Policy{}, err
	}
	return Policy{Text: doc.Bytes(), doc: doc}, nil
}

// restrictions are what policyFrom takes, as one object. Documents are merged only
// where several have some of it.
func restrictions(project *settings.Doc, locals []*settings.Doc, roots []string) (*settings.Value, error) {
	merged := extractOf(project, nil)
	for _, local := range slices.Backward(locals) {
		stronger := extractOf(local, roots)
		if len(stronger.Members) == 0 {
			continue
		}
		have, err := document(local.Path, stronger)
		if err != nil {
			return nil, err
		}
		want, err := document("policy", merged)
		if err != nil {
			return nil, err
		}
		m, err := settings.Merge(have, want, nil)
		if err != nil {
			return nil, err
		}
		both, err := settings.Parse("policy", m.After)
		if err != nil {
			return nil, err
		}
		merged = both.Root
	}
	return merged, nil
}

func extractOf(d *settings.Doc, roots []string) *settings.Value {
	sandbox, off := without(d.Get(claude.KeySandbox...), left...), claude.KeyFilesystemDisabled.Leaf()
	if filesystem := sandbox.Get(claude.KeyFilesystem.Leaf()); filesystem.Get(off) != nil {
		// A project's own is ignored; given with --settings it would
		// open every file (measured with 2.1.329).
		sandbox = with(sandbox, claude.KeyFilesystem.Leaf(), without(filesystem, off))
	}
	if network := sandbox.Get(claude.KeyNetwork.Leaf()); network != nil && network.Kind == settings.Object {
		sandbox = withUnlessEmpty(sandbox, claude.KeyNetwork.Leaf(), without(network, claude.ProxyPorts...))
	}
	if excluded := sandbox.Get(claude.KeyExcludedCommands.Leaf()); excluded != nil && excluded.Kind == settings.Array {
		sandbox = withUnlessEmpty(sandbox, claude.KeyExcludedCommands.Leaf(),
			settings.List(slices.DeleteFunc(slices.Clone(excluded.Items), letsOut)...))
	}
	for _, key := range []string{claude.KeyAllowRead.Leaf(), claude.KeyAllowWrite.Leaf()} {
		sandbox = withoutRoots(sandbox, key, roots)
	}
	permissions := settings.Dict()
	for _, m := range settings.MembersOf(d.Get(claude.KeyPermissions...)) {
		if v := withoutRootRules(m.Value, roots); slices.Contains(taken, m.Key) && v != nil && !v.False() {
			permissions.Members = append(permissions.Members, settings.Pair(m.Key, v))
		}
	}
	return settings.Dict(slices.DeleteFunc([]settings.Member{
		settings.Pair(claude.KeySandbox.Leaf(), sandbox), settings.Pair(claude.KeyPermissions.Leaf(), permissions),
	}, func(m settings.Member) bool { return len(m.Value.Members) == 0 })...)
}

// letsOut says whether an entry of excludedCommands would let more out of the
// sandbox than a line that is known to be harmless.
func letsOut(entry *settings.Value) bool {
	return entry.Kind != settings.Str || !policy.Excludable(entry.Text)
}

// RootRules are the rules that install writes beside a root, so that what
// names the root does not open its .env files: the policy's own Read(**/.env)
// begins where a session starts (measured with 2.1.329).
func RootRules(root string) (rules []string) {
	for _, name := range policy.DotenvNames() {
		rules = append(rules, "Read(/"+root+"/**/"+name+")")
	}
	return rules
}

// withoutRootRules takes the rules out of an array that speak of a root's own
// .env files and were written beside the root: they differ from worktree to
// worktree and close nothing that the policy leaves open. What is empty then
// is nil.
func withoutRootRules(v *settings.Value, roots []string) *settings.Value {
	if v.Kind != settings.Array || len(roots) == 0 {
		return v
	}
	rest := slices.DeleteFunc(slices.Clone(v.Items), func(rule *settings.Value) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return slices.Contains(RootRules(root), rule.Text) })
	})
	if len(rest) == 0 {
		return nil
	}
	return settings.List(rest...)
}

func without(v *settings.Value, keys ...string) *settings.Value {
	var members []settings.Member
	for _, m := range settings.MembersOf(v) {
		if !slices.Contains(keys, m.Key) {
			members = append(members, settings.Pair(m.Key, m.Value))
		}
	}
	return settings.Dict(members...)
}

func with(v *settings.Value, key string, to *settings.Value) *settings.Value {
	return settings.Dict(append(without(v, key).Members, settings.Pair(key, to))...)
}

// withUnlessEmpty returns an object with one key set, or without it if nothing
// is in its value.
func withUnlessEmpty(v *settings.Value, key string, to *settings.Value) *settings.Value {
	if len(to.Members)+len(to.Items) == 0 {
		return without(v, key)
	}
	return with(v, key, to)
}

// withoutRoots takes paths out of filesystem.KEY of a sandbox object, and
// what is empty then.
func withoutRoots(sandbox *settings.Value, key string, roots []string) *settings.Value {
	list := sandbox.Get(claude.KeyFilesystem.Leaf(), key)
	if list == nil || list.Kind != settings.Array || len(roots) == 0 {
		return sandbox
	}
	var rest []*settings.Value
	for _, item := range list.Items {
		if !slices.Contains(roots, strings.TrimSuffix(item.Text, "/")) {
			rest = append(rest, item)
		}
	}
	filesystem := claude.KeyFilesystem.Leaf()
	return withUnlessEmpty(sandbox, filesystem, withUnlessEmpty(sandbox.Get(filesystem), key, settings.List(rest...)))
}

// sorted returns v with the members of every object in the order of their
// keys.
func sorted(v *settings.Value) *settings.Value {
	switch v.Kind {
	case settings.Array:
		items := make([]*settings.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = sorted(item)
		}
		return settings.List(items...)
	case settings.Object:
		var members []settings.Member
		for _, m := range v.Members {
			members = append(members, settings.Pair(m.Key, sorted(m.Value)))
		}
		slices.SortFunc(members, func(a, b settings.Member) int { return strings.Compare(a.Key, b.Key) })
		return settings.Dict(members...)
	}
	return v
}

// document makes a settings document of an object.
func document(name string, object *settings.Value) (*settings.Doc, error) {
	empty, err := settings.Parse(name, nil)
	if err != nil {
		return nil, err
	}
	if len(object.Members) == 0 {
		return empty, nil
	}
	text, err := settings.Splice(empty, []settings.Edit{settings.Set(nil, object)})
	if err != nil {
		return nil, err
	}
	return settings.Parse(name, text)
}

// policyOf reads the policy of a place. The error is a *report.Error with exit
// code 65 for a settings file that the runtime would drop.
func policyOf(h host.Reader, p Place) (Policy, error) {
	docs, err := p.settings(h)
	if err != nil || len(docs) == 0 {
		return Policy{}, err
	}
	return policyFrom(docs[0], docs[1:], p.Root, p.Main)
}

// settings reads the project's settings, then its local ones, the stronger
// first; the error is that of policyOf.
func (p Place) settings(h host.Reader) ([]*settings.Doc, error) {
	docs := make([]*settings.Doc, 0, 3)
	for _, path := range p.settingsFiles() {
		d, err := checked(h, p.Root, path)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// settingsFiles are the project's settings, then its local ones, the stronger
// first: that of the main checkout is also read in its worktrees (measured).
// Those of the home are the user's own.
func (p Place) settingsFiles() []string {
	if p.Project == p.Home {
		return nil
	}
	files := []string{settingsIn(p.Project)}
	for _, dir := range []string{p.Main, p.Project} {
		path := filepath.Join(dir, claude.LocalFile)
		if dir != "" && dir != p.Home && !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	return files
}

// checked reads a settings file as the runtime would; one that is not there is
// empty.
func checked(h host.Reader, root, path string) (*settings.Doc, error) {
	b, err := sensitive.ReadProject(h, root, path)
	if linked, ok := errors.AsType[*sensitive.LinkError](err); ok {
		return nil, &report.Error{Code: report.ExitMalformed, Where: path, What: linked.Error(),
			Why: "a project's settings are text of the project, and a secret is never read", Next: "remove the symlink",
			Err: linked}
	}
	if err != nil && !missing(err) {
		return nil, &report.Error{Code: report.ExitMalformed, Where: path, What: "cannot be read", Err: err,
			Why: "its restrictions cannot be enforced", Next: "make it readable"}
	}
	d, err := settings.Check(path, b)
	if err != nil && sensitive.Linked(h, path) {
		// What it leads to is not the project's: no byte of it is shown.
		return nil, &report.Error{Code: report.ExitMalformed, Where: path,
			What: "is a symlink to something that is not a settings file",
			Why:  settings.WhyIgnored, Next: "remove the symlink"}
	}
	return d, err
}

// copyPath is where a copy of the policy lies that was approved last for a
// project: what later changes are compared with.
func copyPath(state, project string) string {
	return filepath.Join(state, "policies", report.DigestOf([]byte(project)).Name(16)+".json")
}

// maxDocument bounds what is handed over, in bytes: Linux takes 128 KiB for
// one argument.
const maxDocument = 120 << 10

func tooLarge(project string, size int) error {
	return &report.Error{Code: report.ExitLeft, Where: settingsIn(project),
		What: fmt.Sprintf("the policy is %d bytes long, more than %d", size, maxDocument),
		Why:  "it is handed to the agent as one argument, which cannot be longer",
		Next: "shorten it; patterns take the place of many rules"}
}
