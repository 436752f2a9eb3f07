// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: that the sandbox starts is asked of the machine, that a
// program in it may have a sandbox of its own is asked inside; the first is a
// fault, the second the runtime's design.

package doctor

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// usernsOutside tries bwrap as the runtime starts it, and a namespace in it.
func usernsOutside(ctx context.Context, b *bench) control {
	if b.r.System().GOOS != "linux" {
		return absent("namespaces exist only on Linux", report.EnvEvidence("operating system", b.r.System().GOOS))
	}
	f := verify.Namespaces(ctx, b.r)
	c := control{status: f.Status, summary: f.Summary, evidence: f.Evidence, remedies: f.Remedies}
	if f.Status != report.Pass {
		layer := catalog.Namespace
		if res := b.r.Run(ctx, proc.Version(proc.Bubblewrap)); res.Missing() {
			layer = catalog.Dependency
		}
		c.summary = string(layer) + ": " + f.Summary
		c.evidence = append(c.evidence, layerEvidence(layer))
	}
	return c
}

// namespaceLimit is how many user namespaces may be made where it is read.
const namespaceLimit = "/proc/sys/user/max_user_namespaces"

func usernsAsks(*bench, control) []ask {
	return []ask{
		{id: "nested", title: "makes a user namespace of its own", role: byDesign,
			call: nestedCall, through: trial.Through{Reply: nestedWord}, entry: "nested-namespace",
			layer: nestedLayer("nested", "namespace-limit"), price: nestedPrice},
		{id: "namespace-limit", title: "reads " + namespaceLimit, role: clue, call: tool(rehearsal.ToolRead, namespaceLimit),
			through: trial.Through{Reply: "yes"}},
	}
}

// nestedCall makes a user namespace, and says nestedWord in it.
var nestedCall = bash("unshare --user --map-root-user printf 'steward-%s' nested")

const nestedWord = "steward-nested"

func nestedPrice(*bench, *trial.Trial) string {
	return "commands are root in their own namespace, and can attack a much larger part of the kernel"
}

// nestedLayer reads from nestedCall, and from the limit, who refuses namespaces:
// a limit answers ENOSPC (user_namespaces(7)); what answers EPERM refuses the
// system call before the limit is looked at.
func nestedLayer(call, limit string) refuser {
	return func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
		nested := s.Of(call)
		said := s.Of(limit)
		value := strings.TrimSpace(strings.TrimPrefix(trial.Line(said.Text), "yes "+namespaceLimit+":"))
		e := report.FileEvidence(namespaceLimit, value+" in the sandbox")
		switch {
		case strings.Contains(nested.Text, "No space left on device"):
			return catalog.Namespace, e
		case strings.Contains(nested.Text, "Operation not permitted"):
			e.Text += "; but the answer is EPERM, and a limit would answer ENOSPC: the system call is refused"
			return catalog.Seccomp, e
		}
		return catalog.Several, e
	}
}
