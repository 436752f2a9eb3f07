// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the servers of the user's own configuration are listed by
// name and command. The values of their environment are judged by where they
// lead, and never shown; their headers and all else of that file are looked
// past: they may be secrets.

package checks

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Server is one MCP server of the user's configuration.
type Server struct {
	Name string
	// For is the project that it is meant for, "" for every one.
	For string
	// Command is what is started, or where it is; without secrets.
	Command string
	// Digest covers name, project, command line, address and the names of its
	// variables and headers: what is started, and none of the values.
	Digest report.Digest
	// Where is "path:line:col".
	Where string

	start  dotfiles.Startup
	helper string // a command that is run for headers
}

// Servers lists the MCP servers of the user's configuration that a session in
// start gets: those for every project, and those for this one. The error is a
// *report.Error where the file is not JSON; no file is no server.
func Servers(r host.Reader, start string) ([]Server, error) {
	path := inforce.StateFile(r)
	b, err := r.Read(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := settings.Parse(path, b)
	if err != nil {
		return nil, err
	}
	list := serversIn(d, "", d.Get(claude.ServersKey))
	tree := host.FindTree(r, start)
	for _, project := range slices.Compact([]string{tree.Main, tree.Root, start}) {
		if project != "" {
			for _, s := range serversIn(d, project, d.Get("projects", project, claude.ServersKey)) {
				if !slices.ContainsFunc(list, func(have Server) bool { return have.Where == s.Where }) {
					list = append(list, s)
				}
			}
		}
	}
	return list, nil
}

// maxServers bounds how many servers are listed.
const maxServers = 200

func serversIn(d *settings.Doc, project string, servers *settings.Value) []Server {
	members := settings.MembersOf(servers)
	var list []Server
	for _, m := range members[:min(len(members), maxServers)] {
		s := Server{Name: m.Key, For: project, Where: d.Where(m.Value)}
		command, args := m.Value.Command()
		words := []string{settings.TextOf(command)}
		words = append(words, settings.TextsOf(args)...)
		address := settings.TextOf(m.Value.Get("url"))
		s.Command = strings.Join(redact.Words(words), " ")
		if words[0] == "" {
			s.Command = redact.URL(address)
		}
		s.start = dotfiles.Startup{Command: words[0], Args: words[1:], Exec: true,
			Env: dotfiles.StartVars(d, m.Value.Get("env"))}
		s.helper = settings.TextOf(m.Value.Get(claude.HeadersHelper))
		digested := slices.Concat([]string{s.Name, s.For, settings.TextOf(m.Value.Get("type")), address,
			fmt.Sprint(len(words))}, words, keysOf(m.Value.Get("env")), []string{""}, keysOf(m.Value.Get("headers")))
		s.Digest = report.DigestOf([]byte(strings.Join(digested, "\x00")))
		list = append(list, s)
	}
	return list
}

func keysOf(v *settings.Value) (keys []string) {
	for _, m := range settings.MembersOf(v) {
		keys = append(keys, m.Key)
	}
	slices.Sort(keys)
	return keys
}

// checkServers lists the MCP servers of the user's configuration that a session
// in the project around dir starts, for review.
var checkServers = judged(serversOf)

// fixServers is the remedy for a file of servers that cannot be read.
func fixServers(path string) []report.Remedy {
	return []report.Remedy{report.DocLink{Title: inforce.FixFile, Target: path}}
}

// managedServersOf judges the servers of the file beside managed settings, which decides
// alone (those of the user's own are not started: 2.1.330); there says that there is one.
func managedServersOf(r host.Reader, s session.Settings) (f report.Finding, there bool) {
	path := filepath.Join(filepath.Dir(r.Places().Managed), claude.ManagedServersFile)
	b, err := r.Read(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return f, false
	}
	var d *settings.Doc
	if err == nil {
		d, err = settings.Parse(path, b)
	}
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "the file with the managed MCP servers cannot be read",
			Evidence: []report.Evidence{report.ErrorEvidence(path, err)}, Remedies: fixServers(path)}, true
	}
	list := serversIn(d, "", d.Get(claude.ServersKey))
	f = report.Finding{Status: report.Pass, Summary: report.Counted(len(list),
		"1 managed MCP server; no server of your own is started", "%d managed MCP servers; no server of your own is started"),
		Evidence: []report.Evidence{report.FileEvidence(path, "decides alone which MCP servers there are")}}
	for _, server := range list {
		f.Evidence = append(f.Evidence, report.FileEvidence(server.Where, server.String()))
	}
	if own, err := Servers(r, s.Dirs.Start); err == nil {
		for _, server := range own {
			f.Evidence = append(f.Evidence, report.FileEvidence(server.Where, "not started: "+server.String()))
		}
	}
	serversServe(list, &f)
	serversReach(grants.Of(r, s), list, path, &f)
	return f, true
}

// serversOf judges the servers of a session.
func serversOf(_ context.Context, r host.Reader, s session.Settings, _ string) report.Finding {
	if f, there := managedServersOf(r, s); there {
		return f
	}
	path := inforce.StateFile(r)
	servers, err := Servers(r, s.Dirs.Start)
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "the file with your MCP servers cannot be read",
			Evidence: []report.Evidence{report.ErrorEvidence(path, err)}, Remedies: fixServers(path)}
	}
	if len(servers) == 0 {
		seen := "names none"
		if _, err := r.Stat(path); errors.Is(err, iofs.ErrNotExist) {
			seen = "there is no such file"
		}
		return report.Finding{Status: report.Skip, Summary: "no MCP servers of your own",
			Evidence: []report.Evidence{report.FileEvidence(path, seen)}}
	}
	known, err := iso.Approvals(r)
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "what you reviewed cannot be read",
			Evidence: []report.Evidence{report.ErrorEvidence(approval.Path(r.Places().State), err)},
			Remedies: []report.Remedy{report.DocLink{Title: "remove the file, then review your servers again",
				Target: approval.Path(r.Places().State)}}}
	}
	f := judgedServers(r, s, servers, known)
	everywhere := slices.DeleteFunc(slices.Clone(servers), func(s Server) bool { return s.For != "" })
	hard := report.LaunchStatus{Launch: report.Iso, Status: report.Pass,
		Summary: "claude-iso does not start the servers of one project"}
	if len(everywhere) > 0 {
		of := judgedServers(r, s, everywhere, known)
		hard.Status, hard.Summary, hard.Voids = of.Status, of.Summary, of.Voids
	}
	f.Apart(hard)
	return f
}

// judgedServers judges servers that a session starts; known are those that were
// reviewed. Those of "projects" are not started by claude-iso: it loads the user's
// settings alone (measured with 2.1.330 and 2.1.324).
func judgedServers(r host.Reader, s session.Settings, servers []Server, known approval.Set) report.Finding {
	f := report.Finding{Status: report.Pass,
		Summary: report.Counted(len(servers), "1 MCP server of your own, unchanged since your review",
			"%d MCP servers of your own, unchanged since your review")}
	var fresh []string
	for _, server := range servers {
		text := server.String()
		if !known.Reviewed(server.Digest) {
			fresh = append(fresh, server.Name)
			text += " (new, or changed, since your last review)"
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(server.Where, text))
	}
	if fresh != nil {
		are := "MCP servers are"
		if len(fresh) == 1 {
			are = "MCP server is"
		}
		f.Status, f.Summary = report.Warn, fmt.Sprintf("%d %s new, or changed, since your last review: %s", len(fresh), are,
			strings.Join(first(fresh, 3), ", "))
		f.Remedies = []report.Remedy{report.Own("install --mcp-reviewed", report.Command{ID: "review-servers", Optional: true,
			Why: "review them (they run outside the sandbox), then mark them as reviewed"})}
	}
	serversServe(servers, &f)
	serversReach(grants.Of(r, s), servers, inforce.StateFile(r), &f)
	return f
}

// serversServe adds to a finding which servers are the runtime itself, whose tools
// no permission rule holds for (claude.Serves).
func serversServe(servers []Server, f *report.Finding) {
	var serve []string
	where := ""
	for _, server := range servers {
		if claude.ServesIn(strings.Join(append([]string{server.start.Command}, server.start.Args...), " ")) {
			serve, where = append(serve, server.Name), server.Where
			f.Evidence = append(f.Evidence, report.FileEvidence(server.Where, "starts mcp serve: its Read and Write tools "+
				"follow none of your deny rules"))
		}
	}
	if serve == nil {
		return
	}
	what := "the MCP server " + strings.Join(first(serve, 3), ", ") +
		" gives the agent file tools without permission rules"
	if f.Status != report.Pass {
		what += "; " + f.Summary
	}
	f.Status, f.Summary = report.Warn, what
	f.Remedies = append([]report.Remedy{report.DocLink{Title: "remove the server", Target: where}}, f.Remedies...)
}

// serversReach adds to a finding what commands of the sandbox can change of
// what the servers run. A session starts them outside of it.
func serversReach(g grants.Ground, servers []Server, file string, f *report.Finding) {
	names, unclear := map[report.Status][]string{}, []string(nil)
	for _, server := range servers {
		what, status := "the MCP server "+server.Name, report.Pass
		for _, o := range append(dotfiles.StartOpenings(g, server.start, what, server.Where),
			dotfiles.StartOpenings(g, dotfiles.Startup{Command: server.helper}, what, server.Where)...) {
			f.Evidence, f.Voids = append(f.Evidence, o.Evidence()), f.Voids || o.Voids
			if o.Group == opening.UnknownProgram {
				unclear = append(unclear, server.Name)
				continue
			}
			status = report.Worse(status, o.Status)
		}
		names[status] = append(names[status], server.Name)
	}
	for _, s := range []struct {
		status report.Status
		what   string
	}{{report.Warn, "depends on files that commands can change"}, {report.Unknown, "is not resolved to what it runs"},
		{report.Fail, "runs files that commands can change"}} {
		if list := names[s.status]; list != nil && report.Worse(f.Status, s.status) == s.status {
			f.Status, f.Summary = s.status, "the MCP server "+strings.Join(first(list, 3), ", ")+" "+s.what
		}
	}
	if f.Status == report.Pass && unclear != nil {
		f.Status, f.Summary = report.Warn, "the MCP server "+strings.Join(first(unclear, 3), ", ")+
			" is a program that steward-setup does not know"
		f.Remedies = append(f.Remedies, report.DocLink{Title: "name its absolute path as the command, if it reads no " +
			"configuration of the project", Target: file})
	}
	if f.Status == report.Fail {
		f.Remedies = append(f.Remedies, report.DocLink{Title: "install the server outside the project, and name its " +
			"absolute path as the command", Target: file})
	}
}

// String is the server as a line for people.
func (s Server) String() string {
	text := s.Name + ": " + s.Command
	if s.For != "" {
		text += " (in " + s.For + ")"
	}
	return text
}
