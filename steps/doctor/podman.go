// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is Podman's own; how an engine is tried stands in engine.go.

package doctor

import "github.com/steward-setup/steward-setup/internal/host/proc"

func podman() probe {
	return engineKind{name: "podman", variable: "CONTAINER_HOST",
		sockets: []string{"$/podman/podman.sock", "/run/podman/podman.sock"}, server: proc.PodmanServer,
		line: "podman --remote version --format '{{.Server.Version}}'"}.probe("Podman can be used")
}
