// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

type counting struct {
	host.Reader
	n atomic.Int64
}

func (c *counting) Run(_ context.Context, s proc.Spec) proc.Result {
	c.n.Add(1)
	return proc.Result{Line: s.String()}
}

func TestAQuestionIsAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		specs []proc.Spec
		want  int64
	}{
		"one version":          {[]proc.Spec{proc.Version(proc.Ripgrep)}, 1},
		"two tools":            {[]proc.Spec{proc.Version(proc.Socat), proc.Version(proc.Bubblewrap)}, 2},
		"one place":            {[]proc.Spec{proc.GitState("/a")}, 1},
		"two places":           {[]proc.Spec{proc.GitState("/a"), proc.GitState("/b")}, 2},
		"two files":            {[]proc.Spec{proc.GitIgnored("/a", "x"), proc.GitIgnored("/a", "y")}, 2},
		"a trial, each time":   {[]proc.Spec{proc.SandboxTrial()}, 4},
		"a package, each time": {[]proc.Spec{proc.DpkgVersion("x")}, 4},
		"a commit, each time":  {[]proc.Spec{proc.SampleCommit("/a")}, 4},
	} {
		under := &counting{}
		r := host.Once(under)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for _, s := range c.specs {
					if got := r.Run(context.Background(), s); got.Line != s.String() {
						t.Errorf("%s: %q answered for %q", name, got.Line, s)
					}
				}
			})
		}
		all.Wait()
		if got := under.n.Load(); got != c.want {
			t.Errorf("%s: %d calls, want %d", name, got, c.want)
		}
	}
}

// stopping answers as a program does that the caller's context stopped.
type stopping struct{ host.Reader }

func (stopping) Run(ctx context.Context, s proc.Spec) proc.Result {
	return proc.Result{Line: s.String(), Err: ctx.Err()}
}

func TestAnAnswerThatWasStoppedIsNobodyElses(t *testing.T) {
	r, question := host.Once(stopping{}), proc.GitState("/a")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if res := r.Run(stopped, question); !errors.Is(res.Err, context.Canceled) {
		t.Fatalf("%v, though it was stopped", res.Err)
	}
	if res := r.Run(t.Context(), question); res.Err != nil {
		t.Errorf("%v: the answer of another that was stopped", res.Err)
	}
}

func TestAPathIsLookedAtOnce(t *testing.T) {
	home := testenv.Home(t)
	at := func(name string) string { return filepath.Join(home, name) }
	link := func(to string) {
		t.Helper()
		_ = os.Remove(at("link"))
		testenv.Link(t, to, at("link"))
	}
	put := func(name, text string) {
		t.Helper()
		testenv.Write(t, at(name), text, 0o600)
	}
	put("one", "1")
	put("two", "22")
	put("script", "#!1")
	link("one")
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}),
		GOOS: "linux", Cwd: home, UID: os.Getuid()}))(t)
	round := host.Still(h)
	// sees is what a reader says of the link and what it holds, and of a file that is made later.
	sees := func(r host.Reader) [10]string {
		to, _ := r.Readlink(at("link"))
		real, _ := r.Resolve(at("link"))
		size := "?"
		if info, err := r.Stat(at("link")); err == nil {
			size = map[int64]string{1: "1", 2: "2"}[info.Size()]
		}
		kind := "?"
		if info, err := r.Lstat(at("link")); err == nil {
			kind = info.Mode().Type().String()
		}
		later := "there"
		if _, err := r.Lstat(at("later")); errors.Is(err, iofs.ErrNotExist) {
			later = "missing"
		}
		bytes, _ := r.Read(at("link"))
		script, _ := r.Script(at("script"))
		entries, _ := r.ReadDir(home)
		said := [10]string{to, real, size, kind, later, string(bytes), strconv.Itoa(len(entries)),
			strconv.FormatBool(r.Through(at("link"), []string{at("two")})), strconv.Itoa(len(r.Links(at("link")))),
			string(script)}
		clear(bytes) // what one reader does to its answer is not seen by the next
		clear(script)
		clear(entries)
		return said
	}
	before := [10]string{"one", at("one"), "1", "L---------", "missing", "1", "4", "false", "1", "#!1"}
	if got := sees(round); got != before {
		t.Fatalf("at first: %q, want %q", got, before)
	}
	link("two")
	put("later", "")
	put("script", "#!2")
	after := [10]string{"two", at("two"), "2", "L---------", "there", "22", "5", "true", "1", "#!2"}
	for name, c := range map[string]struct {
		r    host.Reader
		want [10]string
	}{"this round": {round, before}, "the machine": {h, after}, "the next round": {host.Still(h), after},
		"anew": {host.Anew(host.Still(host.Once(round))), after}} {
		if got := sees(c.r); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAPathLeadsToTheSamePlaceInARound: through links to directories, to nothing and in
// a circle, whichever path is asked about first.
func TestAPathLeadsToTheSamePlaceInARound(t *testing.T) {
	home := testenv.Home(t)
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}),
		GOOS: "linux", Cwd: home, UID: os.Getuid()}))(t)
	testenv.Write(t, home+"/real/in/file", "x", 0o644)
	for at, to := range map[string]string{"/link": "real", "/real/up": "..", "/far": home + "/link/in",
		"/nowhere": "missing/x", "/circle": "circle", "/link2": "link"} {
		testenv.Link(t, to, home+at)
	}
	round := host.Still(h)
	for _, at := range []string{"/real/in/file", "/link/in/file", "/link2/in/file", "/link/up/link/in", "/far/file",
		"/far/none", "/nowhere/x", "/circle/x", "/real/in/file/x", "/link/in", "/none/in/file", "/link/in/file"} {
		want, wantErr := h.Resolve(home + at)
		if got, err := round.Resolve(home + at); got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%s leads to %q, %v; the machine says %q, %v", at, got, err, want, wantErr)
		}
	}
}

// TestARoundSaysWhatTheMachineSays of paths through links, files, and what is not there,
// whichever call comes first; nothing is looked for in a directory that is not there.
func TestARoundSaysWhatTheMachineSays(t *testing.T) {
	home := testenv.Home(t)
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}),
		GOOS: "linux", Cwd: home, UID: os.Getuid()}))(t)
	testenv.Write(t, home+"/real/in/file", "#!x", 0o644)
	testenv.Write(t, home+"/closed/file", "x", 0o644)
	testenv.OK(t, os.Chmod(home+"/closed", 0))
	t.Cleanup(func() { testenv.OK(t, os.Chmod(home+"/closed", 0o700)) })
	for at, to := range map[string]string{"/link": "real", "/real/up": "..", "/nowhere": "missing/x",
		"/circle": "circle", "/tofile": "real/in/file"} {
		testenv.Link(t, to, home+at)
	}
	calls := map[string]func(host.Reader, string) (any, error){
		"Lstat":    func(r host.Reader, at string) (any, error) { info, err := r.Lstat(at); return described(info), err },
		"Stat":     func(r host.Reader, at string) (any, error) { info, err := r.Stat(at); return described(info), err },
		"Readlink": func(r host.Reader, at string) (any, error) { return r.Readlink(at) },
		"Resolve":  func(r host.Reader, at string) (any, error) { return r.Resolve(at) },
		"Links":    func(r host.Reader, at string) (any, error) { return r.Links(at), nil },
		"Read":     func(r host.Reader, at string) (any, error) { return r.Read(at) },
		"Script":   func(r host.Reader, at string) (any, error) { return r.Script(at) },
		"ReadDir":  func(r host.Reader, at string) (any, error) { list, err := r.ReadDir(at); return fmt.Sprint(list), err },
	}
	paths := []string{"", "/", "/real", "/real/", "/real/in/file", "/real/in/file/x", "/real/in/file/", "/link", "/link/",
		"/link/in", "/link/in/file", "/link/none", "/real/up/link/in/file", "/link/../real/in", "/tofile", "/tofile/x",
		"/nowhere", "/nowhere/", "/nowhere/x", "/nowhere/../real", "/circle", "/circle/x", "/closed/file", "/closed/none/x",
		"/none", "/none/", "/none/a", "/none/a/b", "/none/../real", "/none//a"}
	for name, call := range calls {
		round := host.Still(h)
		for other, first := range calls {
			fresh := host.Still(h)
			for _, at := range paths {
				_, _ = first(fresh, home+at)
				want, wantErr := call(h, home+at)
				for _, r := range []host.Reader{fresh, round} {
					if got, err := call(r, home+at); fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) ||
						errors.Is(err, iofs.ErrNotExist) != errors.Is(wantErr, iofs.ErrNotExist) {
						t.Errorf("%s of %q after %s: %v, %v; the machine says %v, %v", name, at, other, got, err, want, wantErr)
					}
				}
			}
		}
	}
	looks := &looking{Reader: h}
	round := host.Still(looks)
	for _, call := range calls {
		for _, at := range []string{"/none/a", "/none/a/b", "/none/c", "/none"} {
			_, _ = call(round, home+at)
		}
	}
	if looks.below != 1 {
		t.Errorf("a directory that is not there was looked at and into %d times", looks.below)
	}
}

func described(info iofs.FileInfo) string {
	if info == nil {
		return ""
	}
	return fmt.Sprint(info.Name(), info.Mode(), info.Size())
}

// looking counts what is looked at that is not there.
type looking struct {
	host.Reader
	below int
}

func (l *looking) count(path string) {
	if strings.Contains(path, "/none") {
		l.below++
	}
}

func (l *looking) Lstat(path string) (iofs.FileInfo, error) {
	l.count(path)
	return l.Reader.Lstat(path)
}
func (l *looking) Stat(path string) (iofs.FileInfo, error) { l.count(path); return l.Reader.Stat(path) }
func (l *looking) Readlink(path string) (string, error) {
	l.count(path)
	return l.Reader.Readlink(path)
}
func (l *looking) Read(path string) ([]byte, error)   { l.count(path); return l.Reader.Read(path) }
func (l *looking) Script(path string) ([]byte, error) { l.count(path); return l.Reader.Script(path) }
func (l *looking) ReadDir(path string) ([]iofs.DirEntry, error) {
	l.count(path)
	return l.Reader.ReadDir(path)
}

// between is a reader of a file that somebody else looks at while it is read.
type between struct {
	host.Reader
	meanwhile func()
}

func (b *between) Read(path string) ([]byte, error) {
	text, err := b.Reader.Read(path)
	if meanwhile := b.meanwhile; meanwhile != nil {
		b.meanwhile = nil
		meanwhile()
	}
	return text, err
}

// Two who look at once are told the same, whatever the second of them saw.
func TestTwoWhoLookAtOnceSeeTheSame(t *testing.T) {
	h := machine(t)
	path := filepath.Join(h.Places().Home, "one")
	testenv.Write(t, path, "1", 0o600)
	b := &between{Reader: h}
	round := host.Still(b)
	var other []byte
	b.meanwhile = func() {
		testenv.Write(t, path, "2", 0o600)
		other = testenv.Must(round.Read(path))(t)
	}
	first := testenv.Must(round.Read(path))(t)
	if later := testenv.Must(round.Read(path))(t); string(first) != string(other) || string(later) != string(first) {
		t.Errorf("the first saw %s, the other %s, and who came later %s", first, other, later)
	}
}

func TestWhatFollowsIsFoundOnceInARound(t *testing.T) {
	h := machine(t)
	type key struct{ of int }
	n := 0
	find := func(r host.Reader, of int) int {
		return host.Found(r, key{of}, func() int { n++; return n })
	}
	round, next := host.Still(host.Once(h)), host.Still(h)
	for i, c := range []struct {
		r    host.Reader
		of   int
		want int
	}{{round, 1, 1}, {round, 1, 1}, {round, 2, 2}, {round, 1, 1}, {next, 1, 3}, {round, 1, 1},
		{h, 1, 4}, {h, 1, 5}, {host.With(round, nil), 1, 6}} {
		if got := find(c.r, c.of); got != c.want {
			t.Errorf("%d: %d, want %d", i, got, c.want)
		}
	}
}

// Another environment of the machine is told what was seen of paths, and nothing that
// follows from the environment. A reader that changes what is seen tells nobody.
func TestAnotherEnvironmentLooksAtNothingAgain(t *testing.T) {
	h := machine(t)
	path := filepath.Join(h.Places().Home, "one")
	text := func(r host.Reader) string {
		b, err := r.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	type key struct{}
	testenv.Write(t, path, "1", 0o600)
	rounds := map[string]host.Reader{"once": host.Still(host.Once(h)), "itself": host.Still(h),
		"planned": host.Still(host.With(h, nil)), "no round": h}
	for _, r := range rounds {
		text(r)
		host.Found(r, key{}, func() int { return 1 })
	}
	testenv.Write(t, path, "2", 0o600)
	for name, want := range map[string]string{"once": "1", "itself": "1", "planned": "2", "no round": "2"} {
		other := host.As(h, rounds[name])
		if got := text(other); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := host.Found(other, key{}, func() int { return 2 }); got != 2 {
			t.Errorf("%s: what followed from another environment is taken over", name)
		}
	}
}

func machine(t *testing.T) *host.Host {
	t.Helper()
	return testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + testenv.Home(t)}), GOOS: "linux"}))(t)
}
