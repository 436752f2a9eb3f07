// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is signed with the user's key. On the host it is
// asked whether there is one and whether its agent runs; on the stage a
// throwaway key signs.

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

// signer is the key on the stage (RFC 2606: a name that is nobody's).
const signer = "stage@example.invalid"

func gpgSign() experiment {
	return experiment{id: "gpg-sign", title: "gpg can sign", outside: gpgOutside, asks: gpgAsks}
}

// gpgOutside looks for a secret key by the names of the files that hold them
// (GnuPG 2.1 and later), and asks an agent that runs already for its version.
func gpgOutside(ctx context.Context, b *bench) control {
	if _, err := b.r.Look("gpg"); err != nil {
		return absent("gpg is not installed", report.CommandEvidence("gpg", err.Error()))
	}
	home := b.r.System().Get("GNUPGHOME")
	if home == "" {
		home = filepath.Join(b.r.Places().Home, ".gnupg")
	}
	dir := filepath.Join(home, "private-keys-v1.d")
	entries, err := b.r.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return absent("gpg has no secret key to sign with", report.FileEvidence(dir, "holds no key"))
	}
	c := control{status: report.Pass, summary: "a key, and an agent that answers", evidence: []report.Evidence{report.FileEvidence(dir, "holds keys; none was read")},
		offers: []rehearsal.Offer{{Kind: rehearsal.OfferKeyring, Word: signer}}, socket: filepath.Join(b.r.Places().Home, ".gnupg", "S.gpg-agent")}
	res := b.r.Run(ctx, proc.GPGAgent())
	text := res.Text()
	if answer, ok := strings.CutPrefix(text, "D "); ok {
		text = "gpg-agent " + answer
	} else {
		c.summary = "a key; gpg starts its agent when it signs"
	}
	c.evidence = append(c.evidence, report.CommandEvidence(res.Line, text))
	return c
}

func gpgAsks(b *bench, c control) []ask {
	path, _ := b.facts.Sample()
	return []ask{
		{id: "gpg", title: "gpg --clear-sign", call: bash("gpg --batch --local-user " + signer + " --output - --clear-sign " + filepath.Base(path)),
			through: probe.Through{Reply: "BEGIN PGP SIGNATURE"}, entry: "gpg-sign", layer: bySocket("gpg-reach"),
			price: socketPrice("gpg-reach", "every command may sign with your keys, and read them where the keyring is allowed")},
		reach("gpg-reach", c.socket),
	}
}
