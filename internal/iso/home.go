// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a home that the project gave is not taken for the user's.

package iso

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// homeOfAnother says that HOME is the project or lies in it, and is not the home
// of the account: the project's settings would count as the user's own, and ~
// in every rule would leave the user's home open. The error is a *report.Error,
// nil if that is not so. An account without a home that is there has none that
// could be left open.
func homeOfAnother(h host.Reader, p Place) error {
	own := accountsHome(h)
	info, err := h.Stat(own)
	if there := err == nil && info.IsDir(); own == "" || !there || host.Real(h, own) == p.Home {
		return nil
	}
	tree := host.FindTree(h, p.Start) // the place's own leaves out what the home lies in
	if !slices.ContainsFunc([]string{p.Start, p.Project, tree.Root, tree.Main}, func(dir string) bool {
		return dir != "" && pathname.Within(p.Home, host.Real(h, dir))
	}) {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: p.Home,
		What: "HOME is in the project, and is not your account's home (" + own + ")",
		Why:  "the project's settings would count as yours, and rules for ~ would leave " + own + " open",
		Next: "HOME=" + own + " claude-iso"}
}

// accountsHome is the home of the account that runs this program, "" if the
// machine's table of users does not say.
func accountsHome(h host.Reader) string {
	table, err := h.Read(h.Places().Accounts)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 7 && f[2] == strconv.Itoa(h.System().UID) &&
			filepath.IsAbs(f[5]) {
			return filepath.Clean(f[5])
		}
	}
	return ""
}
