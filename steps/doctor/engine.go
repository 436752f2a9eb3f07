// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the real clients are asked on the host for the version of
// the engine behind the user's socket, and on the stage for that of something
// that answers like one: no engine ever takes part in a trial.

package doctor

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// engineKind is one of the two clients.
type engineKind struct {
	name string
	// variable names the engine's address, if it is set.
	variable string
	// sockets are where it is looked for; one that begins with "$" is below
	// XDG_RUNTIME_DIR.
	sockets []string
	server  func(address string) proc.Spec
	// line is the call inside; the variable says where to.
	line string
}

func docker() experiment {
	return engineKind{name: "docker", variable: "DOCKER_HOST", sockets: []string{"/var/run/docker.sock", "$/docker.sock"}, server: proc.DockerServer,
		line: "docker version --format '{{.Server.Version}}'"}.experiment("Docker can be used")
}

func podman() experiment {
	return engineKind{name: "podman", variable: "CONTAINER_HOST", sockets: []string{"$/podman/podman.sock", "/run/podman/podman.sock"}, server: proc.PodmanServer,
		line: "podman --remote version --format '{{.Server.Version}}'"}.experiment("Podman can be used")
}

func (k engineKind) experiment(title string) experiment {
	return experiment{id: report.ID(k.name), title: title, outside: k.outside, asks: k.asks}
}

// outside asks the engine of the user for its version.
func (k engineKind) outside(ctx context.Context, b *bench) control {
	if _, err := b.r.Look(k.name); err != nil {
		return absent(k.name+" is not installed", report.CommandEvidence(k.name, err.Error()))
	}
	address := b.r.System().Get(k.variable)
	socket, unix := strings.CutPrefix(address, "unix://")
	switch {
	case address != "" && !unix:
		return absent(k.variable+" names no unix socket: the network decides, see egress", report.EnvEvidence(k.variable, "is set, and begins with another word than unix"))
	case address == "":
		if socket = k.find(b); socket == "" {
			return absent("no service of "+k.name+" runs: there is no socket", report.FileEvidence(strings.Join(k.places(b), ", "), "is not there"))
		}
	}
	res := b.r.Run(ctx, k.server("unix://"+socket))
	if said := report.CommandEvidence(res.Line, res.Text()); !res.OK() {
		return absent("the service of "+k.name+" does not answer: "+literal(string(res.Stderr)+res.Text()), said)
	}
	c := control{status: report.Pass, summary: "version " + res.Text(), evidence: []report.Evidence{report.CommandEvidence(res.Line, res.Text())}, socket: b.onStage(socket)}
	c.offers = []rehearsal.Offer{{Kind: rehearsal.OfferEngine, At: c.socket, Word: engineWord}}
	c.environ = []string{k.variable + "=unix://" + c.socket}
	return c
}

// engineWord is the version of what answers on the stage.
const engineWord = "0.0.0-of-the-stage"

func (k engineKind) places(b *bench) []string {
	var list []string
	for _, s := range k.sockets {
		dir := b.r.System().Get("XDG_RUNTIME_DIR")
		switch rest, own := strings.CutPrefix(s, "$"); {
		case !own:
			list = append(list, filepath.Join(b.r.System().Root, s))
		case filepath.IsAbs(dir):
			list = append(list, dir+rest)
		}
	}
	return list
}

// find is the first socket that is there.
func (k engineKind) find(b *bench) string {
	for _, path := range k.places(b) {
		if isSocket(b, path) {
			return path
		}
	}
	return ""
}

func (k engineKind) asks(_ *bench, c control) []ask {
	return []ask{
		{id: k.name, title: k.name + " version", call: bash(k.line), through: probe.Through{Reply: engineWord}, entry: k.name,
			layer: bySocket(k.name + "-reach"), price: socketPrice(k.name+"-reach", "every file of yours can be mounted into a container and changed")},
		reach(k.name+"-reach", c.socket),
	}
}
