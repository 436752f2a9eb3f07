// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: commands write git's references and objects, so a commit that a
// person's next step checks out may hold what they could not write as files.

package verify

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// worktreeBases are the references at which "claude -w" starts, the first that
// exists: read from the runtime, and measured with 2.1.330. HEAD comes last, and is
// the only one with "baseRef": "head".
var worktreeBases = []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "HEAD"}

// outside is what makes a text start a program outside the sandbox.
var outside = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*["']?(hooks|mcpServers)["']?\s*:`) })

// baseOpenings names what the commit at which "claude -w" starts, or the one that is
// checked out, has in the place of settings and files that run outside the sandbox.
// claude-iso takes nothing of it.
func baseOpenings(ctx context.Context, r host.Reader, root string, onlyHead bool) (found []opening) {
	if root == "" {
		return nil
	}
	var names []string
	for _, ref := range worktreeBases {
		names = append(names, ref+"^{tree}", ref+":"+filepath.ToSlash(policyFile))
	}
	known := gitrepo.Contents(ctx, r, root, names...)
	committed, weaker := known["HEAD:"+filepath.ToSlash(policyFile)], false
	if doc, err := settings.Parse(policyFile, committed); committed != nil && hasPolicy(r, root) {
		weaker = err != nil || !doc.Get(claude.KeySandboxEnabled...).True()
	}
	base := ""
	for _, ref := range worktreeBases {
		if base == "" && (ref == "HEAD" || !onlyHead) && known[ref+"^{tree}"] != nil {
			base = ref
			if file, how := otherThan(ctx, r, root, ref, committed != nil); file != "" {
				found = append(found, comes(root, file, ref+" "+how+" "+file, "claude -w starts there", ref))
			}
		}
	}
	if weaker && base != "HEAD" {
		found = append(found, comes(root, policyFile, "HEAD has another "+policyFile+", without a sandbox",
			"git stash, git restore or git reset of yours brings it back", "HEAD"))
	}
	return found
}

// comes is the warning that a file which commands cannot write comes from a commit.
func comes(root, file, what, step, ref string) opening {
	return opening{status: report.Warn, plain: true, where: filepath.Join(root, file), what: file,
		opens: what + ", and " + step + ". A command can make such a commit. The session that follows may have no sandbox, " +
			"and run outside what that file names.",
		remedy: report.DocLink{Title: "compare: git diff " + ref + " -- .claude .mcp.json; claude-iso -w has the approved policy",
			Target: filepath.Join(root, file)}}
}

// otherThan is the first file that a commit has in another way than the work tree, and
// that decides what runs outside the sandbox. The policy may be missing there only
// if it is committed at all.
func otherThan(ctx context.Context, r host.Reader, root, ref string, committed bool) (file, how string) {
	files := gitrepo.FilesIn(ctx, r, root, ref, claude.Dir, ".mcp.json")
	var names []string
	policy := false
	for _, name := range files {
		policy = policy || name == filepath.ToSlash(policyFile)
		names = append(names, ref+":"+name)
	}
	if !policy && committed && hasPolicy(r, root) {
		return policyFile, "lacks"
	}
	texts := gitrepo.Contents(ctx, r, root, names...)
	for _, name := range files {
		text, read := texts[ref+":"+name]
		if read && path.Ext(name) != ".json" && !outside().Match(text) {
			continue
		}
		here, err := r.Read(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(lines(here), lines(text)) {
			return filepath.FromSlash(name), "has another"
		}
	}
	return "", ""
}

// lines are a text with the ends of lines that git stores.
func lines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
