// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the key that signs with ssh is one of the stage's, and who
// compares a signature knows that one key.

package rehearsal

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/stage"
)

const signerOwn = stage.Own + "/signer"

// What OfferSigner lays: AgentPublic is the public key of OfferAgent's, away
// from the private one, and AllowedSigners names the key that may sign as Word
// (ssh-keygen(1), "ALLOWED SIGNERS").
const (
	AgentPublic    = signerOwn + "/agent.pub"
	AllowedSigners = signerOwn + "/allowed"
)

// sign lays the key that the offer names, or takes that of the agent.
func (o Offer) sign(ctx context.Context, runner proc.Runner) error {
	from := filepath.Join(stage.Own, "key")
	if o.At != "" {
		from = filepath.Join(signerOwn, "key")
		if err := fs.Lay([]fs.Laid{fs.Directory(signerOwn)}); err != nil {
			return err
		}
		if err := all(ctx, runner, proc.StageKey(from, o.Word)); err != nil {
			return err
		}
	}
	public, err := fs.Read(from + ".pub")
	if err != nil {
		return err
	}
	files := []fs.Laid{{Path: AllowedSigners, Mode: 0o644, Data: append([]byte(o.Word+" "), public...)}}
	if o.At == "" {
		return fs.Lay(append(files, fs.Laid{Path: AgentPublic, Mode: 0o644, Data: public}))
	}
	private, err := fs.Read(from)
	if err != nil {
		return err
	}
	return fs.Lay(append(files, fs.Laid{Path: o.At, Mode: 0o600, Data: private}, fs.Laid{Path: o.At + ".pub",
		Mode: 0o644, Data: public}))
}
