// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the agent that sandboxed commands reach for on the stage
// is ssh-agent with a throwaway key; the user's own is only asked how many
// identities it has.

package doctor

import (
	"context"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// SSHSocket is the variable that names the socket of the SSH agent.
const SSHSocket = "SSH_AUTH_SOCK"

// sshOutside asks the user's agent for its identities; exit code 1 says that
// it has none, and works (ssh-add(1)).
func sshOutside(ctx context.Context, b *bench) control {
	socket := b.r.System().Get(SSHSocket)
	if socket == "" {
		return absent("no SSH agent: "+SSHSocket+" is not set", report.EnvEvidence(SSHSocket, "not set"))
	}
	if !isSocket(b, socket) {
		return absent("no SSH agent: "+socket+" is not a socket", report.FileEvidence(socket, "is not a socket"))
	}
	res := b.r.Run(ctx, proc.SSHIdentities(socket))
	said := report.CommandEvidence(res.Line, res.Text())
	switch {
	case res.Missing():
		return absent("ssh-add is not installed", said)
	case res.Err != nil || res.Code > 1:
		return absent("the SSH agent does not answer: "+res.Text(), said)
	}
	n := 0
	if res.Code == 0 {
		n = len(res.Lines())
	}
	said.Text = report.Counted(n, "1 identity", "%d identities")
	c := control{status: report.Pass, summary: said.Text, evidence: []report.Evidence{said}, socket: b.onStage(socket)}
	c.environ = []string{SSHSocket + "=" + c.socket}
	c.vars = map[string]string{SSHSocket: c.socket, SSHSocket + "_DIR": filepath.Dir(c.socket)}
	c.offers = []rehearsal.Offer{{Kind: rehearsal.OfferAgent, At: c.socket, Word: sshWord}}
	return c
}

// sshWord is the comment of the key on the stage.
const sshWord = "steward-key-of-the-stage"

// sshAsks asks for ssh-add, and apart from it for a program that asks the agent
// as ssh and git do: a policy may let ssh-add out of the sandbox, and nobody
// else (excludedCommands).
func sshAsks(_ *bench, c control) []ask {
	return []ask{
		{id: "ssh-add", title: "ssh-add -l", call: bash("ssh-add -l"), through: trial.Through{Reply: sshWord},
			entry: "ssh-agent", layer: sshRefuser,
			price: socketPrice("ssh-reach", "every command can use every key of the agent",
				"ssh-add alone runs outside the sandbox (excludedCommands)")},
		{id: "ssh-use", title: "another program that asks the agent, as ssh and git do", role: byDesign,
			call: bash("sh -c 'ssh-add -l'"), through: trial.Through{Reply: sshWord}, layer: sshRefuser},
		reach("ssh-reach", c.socket),
		{id: "ssh-env", title: "reads " + SSHSocket, role: clue, call: tool(rehearsal.ToolEnv, SSHSocket),
			through: trial.Through{Reply: "yes " + SSHSocket}},
	}
}

// sshRefuser looks first whether the variable that names the agent arrives.
func sshRefuser(s *trial.Trial) (catalog.Refuser, report.Evidence) {
	if call := s.Of("ssh-env"); call.Decision == agent.Ran && !strings.Contains(call.Text, "yes "+SSHSocket+"=") {
		return catalog.Environment, report.EnvEvidence(SSHSocket, "does not reach commands")
	}
	return bySocket("ssh-reach")(s)
}

// reach is a clue: a call of this program to a unix socket.
func reach(id, socket string) ask {
	return ask{id: id, title: "a call to " + socket, role: clue, call: tool(rehearsal.ToolReach, "unix", socket, "/reach"),
		through: trial.Through{Reply: "/reach"}}
}

// socketPrice is the price of what works over a unix socket inside: open where
// commands may make such sockets, with the setting that lets them; alone where
// they may not, so that this call ran outside the sandbox.
func socketPrice(reach, open, alone string) func(*bench, *trial.Trial) string {
	return func(b *bench, s *trial.Trial) string {
		if b.inputs.Sockets != "" {
			return open + " (" + b.inputs.Sockets + ")"
		}
		if call, _ := refused(s, reach); call == "socket" {
			return alone
		}
		return open
	}
}

// anySocketPrice is socketPrice for a socket with no more behind it.
func anySocketPrice(reach string) func(*bench, *trial.Trial) string {
	return socketPrice(reach, "every socket that your user may open is reachable",
		"this call runs outside the sandbox (excludedCommands)")
}

func isSocket(b *bench, path string) bool {
	info, err := b.r.Stat(path)
	return err == nil && info.Mode()&iofs.ModeSocket != 0
}
