// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a session without a stage answers depends on its home
// and on every other directory of its test that is named to it; what it left
// there is a part of the answer.

package sessions

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// left is what a session made, changed or removed.
type left struct {
	Path string
	Mode fs.FileMode
	Data []byte `json:",omitempty"`
	Link string `json:",omitempty"`
	Gone bool   `json:",omitempty"`
}

// large is up to which size, in bytes, a file is kept that a session left. The record of one with 430
// calls had 4.9 MB (2.1.332).
const large = 8 << 20

// ports find a listener of the test's: what it hears is no part of an answer. Each begins with words that are
// looked for quickly.
var ports = []*regexp.Regexp{regexp.MustCompile(`127\.0\.0\.1:([0-9]+)`), regexp.MustCompile(`localhost:([0-9]+)`),
	regexp.MustCompile(`\[::1\]:([0-9]+)`), regexp.MustCompile(`ProxyPort\W{0,4}([0-9]+)`)}

// reserved are the ports up to this one: no test listens there (tcp(7): EACCES below 1024).
const reserved = 1023

func listens(text string) bool {
	return slices.ContainsFunc(ports, func(r *regexp.Regexp) bool {
		return slices.ContainsFunc(r.FindAllStringSubmatch(text, -1), func(found []string) bool {
			port, err := strconv.Atoi(found[1])
			return err != nil || port > reserved
		})
	})
}

// layout is what the answer depends on, nil where it is not kept, with the reason,
// and the directories in which the session may leave something.
func (s Session) layout(p started) (l *layout, roots []string, why string) {
	if s.Beside != "" {
		return nil, nil, s.Beside
	}
	script, err := json.Marshal(s.Script)
	if err != nil {
		return nil, nil, err.Error()
	}
	info, err := os.Stat(s.Claude)
	if err != nil {
		return nil, nil, err.Error()
	}
	more := fmt.Sprintf("%s\n%s\n%s\n%q\n%q\n%q\n%s\n", s.Home, s.Dir, content(s.Claude, info), s.Args, s.Vars,
		Environ(""), script)
	if s.Start != nil {
		more += fmt.Sprintf("%s\n%q\n%q\n", p.cmd.Path, p.cmd.Args, p.cmd.Env)
	}
	own := [][2]string{{strings.TrimPrefix(p.URL(), "http://"), "«model»"}}
	for port, words := range testenv.Answering() {
		own = append(own, [2]string{strconv.Itoa(port), fmt.Sprintf("«answers %q»", words)})
	}
	known := func(text string) string {
		for _, o := range own {
			text = strings.ReplaceAll(text, o[0], o[1])
		}
		return text
	}
	roots = []string{s.Home}
	var text string
	var told, untold []string // those of an earlier session's transcript alone, and all others
	for i := 0; i < len(roots); i++ {
		var out strings.Builder
		if !tree(&out, roots[i], true) {
			return nil, nil, "a socket lies in its home"
		}
		if slices.Contains(told, roots[i]) {
			more += begins + out.String() + ends
		} else {
			more += out.String()
		}
		switch {
		case listens(known(more)):
			return nil, nil, "the test listens on a port"
		case sources() == "" || strings.Contains(more, sources()+"/"):
			return nil, nil, "it names a file of this tree"
		}
		untold = append(untold, machines(parts.ReplaceAllString(more, ""))...)
		for _, dir := range machines(more) {
			_, err := os.Lstat(dir)
			if err != nil || slices.ContainsFunc(roots, func(r string) bool { return pathname.Within(dir, r) }) {
				continue
			}
			roots = append(roots, dir)
			if !slices.Contains(untold, dir) {
				told = append(told, dir)
			}
		}
		text, more = text+more, ""
	}
	// Of the machine, this decides about every session at a home.
	var beside strings.Builder
	tree(&beside, managed(), false)
	text += beside.String()
	for _, v := range named() {
		switch info, err := os.Stat(v[1]); {
		case !strings.Contains(text, v[1]) || err != nil || !info.Mode().IsRegular():
		case v[0] == "own":
			text += part(ofProgram, sum(v[1]))
		default:
			text += summed(v[1])
		}
	}
	return layoutOf(text, own...), roots, notKept
}

// managed is the directory of managed settings.
var managed = sync.OnceValue(func() string {
	places, _ := env.System{Env: env.New([]string{"HOME=/"}), GOOS: "linux"}.Places() // a home is there
	return filepath.Dir(places.Managed)
})

// state is by what a changed file is known.
type state struct {
	mode fs.FileMode
	size int64
	at   time.Time
}

func states(roots []string) (map[string]state, error) {
	all := map[string]state{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a process of the session's has just ended
			}
			if err != nil {
				return err
			}
			s := state{mode: info.Mode()}
			if !d.IsDir() {
				s.size, s.at = info.Size(), info.ModTime()
			}
			all[path] = s
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lefts are the changes since before.
func lefts(before map[string]state, roots []string, w words) (list []left, err error) {
	after, err := states(roots)
	if err != nil {
		return nil, err
	}
	for path, s := range after {
		if was, there := before[path]; there && was == s {
			continue
		}
		l := left{Path: w.out.Replace(path), Mode: s.mode}
		switch {
		case s.mode.IsRegular() && s.size <= large:
			var b []byte
			b, err = os.ReadFile(path)
			l.Data = []byte(w.out.Replace(string(b)))
			if text := inflated(b); w.out.Replace(text) != text {
				err = fmt.Errorf("%s is compressed, and names a place of this run", path)
			}
		case s.mode&fs.ModeSymlink != 0:
			l.Link, err = os.Readlink(path)
			l.Link = w.out.Replace(l.Link)
		case !s.mode.IsDir():
			err = fmt.Errorf("%s is left, which is %v, %d bytes", path, s.mode, s.size)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	for path := range before {
		if _, there := after[path]; !there {
			list = append(list, left{Path: w.out.Replace(path), Gone: true})
		}
	}
	// What holds others comes before them.
	slices.SortFunc(list, func(a, b left) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// inflated is what stands in an object of git's, "" if b is none: what differs in
// two runs has no words there.
func inflated(b []byte) string {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(z, large))
	if err != nil {
		return ""
	}
	return string(text)
}

// lay does to the home what the session did.
func (l left) lay(w words) error {
	path := w.in.Replace(l.Path)
	if l.Mode.IsDir() && !l.Gone {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() { // a symlink leads to another
			if err := os.Remove(path); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
		return os.Chmod(path, l.Mode)
	}
	if err := os.RemoveAll(path); err != nil || l.Gone {
		return err
	}
	if l.Link != "" {
		return os.Symlink(w.in.Replace(l.Link), path)
	}
	if err := os.WriteFile(path, []byte(w.in.Replace(string(l.Data))), 0o600); err != nil {
		return err
	}
	return os.Chmod(path, l.Mode)
}

// replaced are requests with other words.
func replaced(requests []model.Request, r *strings.Replacer) []model.Request {
	list := slices.Clone(requests)
	for i, q := range list {
		list[i].Body, list[i].Path, list[i].Header = []byte(r.Replace(string(q.Body))), r.Replace(q.Path), map[string]string{}
		for name, value := range q.Header {
			list[i].Header[name] = r.Replace(value)
		}
	}
	return list
}

// played is the answer of an earlier run: a model is asked what it was asked then.
func (a answer) played(t testing.TB, server *model.Server, w words) Played {
	t.Helper()
	requests := a.Requests
	if a.recorded {
		requests = []model.Request{a.back(t)}
	}
	for _, q := range replaced(requests, w.in) {
		r, err := http.NewRequestWithContext(t.Context(), q.Method, server.URL()+q.Path, bytes.NewReader(q.Body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range q.Header {
			r.Header.Set(name, value)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range a.Left {
		if err := l.lay(w); err != nil {
			t.Fatal(err)
		}
	}
	return Played{Server: server, Out: w.in.Replace(a.Out)}
}

// answerOf is what a session came to; nil where it cannot be kept.
func answerOf(t testing.TB, s Session, p Played, before map[string]state, roots []string, w words) *answer {
	a := &answer{Test: t.Name(), Played: time.Now(), Out: w.out.Replace(p.Out), Requests: replaced(p.Requests(), w.out),
		Results: map[string]model.Result{}}
	for turn, calls := range s.Script {
		for i := range calls {
			if r, made := p.Result(turn, i); made {
				r.Text = w.out.Replace(r.Text)
				a.Results[model.ID(turn, i)] = r
			}
		}
	}
	var err error
	if a.Left, err = lefts(before, roots, w); err != nil {
		t.Logf("this session is not kept: %v", err)
		return nil
	}
	return a
}

// runtimes are places of the runtime's own: what lies there holds times and numbers.
var runtimes = regexp.MustCompile(`/\.(claude|npm|cache)`)

// playedJudged is what came of a session without a stage, without texts: whether each
// call failed, and which files without a number in their path it left or removed
// outside of the runtime's own places. Git writes its index again where a file is as
// young as that, which is the clock's matter.
func playedJudged(a answer) (map[string]string, error) {
	all := map[string]string{}
	for id, r := range a.Results {
		all[id] = fmt.Sprint("failed: ", r.Error)
	}
	for _, l := range a.Left {
		if !l.Mode.IsDir() && !runtimes.MatchString(l.Path) && !numbered.MatchString(l.Path) &&
			!strings.HasSuffix(l.Path, "/.git/index") {
			all[l.Path] = fmt.Sprint(l.Mode, " gone: ", l.Gone)
		}
	}
	return all, nil
}

// numbered is a path with a number, which may be new in every run, behind the last
// word of ours.
var numbered = regexp.MustCompile(`[0-9][^»]*$`)
