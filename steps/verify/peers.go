// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether another session of the user's may instruct this one,
// and whether this one may write to any socket, is said, and what closes it.

package verify

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// instructed adds to the finding whether messages of other sessions reach the
// model: the agent of another project sends them without a prompt, from outside
// its sandbox, and unless claude.InboundKey says otherwise they are delivered
// (measured with 2.1.329). claude-iso holds them. A project's file does not count.
func instructed(r host.Reader, s Session, f report.Finding) report.Finding {
	where, said := r.Places().UserSettings(), " is not set"
	for _, l := range s.Layers {
		v := l.Doc.Get(claude.InboundKey)
		if v == nil || l.Scope == settings.Project || l.Scope == settings.Local {
			continue
		}
		if claude.HoldsInbound(v.Text) {
			f.Evidence = append(f.Evidence, report.FileEvidence(l.Doc.Where(v), "messages from other sessions are not delivered unseen: "+claude.InboundKey+" is "+v.Text))
			return f
		}
		where, said = l.Doc.Where(v), " delivers them"
		break
	}
	return wiredWorse(f, report.Warn, "other sessions can message the agent without a prompt", report.FileEvidence(where,
		claude.InboundKey+said+": what an agent of another project sends is a prompt here (SendMessage); hold shows it to you first"), false)
}

// sendsFreely is what is said where no rule asks before a message to a socket.
const sendsFreely = "the agent can write to your unix sockets without a prompt"

// messagesAsked says whether a rule in force holds messages to sockets
// (claude.SocketMessages).
func messagesAsked(e *settings.Effective) bool {
	return slices.ContainsFunc(e.Rules(), func(rule settings.Rule) bool {
		return rule.Ignored == "" && rule.List != "allow" && claude.HoldsSocketMessages(rule.Value.Text)
	})
}

// messaging is the finding on a policy with a warning where no rule asks before
// messages to sockets: policies of earlier versions have none. claude-iso adds
// the rule to every launch. Where more is missing of a policy, that stands first.
func messaging(s Session, f report.Finding) report.Finding {
	if messagesAsked(s.inForce()) || len(f.Evidence) == 0 || !s.inForce().Scalar("sandbox", "enabled").Value.True() {
		return f
	}
	seen := report.FileEvidence(placeOf(f.Evidence[0]),
		"no rule such as "+claude.SocketMessages+" in permissions.ask: SendMessage connects to any unix socket, outside the sandbox")
	if f.Status != report.Pass {
		f.Evidence = append(f.Evidence, seen)
		return f
	}
	return wiredWorse(f, report.Warn, sendsFreely, seen, false)
}
