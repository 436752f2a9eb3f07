// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which engine Docker's client would ask is asked of the client.

package doctor

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
)

func docker() probe {
	return engineKind{name: "docker", variable: "DOCKER_HOST", sockets: []string{"/var/run/docker.sock", "$/docker.sock"},
		server: proc.DockerServer, current: dockerContext,
		line: "docker version --format '{{.Server.Version}}'"}.probe("Docker can be used")
}

// dockerContext asks the client for the context in force. The one without a name
// of its own ("default") has the address that is looked for anyway.
func dockerContext(ctx context.Context, b *bench) (name, address string) {
	sys := b.r.System()
	res := b.r.Run(ctx, proc.DockerContext(sys.Get("DOCKER_CONFIG"), sys.Get("DOCKER_CONTEXT")))
	name, address, _ = strings.Cut(strings.TrimSpace(string(res.Stdout)), " ")
	if !res.OK() || name == "default" {
		return "", ""
	}
	return name, address
}
