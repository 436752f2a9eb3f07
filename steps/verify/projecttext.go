// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a skill, an agent or a command of the project is text for
// the model, until its front matter wires a hook: that runs outside the
// sandbox as soon as the text is used (measured with 2.1.329).

package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// How far a project's texts are walked; where there is more, what it runs is
// not known.
const (
	maxTexts     = 2000
	maxTextDepth = 8
)

// hooksKey finds what may be a key "hooks" in YAML, at any depth, since "<<"
// lifts what stands deeper; and keys that only a whole reader of YAML could
// tell: with escapes, behind a question mark, with a tag or an anchor. A line
// of a long text that looks the same counts too.
var hooksKey = regexp.MustCompile(`(?im)(?:^|[{,])[ \t-]*["']?hooks["']?[ \t]*:|"[^"\n]*\\[^"\n]*"[ \t]*:|^[ \t]*\?[ \t]|(?:^|[{,])[ \t]*[!&][^ \t\n]*[ \t]+["']?hooks`)

// textWalk looks through the texts of a project.
type textWalk struct {
	r      host.Reader
	root   string // absolute, links resolved; nothing outside it is opened
	seen   int
	hooked []settings.Source
	unread []report.Evidence
}

// ofTexts takes the texts that the runtime would load in a session in start:
// those in .claude of each directory up to the root of the work tree.
func (b *brought) ofTexts(r host.Reader, start string) (unread []report.Evidence) {
	root := inforce.FindTree(r, start).Root
	if root == "" {
		root = start
	}
	w := &textWalk{r: r, root: root}
	for dir := start; ; dir = filepath.Dir(dir) {
		if claude := filepath.Join(dir, ".claude"); startAt(r, claude) != startAt(r, r.Places().AgentDir) {
			for _, kind := range []string{"skills", "agents", "commands"} {
				w.dir(filepath.Join(claude, kind), 0)
			}
		}
		if dir == root || dir == filepath.Dir(dir) {
			break
		}
	}
	for _, at := range w.hooked {
		rel, _ := filepath.Rel(root, at.Path)
		if b.add(report.FileEvidence(at.Where(), "the front matter wires hooks, which run outside the sandbox as soon as it is used")) {
			b.texts = append(b.texts, rel)
			b.remedies = append(b.remedies, report.DocLink{Title: "remove hooks from the front matter", Target: at.Where()})
		}
	}
	return w.unread
}

func (w *textWalk) cannot(path, why string) {
	e := report.FileEvidence(path, why)
	if !slices.Contains(w.unread, e) {
		w.unread = append(w.unread, e)
	}
}

// dir walks one directory, links inside the work tree followed.
func (w *textWalk) dir(path string, depth int) {
	real, err := w.r.Resolve(path)
	if err != nil {
		w.cannot(path, "cannot be followed")
		return
	}
	if !below(real, w.root) {
		w.cannot(path, "is a link out of the project: not opened")
		return
	}
	entries, err := w.r.ReadDir(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		w.cannot(path, "cannot be read")
		return
	case depth > maxTextDepth:
		w.cannot(path, fmt.Sprintf("lies more than %d deep: not opened", maxTextDepth))
		return
	}
	for _, e := range entries {
		if w.seen++; w.seen > maxTexts {
			w.cannot(w.root, fmt.Sprintf("has more than %d texts for the agent: not all were opened", maxTexts))
			return
		}
		name := filepath.Join(path, e.Name())
		info, err := w.r.Stat(name)
		switch {
		case err != nil:
		case info.IsDir():
			w.dir(name, depth+1)
		case info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(name), ".md"):
			w.file(name, e.Type()&fs.ModeSymlink != 0)
		}
	}
}

// file looks at the front matter of one text. Opened below the root, it does
// not lead out of it.
func (w *textWalk) file(path string, link bool) {
	rel, err := filepath.Rel(w.root, path)
	if err != nil {
		return
	}
	if link {
		if _, secret := inforce.Secret(w.r, w.root, path); secret {
			w.cannot(path, "is a link to a credential file: not opened")
			return
		}
	}
	b, err := w.r.ReadIn(w.root, rel)
	if err != nil {
		w.cannot(path, "cannot be read below the project's root: not opened")
		return
	}
	if line := hooksLine(b); line > 0 {
		w.hooked = append(w.hooked, settings.Source{Path: path, Line: line, Col: 1})
	}
}

// hooksLine is the line on which front matter wires hooks, 0 if it wires none.
func hooksLine(b []byte) int {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	lead := len(b) - len(bytes.TrimLeft(b, " \t\n"))
	front, ok := bytes.CutPrefix(b[lead:], []byte("---"))
	if !ok {
		return 0
	}
	if end := bytes.Index(front, []byte("\n---")); end >= 0 {
		front = front[:end]
	}
	at := hooksKey.FindIndex(front)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(b[:lead], []byte("\n")) + bytes.Count(front[:at[1]], []byte("\n"))
}
