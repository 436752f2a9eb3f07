// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every path of the document is absolute. Relative ones
// would be read below the start directory (rules), or below a temporary
// directory that nobody can name (sandbox paths in settings given as text):
// measured with Claude Code 2.1.329.

package iso

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// document is what the runtime gets with --settings: the policy, what the
// user has allowed beside it, and the roots.
func (l *Launch) document(o Options) ([]byte, error) {
	root := settings.Dict()
	if l.Policy.doc != nil {
		root = l.Policy.doc.Root
	}
	if err := l.Place.namable(); err != nil {
		return nil, err
	}
	sandbox := l.sandbox(orEmpty(root.Get(claude.KeySandbox...)), o)
	permissions := l.permissions(orEmpty(root.Get(claude.KeyPermissions...)))
	members := []settings.Member{settings.Pair(claude.KeySandbox.Leaf(), sandbox),
		settings.Pair(claude.KeyPermissions.Leaf(), permissions),
		settings.Pair(claude.InboundKey, settings.String(l.users.inbound())),
		// Links (claude-cli://) start plain claude (2.1.324, 2.1.332).
		settings.Pair(claude.KeyDisableDeepLinkRegistration.Leaf(), settings.String(claude.Disable)),
		// A session that is moved to the background, as by an answer at its end, has the
		// environment of the service, which a plain session may have started (2.1.332).
		settings.Pair(claude.KeyDisableAgentView.Leaf(), settings.Boolean(true)),
		settings.Pair(claude.KeySkillOverrides.Leaf(), skillsOff())}
	d, err := document("--settings", settings.Dict(members...))
	if err != nil {
		return nil, err
	}
	hooks, err := l.hooks()
	if err != nil {
		return nil, err
	}
	for _, hook := range hooks {
		m, err := settings.Merge(d, hook, nil)
		if err != nil {
			return nil, err
		}
		if d, err = settings.Parse("--settings", m.After); err != nil {
			return nil, err
		}
	}
	_, err = settings.Check("--settings", d.Bytes())
	return d.Bytes(), err
}

// skillsOff leaves out the runtime's own texts that approve every Read.
func skillsOff() *settings.Value {
	var off []settings.Member
	for _, name := range claude.ReadingTexts() {
		off = append(off, settings.Pair(name, settings.String(claude.SkillOff)))
	}
	return settings.Dict(off...)
}

// permissions are the rules of the policy and of the user's own at absolute places,
// those that claude-iso adds, and what the user has allowed.
func (l *Launch) permissions(permissions *settings.Value) *settings.Value {
	for _, list := range []string{claude.Deny, claude.Ask} {
		rules := permissions.Get(list)
		if rules != nil {
			rules = l.Place.everywhere(rules, inRule)
		}
		if rules = l.users.of(list, rules); rules != nil {
			permissions = with(permissions, list, rules)
		}
	}
	l.closed = l.readsDenied(permissions.Get(claude.Deny))
	// An approved policy of an earlier version has no such rules.
	ask := orList(permissions.Get(claude.Ask))
	for _, rule := range claude.PromptRules {
		if !l.users.approve(rule) {
			for _, placed := range l.Place.everywhere(settings.List(settings.String(rule)), inRule).Items {
				ask = appended(ask, placed)
			}
		}
	}
	permissions = with(permissions, claude.Ask, ask)
	// Whatever the policy says, and also where there is none: in auto mode a
	// classifier answers in the user's place (docs/protection.md).
	permissions = with(permissions, claude.KeyDisableAutoMode.Leaf(), settings.String(claude.Disable))
	if allow := l.allowed(); len(allow) > 0 {
		permissions = with(permissions, claude.Allow, settings.List(allow...))
	}
	return permissions
}

// orEmpty and orList are a value, or an empty one where it is no object or no list.
func orEmpty(v *settings.Value) *settings.Value { return settings.Dict(settings.MembersOf(v)...) }
func orList(v *settings.Value) *settings.Value  { return settings.List(settings.ItemsOf(v)...) }

// sandbox makes the paths of a sandbox object absolute, allows reading the
// roots, and has the runtime refuse to start without its sandbox, unless the
// user wants to start anyway. What closes something closes it in the main
// checkout too; where the home is mounted a second time, it is hidden there.
func (l *Launch) sandbox(sandbox *settings.Value, o Options) *settings.Value {
	filesystem := orEmpty(sandbox.Get(claude.KeyFilesystem.Leaf()))
	for _, key := range []string{claude.KeyAllowRead.Leaf(), claude.KeyAllowWrite.Leaf()} {
		if list := filesystem.Get(key); list != nil {
			filesystem = with(filesystem, key, eachIn(list, l.Place.Project, l.Place.absolute))
		}
	}
	for _, key := range []string{claude.KeyDenyRead.Leaf(), claude.KeyDenyWrite.Leaf()} {
		if list := filesystem.Get(key); list != nil {
			filesystem = with(filesystem, key, l.Place.everywhere(list, l.Place.absolute))
		}
	}
	if hidden := orList(filesystem.Get(claude.KeyDenyRead.Leaf())); len(l.Seconds) > 0 {
		for _, second := range l.Seconds {
			hidden = appended(hidden, settings.String(second.Path))
		}
		filesystem = with(filesystem, claude.KeyDenyRead.Leaf(), hidden)
	}
	for _, hidden := range orList(filesystem.Get(claude.KeyDenyRead.Leaf())).Items {
		l.hidden = append(l.hidden, hidden.Text)
	}
	fixed := orList(filesystem.Get(claude.KeyDenyWrite.Leaf()))
	fixed = l.directories(fixed, o)
	for _, path := range l.kept {
		// Below a directory that is closed bubblewrap cannot make the placeholder of a
		// missing file: each command would fail (2.1.330, bubblewrap 0.8.0).
		if !slices.ContainsFunc(fixed.Items, func(dir *settings.Value) bool { return pathname.Within(path, dir.Text) }) {
			fixed = appended(fixed, settings.String(path))
		}
	}
	if len(fixed.Items) > 0 || filesystem.Get(claude.KeyDenyWrite.Leaf()) != nil {
		filesystem = with(filesystem, claude.KeyDenyWrite.Leaf(), fixed)
	}
	read := orList(filesystem.Get(claude.KeyAllowRead.Leaf()))
	for _, root := range l.Place.roots(o) {
		read = appended(read, settings.String(root))
	}
	sandbox = with(sandbox, claude.KeyFilesystem.Leaf(), with(filesystem, claude.KeyAllowRead.Leaf(), read))
	credentials := sandbox.Get(claude.KeyCredentials.Leaf())
	if named := credentials.Get(claude.KeyCredentialFiles.Leaf()); named != nil {
		files := l.Place.everywhere(named, func(v *settings.Value, dir string) *settings.Value {
			if path := v.Get("path"); path != nil {
				return with(v, "path", l.Place.absolute(path, dir))
			}
			return v
		})
		sandbox = with(sandbox, claude.KeyCredentials.Leaf(), with(credentials, claude.KeyCredentialFiles.Leaf(), files))
	}
	return with(sandbox, claude.KeyFailIfUnavailable.Leaf(), settings.Boolean(!o.Anyway))
}

// directories adds to denyWrite the directories that the policy lies in, whose mode a
// command could change for the next plain start (claude.KeepsDir), unless the user's
// own settings are a policy for that start. The session's own work tree is not closed:
// one that it makes lies in such a directory.
func (l *Launch) directories(list *settings.Value, o Options) *settings.Value {
	if l.Policy.doc == nil {
		return list
	}
	makes := o.Worktree || makesWorktree(o.Args)
	floored := l.users.doc != nil && inforce.Floor(l.users.doc)
	for _, dir := range l.Place.everywhere(settings.List(settings.String(claude.KeepsDir)), l.Place.absolute).Items {
		if makes || pathname.Within(l.Place.Root, dir.Text) {
			list = settings.List(slices.DeleteFunc(slices.Clone(list.Items), dir.Equal)...)
		} else if !floored {
			list = appended(list, dir)
		}
	}
	return list
}

// place puts one element of a list below a directory.
type place func(v *settings.Value, dir string) *settings.Value

// eachIn puts every element of a list below dir.
func eachIn(list *settings.Value, dir string, put place) *settings.Value {
	placed := settings.List()
	for _, item := range list.Items {
		placed = appended(placed, put(item, dir))
	}
	return placed
}

// everywhere puts every element of a list below the project, and, in a linked
// worktree, below the same directory of the main checkout.
func (p Place) everywhere(list *settings.Value, put place) *settings.Value {
	placed := eachIn(list, p.Project, put)
	if p.Main == "" || p.Main == p.Root {
		return placed
	}
	for _, item := range eachIn(list, p.Main+strings.TrimPrefix(p.Project, p.Root), put).Items {
		placed = appended(placed, item)
	}
	return placed
}

// appended adds an element that is not there yet.
func appended(list, item *settings.Value) *settings.Value {
	if slices.ContainsFunc(list.Items, item.Equal) {
		return list
	}
	return settings.List(append(slices.Clone(list.Items), item)...)
}

// roots are the directories that the launch allows to be read.
func (p Place) roots(o Options) (roots []string) {
	if !p.holdsHome(p.Root) {
		roots = append(roots, p.Root)
	}
	if (o.Worktree || makesWorktree(o.Args)) && p.Main != "" && p.Main != p.Root && !p.holdsHome(p.Main) {
		roots = append(roots, p.Main)
	}
	return roots
}

// makesWorktree says whether arguments of the runtime ask it for a worktree of
// its own: -w, -wNAME or behind other letters, --worktree, --worktree=NAME.
func makesWorktree(args []string) bool {
	for _, arg := range claude.Options(args) {
		if name, _, _ := strings.Cut(arg, "="); name == "--worktree" {
			return true
		}
		letters, short := strings.CutPrefix(arg, "-")
		if short && strings.HasPrefix(strings.TrimLeft(letters, "chpv"), "w") {
			return true
		}
	}
	return false
}

// absolute turns a path of a sandbox setting, relative to dir, into one that
// means the same wherever it stands. One below the home stays as it is.
func (p Place) absolute(v *settings.Value, dir string) *settings.Value {
	if v.Kind != settings.Str || v.Text == "~" || strings.HasPrefix(v.Text, "~/") {
		return v
	}
	return settings.String(settings.Dirs{Home: p.Home, Start: dir}.Resolve(v.Text, settings.Project))
}

// inRule is ruleIn for an element of a list of rules.
func inRule(v *settings.Value, dir string) *settings.Value {
	return settings.String(ruleIn(v.Text, dir))
}

// ruleIn returns a rule with a path below dir in place of one that is relative
// to the project. Patterns are those of gitignore (measured): a bare name
// matches at every depth, a slash within it or before it ties it to the
// project.
func ruleIn(rule, dir string) string {
	tool, path, _, ok := claude.SplitRule(rule)
	if !ok || !slices.Contains(claude.PathTools, tool) || path == "" ||
		strings.HasPrefix(path, "//") || path == "~" || strings.HasPrefix(path, "~/") {
		return rule
	}
	switch {
	case path == "." || path == "./" || path == "/":
		path = "**"
	case strings.HasPrefix(path, "./"), strings.HasPrefix(path, "../"):
		slash := strings.HasSuffix(path, "/")
		if path = filepath.Join(dir, path); slash {
			path += "/"
		}
		return tool + "(/" + path + ")"
	case strings.HasPrefix(path, "/"):
		path = path[1:]
	case !strings.Contains(strings.TrimSuffix(path, "/"), "/"):
		path = "**/" + path
	}
	return tool + "(/" + dir + "/" + path + ")"
}

// patterns are characters that a rule would not take for themselves.
const patterns = `*?[]{}()!\`

// namable refuses a project whose path a rule would misread. Directories below
// it may have any name.
func (p Place) namable() error {
	for _, dir := range []string{p.Project, p.Root, p.Main} {
		if at := strings.IndexAny(dir, patterns); at >= 0 {
			name, _, _ := strings.Cut(dir[strings.LastIndex(dir[:at], "/")+1:], "/")
			above := dir[:strings.LastIndex(dir[:at], "/")+1]
			plainly := strings.Map(func(r rune) rune {
				if strings.ContainsRune(patterns, r) {
					return '-'
				}
				return r
			}, name)
			return &report.Error{Code: report.ExitLeft, Where: dir,
				What: "has characters in its name that rules read as a pattern",
				Why:  "deny rules for this project would not hold",
				Next: "rename the directory " + above + name + ", for example to " + plainly}
		}
	}
	return nil
}
