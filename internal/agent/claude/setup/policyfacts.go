// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a policy is built from is asked once, here, for the
// project's and for the user's own. What a repository says of hosts is
// foreign. It can choose among the groups that the policy offers, and be
// shown; it opens no host by itself.

package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// policyBase is what a document is built from: the framework's policy, or the
// embedded one.
func (p *proposer) policyBase(s *report.Section) (policy.Base, error) {
	if p.opts.Framework == "" {
		return policy.Embedded().Base(), nil
	}
	path := filepath.Join(p.opts.Framework, session.PolicyFile)
	b, err := p.r.ReadIn(p.opts.Framework, session.PolicyFile)
	if err != nil {
		return policy.Base{}, install.Unreadable(path, err)
	}
	base, notes, err := policy.Embedded().FromFramework(b, path, p.r.Places().Home)
	s.Note(notes...)
	return base, err
}

// wantedPolicy builds the document, and asks what it needs to know.
func (p *proposer) wantedPolicy(ctx context.Context, s *report.Section, doc *settings.Doc, to string) (policy.Wanted,
	error) {
	base, err := p.policyBase(s)
	if err != nil {
		return policy.Wanted{}, err
	}
	facts := p.policyFacts(ctx, doc)
	for _, q := range policy.Embedded().Questions(facts) {
		p.ask(p.policyQuestion(q, facts))
	}
	answers := p.answers
	if to == "user" {
		// There the dot means the agent's own directory and opens its
		// credentials (measured with 2.1.329).
		answers = answers.With("omit", append(slices.Clone(answers["omit"]), "sandbox.filesystem.allowRead:.")...)
	}
	return base.Build(facts, answers)
}

// policyQuestion is a question of the policy with what follows from this
// machine and from the answers before it.
func (p *proposer) policyQuestion(q report.Question, f policy.Found) report.Question {
	switch q.ID {
	case "domains":
		q.Ask = true
	case "allow-host":
		if hosts := inWords(policy.Embedded().Unlisted(f)); hosts != "" {
			q.Ask = true
			q.Help += " Named in the repository and not allowed yet: " + hosts + "."
		}
	case "omit":
		q.Once = true
	case "project-config":
		if name := p.answers.Of(p.asked("project-name")); len(name) == 0 || name[0] == "" {
			return q.DecidedBy("no directory is named in project-name", "no")
		}
	case "gh-config", "gnupg":
		dir := map[report.ID]string{"gh-config": "~/.config/gh", "gnupg": "~/.gnupg"}[q.ID]
		at, _ := pathname.Expand(dir, p.r.Places().Home)
		if _, err := p.r.Stat(at); errors.Is(err, iofs.ErrNotExist) && q.DefaultFrom == "" {
			return q.DecidedBy("there is no "+dir, "no")
		}
	}
	return q
}

// asked is a question as it was put; its id alone where it was not.
func (p *proposer) asked(id report.ID) report.Question {
	if i := slices.IndexFunc(p.questions, func(q report.Question) bool { return q.ID == id }); i >= 0 {
		return p.questions[i]
	}
	return report.Question{ID: id}
}

// policyFacts is what the repository says about good defaults.
func (p *proposer) policyFacts(ctx context.Context, doc *settings.Doc) policy.Found {
	f := p.settledFacts(doc, p.session().Layers)
	if p.Repo != nil && p.Repo.Root != "" {
		f.Repo = filepath.Base(p.Repo.Root)
		if p.Repo.Main != "" {
			f.Repo = filepath.Base(p.Repo.Main)
		}
		f.Files = p.Repo.Files(ctx)
		f.Remotes = p.Repo.Remotes(ctx)
		f.Home = p.homePaths(f.Repo)
		f.Hosts = p.namedHosts(f.Files)
	}
	return f
}

// settledFacts is what documents and the home say of them.
func (p *proposer) settledFacts(doc *settings.Doc, layers []settings.ScopedDoc) policy.Found {
	f := policy.Found{Where: p.shown(doc.Path), Home: p.homePaths("")}
	if doc.Bytes() != nil {
		f.Existing = doc.Root
	}
	for _, l := range layers {
		for _, v := range settings.ItemsOf(l.Doc.Get(claude.KeyAllow...)) {
			f.Allow = append(f.Allow, policy.AllowRule{Rule: v.Text, Where: p.shown(l.Doc.Path)})
		}
	}
	return f
}

// homePaths are the places below the home that decide about a default and that
// are there.
func (p *proposer) homePaths(repo string) (there []string) {
	for _, path := range policy.Embedded().HomePaths(repo) {
		at, _ := pathname.Expand(path, p.r.Places().Home)
		if _, err := p.r.Stat(at); err == nil {
			there = append(there, path)
		}
	}
	return there
}

// hostFiles are the files in which a repository names the hosts that it
// installs from: lock files and settings of package managers by their name
// anywhere, and what CI runs.
var (
	hostFiles = []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", ".npmrc",
		".yarnrc.yml", "Cargo.lock",
		"poetry.lock", "uv.lock", "Pipfile.lock", "Pipfile", "requirements*.txt", "pip.conf", "Gemfile.lock", "Gemfile",
		"composer.lock", "gradle-wrapper.properties", ".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml"}
	ciFiles = []string{".github/workflows/*.yml", ".github/workflows/*.yaml", ".circleci/config.yml", ".cargo/config.toml"}
)

// maxHostFiles bounds how many of them are read.
const maxHostFiles = 40

// webHost finds the host of an address.
var webHost = regexp.MustCompile(`https?://(?:[^/\s"'@]*@)?([A-Za-z0-9.-]+\.[A-Za-z]{2,})`)

func namesHosts(file string) bool {
	return pathname.Like(path.Base(file), hostFiles...) || pathname.Like(file, ciFiles...)
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
		b, err := p.r.ReadIn(p.Repo.Root, file)
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
