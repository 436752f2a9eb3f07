// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs code, or takes a question away, is loaded only
// under a digest that covers all that decides what it does: its own text and
// the files of the project that it names.

package iso

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
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

	value *settings.Value // the rule, or the server
	doc   *settings.Doc   // the settings that wire a hook
}

// MCPLink is the name of the Other item for a .mcp.json that leads to
// credentials.
const MCPLink = ".mcp.json, which is a link to a credential file: not opened"

// itemsOf lists the items of a place.
func itemsOf(h host.Reader, p Place) ([]Item, error) {
	var items []Item
	for _, path := range p.settingsFiles() {
		d, err := checked(h, p.Root, path)
		if err != nil {
			return nil, err
		}
		hooks, err := hooksOf(h, p, d)
		if err != nil {
			return nil, err
		}
		items = append(items, hooks...)
		if rules := d.Get("permissions", "allow"); rules != nil {
			for _, rule := range rules.Items {
				if rule.Kind == settings.Str {
					items = append(items, item(h, p, Item{Kind: Allow, Name: rule.Text, Text: rule.Text, Where: d.Where(rule), value: rule}))
				}
			}
		}
		for _, m := range d.Root.Members {
			if !slices.Contains([]string{"sandbox", "permissions", "hooks", "$schema"}, m.Key) {
				items = append(items, Item{Kind: Other, Name: "the setting " + m.Key, Where: d.Where(m.Value)})
			}
		}
	}
	for dir := p.Start; dir != p.Project && below(dir, p.Project); dir = filepath.Dir(dir) {
		if _, err := h.Lstat(settingsIn(dir)); err == nil && dir != p.Home {
			items = append(items, Item{Kind: Other, Name: strings.TrimPrefix(settingsIn(dir), p.Project+"/"), Where: settingsIn(dir)})
		}
	}
	items = append(items, serversOf(h, p)...)
	for _, dir := range []string{"agents", "skills", "commands", "output-styles"} {
		if entries, err := h.ReadDir(filepath.Join(p.Project, ".claude", dir)); err == nil && len(entries) > 0 {
			items = append(items, Item{Kind: Other, Name: ".claude/" + dir, Where: filepath.Join(p.Project, ".claude", dir)})
		}
	}
	var unique []Item
	for _, i := range items {
		if !slices.ContainsFunc(unique, func(u Item) bool { return u.Kind == i.Kind && u.Digest == i.Digest && u.Name == i.Name }) {
			unique = append(unique, i)
		}
	}
	return unique, nil
}

// hooksOf lists the hooks of a settings document, one by one.
func hooksOf(h host.Reader, p Place, d *settings.Doc) ([]Item, error) {
	var items []Item
	events := d.Get("hooks")
	if events == nil || events.Kind != settings.Object {
		return nil, nil
	}
	for _, event := range events.Members {
		for _, block := range event.Value.Items {
			hooks := block.Get("hooks")
			if hooks == nil {
				continue
			}
			for _, hook := range hooks.Items {
				alone := with(block, "hooks", settings.List(hook))
				doc, err := document(d.Path, settings.Dict(settings.Pair("hooks", settings.Dict(settings.Pair(event.Key, settings.List(alone))))))
				if err != nil {
					return nil, err
				}
				name := event.Key
				if matcher := block.Get("matcher"); matcher != nil && matcher.Text != "" {
					name += " " + matcher.Text
				}
				where := d.Where(hook)
				if command := hook.Get("command"); command != nil {
					name += ": " + redact.Command(command.Text)
					where = d.Where(command)
				}
				items = append(items, item(h, p, Item{Kind: Hook, Name: name, Text: string(doc.Bytes()), Where: where, value: hook, doc: doc}))
			}
		}
	}
	return items, nil
}

// serversOf lists the MCP servers of .mcp.json. A file that is not understood
// has none: the runtime would not start one either.
func serversOf(h host.Reader, p Place) []Item {
	path := filepath.Join(p.Project, ".mcp.json")
	b, err := inforce.ReadProject(h, p.Root, path)
	if linked := (*inforce.LinkError)(nil); errors.As(err, &linked) {
		return []Item{{Kind: Other, Name: MCPLink, Where: path}}
	}
	if err != nil {
		return nil
	}
	d, err := settings.Parse(path, b)
	if err != nil {
		return []Item{{Kind: Other, Name: ".mcp.json, which is not strict JSON", Where: path}}
	}
	servers := d.Get("mcpServers")
	if servers == nil || servers.Kind != settings.Object {
		return nil
	}
	var items []Item
	for _, m := range servers.Members {
		doc, err := document(".mcp.json", settings.Dict(settings.Pair(m.Key, m.Value)))
		if err != nil || m.Value.Kind != settings.Object {
			continue
		}
		items = append(items, item(h, p, Item{Kind: Server, Name: m.Key, Text: string(doc.Bytes()), Where: d.Where(m.Value), value: m.Value, doc: doc}))
	}
	return items
}

// item gives an item its digest.
func item(h host.Reader, p Place, i Item) Item {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", i.Kind, i.Text)
	for _, file := range p.named(h, i.value) {
		content, err := h.ReadIn(p.Root, file)
		if err != nil {
			content = []byte("unreadable")
		}
		fmt.Fprintf(&b, "%s %s\n", file, report.DigestOf(content))
		i.Text += "# with the file " + file + " as it is now\n"
	}
	i.Digest = report.DigestOf([]byte(b.String()))
	return i
}

// named lists the files of the project that the strings of a hook or a server
// name, relative to the root.
func (p Place) named(h host.Reader, v *settings.Value) []string {
	var files []string
	// The project's own path may hold spaces, at which words are told apart.
	shorten := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", ".", "$CLAUDE_PROJECT_DIR", ".", p.Project+"/", "./", `"`, "", "'", "")
	for _, text := range texts(v) {
		for word := range strings.FieldsFuncSeq(shorten.Replace(text), func(r rune) bool { return strings.ContainsRune(" \t\n`;&|()<>=", r) }) {
			if !filepath.IsAbs(word) {
				word = filepath.Join(p.Project, word)
			}
			rel, err := filepath.Rel(p.Root, filepath.Clean(word))
			if err != nil || rel == "." || strings.HasPrefix(rel, "..") || slices.Contains(files, rel) {
				continue
			}
			if info, err := h.Stat(filepath.Join(p.Root, rel)); err == nil && info.Mode().IsRegular() {
				files = append(files, rel)
			}
		}
	}
	return files
}

// texts lists the strings in v.
func texts(v *settings.Value) []string {
	if v.Kind == settings.Str {
		return []string{v.Text}
	}
	var list []string
	for _, item := range v.Items {
		list = append(list, texts(item)...)
	}
	for _, m := range v.Members {
		list = append(list, texts(m.Value)...)
	}
	return list
}

// allowed, hooks and servers are the items that the user has allowed, as the
// runtime takes them.

func (l *Launch) allowed() []*settings.Value {
	var rules []*settings.Value
	for _, i := range l.Items {
		if i.Allowed && i.Kind == Allow {
			rules = append(rules, settings.String(ruleIn(i.value.Text, l.Place.Project)))
		}
	}
	return rules
}

func (l *Launch) hooks() []*settings.Doc {
	var docs []*settings.Doc
	for _, i := range l.Items {
		if i.Allowed && i.Kind == Hook {
			docs = append(docs, i.doc)
		}
	}
	return docs
}

// servers is the text for --mcp-config, "" if no server is allowed.
func (l *Launch) servers() (string, error) {
	servers := map[string]json.RawMessage{}
	for _, i := range l.Items {
		if i.Allowed && i.Kind == Server {
			var one map[string]json.RawMessage
			if err := json.Unmarshal(i.doc.Bytes(), &one); err != nil {
				return "", err
			}
			servers[i.Name] = one[i.Name]
		}
	}
	if len(servers) == 0 {
		return "", nil
	}
	b, err := json.Marshal(map[string]any{"mcpServers": servers})
	return string(b), err
}
