// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where there is no namespace, a session has a directory of
// its own in place of the home, in which every path of the user's is
// rewritten; it is removed afterwards, whatever happened.

package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Replica plays sessions in a replica home: the Player of macOS, and of a
// Linux on which no namespace can be had.
//
// It proves less than a stage. The policy is the user's with every path
// rewritten, so that a mistake in the rewriting would be judged in place of
// the policy. The real home, /etc and the network are in reach of a twin: only
// what the scripted calls name keeps it away from them. Host names lead to
// loopback, since nothing can be put into /etc/hosts. Managed settings cannot
// be replaced: a session with those that could divert it is refused. After
// SIGKILL the directory stays; the next replica removes it.
type Replica struct{ Theatre }

// Play implements Player.
func (t *Replica) Play(ctx context.Context, s Session) (raw Raw, err error) {
	if s.Terminal {
		return Raw{}, noTerminal
	}
	begun := t.Host.System().Now()
	if path, err := t.Agent.Diverts(t.Host); path != "" {
		return Raw{}, &report.Error{Code: report.ExitLeft, Where: path, What: "holds more than a policy", Err: err,
			Why:  "without a namespace the runtime reads it as it is: hooks and variables of it would take part",
			Next: notHere}
	}
	st, needs, err := t.layout(s)
	if err != nil {
		return Raw{}, err
	}
	dir, remove, err := fs.Replica()
	if err != nil {
		return Raw{}, unplayable(err)
	}
	defer func() {
		if gone := remove(); gone != nil && err == nil {
			raw, err = Raw{}, &report.Error{Code: report.ExitLeft, Where: dir, What: "cannot be removed", Err: gone,
				Next: "remove it yourself"}
		}
	}()
	heard, err := model.Listen("127.0.0.1:0")
	if err != nil {
		return Raw{}, unplayable(err)
	}
	defer heard.Close()
	to, back := t.moves(st, dir)
	if err := to.plain(); err != nil {
		return Raw{}, err
	}
	j, tmp := t.job(st, s, needs), filepath.Join(dir, "tmp")
	j.Session, j.Files = to.session(s, t.names(heard.Address())), nil
	j.Heavy = true // nobody plays it again
	j.Runtime, j.Self = to.text(j.Runtime), to.text(j.Self)
	j.Environ = append(to.list(j.Environ), "TMPDIR="+tmp)
	if name := t.Agent.Layout(t.Host.Places()).Temporary; name != "" {
		j.Environ = append(j.Environ, name+"="+tmp)
	}
	files, complete := st.Flat(t.Host, t.Trees)
	if err := fs.Lay(append(to.files(files), fs.Laid{Path: tmp, Mode: directory})); err != nil {
		return Raw{}, unplayable(err)
	}
	if s.Launch == report.Iso {
		if j.Files, err = t.approved(j); err != nil {
			return Raw{}, err
		}
	}
	// What is offered is a process of its own, which only a namespace ends.
	j.Session.Offers, j.Session.Remotes = nil, Remotes{}
	started := t.Host.System().Now()
	raw, err = j.do(ctx, heard)
	if raw.Times != nil {
		raw.Times.Begun, raw.Times.Started, raw.Times.Done, raw.Times.Plays = begun, started, t.Host.System().Now(), 1
	}
	if raw.NotOffered == nil { // it ended before anything was offered
		raw.NotOffered = map[OfferKind]string{}
	}
	for _, o := range s.Offers {
		raw.NotOffered[o.Kind] = nothingOffered
	}
	if s.Remotes.Hosts != nil {
		raw.NotOffered[OfferRemotes] = nothingOffered
	}
	if ctx.Err() != nil {
		return Raw{}, &report.Error{Code: report.ExitInterrupted, What: "interrupted"}
	}
	if err != nil {
		raw.Failed = err.Error()
	}
	if !complete {
		raw.Stderr += "the work tree is too large to be copied as a whole: some files were left out\n"
	}
	return raw.mapped(back.text), nil
}

const nothingOffered, notHere = "a replica home offers nothing", "verify where bwrap works"

func unplayable(err error) error {
	return &report.Error{Code: report.ExitLeft, Where: "the directory for temporary files",
		What: "no replica of the home can be made", Err: err, Why: NotTested, Next: "set TMPDIR to a directory with room"}
}

// moves maps the places of the stage into dir, and back.
func (t *Replica) moves(st *stage.Stage, dir string) (to, back rewrite) {
	add := func(from, into string) {
		to = append(to, [2]string{from, into})
		back = append(back, [2]string{into, from})
	}
	home := filepath.Join(dir, "home")
	add(st.Home, home)
	add(stage.Own, filepath.Join(dir, "own"))
	outside := func(place string) {
		if place != "" && !pathname.Within(place, st.Home) && !slices.ContainsFunc(to, func(m [2]string) bool {
			return m[0] == place
		}) {
			add(place, filepath.Join(dir, "outside", place))
		}
	}
	outside(st.Agent)
	for _, tree := range t.Trees {
		outside(tree.Root)
		outside(tree.Common)
	}
	byLength := func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) }
	slices.SortFunc(to, byLength)
	slices.SortFunc(back, byLength)
	return to, back
}

// names maps the stage's address, and the host names that lead to it with and
// without its port, to the listener's.
func (t *Replica) names(address string) rewrite {
	list := rewrite{{fmt.Sprintf("%s:%d", proc.StageAddress, Port), address}}
	for _, n := range t.Names {
		list = append(list, [2]string{fmt.Sprintf("%s:%d", n, Port), address}, [2]string{n, address})
	}
	return list
}

// approved approves the rewritten policy, for the launch that asks for it.
func (t *Replica) approved(j job) ([]fs.Laid, error) {
	sys := t.Host.System()
	sys.Env, sys.Cwd = env.New(j.Environ), j.Session.Dir
	h, err := host.New(sys)
	if err != nil {
		return nil, err
	}
	_, approval := t.Agent.Clean(h, host.StandingDir(h, j.Session.Dir))
	return []fs.Laid{approval}, nil
}

// rewrite replaces one path by another, where it stands as a whole: longer
// ones first.
type rewrite [][2]string

// plain says why texts cannot be rewritten: nil if they can. A quote in a
// path is written in another way in a command line.
func (w rewrite) plain() error {
	for _, m := range w {
		for _, path := range m {
			if strings.ContainsAny(path, "'\"\\\n") {
				return &report.Error{Code: report.ExitLeft, Where: path, What: "has a quote, a backslash or a line break in it",
					Why: "a scripted command cannot be led to a replica of it", Next: notHere}
			}
		}
	}
	return nil
}

func (w rewrite) text(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		m := w.at(s, i)
		if m == nil {
			out.WriteByte(s[i])
			i++
			continue
		}
		out.WriteString(m[1])
		i += len(m[0])
	}
	return out.String()
}

// at is the first pair whose path stands as a whole at position i.
func (w rewrite) at(s string, i int) *[2]string {
	if i > 0 && partOfName(s[i-1]) {
		return nil
	}
	for k := range w {
		from := w[k][0]
		if strings.HasPrefix(s[i:], from) && (i+len(from) == len(s) || !partOfName(s[i+len(from)])) {
			return &w[k]
		}
	}
	return nil
}

func partOfName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' ||
		c >= utf8.RuneSelf
}

func (w rewrite) list(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, s := range texts {
		out = append(out, w.text(s))
	}
	return out
}

// files are files at their new places; what is text has the new places in it.
func (w rewrite) files(files []fs.Laid) []fs.Laid {
	out := make([]fs.Laid, 0, len(files))
	for _, f := range files {
		f.Path, f.Link = w.text(f.Path), w.text(f.Link)
		if utf8.Valid(f.Data) && len(f.Data) <= maxHookFile {
			f.Data = []byte(w.text(string(f.Data)))
		}
		out = append(out, f)
	}
	return out
}

// session is a session at its new places; its calls reach the listener in
// place of the hosts that they name.
func (w rewrite) session(s Session, names rewrite) Session {
	s.Dir, s.Env, s.Watch, s.Files = w.text(s.Dir), w.list(s.Env), w.list(s.Watch), w.files(s.Files)
	turns := make([]model.Turn, 0, len(s.Turns))
	for _, turn := range s.Turns {
		var moved model.Turn
		for _, c := range turn {
			input := map[string]any{}
			for name, v := range c.Input {
				if text, ok := v.(string); ok {
					v = names.text(w.text(text))
				}
				input[name] = v
			}
			c.Input = input
			moved = append(moved, c)
		}
		turns = append(turns, moved)
	}
	s.Turns = turns
	outside := make([][]string, 0, len(s.Outside))
	for _, call := range s.Outside {
		outside = append(outside, names.list(w.list(call)))
	}
	s.Outside = outside
	return s
}
