// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of an answer only versions, days and addresses are taken,
// each checked for what it is; a page that holds none is malformed.

package upstream

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// maxReleases bounds what is taken of one answer, in number; Claude Code has a
// few hundred versions.
const maxReleases = 2000

var errMalformed = errors.New("the answer is not understood")

// readGitHub reads GitHub's list of releases (REST API, "List releases").
func readGitHub(tool string, b []byte) ([]Release, error) {
	var all []struct {
		Tag        string    `json:"tag_name"`
		At         time.Time `json:"published_at"`
		Draft      bool      `json:"draft"`
		Prerelease bool      `json:"prerelease"`
		Page       string    `json:"html_url"`
	}
	if json.Unmarshal(b, &all) != nil {
		return nil, errMalformed
	}
	var list []Release
	for _, r := range all {
		v := strings.TrimPrefix(r.Tag, "v")
		if r.Draft || r.Prerelease || !version(tool, v) || len(list) == maxReleases {
			continue
		}
		list = append(list, Release{v, r.At, page(r.Page)})
	}
	return list, nil
}

// readNpm reads the times of `npm view PACKAGE time --json`: a version or
// "created" or "modified" to the time of each. releases is where the tool's
// releases are described.
func readNpm(tool, releases string, b []byte) ([]Release, error) {
	var times map[string]time.Time
	if json.Unmarshal(b, &times) != nil {
		return nil, errMalformed
	}
	var list []Release
	for v, at := range times {
		if version(tool, v) && len(list) < maxReleases {
			r := Release{Version: v, At: at}
			if strings.HasSuffix(releases, "/releases") {
				r.Page = page(releases + "/tag/v" + v)
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// linked finds a file of a server's index, and the day beside it, if there is
// one: <a href="socat-1.8.1.3.tar.gz">…</a>  2026-06-26 10:00, or 26-Jun-2026.
var linked = lazy.Regexp(`(?i)href="(?:\./)?([a-z]+)-([0-9][0-9.]*)\.tar\.(?:gz|bz2|xz)"[^\n]*?(?:([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}-[A-Z][a-z]{2}-[0-9]{4})|\n|$)`)

// readIndex reads the index of a directory of source packages.
func readIndex(tool, address string, b []byte) ([]Release, error) {
	var list []Release
	seen := map[string]bool{}
	for _, m := range linked().FindAllSubmatch(b, maxReleases) {
		name, v := string(m[1]), string(m[2])
		if name != tool || seen[v] || !version(tool, v) {
			continue
		}
		seen[v] = true
		at, err := time.Parse(time.DateOnly, string(m[3])) // Apache's form, then nginx's
		if err != nil {
			at, _ = time.Parse("02-Jan-2006", string(m[3])) // zero: the index does not say
		}
		list = append(list, Release{v, at, page(address)})
	}
	return list, nil
}

// page is an address that may be shown, "" if it is none.
func page(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(address) > 300 ||
		strings.ContainsAny(address, "\"'<>`\\") ||
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return address
}
