// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is fetched is fetched by the real npm client from a
// registry over HTTP, whole or not at all, and nothing outside the cache is
// written.

package runtimes_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "github.com/steward-setup/steward-setup/internal/agent/claude" // whose versions are compared
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Offline(m)) }

// cache is a machine with the npm client, and a registry.
type cache struct {
	t        *testing.T
	home     string
	h        *host.Host
	registry *testenv.Registry
	applier  engine.Applier
}

func newCache(t *testing.T, versions map[string]string) *cache {
	t.Helper()
	testenv.Need(t, "npm")
	home := testenv.Home(t)
	h := machine(t, home, "PATH=/usr/local/bin:/usr/bin:/bin")
	pkg := testenv.Must(runtimes.Package(h))(t)
	return &cache{t, home, h, testenv.NewRegistry(t, home, pkg, versions),
		engine.Applier{State: h.Places().State, Now: time.Now}}
}

func machine(t *testing.T, home string, extra ...string) *host.Host {
	t.Helper()
	h := testenv.Must(host.New(env.System{Env: env.New(testenv.Env(t, home, extra...)),
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		UID: os.Getuid(), Cwd: home, Now: time.Now}))(t)
	return h
}

// fetch asks for a version and fetches it.
func (c *cache) fetch(ctx context.Context, version string) error {
	c.t.Helper()
	offer, err := runtimes.Ask(ctx, c.h, version)
	if err != nil {
		return err
	}
	return c.applier.Fetch(ctx, c.h, runtimes.Fetch(c.h, offer).Downloads()[0], offer.Version, runtimes.MaxKept)
}

// outside lists the files of the home that are not in the cache.
func (c *cache) outside() (list []string) {
	c.t.Helper()
	if err := filepath.WalkDir(c.home, func(path string, d os.DirEntry, err error) error {
		if path == c.h.Places().Cache {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			list = append(list, path)
		}
		return err
	}); err != nil {
		c.t.Fatal(err)
	}
	return list
}

// left lists what is in the cache's directory beside whole versions.
func (c *cache) left() (list []string) {
	c.t.Helper()
	entries, err := os.ReadDir(runtimes.Dir(c.h.Places()))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.t.Fatal(err)
	}
	for _, e := range entries {
		if !runtimes.Version(e.Name()) && e.Name() != ".lock" && e.Name() != ".npm" {
			list = append(list, e.Name())
		}
	}
	return list
}

const script = "#!/bin/sh\necho '9.9.9 (Claude Code)'\n"

func TestAVersionIsFetched(t *testing.T) {
	t.Parallel()
	c := newCache(t, map[string]string{"2.1.5": script, "2.1.6": script + "# newer\n"})
	before := c.outside()
	testenv.OK(t, c.fetch(context.Background(), "latest"))
	list := runtimes.List(c.h)
	if len(list) != 1 || list[0].Version != "2.1.6" || !runtimes.Has(c.h, "2.1.6") || runtimes.Has(c.h, "2.1.5") {
		t.Fatalf("%+v", list)
	}
	b, err := os.ReadFile(runtimes.Path(c.h.Places(), "2.1.6"))
	if err != nil || string(b) != script+"# newer\n" {
		t.Errorf("%q, %v", b, err)
	}
	if left := c.left(); left != nil {
		t.Errorf("left: %q", left)
	}
	if after := c.outside(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("outside the cache: %q, was %q", after, before)
	}
	asked := len(c.registry.Asked())
	if err := c.fetch(context.Background(), "2.1.6"); err != nil {
		t.Error(err)
	}
	for _, path := range c.registry.Asked()[asked:] {
		if strings.HasSuffix(path, ".tgz") {
			t.Error("what is there was fetched again")
		}
	}
}

// TestAScriptOfThePackageDoesNotRun: the packages of the registry have one.
func TestAScriptOfThePackageDoesNotRun(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	c := newCache(t, map[string]string{"2.1.6": script})
	testenv.OK(t, c.fetch(context.Background(), "2.1.6"))
	_ = filepath.WalkDir(c.home, func(path string, _ os.DirEntry, _ error) error {
		if filepath.Base(path) == "scripts-ran" {
			t.Errorf("a script of the package ran: %s", path)
		}
		return nil
	})
}

func TestFaultsOfTheRegistry(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for _, f := range []struct {
		name, version string
		fault         testenv.RegistryFault
		want          string
	}{
		{"no such version", "2.1.7", testenv.NoFault, "no such version"},
		{"other bytes than the metadata say", "2.1.6", testenv.BadIntegrity, "integrity"},
		{"it ends in the middle", "2.1.6", testenv.Truncated, "was not fetched"},
		{"metadata that are none", "2.1.6", testenv.Garbage, "registry"},
		{"it refuses", "2.1.6", testenv.Refuses, "does not answer"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c := newCache(t, map[string]string{"2.1.6": script})
			c.registry.Break(f.fault)
			before := c.outside()
			err := c.fetch(context.Background(), f.version)
			var e *report.Error
			if !errors.As(err, &e) || e.Code != report.ExitLeft || !strings.Contains(err.Error(), f.want) || e.Next == "" {
				t.Errorf("%v, want an error with %q", err, f.want)
			}
			if list := runtimes.List(c.h); list != nil {
				t.Errorf("the cache has %+v", list)
			}
			if after := c.outside(); strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("outside the cache: %q", after)
			}
			c.registry.Break(testenv.NoFault)
			if err := c.fetch(context.Background(), "2.1.6"); err != nil {
				t.Errorf("the mended registry: %v", err)
			}
			if left := c.left(); left != nil {
				t.Errorf("left: %q", left)
			}
		})
	}
}

func TestAFetchThatWasStoppedGoesOn(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	c := newCache(t, map[string]string{"2.1.5": script, "2.1.6": script})
	c.registry.Break(testenv.Hangs)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- c.fetch(ctx, "2.1.6") }()
	c.registry.Begun(t)
	if err := c.applier.Fetch(context.Background(), c.h, report.Download{Versions: []string{"2.1.5"},
		Into: runtimes.Dir(c.h.Places())}, "2.1.5", 1); report.ExitStale != codeOf(err) {
		t.Errorf("two fetches at once: %v", err)
	}
	cancel()
	if err := <-done; codeOf(err) != report.ExitInterrupted {
		t.Errorf("%v", err)
	}
	if runtimes.List(c.h) != nil || c.left() != nil {
		t.Errorf("%+v, left %q", runtimes.List(c.h), c.left())
	}
	// What a run that was killed had unpacked is not taken for the whole.
	pkg, _ := runtimes.Package(c.h)
	half := filepath.Join(runtimes.Dir(c.h.Places()), ".partial-2.1.6-x", "node_modules", filepath.FromSlash(pkg))
	testenv.OK(t, errors.Join(os.MkdirAll(half, 0o700), os.WriteFile(filepath.Join(half, "claude"), []byte("#!/bin/sh\n"),
		0o700)))
	c.registry.Break(testenv.NoFault)
	testenv.OK(t, c.fetch(context.Background(), "2.1.6"))
	b, err := os.ReadFile(runtimes.Path(c.h.Places(), "2.1.6"))
	if err != nil || string(b) != script || c.left() != nil {
		t.Errorf("%q, %v, left %q", b, err, c.left())
	}
}

func codeOf(err error) int {
	if e, ok := errors.AsType[*report.Error](err); ok {
		return e.Code
	}
	return 0
}

// TestWhatWasApprovedIsFetched: an integrity that is another than the one that
// was shown, a package without the executable, and a version that was not shown
// are refused.
func TestWhatWasApprovedIsFetched(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	c := newCache(t, map[string]string{"2.1.6": script})
	c.registry.Add(t, "2.1.7", nil)
	ctx := context.Background()
	offer, err := runtimes.Ask(ctx, c.h, "2.1.6")
	if err != nil {
		t.Fatal(err)
	}
	shown := runtimes.Fetch(c.h, offer)
	c.registry.Add(t, "2.1.6", []byte(script+"# moved\n"))
	if err := c.applier.Fetch(ctx, c.h, shown.Downloads()[0], "2.1.6", 1); err == nil ||
		!strings.Contains(err.Error(), "integrity") {
		t.Errorf("other bytes than were approved: %v", err)
	}
	moved, err := runtimes.Ask(ctx, c.h, "2.1.6")
	if err != nil || runtimes.Fetch(c.h, moved).ID == shown.ID {
		t.Errorf("two offers have one plan: %v, %v", shown.ID, err)
	}
	if err := c.applier.Fetch(ctx, c.h, shown.Downloads()[0], "../2.1.6", 1); codeOf(err) != report.ExitStale {
		t.Errorf("what was not shown: %v", err)
	}
	if err := c.fetch(ctx, "2.1.7"); err == nil || !strings.Contains(err.Error(), "no executable") {
		t.Errorf("a package without claude: %v", err)
	}
	if runtimes.List(c.h) != nil || c.left() != nil {
		t.Errorf("%+v, left %q", runtimes.List(c.h), c.left())
	}
}

func TestTheCacheIsBoundedAndForgotten(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	c := newCache(t, map[string]string{"2.1.1": script, "2.1.2": script, "2.1.3": script})
	ctx := context.Background()
	notes := filepath.Join(runtimes.Dir(c.h.Places()), "notes")
	testenv.OK(t, os.MkdirAll(notes, 0o700))
	for _, v := range []string{"2.1.2", "2.1.1", "2.1.3"} {
		offer := testenv.Must(runtimes.Ask(ctx, c.h, v))(t)
		testenv.OK(t, c.applier.Fetch(ctx, c.h, runtimes.Fetch(c.h, offer).Downloads()[0], v, 2))
	}
	versions := func() (s string) {
		for _, k := range runtimes.List(c.h) {
			s += k.Version + " "
		}
		return s
	}
	if got := versions(); got != "2.1.1 2.1.3 " {
		t.Errorf("the one that was fetched first should be gone: %q", got)
	}
	if _, err := os.Stat(notes); err != nil {
		t.Errorf("what is no version is gone: %v", err)
	}
	dir := runtimes.Dir(c.h.Places())
	if err := c.applier.ForgetFetched(dir, []string{"2.1.1"}, false); err != nil || versions() != "2.1.3 " {
		t.Errorf("%v, %q", err, versions())
	}
	if err := c.applier.ForgetFetched(dir, nil, true); err != nil || versions() != "" {
		t.Errorf("%v, %q", err, versions())
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is left: %v", err)
	}
}

func TestWithoutNpm(t *testing.T) {
	t.Parallel()
	home := testenv.Home(t)
	_, err := runtimes.Ask(context.Background(), machine(t, home, "PATH="+t.TempDir()), "2.1.6")
	if err == nil || !strings.Contains(err.Error(), "npm is not on PATH") {
		t.Error(err)
	}
}

func TestPublished(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	c := newCache(t, map[string]string{"2.1.10": script, "2.1.9": script, "2.0.1": script, "2.1.11-beta.1": script})
	all, err := runtimes.Published(context.Background(), c.h)
	if got := strings.Join(all, " "); err != nil || got != "2.0.1 2.1.9 2.1.10" {
		t.Errorf("%q, %v", got, err)
	}
	if got := strings.Join(runtimes.Between(all, "2.1.10", "2.1.0"), " "); got != "2.1.10 2.1.9" {
		t.Errorf("backwards: %q", got)
	}
}

// TestARealPackage: the executable of the real runtime comes out as it is.
func TestARealPackage(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	path := testenv.Claude(t)
	c := newCache(t, nil)
	b := []byte(testenv.Read(t, path))
	c.registry.Add(t, "2.1.329", b)
	testenv.OK(t, c.fetch(context.Background(), "latest"))
	got, err := os.ReadFile(runtimes.Path(c.h.Places(), "2.1.329"))
	if err != nil || !bytes.Equal(got, b) {
		t.Errorf("%d bytes, %d wanted: %v", len(got), len(b), err)
	}
}
