// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what works where no sandbox holds back is no answer, and
// neither is what fails where none could start.

package doctor

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// sayWhy is what leads on where the doctor cannot try anything.
var sayWhy = report.Own("verify", report.Command{ID: report.Rehearse, Why: "see which file or program is in the way"})

// void takes the answer of a probe back if a denial did not hold in one of its
// sessions. What holds for all probes is told once.
func (b *bench) void(ctx context.Context, c *inquiry) {
	dir, open := b.open(c)
	if open == "" {
		return
	}
	f := &c.finding
	f.Status, f.Voids, c.refusal = report.Fail, true, engine.Refusal{}
	switch {
	case dir != "":
		f.Summary = "no sandbox is in force in a session that starts in " + filepath.Base(dir) + ": " + open
		f.Evidence = append([]report.Evidence{report.FileEvidence(dir, "a session that starts here: "+open)}, f.Evidence...)
		if why, next := b.o.Agent.Off(ctx, b.r, dir); next != nil {
			f.Evidence = append([]report.Evidence{why}, f.Evidence...)
			f.Remedies = append(f.Remedies, next)
			return
		}
		f.Remedies = append(f.Remedies, report.Own("verify", report.Command{ID: "verify-there", Dir: scripts.Quote(dir),
			Why: "see which part of the policy is missing there"}))
		return
	case b.voided == "":
		b.voided = c.id
		if why, next := b.o.Agent.Off(ctx, b.r, b.inputs.Root); next != nil {
			b.ends = next
			f.Evidence = append([]report.Evidence{why}, f.Evidence...)
			f.Summary = "no sandbox is in force here: " + open
			break
		}
		f.Summary = "not protected: " + open
	default:
		f.Summary = "not judged: a protection does not work (see " + string(b.voided) + ")"
	}
	if b.ends != nil {
		f.Remedies = append(f.Remedies, b.ends)
		return
	}
	f.Remedies = append(f.Remedies, sayWhy)
}

// open names the denials that did not hold in a session of a probe, and where
// that session started; "" if all did.
func (b *bench) open(c *inquiry) (dir, open string) {
	for _, at := range c.places() {
		if list := unheld(b.trials[at].outcomes); list != nil {
			return at.dir, several(list)
		}
	}
	return "", ""
}

// unheld are the denials of a session that did not hold.
func unheld(outcomes []trial.Outcome) (list []string) {
	for _, o := range denials(outcomes) {
		if !o.Control && o.Status == report.Fail {
			list = append(list, o.Says())
		}
	}
	return list
}

// sealed says whether every denial that was asked for in a session was seen to
// hold.
func (p *pair) sealed() bool {
	asked := denials(p.outcomes)
	return len(asked) > 0 && !slices.ContainsFunc(asked, func(o trial.Outcome) bool {
		return o.Status != report.Pass && o.Status != report.Warn
	})
}

// rules are those of a session that starts in dir, "" for the root: they are read once.
func (b *bench) rules(ctx context.Context, dir string) catalog.Rules {
	rules, known := b.ruled[dir]
	if !known {
		rules = b.o.Agent.Rules(ctx, b.r, cmp.Or(dir, b.inputs.Root))
		if b.ruled == nil {
			b.ruled = map[string]catalog.Rules{}
		}
		b.ruled[dir] = rules
	}
	return rules
}

// unstarted says whether a reply is that of bubblewrap, which runs no command
// once it complains.
func unstarted(reply string) bool {
	for line := range strings.Lines(reply) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Exit code ") {
			return strings.HasPrefix(line, "bwrap: ")
		}
	}
	return false
}

// sandboxless says of a call that its sandbox did not start; the entry of the
// catalog that knows the words tells the layer, and what would help.
func (b *bench) sandboxless(r *result) {
	r.said = "the sandbox did not start: " + r.said
	r.layer, r.clues = catalog.Several, []report.Evidence{report.EnvEvidence("the sandbox",
		"did not start in this session, so that no command did")}
	if r.known == nil {
		return
	}
	for _, e := range b.entries {
		if e.ID == r.known.ID {
			r.entry, r.layer = e.ID, e.Layer
		}
	}
}
