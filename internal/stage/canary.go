// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a canary has the shape of what it stands for and a nonce
// of this run; whoever holds the nonce has read this file, in this run.

package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Canary is a secret that is none.
type Canary struct {
	// Path is where it lies on the stage; Nonce is in its content.
	Path  string
	Nonce string
	bytes []byte
	// hides is what it stands for: the file, or the directory that holds
	// what a rule names.
	hides string
}

// usual are the credential files that every stage has, below the home, and
// the shape of each: what stands before and after the nonce.
var usual = []struct{ path, before, after string }{
	{".aws/credentials", "[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = ", "\n"},
	{".ssh/id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\n", "\n-----END OPENSSH PRIVATE KEY-----\n"},
	{".netrc", "machine example.com login me password ", "\n"},
	{".docker/config.json", `{"auths":{"registry.example.com":{"auth":"`, "\"}}}\n"},
	{".kube/config", "apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    token: ", "\n"},
	{".config/gh/hosts.yml", "github.com:\n    user: me\n    oauth_token: ", "\n"},
	{".config/gcloud/credentials.db", "SQLite format 3 ", "\n"},
	{".azure/accessTokens.json", `[{"accessToken":"`, "\"}]\n"},
	{".npmrc", "//registry.example.com/:_authToken=", "\n"},
	{".pypirc", "[pypi]\nusername = __token__\npassword = ", "\n"},
	{".gnupg/private-keys-v1.d/0000000000000000000000000000000000000000.key", "Key: (private-key ", ")\n"},
	{".git-credentials", "https://me:", "@example.com\n"},
	{".config/git/credentials", "https://me:", "@example.com\n"},
	{".cargo/credentials.toml", "[registry]\ntoken = \"", "\"\n"},
}

// Nonce derives the nonce of a path from that of the run: a word that no
// other path has.
func Nonce(run, path string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + path))
	return "canary" + hex.EncodeToString(sum[:13])
}

var nonceForm = lazy.Regexp(`canary[0-9a-f]{26}`)

// Nonces lists the nonces in a text.
func Nonces(text string) []string { return nonceForm().FindAllString(text, -1) }

func canary(run, path, hides, before, after string) Canary {
	n := Nonce(run, path)
	return Canary{path, n, []byte(before + n + after), hides}
}

// Secrets lists the canaries of a home: the usual places, those of the agent, and
// paths, which are what a policy names. A path that ends in a slash, or that is above a
// canary, is a directory.
func Secrets(run, home string, of agent.Layout, paths []string) (list []Canary) {
	add := func(path, hides, before, after string) {
		if slices.ContainsFunc(list, func(c Canary) bool {
			return pathname.Within(c.Path, path) || pathname.Within(path, c.Path)
		}) {
			return
		}
		list = append(list, canary(run, path, hides, before, after))
	}
	for _, u := range of.Secrets {
		path := filepath.Join(of.Own, u.Path)
		add(path, path, u.Before, u.After)
	}
	for _, u := range usual {
		path := filepath.Join(home, u.path)
		add(path, path, u.before, u.after)
	}
	for _, p := range paths {
		hides := filepath.Clean(p)
		if !pathname.Within(hides, home) || hides == home {
			continue
		}
		path := hides
		if strings.HasSuffix(p, "/") {
			path = filepath.Join(hides, "secret")
		}
		add(path, hides, "secret = ", "\n")
	}
	return list
}

// Covers says whether a canary of the list stands for a path, for what holds it,
// or for what lies in it.
func Covers(list []Canary, path string) bool {
	return slices.ContainsFunc(list, func(c Canary) bool {
		return pathname.Within(path, c.hides) || pathname.Within(c.hides, path)
	})
}

// file is the canary on the stage.
func (c Canary) file() fs.Laid { return fs.Laid{Path: c.Path, Mode: 0o600, Data: c.bytes} }

// dotenv is the canary of an .env file; it holds the nonces of the symlinks that
// lead to it too.
func dotenv(run, path string, links ...string) Canary {
	after := "\n"
	for _, link := range links {
		after += "TOKEN=" + Nonce(run, link) + "\n"
	}
	return canary(run, path, path, "API_TOKEN=", after)
}

// Places outside of the home in which programs keep secrets of a user; %d is
// the user id.
var outside = []struct{ path, before, after string }{
	{"/run/user/%d/containers/auth.json", `{"auths":{"registry.example.com":{"auth":"`, "\"}}}\n"},
	{"/tmp/krb5cc_%d", "\x05\x04 EXAMPLE.COM ", "\n"},
}

// Outside lists the canaries outside of the home. They lie in /run and /tmp,
// which are memory on a stage; a replica home has none.
func (s *Stage) Outside(run string) []Canary {
	uid, _ := s.Player()
	var list []Canary
	for _, o := range outside {
		if path := fmt.Sprintf(o.path, uid); s.Hidden(path) {
			list = append(list, canary(run, path, path, o.before, o.after))
		}
	}
	return list
}

// LayOutside lays them.
func (s *Stage) LayOutside(run string) {
	for _, c := range s.Outside(run) {
		s.Files = append(s.Files, c.file())
	}
}
