// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a host is judged as the runtime's proxy judges it, and
// beside it stands who does not ask the proxy at all (measured with Claude
// Code 2.1.329).

package access

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// OfHost is about a host, with or without a port, or a URL of it.
func OfHost(subject string) (Question, error) {
	name, port := subject, ""
	if _, rest, ok := strings.Cut(name, "://"); ok {
		name = rest
	}
	name, _, _ = strings.Cut(name, "/")
	if i := strings.LastIndex(name, "@"); i >= 0 { // git@github.com
		name = name[i+1:]
	}
	if inner, rest, ok := strings.Cut(name, "]"); ok && strings.HasPrefix(inner, "[") {
		name, port = inner[1:], strings.TrimPrefix(rest, ":")
	} else if strings.Count(name, ":") == 1 {
		name, port, _ = strings.Cut(name, ":")
	}
	host, ok := policy.ParseHost(name)
	if n, err := strconv.ParseUint(port, 10, 16); err == nil { // it is none in git@github.com:me/repo
		host.Port = uint16(n)
	}
	if !ok {
		return Question{}, &report.Error{Code: report.ExitUsage, Where: subject, What: "is not a host name",
			Next: "for example: --explain-host github.com"}
	}
	h := Host{host}
	q := Question{Subject: h, Text: h.String()}
	if h.passed() {
		q.Notes = append(q.Notes, report.Note{Text: "NO_PROXY of sandboxed commands names it (localhost and private " +
			"ranges): clients that honour NO_PROXY do not use the proxy for it"})
	}
	return q, nil
}

// Host is a host as it is asked about.
type Host struct{ policy.Host }

func (h Host) String() string {
	port := ":" + strconv.Itoa(int(h.Port))
	switch {
	case h.Port == 0:
		return h.Name
	case h.Addr.Is6():
		return "[" + h.Name + "]" + port
	}
	return h.Name + port
}

// unproxied are the ranges of NO_PROXY in sandboxed commands (measured with
// 2.1.329; facts of RFC 1918 and RFC 3927).
var unproxied = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
}

// passed says whether clients that heed NO_PROXY pass the proxy by.
func (h Host) passed() bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, h.Name) ||
		h.Addr.IsValid() && slices.ContainsFunc(unproxied, func(p netip.Prefix) bool { return p.Contains(h.Addr) })
}

func (h Host) in(entry string) bool {
	e, ok := policy.ParseHostEntry(entry)
	return ok && e.Names(h.Host)
}

// Listed is what allows the host to commands, or denies it.
func (h Host) Listed(s *Start, list string) (by []report.Evidence) {
	for _, d := range s.Settings.Domains(list) {
		if h.in(d.Host) {
			by = append(by, s.At(d.Candidate, d.Key...))
		}
	}
	return by
}

// ignored are the allowed hosts that name it and do not count.
func (h Host) ignored(s *Start) (by []report.Evidence) {
	for _, c := range s.Settings.List(claude.KeyAllowedDomains...) {
		if c.Ignored != "" && h.in(c.Value.Text) {
			by = append(by, s.At(c, claude.KeyAllowedDomains...))
		}
	}
	return by
}

// Rule says who may reach it.
func (h Host) Rule(s *Start) ([]report.Ruling, []report.Note) {
	on, why := s.Sandboxed()
	proxied := report.Ruling{Who: WhoCommand, Does: ViaProxy}
	direct := report.Ruling{Who: WhoCommand, Does: PastProxy, Answer: report.Denied,
		Why: "a sandboxed command has its own empty network: no routes, no DNS", By: []report.Evidence{why}}
	var notes []report.Note
	if !on {
		proxied.Answer, proxied.Why, proxied.By = report.Allowed,
			"no sandbox is in force: a command reaches what you can reach", []report.Evidence{why}
		proxied.Does = DoesReach
		return []report.Ruling{proxied, h.fetched(s)}, nil
	}
	ignored := h.ignored(s)
	strict := s.Settings.Scalar(claude.KeyStrictAllowlist...)
	denied, allowed := h.Listed(s, claude.Deny), h.Listed(s, claude.Allow)
	switch {
	case len(denied) > 0:
		proxied.Final = true
		proxied.Answer, proxied.Why, proxied.By = report.Denied, "the deny list, which overrides every other list", denied
	case len(allowed) > 0:
		proxied.Answer, proxied.Why, proxied.By = report.Allowed, "named among the allowed hosts", allowed
		if s.Settings.Scalar(claude.KeyAllowManagedDomainsOnly...).Value.True() {
			notes = append(notes, report.Note{Text: "allowManagedDomainsOnly is set: only hosts of managed settings count"})
		}
	case strict.Value.True() && len(ignored) > 0:
		proxied.Answer, proxied.Why, proxied.By = report.Denied, "named by the project, but with strictAllowlist only the "+
			"hosts of your user settings count",
			append(ignored, s.At(strict.Candidate, claude.KeyStrictAllowlist...))
		notes = append(notes, report.Note{Text: "sandbox.network.allowedDomains in your user settings would allow it, in " +
			"all your projects"})
	case strict.Value.True():
		proxied.Answer, proxied.Why, proxied.By = report.Denied, "not on any list, and with strictAllowlist it cannot be "+
			"added during a session",
			[]report.Evidence{s.At(strict.Candidate, claude.KeyStrictAllowlist...)}
	default:
		proxied.Open = true
		proxied.Answer, proxied.Why = report.Asks, "not on any list: the runtime prompts you, and denies it where no "+
			"prompt is possible"
		proxied.By = []report.Evidence{noEntry(claude.KeyAllowedDomains, "names")}
		notes = append(notes, report.Note{Text: "in bypassPermissions mode unlisted hosts are reachable; strictAllowlist " +
			"in user settings blocks them"})
	}
	if proxied.Answer != report.Allowed && !proxied.Final && !h.passed() {
		notes = append(notes, report.Note{Text: "to allow it: ", Line: Allow(s, h.Name)})
	}
	return []report.Ruling{proxied, direct, h.fetched(s)}, notes
}

// Allow is the command that allows hosts: where only hosts of the user's own settings count,
// they are added there; the project's, which the approved policy has, may name them already.
// That of a package registry comes with the others that its clients need.
func Allow(s *Start, hosts ...string) report.Line {
	var all, groups, alone []string
	for _, host := range hosts {
		if group, needed := policy.Embedded().Ecosystem(host); group != "" {
			groups, all = report.Union(groups, group), report.Union(all, needed...)
			continue
		}
		all, alone = report.Union(all, host), report.Union(alone, host)
	}
	words, floored := AllowEverywhere(s.Settings, all)
	after := ""
	if onlyUsersHosts(s.Settings) { // install adds them to the user's list, too
		after = ", for all your projects"
	}
	if floored {
		groups, alone = nil, slices.DeleteFunc(all, func(name string) bool {
			return len(Host{policy.Host{Name: name}}.ignored(s)) > 0
		})
	}
	if groups != nil {
		words += " --domains=" + strings.Join(groups, ",")
	}
	for _, name := range alone {
		words += " --allow-host=" + scripts.Quote(name)
	}
	return report.Line{Words: words, After: after}
}

// AllowEverywhere is the command that adds hosts to a policy in the user's own
// settings, and whether there is one: it has a list of its own, and no host of a
// project counts beside it. Without one install adds those of the project.
func AllowEverywhere(e *settings.Effective, hosts []string) (words string, floored bool) {
	words = "install --plan"
	if !onlyUsersHosts(e) || !inforce.Floor(e.Doc(settings.User)) {
		return words, false
	}
	for _, host := range hosts {
		words += " --floor-host=" + scripts.Quote(host)
	}
	return words, true
}

// onlyUsersHosts says whether the user's own settings let no host of a project count.
func onlyUsersHosts(e *settings.Effective) bool {
	user := e.Doc(settings.User)
	return user != nil && user.Get(claude.KeyStrictAllowlist...).True()
}

// fetchRules is the ruling of the rules that are about a host for WebFetch.
func (s *Start) fetchRules(name string) (report.Ruling, bool) {
	names := func(r rule) bool { return r.bare || claude.FetchRuleNames(r.content, name) }
	return byRules(func(list string) []report.Evidence { return s.those(list, claude.ToolWebFetch, names) })
}

// fetchedUnasked are the hosts of the runtime's own list, some with a directory, whose
// pages are fetched without a prompt: no rule names them.
func (s *Start) fetchedUnasked() []string {
	return slices.DeleteFunc(slices.Clone(claude.FetchedUnasked), func(name string) bool {
		host, _, _ := strings.Cut(name, "/")
		_, ruled := s.fetchRules(host)
		return ruled
	})
}

// fetched is the ruling over WebFetch, which the sandbox does not bind.
func (h Host) fetched(s *Start) report.Ruling {
	r, ruled := s.fetchRules(h.Name)
	none := []report.Evidence{report.FileEvidence("permissions", "no WebFetch(domain:…) rule of any scope names it")}
	all, below := claude.FetchesUnasked(h.Name)
	switch {
	case r.Answer == report.Denied:
	case !strings.Contains(h.Name, ".") && !h.Addr.IsValid():
		r = report.Ruling{Answer: report.Denied, Final: true, Why: "the tool takes no host name without a dot",
			By: []report.Evidence{report.FileEvidence(h.Name, "refused whatever the settings say")}}
	case r.Answer == report.Asks:
		r = s.asks(r)
	case ruled:
	case all:
		r = report.Ruling{Answer: report.Allowed, By: none,
			Why: "it is on the runtime's own list of hosts, whose pages are fetched without a prompt"}
	default:
		r = report.Ruling{Open: true, By: none, Why: "no rule covers it; the sandbox's lists do not apply to this tool"}
		if below != "" {
			r.Why += "; pages below " + below + " are fetched without a prompt"
		}
		r = s.asks(r)
	}
	r.Who, r.Does = WhoFetch, DoesReach
	return r
}

// RulesOf are the rules of a list with that text to the letter: a tool's name
// alone, say.
func RulesOf(s *Start, list, text string) []report.Evidence {
	tool, _, _, _ := claude.SplitRule(text)
	return s.those(list, tool, func(r rule) bool { return r.Value.Text == text })
}
