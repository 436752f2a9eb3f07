// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what keeps the sandbox from starting is read from the
// environment before a session is played; inside, each way to a temporary file
// is tried.

package doctor

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// maxTMPDIR is how long TMPDIR may be, in bytes: the sandbox makes sockets below
// it, and with 72 it starts, with 76 none of its five attempts makes them
// (2.1.329). CLAUDE_CODE_TMPDIR may be longer.
const maxTMPDIR = 75

// tmpOutside looks whether TMPDIR lets the sandbox start. A directory that is
// missing is made by the runtime (2.1.329).
func tmpOutside(_ context.Context, b *bench) control {
	const name = "TMPDIR"
	dir := b.r.System().Get(name)
	c := control{status: report.Pass, summary: name + " is not set: commands use a directory below /tmp",
		evidence: []report.Evidence{report.EnvEvidence(name, "not set")}}
	if dir == "" {
		return c
	}
	c.summary, c.evidence = "temporary files go below "+dir, []report.Evidence{report.EnvEvidence(name, dir)}
	c.status = report.Fail
	c.remedies = []report.Remedy{report.Command{ID: "unset-tmpdir", Line: "unset " + name,
		Why: "let the sandbox choose where its sockets and temporary files go; start claude from this shell afterwards"}}
	switch state := usable(b, dir); {
	case !filepath.IsAbs(dir):
		c.summary = name + "=" + dir + " is a relative path: it names another directory in each working directory"
	case state != "":
		c.summary = name + "=" + dir + " " + state
		c.remedies = append(c.remedies, report.Command{ID: "make-tmpdir", Line: "mkdir -p " + scripts.Quote(dir),
			Why: "create the directory instead, where you may", Optional: true})
	case len(dir) > maxTMPDIR:
		c.summary = fmt.Sprintf("no sandbox starts: %s is %d bytes long, and sockets below it have room for %d", name,
			len(dir), maxTMPDIR)
	default:
		c.status, c.remedies = report.Pass, nil
	}
	return c
}

// usable says why a directory cannot be used for temporary files, "" if it can.
func usable(b *bench, dir string) string {
	info, err := b.r.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return "is no directory"
	case err == nil && !fs.Accessible(dir, true):
		return "is not writable"
	case err == nil:
		return ""
	case !errors.Is(err, iofs.ErrNotExist):
		return "cannot be used: " + err.Error()
	}
	if near := host.Standing(b.r, filepath.Dir(dir)); !fs.Accessible(near, true) {
		return "is missing, and cannot be made in " + near
	}
	return ""
}

// tmpAsks: bash keeps a short here-document in a pipe since 5.1, and in a file
// where it is told to behave like 5.0 (bash(1), "SHELL COMPATIBILITY MODE").
func tmpAsks(b *bench, _ control) []ask {
	file := func(id, title, line string) ask {
		word := "steward-" + id
		return ask{id: id, title: title, call: bash(strings.ReplaceAll(line, "WORD", word)),
			through: trial.Through{Reply: word + "-made"}, entry: "tmpdir",
			layer: always(catalog.Mount, "a temporary file needs a directory that can be written")}
	}
	list := []ask{file("mktemp", "mktemp", `mktemp --suffix=-made "${TMPDIR:-/tmp}/WORD-XXXXXX" | sed 's/-[^-]*-made$/-made/'`),
		file("here-bash", "a here-document of bash", `BASH_COMPAT=50 bash -c 'tr _ - <<<WORD_made'`)}
	if _, err := b.r.Look("zsh"); err == nil {
		list = append(list, file("here-zsh", "a here-document of zsh", `zsh -fc 'tr _ - <<<WORD_made'`))
	}
	for i := range list[1:] {
		list[i+1].entry = "here-document"
	}
	fixed := file("fixed", "writes to a fixed path in /tmp, as some programs do",
		`sh -c 'echo WORD >/tmp/steward-fixed && echo WORD-made'`)
	fixed.role, fixed.entry = aside, ""
	return append(list, fixed)
}
