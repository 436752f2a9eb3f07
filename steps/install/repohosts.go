// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a repository says of hosts is foreign. It can choose
// among the groups that the policy offers, and be shown; it opens no host by
// itself.

package install

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/policy"
)

// hostFiles are the files in which a repository names the hosts that it
// installs from: lock files and settings of package managers by their name
// anywhere, and what CI runs.
var (
	hostFiles = []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", ".npmrc",
		".yarnrc.yml", "Cargo.lock",
		"poetry.lock", "uv.lock", "Pipfile.lock", "Pipfile", "requirements*.txt", "pip.conf", "Gemfile.lock", "Gemfile",
		"composer.lock",
		"gradle-wrapper.properties", ".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml"}
	ciFiles = []string{".github/workflows/*.yml", ".github/workflows/*.yaml", ".circleci/config.yml", ".cargo/config.toml"}
)

// maxHostFiles bounds how many of them are read.
const maxHostFiles = 40

// webHost finds the host of an address.
var webHost = regexp.MustCompile(`https?://(?:[^/\s"'@]*@)?([A-Za-z0-9.-]+\.[A-Za-z]{2,})`)

// namesHosts says whether a file of the repository is one of them.
func namesHosts(file string) bool {
	fits := func(name string) func(string) bool {
		return func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
	}
	return slices.ContainsFunc(hostFiles, fits(path.Base(file))) || slices.ContainsFunc(ciFiles, fits(file))
}

// namedHosts are the hosts that lock files and CI name, each with the first
// file that does.
func (p *proposer) namedHosts(files []string) (hosts []policy.NamedHost) {
	read := 0
	for _, file := range files {
		if !namesHosts(file) {
			continue
		}
		if read++; read > maxHostFiles {
			break
		}
		b, err := p.r.ReadIn(p.repo.Root, file)
		if err != nil {
			continue // it only chooses a default
		}
		for _, line := range addressed(path.Base(file), b) {
			for _, m := range webHost.FindAllStringSubmatch(line, -1) {
				host := strings.ToLower(m[1])
				if !slices.ContainsFunc(hosts, func(h policy.NamedHost) bool { return h.Host == host }) {
					hosts = append(hosts, policy.NamedHost{Host: host, Where: file})
				}
			}
		}
	}
	return hosts
}

// addressed are the texts of a file that say where something is installed from.
// Lock files also hold what packages say of themselves (homepage, funding,
// deprecated), which is no such place.
func addressed(name string, b []byte) (texts []string) {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json", "composer.lock", "Pipfile.lock":
		var doc any
		if json.Unmarshal(b, &doc) != nil {
			return nil
		}
		return sources(name, "", doc)
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		skip := strings.HasPrefix(line, "#")
		switch name {
		case "yarn.lock": // yarn 1; later versions write no address of a registry
			skip = !strings.HasPrefix(line, "resolved ")
		case "pnpm-lock.yaml": // an archive, or a git repository
			skip = !strings.Contains(line, "tarball: ") && !strings.Contains(line, "repo: ")
		}
		if !skip {
			texts = append(texts, line)
		}
	}
	return texts
}

// sources are the addresses that packages of a lock file in JSON come from:
// resolved (npm), dist.url and source.url (composer), _meta.sources (Pipenv).
func sources(name, in string, v any) (texts []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			texts = append(texts, sources(name, in, e)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text, is := v[key].(string)
			switch {
			case !is:
				texts = append(texts, sources(name, key, v[key])...)
			case name == "composer.lock" && key == "url" && (in == "dist" || in == "source"),
				name == "Pipfile.lock" && key == "url" && in == "sources",
				strings.HasPrefix(name, "npm-") && key == "resolved", strings.HasPrefix(name, "package-") && key == "resolved":
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// maxNamed bounds how many hosts a sentence names.
const maxNamed = 5

// inWords lists hosts for a sentence, with where each stands.
func inWords(hosts []policy.NamedHost) string {
	var said []string
	for i, h := range hosts {
		if i == maxNamed {
			said = append(said, fmt.Sprintf("%d more", len(hosts)-i))
			break
		}
		said = append(said, h.Host+" ("+h.Where+")")
	}
	return strings.Join(said, ", ")
}
