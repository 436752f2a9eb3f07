// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the network is never in the footer's way: a title comes
// from the cache, and a process of its own fetches the next one.

package statusline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// maxAge is how long a title is taken for current; that there is none, too.
const maxAge = 5 * time.Minute

// cached is the title of the pull request of one branch.
type cached struct {
	At    time.Time `json:"at"`
	Title string    `json:"title"`
}

// titlePath is the cache's file for a branch of a work tree.
func titlePath(h host.Reader, root, branch string) string {
	sum := sha256.Sum256([]byte(root + "\x00" + branch))
	return filepath.Join(h.Places().Cache, "titles", hex.EncodeToString(sum[:12])+".json")
}

// cachedTitle reads such a file; fresh says that the title in it is current.
func cachedTitle(h host.Reader, b []byte) (title string, fresh bool) {
	var c cached
	if json.Unmarshal(b, &c) != nil {
		return "", false
	}
	age := h.System().Now().Sub(c.At)
	return c.Title, 0 <= age && age < maxAge
}

// RefreshTitle asks gh for the title of the pull request of the branch that
// the work tree at root is on, and puts it into the cache. An error is nobody's
// to read: the next footer tries again.
func RefreshTitle(ctx context.Context, h host.Reader, root string) error {
	t := host.FindTree(h, root)
	if t.Root != root {
		return nil
	}
	git, ok := ask(ctx, h, t)
	if !ok || git.Branch == "" {
		return nil
	}
	current := func(b []byte) bool {
		_, fresh := cachedTitle(h, b)
		return fresh
	}
	return fs.Refresh(titlePath(h, root, git.Branch), current, func() ([]byte, error) {
		c := cached{Title: fetchTitle(ctx, h, root, git.Branch), At: h.System().Now()}
		return json.Marshal(c)
	})
}

// fetchTitle returns the title, "" if there is none.
func fetchTitle(ctx context.Context, h host.Reader, root, branch string) string {
	res := h.Run(ctx, proc.GitRemotes(root))
	for _, q := range questions(string(res.Stdout), branch) {
		var answer struct{ Title string }
		res := h.Run(ctx, proc.PullRequestTitle(q.repo, q.branch))
		if res.OK() && json.Unmarshal(res.Stdout, &answer) == nil && answer.Title != "" {
			return redact.Short(answer.Title, maxTitle)
		}
	}
	return ""
}

// question is a repository (HOST/OWNER/NAME) and a branch as it is called
// there.
type question struct{ repo, branch string }

// questions lists where the pull request of a branch may be: that of a fork is
// in the repository that the remote "upstream" names. remotes is what
// proc.GitRemotes answers.
func questions(remotes, branch string) []question {
	if strings.HasPrefix(branch, "-") {
		return nil
	}
	named := map[string]string{}
	for entry := range strings.SplitSeq(remotes, "\x00") {
		key, address, _ := strings.Cut(entry, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url")
		if repo := repository(address); repo != "" && named[name] == "" {
			named[name] = repo
		}
	}
	var list []question
	origin, upstream := named["origin"], named["upstream"]
	if upstream != "" && origin != "" {
		owner := strings.Split(origin, "/")[1]
		list = append(list, question{upstream, owner + ":" + branch})
	}
	if origin != "" {
		list = append(list, question{origin, branch})
	}
	return list
}

// repository returns HOST/OWNER/NAME of a remote's address
// (https://HOST/OWNER/NAME.git, ssh://git@HOST/OWNER/NAME,
// git@HOST:OWNER/NAME.git), or "".
func repository(address string) string {
	a, ok := gitrepo.ParseAddress(address)
	words := strings.Split(strings.TrimSuffix(strings.Trim(a.Path, "/"), ".git"), "/")
	if !ok || len(words) != 2 {
		return ""
	}
	for _, w := range append(words, a.Host) {
		if w == "" || strings.HasPrefix(w, "-") || strings.Trim(w, nameCharacters) != "" {
			return ""
		}
	}
	return a.Host + "/" + words[0] + "/" + words[1]
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
