// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a step of git that takes the policy away is told as one that
// puts another in its place.

package gitruns

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// loses says whether the settings at a reference hold less than the policy here: they do not
// switch the sandbox on, or are not there. since is the commit that ref is a change of, if it is
// one: what that does not have either is no loss, and what it has besides counts. Seen with git
// 2.39: a stash without the file removes it at the next commit.
func (c checkouts) loses(ctx context.Context, ref, since string) bool {
	here := c.leftOut
	if here == nil {
		here, _ = c.r.ReadIn(c.tree.Root, filepath.FromSlash(session.PolicyFile))
	}
	if !switchesOn(here) || since != "" && !c.sandboxed(ctx, since) {
		return false
	}
	if since == "" || !c.sandboxed(ctx, ref) {
		return !c.sandboxed(ctx, ref)
	}
	was, is := since+":"+checkedOut[1], ref+":"+checkedOut[1]
	known := c.contents(ctx, was, is)
	if bytes.Equal(lines(known[is]), lines(here)) {
		return false
	}
	doc, err := settings.Parse(session.PolicyFile, known[is])
	if err != nil {
		return true
	}
	weaker, _, err := policy.Embedded().Compare(known[was], session.PolicyFile, doc.Root, c.r.Places().Home)
	return err != nil || len(weaker) > 0
}

// holdsLess says whether a commit's policy has the sandbox and hides less than the one here, which
// a run of this program wrote, and whether no run found or wrote the commit's: after a change of
// the policy the commit has the earlier one until you commit. What was edited by hand is not
// told from what a command committed.
func (c checkouts) holdsLess(ctx context.Context, ref string) bool {
	name := ref + ":" + checkedOut[1]
	there := c.contents(ctx, name)[name]
	here, err := c.r.ReadIn(c.tree.Root, filepath.FromSlash(session.PolicyFile))
	if err != nil || c.leftOut != nil || bytes.Equal(lines(here), lines(there)) || !switchesOn(here) ||
		!switchesOn(there) {
		return false
	}
	doc, err := settings.Parse(session.PolicyFile, there)
	if err != nil {
		return true
	}
	weaker, _, err := policy.Embedded().Compare(here, session.PolicyFile, doc.Root, c.r.Places().Home)
	if err != nil || len(weaker) == 0 {
		return err != nil
	}
	receipts, err := engine.Applier{State: c.r.Places().State}.History()
	wrote := anyChange(receipts, func(ch engine.ReceiptChange) bool { return ch.After == report.DigestOf(here) })
	return err == nil && wrote && !had(receipts, there)
}

// had says whether a run of this program found or wrote a file with this text.
func had(receipts []engine.Receipt, text []byte) bool {
	digest := report.DigestOf(text)
	return anyChange(receipts, func(ch engine.ReceiptChange) bool { return ch.Before == digest || ch.After == digest })
}

func anyChange(receipts []engine.Receipt, is func(engine.ReceiptChange) bool) bool {
	return slices.ContainsFunc(receipts, func(r engine.Receipt) bool { return slices.ContainsFunc(r.Changes, is) })
}

// switchesOn says whether settings switch the sandbox on.
func switchesOn(text []byte) bool {
	doc, err := settings.Parse(session.PolicyFile, text)
	return err == nil && doc.Get(claude.KeySandboxEnabled...).True()
}

// less is the warning about such a reference.
func (c checkouts) less(ctx context.Context, ref, shows, step string) opening.Opening {
	o := c.comes(ctx, ref, checkedOut[1], shows, step)
	from := ref
	if ref == "" {
		from = "git's index"
	}
	o.Opens = from + " has no policy, or one that holds less, and " + step + ". A command can make that. " +
		"The session that follows has less protection, or no sandbox."
	return o
}

// mailDir is where git am, or a rebase by patches, keeps what it has not applied yet: a patch
// in each file whose name is a number, the one at which it stopped in patch (seen with git 2.39).
const mailDir = "rebase-apply"

// maxMails is how many patches of a directory are read.
const maxMails = 200

// patched names a line of a patch that says which file it changes; encoded is a mail whose
// text is not the patch itself.
var (
	patched = lazy.Regexp(`(?m)^(?:diff --git|\+\+\+|---|rename (?:from|to)|copy to) (.*)$`)
	encoded = lazy.Regexp(`(?im)^content-transfer-encoding:\s*(?:base64|quoted-printable)`)
)

// patches are the warnings about what would be applied next in a work tree of the
// repository: commands write that directory (2.1.332), and it changes the policy.
func (c checkouts) patches() []opening.Opening {
	for _, dir := range dirsOf(c.r, c.tree) {
		entries, err := c.r.ReadDir(filepath.Join(dir, mailDir))
		if err != nil {
			continue
		}
		step := "am"
		if host.There(c.r, filepath.Join(dir, mailDir, "rebasing")) {
			step = "rebase" // git am --quit would drop what it has stashed
		}
		options, _ := c.r.ReadIn(dir, filepath.Join(mailDir, "apply-opt"))
		next, _ := c.r.ReadIn(dir, filepath.Join(mailDir, "next"))
		first, _ := strconv.Atoi(strings.TrimSpace(string(next)))
		read := 0
		for _, e := range entries {
			number, err := strconv.Atoi(e.Name())
			if (err != nil || number < first) && e.Name() != "patch" {
				continue
			}
			at, why := filepath.Join(dir, mailDir, e.Name()), "changes "+claude.Dir+" or "+claude.ServersFile
			text, err := c.r.ReadIn(dir, filepath.Join(mailDir, e.Name()))
			line := ofAgent(text)
			switch read++; {
			case read > maxMails:
				why = fmt.Sprintf("is not looked at: there are more than %d", maxMails)
			case err != nil:
				why = "cannot be read"
			case line == 0 && encoded().Match(text):
				why = "is encoded"
			case line == 0 && strings.Contains(string(options), "--directory"):
				why = "is applied elsewhere (" + mailDir + "/apply-opt)"
			case line == 0:
				continue
			default:
				at = fmt.Sprintf("%s:%d", at, line)
			}
			return []opening.Opening{{Status: report.Warn, Plain: true, Group: opening.Unsandboxed, Where: at, What: e.Name(),
				Opens: "git " + step + " --continue or --skip of yours" + c.where(dir) + " applies a patch that " + why +
					". A command can make that. The session that follows may have no sandbox.",
				Remedy: report.Command{Why: "forget it" + c.where(dir) + "; files and commits stay as they are",
					Line: inTree(c.r, c.tree, dir, step+" --quit")}}}
		}
	}
	return nil
}

// ofAgent is the first line of a patch that names a file which commands cannot write, 0 if
// none does.
func ofAgent(text []byte) int {
	for _, at := range patched().FindAllSubmatchIndex(text, -1) {
		name := strings.ToLower(unquoted(string(text[at[2]:at[3]])))
		if slices.Contains(strings.Split(name, "/"), claude.Dir) || path.Base(name) == claude.ServersFile {
			return 1 + strings.Count(string(text[:at[0]]), "\n")
		}
	}
	return 0
}

var octal = lazy.Regexp(`\\[0-7]{3}`)

// unquoted is a name as git writes it in a patch, without what follows a tab.
func unquoted(name string) string {
	name, _, _ = strings.Cut(strings.TrimSpace(name), "\t")
	return octal().ReplaceAllStringFunc(strings.Trim(name, `"`), func(s string) string {
		return string([]byte{(s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0')})
	})
}

// mailBase is what git am, where it was left in this work tree, goes back to.
func (c checkouts) mailBase() []kept {
	if !host.There(c.r, filepath.Join(c.tree.Git, mailDir)) {
		return nil
	}
	return []kept{{"ORIG_HEAD", "git am --abort"}}
}
