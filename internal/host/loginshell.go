// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whose shell and home it is says the session, and the machine's table of users
// where the session does not.

package host

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
)

// LoginShell is the user's login shell: SHELL, or where that is not set the one
// that the machine's table of users has for the account that runs this program
// (passwd(5): /bin/sh where the field is empty). It is "" where neither says.
func LoginShell(r Reader) string {
	if shell := r.System().Get("SHELL"); shell != "" {
		return shell
	}
	if account, ok := account(r); ok {
		return cmp.Or(account[6], "/bin/sh")
	}
	return ""
}

// AccountsHome is the home of the account that runs this program, "" if the
// machine's table of users does not say.
func AccountsHome(r Reader) string {
	if account, ok := account(r); ok && filepath.IsAbs(account[5]) {
		return filepath.Clean(account[5])
	}
	return ""
}

// account is the line of the account that runs this program, in its fields.
func account(r Reader) (fields []string, ok bool) {
	for _, f := range Rows(r, r.Places().Accounts, 7) {
		if f[2] == strconv.Itoa(r.System().UID) {
			return f, true
		}
	}
	return nil, false
}

// Rows are the lines of a file with at least so many fields, which stand between colons, such
// as passwd(5) and group(5); none where it cannot be read.
func Rows(r Reader, path string, fields int) (rows [][]string) {
	b, _ := r.Read(path)
	for line := range strings.Lines(string(b)) {
		if row := strings.Split(strings.TrimSpace(line), ":"); len(row) >= fields {
			rows = append(rows, row)
		}
	}
	return rows
}
