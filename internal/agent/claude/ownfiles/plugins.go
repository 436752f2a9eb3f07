// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plugin of the user's is all that it starts, and the
// place that it is copied from: the runtime copies it again when that has
// changed (measured with 2.1.324 and 2.1.329, a marketplace in a directory).

package ownfiles

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// plugins judges the plugins that the user's settings switch on.
func (w *ownWalk) plugins(s session.Settings) {
	own := filepath.Join(w.g.Host.Places().AgentDir, "plugins")
	lists := []string{filepath.Join(own, "installed_plugins.json"), filepath.Join(own, "known_marketplaces.json")}
	installed, known := w.document(lists[0]), w.document(lists[1])
	sources := []*settings.Doc{known}
	for _, l := range s.Layers {
		if !l.Scope.OfProject() {
			sources = append(sources, l.Doc)
		}
	}
	var markets []string
	for _, d := range sources[1:] {
		for _, m := range settings.MembersOf(d.Get(claude.KeyEnabledPlugins...)) {
			if m.Value.False() {
				continue
			}
			name, market, _ := strings.Cut(m.Key, "@")
			markets = append(markets, market)
			if installed == nil {
				continue
			}
			for _, copied := range settings.ItemsOf(installed.Get("plugins", m.Key)) {
				if dir := copied.Get("installPath"); filepath.IsAbs(settings.TextOf(dir)) {
					w.plugin(dir.Text, installed.Where(dir), "your plugin "+name)
					w.entry(known, market, name, dir.Text)
				}
			}
		}
	}
	if len(markets) > 0 {
		for _, path := range lists {
			w.control(path, path, "where your plugins lie, whose hooks and servers run outside the sandbox")
		}
	}
	for _, market := range markets {
		for _, d := range sources {
			if d != nil {
				w.market(d, market)
			}
		}
	}
}

// market judges where a marketplace lies that plugins in use come from. A relative
// path counts from where the session starts (2.1.330, directory and file).
func (w *ownWalk) market(d *settings.Doc, name string) {
	for _, at := range [][]string{{name}, claude.KeyExtraKnownMarketplaces.Below(name),
		claude.KeyAdditionalMarketplaces.Below(name)} {
		w.updates(d, name, at)
		local := onThisMachine(d.Get(append(slices.Clone(at), "source", "source")...))
		eachString(d.Get(at...), func(key string, v *settings.Value) {
			dir, _ := pathname.Expand(strings.TrimPrefix(v.Text, "file://"), w.g.Session.Dirs.Home)
			if !filepath.IsAbs(dir) && (key == "path" && local || key == "installLocation") {
				dir = filepath.Join(w.g.Session.Dirs.Start, dir)
			}
			if key != "path" && key != "url" && key != "installLocation" || !filepath.IsAbs(dir) {
				return
			}
			if o, yes := w.g.Opening(dir, d.Where(v), "Commands can change the marketplace "+name+
				", from which your plugins are copied: "+dir); yes {
				o.Remedy = report.DocLink{Title: "move the marketplace out of the project", Target: dir}
				w.found = append(w.found, o)
			}
		})
	}
}

// updates names a marketplace from which plugins are replaced without a word
// (schemas of 2.1.324 and 2.1.329: "automatically update this marketplace and
// its installed plugins on startup"). What lies on this machine is judged by
// where.
func (w *ownWalk) updates(d *settings.Doc, name string, at []string) {
	auto, source := d.Get(append(slices.Clone(at), "autoUpdate")...), d.Get(append(slices.Clone(at), "source")...)
	if from := source.Get("source"); auto.True() && from != nil && !onThisMachine(from) {
		o := opening.Opening{Status: report.Warn, Where: d.Where(auto), What: name, Step: "remove the key autoUpdate",
			Opens: "Your plugins of the marketplace " + name + " are updated at each start. What a new version brings runs " +
				"outside the sandbox without a prompt."}
		if at[0] != name { // a setting
			o.Path, o.What = append(slices.Clone(at), "autoUpdate"), "true"
		}
		w.found = append(w.found, o)
	}
}

// onThisMachine says whether a kind of source is a path.
func onThisMachine(kind *settings.Value) bool {
	return slices.Contains([]string{"directory", "file"}, settings.TextOf(kind))
}

// entry judges what the entry of a marketplace adds to a plugin's manifest.
func (w *ownWalk) entry(known *settings.Doc, market, name, dir string) {
	if known == nil || !filepath.IsAbs(settings.TextOf(known.Get(market, "installLocation"))) {
		return
	}
	d := w.document(filepath.Join(known.Get(market, "installLocation").Text, claude.ManifestDir, "marketplace.json"))
	if d == nil || d.Get("plugins") == nil {
		return
	}
	for _, e := range d.Get("plugins").Items {
		if settings.TextOf(e.Get("name")) == name {
			w.source(d, e.Get("source"), known.Get(market, "installLocation").Text, "your plugin "+name)
			files := map[string]string{}
			w.parts(d, e, dir, "your plugin "+name, files)
			w.files(dir, "your plugin "+name, files)
			w.unknownKeys(d, e, claude.Entry)
		}
	}
}

// source judges where an entry of a marketplace says that its plugin comes from, a
// path below the marketplace or a repository on this machine: a change there is
// copied at the next start, or when the plugin is updated (2.1.332). A bare name counts
// from metadata.pluginRoot, and a command is run again at each start, outside the
// sandbox (schema of 2.1.332).
func (w *ownWalk) source(d *settings.Doc, source *settings.Value, market, what string) {
	eachString(source, func(key string, v *settings.Value) {
		dir, bare := strings.TrimPrefix(v.Text, "file://"), settings.TextOf(d.Get(claude.BareNames...))
		switch {
		case key != "" || filepath.IsAbs(dir):
		case strings.HasPrefix(dir, "./"):
			dir = filepath.Join(market, dir)
		case bare != "":
			dir = filepath.Join(market, bare, dir)
		}
		if (key == "" || key == "url") && filepath.IsAbs(dir) {
			w.changeable(dir, d.Where(v), "what "+what+" is copied from", "")
		}
	})
	if line := source.Get("command"); settings.TextOf(source.Get("source")) == "command" && line != nil {
		place := commandline.Place(w.g)
		place.Dir = w.g.Session.Dirs.Home // it runs there (schema of 2.1.332)
		w.found = append(w.found, commandline.Openings(w.g, place.Line(line.Text), "the source of "+what, d.Where(line))...)
	}
}

// unknownKeys names keys of a manifest that are in no table.
func (w *ownWalk) unknownKeys(d *settings.Doc, v *settings.Value, kind claude.Manifest) {
	for _, m := range settings.MembersOf(v) {
		if claude.OfManifest(kind, m.Key).Class == claude.Unknown {
			at := d.WhereKey(m)
			w.found = append(w.found, opening.Opening{Status: report.Warn, Group: opening.UnknownKey, Where: at, What: m.Key,
				Step:  "correct or remove the key " + m.Key,
				Opens: "The key " + m.Key + " of your plugin" + projectcode.KeyIsUnknown + "."})
		}
	}
}

// plugin judges a plugin of the user's by where it lies and what it starts.
func (w *ownWalk) plugin(dir, where, what string) {
	if w.changeable(dir, where, what, "") {
		return
	}
	files := claude.PluginFiles()
	if d := w.document(filepath.Join(dir, claude.ManifestDir, string(claude.Plugin))); d != nil {
		w.unknownKeys(d, d.Root, claude.Plugin)
		w.parts(d, d.Root, dir, what, files)
	}
	w.files(dir, what, files)
	w.texts(dir, false)
}

// parts judges what a manifest, or the entry of a marketplace, says that a plugin in dir
// has: files that it names are put among files. Measured with 2.1.332, in both launches: a
// skill in a directory that an entry alone names is loaded, and its hooks run.
func (w *ownWalk) parts(d *settings.Doc, v *settings.Value, dir, what string, files map[string]string) {
	for _, kind := range claude.TextDirs {
		eachString(v.Get(kind.Name), func(_ string, v *settings.Value) {
			path := filepath.Join(dir, v.Text)
			real := grants.RealPath(w.g.Host, path)
			if info, err := w.g.Host.Stat(path); err == nil && info.IsDir() {
				w.dir(path, kind.Kind, kind.Name == claude.SkillsDir, 0)
			} else if err == nil && kind.Kind != claude.Style && !slices.Contains(w.dirs, real) {
				w.dirs = append(w.dirs, real)
				w.text(path, kind.Kind)
			}
		})
	}
	for _, key := range claude.PluginParts {
		for _, at := range [][]string{{key}, {claude.PluginExperimental, key}} {
			part := v.Get(at...)
			w.starts(d, part, pluginRoot(dir), key, what)
			eachString(part, func(inside string, v *settings.Value) {
				if inside == "" && strings.HasPrefix(v.Text, "./") {
					files[filepath.Clean(v.Text)] = key
				}
			})
		}
	}
}

// files judges files of a plugin, each by the part that it holds.
func (w *ownWalk) files(dir, what string, files map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path, key := filepath.Join(dir, name), files[name]
		if w.changeable(path, path, what, "") {
			continue
		}
		if d := w.document(path); d != nil {
			w.starts(d, d.Root, pluginRoot(dir), key, what)
		}
	}
}

// document reads a file of JSON; nil if it is not there, or not understood,
// which is said.
func (w *ownWalk) document(path string) *settings.Doc {
	b, err := w.g.Host.Read(path)
	if err != nil {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(string(b)), "[") {
		b = []byte(`{"` + claude.PluginMonitors + `":` + string(b) + "}")
	}
	d, err := settings.Parse(path, b)
	if err != nil {
		w.unread(path, "it is not strict JSON")
		return nil
	}
	return d
}

// starts judges what a value starts, and what its hooks may answer; fill puts in what
// variables of its texts stand for.
func (w *ownWalk) starts(d *settings.Doc, v *settings.Value, fill *strings.Replacer, key, what string) {
	w.commands(d, v, fill, key, "", what)
	if key == claude.KeyHooks.Leaf() {
		w.modules(d, v, what)
		w.answers(d, v, fill, what, 0)
	}
}

// answers judges the hooks among the events of a value.
func (w *ownWalk) answers(d *settings.Doc, v *settings.Value, fill *strings.Replacer, what string, depth int) {
	for _, m := range settings.MembersOf(v) {
		if m.Value.Kind == settings.Object && depth < 2 {
			w.answers(d, m.Value, fill, what, depth+1)
		}
		for _, block := range m.Value.Items {
			for _, entry := range settings.ItemsOf(block.Get(settings.BlockHooks)) {
				h := prompts.HookIn(d, m.Key, block, entry, " of "+what)
				h.Command = fill.Replace(h.Command)
				for i := range h.Args {
					h.Args[i] = fill.Replace(h.Args[i])
				}
				w.found = append(w.found, prompts.Answered(w.g, h)...)
			}
		}
	}
}

// pluginRoot puts the directory of a plugin in the place of its variable.
func pluginRoot(dir string) *strings.Replacer {
	return strings.NewReplacer("${"+claude.PluginRootVariable+"}", dir, "$"+claude.PluginRootVariable, dir)
}

// commands judges the commands below a value; event is that of its hooks. Without a
// shell are started those of servers, and those of hooks and monitors that have args.
func (w *ownWalk) commands(d *settings.Doc, v *settings.Value, fill *strings.Replacer, key, event, what string) {
	if v == nil {
		return
	}
	if line, list := v.Command(); v.Kind == settings.Object && line != nil && line.Kind == settings.Str {
		start := dotfiles.Startup{Command: fill.Replace(line.Text), Exec: list != nil || strings.HasSuffix(key, "Servers"),
			Env:    dotfiles.StartVars(d, v.Get("env")),
			Folder: fill.Replace(settings.TextOf(v.Get("workspaceFolder"))), Event: cmp.Or(event, key)}
		for _, a := range settings.ItemsOf(list) {
			start.Args = append(start.Args, fill.Replace(a.Text))
		}
		for i := range start.Env {
			start.Env[i].Value = fill.Replace(start.Env[i].Value)
		}
		w.start(start, key+" of "+what, d.Where(line))
	}
	if helper := v.Get(claude.HeadersHelper); v.Kind == settings.Object && helper != nil && helper.Kind == settings.Str {
		w.start(dotfiles.Startup{Command: fill.Replace(helper.Text)}, key+" of "+what, d.Where(helper))
	}
	for _, item := range v.Items {
		w.commands(d, item, fill, key, event, what)
	}
	for _, m := range settings.MembersOf(v) {
		inside := event
		if event == "" && m.Value.Kind == settings.Array {
			inside = m.Key
		}
		w.commands(d, m.Value, fill, key, inside, what)
	}
}

// eachString calls f for each text in a value, with the key that it stands
// under: "" in the value itself and in its lists.
func eachString(v *settings.Value, f func(key string, v *settings.Value)) {
	if v == nil {
		return
	}
	if v.Kind == settings.Str {
		f("", v)
	}
	for _, item := range v.Items {
		eachString(item, f)
	}
	for _, m := range v.Members {
		eachString(m.Value, func(key string, v *settings.Value) { f(cmp.Or(key, m.Key), v) })
	}
}

// EachHookFile hands on the words of each hook of a session, and the scripts,
// programs and files that say what it does: those of its own settings, and those of
// the user's own texts and plugins.
func EachHookFile(r host.Reader, s session.Settings, read func(where, text string)) {
	g := grants.Of(r, s)
	g.OnRead = read
	for _, l := range s.Layers {
		for _, h := range l.Doc.Hooks() {
			prompts.Says(g, prompts.HookIn(l.Doc, h.Event, h.Block, h.Entry, ""))
		}
	}
	w := &ownWalk{g: g}
	w.starting(s)
}
