// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every answer about what is in force says where it stands
// and what it overrules, and a value that the runtime ignores is shown with
// the reason, not left out.

package settings

import (
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// Effective is what the runtime makes of the documents of all scopes.
type Effective struct {
	layers []ScopedDoc // the strongest first
	dirs   Dirs
	// Dropped are the documents that the runtime throws away whole; nothing
	// of them is in force.
	Dropped []Dropped
	// held finds the elements in force of an array by its key path.
	mu   sync.Mutex
	held map[string]map[element]bool
	// ruled are the permission rules, once they were asked for.
	ruled func() []Rule
}

// element is a value of an array in a document, as it is written in one style.
type element struct {
	scope      Scope
	path, text string
}

// Dropped is a document that is thrown away, with the first reason. The
// runtime says nothing of it; only with one of --settings it does not start.
type Dropped struct {
	ScopedDoc
	Problem Problem
}

// Candidate is one scope's value for a key.
type Candidate struct {
	Source
	Value *Value
	// Ignored says why the runtime does not take it; "" if it does, or
	// would if no stronger one were there.
	Ignored string
}

// Setting is the value in force for a key: Value is nil if no scope has one.
// Others are the weaker and the ignored ones, the strongest first.
type Setting struct {
	Candidate
	Others []Candidate
}

// Rule is a permission rule; List is "deny", "ask" or "allow".
type Rule struct {
	List string
	Candidate
}

// Combine puts documents together. Of two in one scope (a linked worktree has
// two local ones) the first is the stronger. A document of which one value
// would cost the whole file is dropped as the runtime drops it, but for a
// managed one, of which the runtime takes the rest (measured).
func Combine(layers []ScopedDoc, dirs Dirs) *Effective {
	e := &Effective{dirs: dirs, held: map[string]map[element]bool{}}
	e.ruled = sync.OnceValue(e.rules)
	for _, l := range layers {
		problems := Problems(l.Doc)
		i := slices.IndexFunc(problems, func(p Problem) bool { return p.Loss == WholeFile })
		if i >= 0 && l.Scope != Managed {
			e.Dropped = append(e.Dropped, Dropped{l, problems[i]})
		} else {
			e.layers = append(e.layers, l)
		}
	}
	slices.SortStableFunc(e.layers, func(a, b ScopedDoc) int { return int(b.Scope) - int(a.Scope) })
	return e
}

// Doc is the document of a scope, nil if it has none.
func (e *Effective) Doc(s Scope) *Doc {
	for _, l := range e.layers {
		if l.Scope == s {
			return l.Doc
		}
	}
	return nil
}

// Layers are the documents that count, the strongest first.
func (e *Effective) Layers() []ScopedDoc { return e.layers }

// Scalar returns the value in force at a key path.
func (e *Effective) Scalar(path ...string) (s Setting) {
	for _, l := range e.layers {
		v := l.Doc.Get(path...)
		if v == nil {
			continue
		}
		c := candidate(l, v, e.ignoresScalar(l.Scope, path, v))
		if s.Value == nil && c.Ignored == "" {
			s.Candidate = c
		} else {
			s.Others = append(s.Others, c)
		}
	}
	return s
}

// AnyTrue says whether a switch is true in any scope: so permissions'
// blockReadsOutsideWorkingDirectories and its like are decided (measured with
// 2.1.324 and 2.1.329).
func (e *Effective) AnyTrue(path ...string) bool {
	return slices.ContainsFunc(e.layers, func(l ScopedDoc) bool { return l.Doc.Get(path...).True() })
}

// List returns the elements of the arrays at a key path in all scopes, the
// ignored ones among them.
func (e *Effective) List(path ...string) (list []Candidate) {
	for _, l := range e.layers {
		for _, item := range ItemsOf(l.Doc.Get(path...)) {
			list = append(list, candidate(l, item, e.ignoresElement(l.Scope, path, item)))
		}
	}
	return list
}

// Taken returns those of List that the runtime does not ignore.
func (e *Effective) Taken(path ...string) []Candidate {
	return slices.DeleteFunc(e.List(path...), func(c Candidate) bool { return c.Ignored != "" })
}

// Holds says whether an array has the value in force from this document. Of
// permissions.allow, a rule of the same text that denies or asks wins, as far
// as Rules says.
func (e *Effective) Holds(scope Scope, file string, v *Value, path ...string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := KeyPath(path)
	if e.held[key] == nil {
		list := e.Taken(path...)
		if key == claude.KeyAllow.String() {
			list = nil
			for _, r := range e.RulesIn(claude.Allow) {
				list = append(list, r.Candidate)
			}
		}
		found := map[element]bool{}
		for _, c := range list {
			found[element{c.Scope, c.Path, newFile.render(c.Value, inline)}] = true
		}
		e.held[key] = found
	}
	return e.held[key][element{scope, file, newFile.render(v, inline)}]
}

// Strings returns the strings in force of the arrays at a key path, each once.
func (e *Effective) Strings(path ...string) (list []string) {
	seen := map[string]bool{}
	for _, c := range e.Taken(path...) {
		if c.Value.Kind == Str && !seen[c.Value.Text] {
			seen[c.Value.Text] = true
			list = append(list, c.Value.Text)
		}
	}
	return list
}

// Rules returns the permission rules of all scopes, deny before ask before
// allow: so they win, whatever their scopes (measured). A rule that also
// stands in a stronger list is ignored, but for what an allow rule opens to
// commands while the agent itself is asked about it.
func (e *Effective) Rules() []Rule { return slices.Clone(e.ruled()) }

// RulesIn returns those of Rules in these lists that the runtime does not ignore.
func (e *Effective) RulesIn(lists ...string) []Rule {
	return slices.DeleteFunc(e.Rules(), func(r Rule) bool { return r.Ignored != "" || !slices.Contains(lists, r.List) })
}

// Domain is what the sandbox's proxy reads of hosts in force: an element of an array of
// sandbox.network, or the domain of a WebFetch rule; Key is the array's.
type Domain struct {
	Candidate
	Key  claude.KeyPath
	Host string
}

// Domains lists those that allow hosts to commands (claude.Allow) or deny them.
func (e *Effective) Domains(list string) (domains []Domain) {
	key := map[string]claude.KeyPath{claude.Allow: claude.KeyAllowedDomains, claude.Deny: claude.KeyDeniedDomains}[list]
	for _, c := range e.Taken(key...) {
		domains = append(domains, Domain{c, key, c.Value.Text})
	}
	for _, rule := range e.RulesIn(list) {
		tool, content, _, _ := claude.SplitRule(rule.Value.Text)
		if host, ok := strings.CutPrefix(content, "domain:"); ok && tool == claude.ToolWebFetch {
			domains = append(domains, Domain{rule.Candidate, claude.KeyPermissions.Below(list), host})
		}
	}
	return domains
}

func (e *Effective) rules() (rules []Rule) {
	stronger := map[string]string{}
	for _, list := range ruleLists {
		found := e.List(claude.KeyPermissions.Below(list)...)
		for _, c := range found {
			by := stronger[c.Value.Text]
			if by == claude.Ask && claude.OpensToCommands(c.Value.Text) {
				by = ""
			}
			if by != "" && c.Ignored == "" {
				c.Ignored = by + " has the same rule and wins"
			}
			rules = append(rules, Rule{list, c})
		}
		for _, c := range found {
			if c.Ignored == "" && stronger[c.Value.Text] == "" {
				stronger[c.Value.Text] = list
			}
		}
	}
	return rules
}

func candidate(l ScopedDoc, v *Value, ignored string) Candidate {
	return Candidate{Source{l.Scope, l.Doc.Path, v.Line, v.Col}, v, ignored}
}
