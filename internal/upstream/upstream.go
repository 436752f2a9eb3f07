// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package upstream says which versions of a pinned tool its maintainers have
// released, and when.
//
// Contract: an answer is bounded, kept in the cache with its time, and shown
// with its age. One that does not come, or is not understood, is an error in a
// few words, and never a version.
package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/host/web"
	"github.com/steward-setup/steward-setup/internal/pins"
)

// Release is one release of a tool.
type Release struct {
	Version string `json:"version"`
	// At is when it was released; zero where the source does not say.
	At time.Time `json:"at,omitzero"`
	// Page is where its changes are described, "" if it is unknown.
	Page string `json:"page,omitempty"`
}

// Answer is what a source said.
type Answer struct {
	// Releases are final ones, the newest version first.
	Releases []Release
	// From is the address or the command that was asked, At when.
	From string
	At   time.Time
	// Cached says that it is from an earlier run; Why then says what keeps a
	// newer one away, "" if none was asked for.
	Cached bool
	Why    error
}

// fresh is how long an answer is not asked for again.
const fresh = 6 * time.Hour

// ErrOffline says that nothing was asked, since the user wanted it so.
var ErrOffline = errors.New("not looked up: --offline")

// Options say how sources are asked.
type Options struct {
	Offline bool
	// Timeout is that of one answer; 0 is web.Timeout.
	Timeout time.Duration
}

// Look returns the releases of a pinned tool. The error, if there is no answer
// at all, says why in a few words.
func Look(ctx context.Context, r host.Reader, pin pins.Pin, o Options) (Answer, error) {
	s, err := sourceOf(pin)
	if err != nil {
		return Answer{}, err
	}
	now, cache := r.System().Now(), r.Places().Cache
	kept := Answer{From: s.from, Cached: true}
	body, at, have := engine.Fetched(cache, pin.Tool, s.from, now)
	have = have && json.Unmarshal(body, &kept.Releases) == nil && sound(pin.Tool, kept.Releases)
	kept.At = at
	switch {
	case have && (o.Offline || now.Sub(at) < fresh):
		return kept, nil
	case o.Offline:
		return Answer{}, ErrOffline
	}
	raw, err := s.ask(ctx, r, o)
	var list []Release
	if err == nil {
		if list, err = s.read(pin.Tool, raw); err == nil && list == nil {
			err = fmt.Errorf("%s has no release that is understood", s.what)
		}
	}
	if err != nil {
		if have {
			kept.Why = err
			return kept, nil
		}
		return Answer{From: s.from}, err
	}
	slices.SortStableFunc(list, func(a, b Release) int {
		c, _ := pins.Compare(pin.Tool, b.Version, a.Version) // each was compared before
		return c
	})
	if b, e := json.Marshal(list); e == nil {
		_ = engine.KeepFetched(cache, pin.Tool, s.from, now, b) // without it the next run asks again
	}
	return Answer{Releases: list, From: s.from, At: now}, nil
}

// source is one place that knows the releases of a tool.
type source struct {
	// what it is that answers.
	what, from string
	ask        func(context.Context, host.Reader, Options) ([]byte, error)
	read       func(tool string, b []byte) ([]Release, error)
}

// sourceOf chooses the source of a pin: npm where npm installs it, else by the
// address of its releases: GitHub's, or that of another server with the same
// interface, or an index of files.
func sourceOf(pin pins.Pin) (source, error) {
	if line, ok := pin.Install("npm"); ok {
		words := strings.Fields(line)
		pkg := words[len(words)-1]
		if i := strings.LastIndexByte(pkg, '@'); i > 0 {
			pkg = pkg[:i]
		}
		return source{"the registry", "npm view " + pkg, func(ctx context.Context, r host.Reader, o Options) ([]byte, error) {
			return askNpm(ctx, r, pkg, o.Timeout)
		}, func(tool string, b []byte) ([]Release, error) { return readNpm(tool, pin.Releases, b) }}, nil
	}
	u, err := url.Parse(pin.Releases)
	if err != nil || u.Host == "" {
		return source{}, errors.New("the manifest names no upstream_releases")
	}
	get := func(address, accept string) func(context.Context, host.Reader, Options) ([]byte, error) {
		return func(ctx context.Context, r host.Reader, o Options) ([]byte, error) {
			return web.Get(ctx, r.System().Env, address, accept, o.Timeout)
		}
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) == 3 && parts[2] == "releases" {
		api := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/api/v3/repos/" + parts[0] + "/" + parts[1] + "/releases",
			RawQuery: "per_page=30"}
		if u.Host == "github.com" {
			api.Host, api.Path = "api.github.com", strings.TrimPrefix(api.Path, "/api/v3")
		}
		return source{"the list", api.String(), get(api.String(), "application/vnd.github+json"), readGitHub}, nil
	}
	return source{"the index", pin.Releases, get(pin.Releases, "text/html"),
		func(tool string, b []byte) ([]Release, error) { return readIndex(tool, pin.Releases, b) }}, nil
}

// askNpm asks the npm client, which has its own registry and proxy. Without a
// timeout it has that of the client (proc.NpmView).
func askNpm(ctx context.Context, r host.Reader, pkg string, timeout time.Duration) ([]byte, error) {
	if timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, timeout)
		defer stop()
	}
	res := r.Run(ctx, proc.NpmView(filepath.Join(r.Places().Cache, "npm"), pkg, "time"))
	switch {
	case res.Missing():
		return nil, errors.New("npm is not installed")
	case errors.Is(res.Err, context.DeadlineExceeded):
		return nil, web.ErrSlow
	case res.Err != nil:
		return nil, res.Err
	case res.Code != 0:
		return nil, npmFailed(string(res.Stdout) + string(res.Stderr))
	}
	return res.Stdout, nil
}

func npmFailed(said string) error {
	for code, err := range map[string]error{"E429": web.ErrRateLimit, "ENOTFOUND": web.ErrOffline,
		"ECONNREFUSED": web.ErrOffline, "EAI_AGAIN": web.ErrOffline,
		"ETIMEDOUT": web.ErrSlow, "E404": errors.New("the registry does not have the package"),
		"E401": errors.New("the registry asks for a login")} {
		if strings.Contains(said, code) {
			return err
		}
	}
	return errors.New("npm's answer is not understood")
}

// sound says whether what the cache held are releases.
func sound(tool string, list []Release) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(r Release) bool { return !version(tool, r.Version) })
}

// version says whether a text is a final version of the tool.
func version(tool, text string) bool {
	_, err := pins.Compare(tool, text, text)
	return err == nil && !strings.ContainsAny(text, "~^+:-") // no pre-release, no package of a distribution
}
