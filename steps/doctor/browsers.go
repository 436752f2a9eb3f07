// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a browser works if it renders a page and takes a picture of
// it; the same call with and without one option, or of a browser without a
// profile, tells which of its parts is refused.

package doctor

import (
	"cmp"
	"context"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// fullBrowsers and headlessShells are the names on PATH of Chromium and its
// relatives, of which the first is tried. Only the full ones lock their profile.
var (
	fullBrowsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
		"microsoft-edge", "brave-browser"}
	headlessShells = []string{"chromium-headless-shell", "chrome-headless-shell"}
)

// browserStore is where a tool keeps browsers of its own.
type browserStore struct {
	tool string
	// variable names another directory than dir, which is below the home.
	variable, dir string
	// programs are the browsers in it that are tried, the first that is there: a
	// star stands for a version.
	programs []string
}

// browserStores are those of Playwright (1.40 to 1.57), Puppeteer (22 and later)
// and Cypress, whose browser needs a display and is not tried.
var browserStores = []browserStore{
	{"Playwright", "PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright", []string{
		"chromium_headless_shell-*/chrome-headless-shell-linux64/chrome-headless-shell",
		"chromium_headless_shell-*/chrome-linux/headless_shell", "chromium-*/chrome-linux64/chrome",
		"chromium-*/chrome-linux/chrome"}},
	{"Puppeteer", "PUPPETEER_CACHE_DIR", ".cache/puppeteer", []string{
		"chrome-headless-shell/linux-*/chrome-headless-shell-linux64/chrome-headless-shell",
		"chrome/linux-*/chrome-linux64/chrome"}},
	{"Cypress", "CYPRESS_CACHE_FOLDER", ".cache/Cypress", nil},
}

func (s browserStore) at(home string, get func(string) string) string {
	if dir := get(s.variable); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(home, s.dir)
}

// BrowserStore is the directory of the store that a path lies in, "" if none: for the
// path "", of the first store that this machine has.
func BrowserStore(r host.Reader, path string) string {
	for _, s := range browserStores {
		dir := s.at(r.Places().Home, r.System().Get)
		if path == "" && host.There(r, dir) || pathname.Within(path, dir) {
			return dir
		}
	}
	return ""
}

// browser is one that is tried.
type browser struct {
	// name is that of the program on PATH, or of the tool that keeps it; path
	// is the program, store the directory of that tool.
	name, path, store string
	// shell says that it is a headless shell.
	shell bool
}

// browsersHere are the browsers of the machine, one of each kind.
func browsersHere(b *bench) (list []browser) {
	for i, names := range [][]string{fullBrowsers, headlessShells} {
		for _, name := range names {
			if path, err := b.r.Look(name); err == nil {
				list = append(list, browser{name: name, path: path, shell: i == 1})
				break
			}
		}
	}
	for _, s := range browserStores {
		store := s.at(b.r.Places().Home, b.r.System().Get)
		for _, pattern := range s.programs {
			if path := newest(b, store, pattern); path != "" {
				list = append(list, browser{name: s.tool + "'s " + filepath.Base(path), path: path, store: store,
					shell: strings.Contains(filepath.Base(path), "shell")})
				break
			}
		}
	}
	return list
}

// newest is the file of the highest version that a pattern with one star names
// below dir, "" if there is none.
func newest(b *bench, dir, pattern string) string {
	before, after, _ := strings.Cut(pattern, "*")
	above, prefix := filepath.Split(filepath.Join(dir, before))
	entries, _ := b.r.ReadDir(filepath.Clean(above)) // none: nothing is found
	entries = slices.DeleteFunc(entries, func(e iofs.DirEntry) bool {
		version, is := strings.CutPrefix(e.Name(), prefix)
		return !is || version == "" || version[0] < '0' || version[0] > '9' // chromium-tip-of-tree-1300
	})
	slices.SortFunc(entries, func(x, y iofs.DirEntry) int {
		return cmp.Or(len(y.Name())-len(x.Name()), strings.Compare(y.Name(), x.Name()))
	})
	for _, e := range entries {
		path := filepath.Join(above, e.Name(), after)
		if info, err := b.r.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// away says why a browser cannot be tried on a stage, "" if it can.
func (br browser) away(b *bench) string {
	if real, err := b.r.Resolve(br.path); err == nil && filepath.Base(real) == "snap" {
		return br.path + " is a snap, and the copy of your setup has no snapd"
	}
	return ""
}

// browsersOutside looks which browsers there are. None is started: each would
// write a profile.
func browsersOutside(_ context.Context, b *bench) control {
	c := control{status: report.Pass, unstarted: true, vars: map[string]string{}}
	var names []string
	for _, br := range browsersHere(b) {
		names = append(names, br.name)
		c.evidence = append(c.evidence, report.FileEvidence(br.path,
			"installed; not started outside, since it writes a profile"))
	}
	if names == nil {
		return absent("no Chromium or Chrome is installed", report.EnvEvidence("PATH, Playwright, Puppeteer", "none of "+
			strings.Join(slices.Concat(fullBrowsers, headlessShells), ", ")))
	}
	c.summary = strings.Join(names, ", ")
	return c
}

// browsersLeft says which browsers were not tried.
func browsersLeft(b *bench, _ control) (string, []report.Evidence) {
	return notTested(b, browsersHere(b), func(br browser) string { return br.name }, browser.away)
}

// What the calls are given, and leave, below the project's root.
const (
	browserDir  = "steward-browsers"
	browserPage = browserDir + "/page.html"
	// browserWord is in the page once its script has run, and not before.
	browserWord = "steward-page"
	browserHTML = "<!DOCTYPE html><p id=\"p\"></p><script>" +
		"document.getElementById(\"p\").textContent = [\"steward\", \"page\"].join(\"-\")</script>\n"
)

// The ids of the clues: whether a command may make a unix socket and a user
// namespace, and how many of those the machine allows.
const (
	browserSocket = "browser-socket"
	browserNested = "browser-nested"
	browserLimit  = "browser-limit"
)

// withoutSandbox is the option of Chromium that starts it without a sandbox of
// its own.
const withoutSandbox = "--no-sandbox"

// browsersAsks start each browser by itself: a second one with the same profile
// would hand its page to the first.
func browsersAsks(b *bench, _ control) (list []ask) {
	for _, br := range browsersHere(b) {
		if br.away(b) != "" {
			continue
		}
		if br.store != "" {
			b.theatre.Shared = append(b.theatre.Shared, br.store)
		} else {
			b.theatre.Programs = append(b.theatre.Programs, br.name)
		}
		ways := []string{"", withoutSandbox}
		if strings.HasPrefix(br.name, "Playwright") {
			ways = ways[1:] // it starts them so (chromiumSandbox is false where it is not set)
		}
		for _, option := range ways {
			list = append(list, br.ask(b.inputs.Root, option, len(list)))
		}
	}
	if list == nil {
		return nil
	}
	list[0].files = []fs.Laid{{Path: filepath.Join(b.inputs.Root, browserPage), Mode: 0o644, Data: []byte(browserHTML)}}
	return append(list, ask{id: browserSocket, role: clue, slow: true,
		call:    tool(rehearsal.ToolIPC, "steward-browser.sock", "/"+browserSocket),
		through: trial.Through{Reply: "/" + browserSocket}},
		ask{id: browserNested, role: clue, slow: true, call: nestedCall, through: trial.Through{Reply: nestedWord}},
		ask{id: browserLimit, role: clue, slow: true, call: tool(rehearsal.ToolRead, namespaceLimit),
			through: trial.Through{Reply: "yes"}})
}

// ask is the n-th call. The sandbox of a browser's own is the runtime's to
// refuse; without it a page has to be rendered.
func (br browser) ask(root, option string, n int) ask {
	program, picture := br.name, fmt.Sprintf("%s/%d.png", browserDir, n)
	if br.store != "" {
		program = scripts.Literal(br.path)
	}
	line := strings.Join(slices.DeleteFunc([]string{program, "--headless", option, "--dump-dom",
		"--screenshot=" + picture, browserPage}, func(word string) bool { return word == "" }), " ")
	a := ask{id: fmt.Sprintf("browser-%d", n), title: br.name + " in its own sandbox", role: byDesign,
		turn: n, slow: true, call: bash(line),
		through: trial.Through{Reply: browserWord, File: filepath.Join(root, picture), Text: "PNG"}, price: nestedPrice,
		outside: "the browser runs outside the sandbox (%s): its options start any program, and its pages show every file " +
			"of yours"}
	if option != "" {
		a.title, a.role = br.name+" "+option, needed
		a.price = anySocketPrice(browserSocket)
	}
	if option != "" && br.shell {
		a.price = nil
		// No line to paste: in a terminal of the user's no other sandbox is around it.
		a.instead = report.DocLink{Title: "let the agent call " + program + " --headless " + withoutSandbox +
			" --screenshot=page.png page.html, which works in its sandbox with your settings as they are",
			Target: "docs/troubleshooting.md#browser"}
	}
	a.layer = func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
		layer, e, _ := br.refused(s, a.id)
		return layer, e
	}
	a.about = func(s *trial.Trial) (string, map[string]string) {
		_, _, entry := br.refused(s, a.id)
		if entry != "browser-missing" {
			return entry, nil
		}
		return entry, map[string]string{"BROWSERS": br.store + "/"}
	}
	return a
}

// The words of Chromium (116 to 156) where it gets no sandbox of its own, and
// where it may not make the socket that locks its profile.
var (
	unsandboxedWords = []string{"no usable sandbox!", "failed to move to new namespace"}
	lockWords        = []string{"process_singleton_posix.cc"}
)

// inWords are refusals whose own line is one of a browser's log, by entry.
var inWords = map[string]string{
	"browser-profile": "cannot lock its profile: unix sockets are refused",
	"browser":         "cannot start its own sandbox: namespaces are refused",
}

// missing says whether a reply says that the browser itself is not there. Of
// other files Debian's Chromium says so at every start.
func (br browser) missing(reply string) bool {
	for line := range strings.Lines(reply) {
		if strings.Contains(line, br.path) && says(line, []string{catalog.NoFile, "not found"}) {
			return true
		}
	}
	return false
}

// refused says who refused a call, and the entry whose fixes are about that: none
// for a full browser without its own sandbox, which needs a socket besides.
func (br browser) refused(s *trial.Trial, id string) (catalog.Refuser, report.Evidence, string) {
	call := s.Of(id)
	switch {
	case says(call.Text, unsandboxedWords):
		layer, e := nestedLayer(browserNested, browserLimit)(s)
		if !br.shell {
			return layer, e, ""
		}
		return layer, e, "browser"
	case says(call.Text, lockWords):
		layer, e := byBind(browserSocket)(s)
		return layer, e, "browser-profile"
	case br.store != "" && br.missing(call.Text):
		return catalog.Mount, report.FileEvidence(br.store, "is there, and hidden from commands"), "browser-missing"
	}
	return catalog.Several, report.CommandEvidence(br.name, trial.Line(call.Text)), ""
}
