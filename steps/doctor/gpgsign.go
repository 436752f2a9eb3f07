// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is signed with the user's key. On the host it is
// asked whether there is one and whether its agent runs; on the stage a
// throwaway key signs.

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// signer is the key on the stage (RFC 2606: a name that is nobody's).
const signer = "stage@example.invalid"

// gpgOutside looks for a secret key by the names of the files that hold them
// (GnuPG 2.1 and later), and asks an agent that runs already for its version.
func gpgOutside(ctx context.Context, b *bench) control {
	format, signing := b.signing(ctx)
	c := gpgControl(ctx, b)
	switch {
	case format == "":
		return c
	case format == "ssh":
		return b.sshSigning(ctx, c, signing)
	case c.status == report.Skip && format != "openpgp":
		c.summary = "your commits are signed with " + formats[format] + ": " + c.summary
	case c.status == report.Skip:
		c.summary += ", though your commits are to be signed: git commit fails outside, too"
	case format == "openpgp":
		c.summary += "; it signs your commits"
	}
	c.evidence = append(c.evidence, signing)
	return c
}

// formats says what signs commits, by gpg.format (git-config(1)).
var formats = map[string]string{"openpgp": "gpg, see gpg-sign", "ssh": "an SSH key, see gpg-sign",
	"x509": "gpgsm, which no probe tries"}

// signing is the gpg.format of the project's commits, "" where they are not
// signed, and where that stands.
func (b *bench) signing(ctx context.Context) (format string, e report.Evidence) {
	set := gitrepo.Signing(ctx, b.r, cmp.Or(b.o.Project, b.r.System().Cwd))
	if format = cmp.Or(set.Format, "openpgp"); !set.On || formats[format] == "" {
		return "", report.Evidence{}
	}
	return format, report.EnvEvidence("commit.gpgsign", "set: commits are signed with "+formats[format])
}

// unsigned says of the commits on the stage that the user's are signed, "" if
// they are not.
func (b *bench) unsigned(ctx context.Context) string {
	format, _ := b.signing(ctx)
	if format == "" {
		return ""
	}
	return "; commits are tried unsigned, yours are signed with " + formats[format]
}

// gpgControl is gpgOutside but for what git makes of it.
func gpgControl(ctx context.Context, b *bench) control {
	if _, err := b.r.Look("gpg"); err != nil {
		return absent("gpg is not installed", report.CommandEvidence("gpg", err.Error()))
	}
	home := cmp.Or(b.r.System().Get("GNUPGHOME"), filepath.Join(b.r.Places().Home, ".gnupg"))
	dir := filepath.Join(home, "private-keys-v1.d")
	entries, err := b.r.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return absent("gpg has no secret key to sign with", report.FileEvidence(dir, "holds no key"))
	}
	c := control{status: report.Pass, summary: "a key, and an agent that answers",
		evidence: []report.Evidence{report.FileEvidence(dir, "holds keys; none was read")},
		offers:   []rehearsal.Offer{{Kind: rehearsal.OfferKeyring, Word: signer}}, socket: b.gpgSocket()}
	c.vars = map[string]string{"SOCKET": c.socket}
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

// gpgSocket is where gpg's agent listens if the user has a directory in
// /run/user, which the stage's has (gpg-agent(1), "FILES"; measured with GnuPG
// 2.2.40); elsewhere it lies in the keyring.
func (b *bench) gpgSocket() string {
	self := b.r.System().UID
	uid, _ := (&stage.Stage{AsRoot: self == 0, UID: self}).Player()
	return fmt.Sprintf("/run/user/%d/gnupg/S.gpg-agent", uid)
}

func gpgAsks(b *bench, c control) []ask {
	path, _ := b.inputs.Sample()
	list := []ask{
		{id: "gpg", title: "gpg --clear-sign", call: bash("gpg --batch --local-user " + signer + " --output - --clear-sign " +
			filepath.Base(path)),
			through: trial.Through{Reply: "BEGIN PGP SIGNATURE"}, entry: "gpg-sign", layer: bySocket("gpg-reach"),
			also: keyringHidden,
			price: socketPrice("gpg-reach", "every command may sign with your keys, and read them where the keyring is allowed",
				"gpg alone runs outside the sandbox (excludedCommands): whatever it is asked to sign is signed with your keys")},
		reach("gpg-reach", c.socket),
		{id: "gpg-keyring", title: "gpg --list-keys", role: clue,
			call: bash("gpg --batch --with-colons --list-keys " + signer), through: trial.Through{Reply: "pub:"}},
	}
	if b.inputs.Git == "" {
		return list
	}
	commits := signedCommit("gpg", "-c gpg.format=openpgp -c user.signingKey="+signer, "GOODSIG", gpgTurn)
	for i := range commits {
		commits[i].entry, commits[i].layer, commits[i].also = "gpg-sign", bySocket("gpg-reach"), keyringHidden
	}
	return append(list, commits...)
}

// The turns of commits that are signed: after those of the probe git-worktree,
// which take the index' lock too.
const (
	gpgTurn = 4
	sshTurn = 6
)

// signedCommit signs a commit, and asks git whether the signature is good, which
// answers with word (git-verify-commit(1), "--raw").
func signedCommit(with, options, word string, turn int) []ask {
	id := "commit-" + with
	return []ask{
		{id: id, title: "git commit -S with " + with, turn: turn, call: bash("git " + options +
			" commit --allow-empty -S -m steward-signed"), through: trial.Through{Reply: "] steward-signed"}},
		{id: "verify-" + with, title: "git verify-commit of what " + with + " signed", turn: turn + 1, after: id,
			call: bash("git " + options + " verify-commit --raw HEAD"), through: trial.Through{Reply: word}},
	}
}

// keyringHidden: gpg needs its agent and its keyring, so that one may refuse
// though the other is let.
func keyringHidden(s *trial.Trial) (catalog.Refuser, report.Evidence) {
	call := s.Of("gpg-keyring")
	if call.Through || call.Decision != agent.Ran {
		return "", report.Evidence{}
	}
	if socket, _ := refused(s, "gpg-reach"); socket != "socket" {
		return "", report.Evidence{} // then the keyring's directory is what hides the socket
	}
	return catalog.Mount, report.CommandEvidence("gpg --list-keys", "the keyring is hidden, too: "+trial.Line(call.Text))
}
