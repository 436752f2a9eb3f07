// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the network is the stage's own. An allowed host, one that
// is not, and an address beside the proxy are the same listener under three
// names.

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// egressOutside asks nobody: steward-setup has no network. The control is the
// twin on the stage.
func egressOutside(ctx context.Context, b *bench) control {
	c := onCopy("network", "no request leaves this machine")
	line := b.o.Agent.Allow(ctx, b.r, gitrepo.RootOf(ctx, b.r, b.o.Project), "HOST")
	c.general = []report.Remedy{report.DocLink{Title: "to allow a host:  ",
		Line: report.Line{Words: line.Words}, Target: "docs/troubleshooting.md#egress-blocked"}}
	return c
}

func egressAsks(b *bench, c control) []ask {
	path := "/" + b.inputs.Run + "/egress"
	// Of a command as a whole the runtime says that its proxy refused something.
	denied := ask{id: "denied", title: "a request to a host that the policy does not name", role: aside, alone: true,
		layer:   byProxy("denied"),
		call:    tool(rehearsal.ToolGet, fmt.Sprintf("http://%s:%d%s/denied", trial.Denied, rehearsal.Port, path)),
		through: trial.Through{Hit: path + "/denied"}}
	host := cmp.Or(b.inputs.Allowed, b.inputs.Named) // of one that is denied it is said which entry does
	if host == "" {
		denied.role, denied.title = byDesign, "a request to a host: the policy allows no host by name"
		return []ask{denied}
	}
	if host != b.inputs.Allowed {
		b.theatre.Names = append(b.theatre.Names, host)
	}
	c.vars["HOST"] = host
	at := fmt.Sprintf("%s:%d", host, rehearsal.Port)
	return []ask{
		denied,
		{id: "http", title: "GET from " + host, alone: true, call: tool(rehearsal.ToolGet, "http://"+at+path),
			through: trial.Through{Hit: path}, entry: "egress-blocked", layer: byProxy("http"), contacts: host},
		{id: "git-https", title: "git over HTTPS from " + host, call: bash("git ls-remote https://" + at + "/x.git"),
			through: trial.Through{Hit: model.SpokeTLS},
			entry:   "egress-blocked", layer: byProxy("git-https"), contacts: host},
		{id: "git-ssh", title: "git over SSH from " + host, call: bash("git ls-remote ssh://git@" + at + "/x.git"),
			through: trial.Through{Hit: model.SpokeSSH}, entry: "git-ssh", layer: byProxy("git-ssh"), contacts: host},
		{id: "beside", title: "connects directly, without the proxy, as for private ranges", role: aside, turn: 1,
			call:    tool(rehearsal.ToolReach, "tcp", fmt.Sprintf("%s:%d", proc.StageAddress, rehearsal.Port), path+"/beside"),
			through: trial.Through{Hit: path + "/beside"}, layer: besideProxy},
	}
}

// byProxy: an answer that did not come from the host came from the proxy; a
// name or a route that is missing is that of the empty namespace.
func byProxy(id string) refuser {
	return func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
		call := s.Of(id)
		e := report.CommandEvidence("the host", "was not contacted; the proxy answered: "+trial.Line(call.Text))
		switch {
		case call.Violation:
			e.Text = "was not contacted; the runtime reports that its proxy refused"
			return catalog.Proxy, e
		case strings.Contains(call.Text, "HTTP/1.1 "), strings.Contains(call.Text, "response 403"),
			strings.Contains(call.Text, " E CONNECT "):
			return catalog.Proxy, e
		}
		e.Text = "was not contacted, and nothing answered: " + trial.Line(call.Text)
		return catalog.Namespace, e
	}
}

// besideProxy: what is asked for directly finds no route.
func besideProxy(s *trial.Trial) (catalog.Refuser, report.Evidence) {
	call, text := refused(s, "beside")
	if call == "connect" {
		return catalog.Namespace, report.CommandEvidence("a connection to "+proc.StageAddress,
			text+", although it exists in the test")
	}
	return catalog.Several, report.CommandEvidence("a connection to "+proc.StageAddress, text)
}
