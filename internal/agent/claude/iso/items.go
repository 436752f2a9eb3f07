// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs code, or takes a question away, is loaded only
// under a digest that covers all that decides what it does: its own text and
// the files of the project that it runs.

package iso

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Kind is a kind of Item.
type Kind string

// The kinds. Other items cannot be allowed: they are only named.
const (
	Hook   Kind = "hook"
	Server Kind = "MCP server"
	Allow  Kind = "allow rule"
	Other  Kind = "other"
)

// Item is something of the project that a plain start would load and a
// hardened one does not, unless the user allows it.
type Item struct {
	Kind Kind
	// Name tells the user which one it is; Text is all of it.
	Name, Text string
	// Where is its place, "path:line:col", or the directory.
	Where   string
	Digest  report.Digest
	Allowed bool
	// Files are the files of the project that it runs; Refused says why it
	// cannot be approved, "" if it can.
	Files   []File
	Refused string

	value *settings.Value // the rule, the hook or the server
	block *settings.Value // the block of a hook, and its event
	event string
}

// MCPLink is the name of the Other item for a .mcp.json that leads to
// credentials.
const MCPLink = ".mcp.json, which is a symlink to a credential file: not opened"

func itemsOf(h host.Reader, p Place, pol Policy) ([]Item, error) {
	var items []Item
	r := newResolver(h, p, pol)
	for _, path := range p.settingsFiles() {
		d, err := checked(h, p.Root, path)
		if err != nil {
			return nil, err
		}
		hooks, err := HooksIn(d)
		if err != nil {
			return nil, err
		}
		for _, i := range hooks {
			if i.Kind == Hook {
				i = r.item(i)
			}
			items = append(items, i)
		}
		for _, rule := range settings.ItemsOf(d.Get(claude.KeyAllow...)) {
			if rule.Kind == settings.Str {
				items = append(items, r.item(Item{Kind: Allow, Name: rule.Text, Text: rule.Text, Where: d.Where(rule),
					value: rule}))
			}
		}
		items = append(items, loosened(d)...)
		for _, m := range d.Root.Members {
			if !slices.Contains(ownItems, m.Key) {
				items = append(items, Item{Kind: Other, Name: "the setting " + m.Key, Where: d.Where(m.Value)})
			}
		}
	}
	for dir := p.Start; dir != p.Project && pathname.Within(dir, p.Project); dir = filepath.Dir(dir) {
		if host.There(h, settingsIn(dir)) && dir != p.Home {
			name, _ := pathname.Below(settingsIn(dir), p.Project)
			items = append(items, Item{Kind: Other, Name: name, Where: settingsIn(dir)})
		}
	}
	items = append(items, serversOf(r)...)
	for _, dir := range claude.TextDirs {
		if entries, err := h.ReadDir(filepath.Join(p.Project, claude.Dir, dir.Name)); err == nil && len(entries) > 0 {
			items = append(items, Item{Kind: Other, Name: ".claude/" + dir.Name,
				Where: filepath.Join(p.Project, claude.Dir, dir.Name)})
		}
	}
	seen := map[[3]string]bool{}
	return slices.DeleteFunc(items, func(i Item) bool {
		id := [3]string{string(i.Kind), string(i.Digest), i.Name}
		twice := seen[id]
		seen[id] = true
		return twice
	}), nil
}

// ownItems are the settings whose parts are items, or that are taken whole.
var ownItems = []string{claude.KeySandbox.Leaf(), claude.KeyPermissions.Leaf(), claude.KeyHooks.Leaf(),
	claude.KeySchema.Leaf()}

// loosened lists what of a project's sandbox a launch leaves out, since it lets
// commands out of it.
func loosened(d *settings.Doc) (items []Item) {
	for _, entry := range settings.ItemsOf(d.Get(claude.KeyExcludedCommands...)) {
		if letsOut(entry) {
			items = append(items, Item{Kind: Other, Name: "excludedCommands " + entry.Text, Where: d.Where(entry)})
		}
	}
	for _, key := range claude.ProxyPorts {
		if port := d.Get(claude.KeyNetwork.Below(key)...); port != nil {
			items = append(items, Item{Kind: Other, Name: "the setting sandbox.network." + key, Where: d.Where(port)})
		}
	}
	return items
}

// HooksIn lists the hooks of a settings document, one by one; none is approved.
func HooksIn(d *settings.Doc) ([]Item, error) {
	var items []Item
	for _, h := range d.Hooks() {
		if h.Entry.Get("type").Equal(settings.String("prompt")) { // asks a model, and runs nothing
			items = append(items, Item{Kind: Other, Name: "the prompt hook " + h.Event, Where: d.Where(h.Entry)})
			continue
		}
		doc, err := hookDocument(d.Path, h.Event, h.Block, h.Entry)
		if err != nil {
			return nil, err
		}
		name := h.Event
		if matcher := h.Matcher(); matcher != nil && matcher.Text != "" {
			name += " " + matcher.Text
		}
		where := d.Where(h.Entry)
		if command, _ := h.Entry.Command(); command != nil {
			name += ": " + redact.Command(command.Text)
			where = d.Where(command)
		}
		items = append(items, Item{Kind: Hook, Name: name, Text: string(doc.Bytes()), Where: where, value: h.Entry,
			block: h.Block, event: h.Event})
	}
	return items, nil
}

// serversOf lists the MCP servers that the runtime reads from .mcp.json: the
// project's, and those of the start directory and of every directory above it
// (measured with 2.1.324 and 2.1.329), which no approval of the project's is
// for.
func serversOf(r resolver) []Item {
	items := ServersIn(r.h, r.p.Root, r.p.Project)
	for i := range items {
		if items[i].Kind == Server {
			items[i] = r.item(items[i])
		}
	}
	for dir := range pathname.Upward(r.p.Start) {
		if dir == r.p.Project {
			continue
		}
		for _, i := range ServersIn(r.h, r.p.Root, dir) {
			i.Name += " of " + filepath.Join(dir, claude.ServersFile)
			i.Refused = "it is not in the project's root"
			items = append(items, i)
		}
	}
	return items
}

// ServersIn lists the MCP servers of .mcp.json in one directory; root is that
// of the work tree. A file that is not understood has none: the runtime would
// not start one either.
func ServersIn(h host.Reader, root, dir string) []Item {
	path := filepath.Join(dir, claude.ServersFile)
	b, err := sensitive.ReadProject(h, root, path)
	if linked := (*sensitive.LinkError)(nil); errors.As(err, &linked) {
		return []Item{{Kind: Other, Name: MCPLink, Where: path}}
	}
	if err != nil {
		return nil
	}
	d, err := settings.Parse(path, b)
	if err != nil {
		return []Item{{Kind: Other, Name: ".mcp.json, which is not strict JSON", Where: path}}
	}
	var items []Item
	for _, m := range settings.MembersOf(d.Get(claude.ServersKey)) {
		doc, err := document(claude.ServersFile, settings.Dict(settings.Pair(m.Key, m.Value)))
		if err != nil || m.Value.Kind != settings.Object {
			continue
		}
		items = append(items, Item{Kind: Server, Name: m.Key, Text: string(doc.Bytes()), Where: d.Where(m.Value),
			value: m.Value})
	}
	return items
}

// hookDocument is one hook as settings.
func hookDocument(name, event string, block, hook *settings.Value) (*settings.Doc, error) {
	alone := with(block, settings.BlockHooks, settings.List(hook))
	return document(name, settings.Dict(settings.Pair(claude.KeyHooks.Leaf(),
		settings.Dict(settings.Pair(event, settings.List(alone))))))
}

// item gives an item its digest.
func (r resolver) item(i Item) Item {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", i.Kind, i.Text)
	if i.Kind != Allow {
		r.moves = i.event == claude.CwdChanged // it runs before StayVariable counts
		i.Files, i.Refused = r.resolve(i.value)
	}
	for _, f := range i.Files {
		fmt.Fprintf(&b, "copy of %s %s\n", f.Rel, report.DigestOf(f.content))
		i.Text += "# runs a copy of " + f.Rel + " as it is now\n"
		for _, by := range r.also(f) {
			i.Text += "# the copy runs " + by + ", which commands can change\n"
		}
	}
	i.Digest = report.DigestOf([]byte(b.String()))
	return i
}

// allowed, hooks and servers are the items that the user has allowed, as the
// runtime takes them.

func (l *Launch) allowed() (rules []*settings.Value) {
	for _, i := range l.Items {
		if i.Allowed && i.Kind == Allow {
			rules = append(rules, settings.String(ruleIn(i.value.Text, l.Place.Project)))
		}
	}
	return rules
}

func (l *Launch) hooks() ([]*settings.Doc, error) {
	var docs []*settings.Doc
	for _, i := range l.Items {
		if i.Allowed && i.Kind == Hook {
			hook, err := i.copies(i.value, l.state)
			if err != nil {
				return nil, err
			}
			d, err := hookDocument("--settings", i.event, i.block, hook)
			if err != nil {
				return nil, err
			}
			docs = append(docs, d)
		}
	}
	return docs, nil
}

// servers is the text for --mcp-config, "" if no server is allowed.
func (l *Launch) servers() (string, error) {
	var servers []settings.Member
	for _, i := range l.Items {
		if i.Allowed && i.Kind == Server {
			server, err := i.copies(i.value, l.state)
			if err != nil {
				return "", err
			}
			servers = append(servers, settings.Pair(i.Name, server))
		}
	}
	if len(servers) == 0 {
		return "", nil
	}
	d, err := document("--mcp-config", settings.Dict(settings.Pair(claude.ServersKey, settings.Dict(servers...))))
	if err != nil {
		return "", err
	}
	return compact(d.Bytes())
}
