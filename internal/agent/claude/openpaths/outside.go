// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what hides the home hides nothing outside of it. What lies
// there on this machine is looked for by name, size and mount alone; no secret
// is opened.

package openpaths

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Lists of the kernel: keys that this user may see (proc_keys(5)), and System V
// shared memory segments (proc_sysvipc(5)).
const (
	keysList   = "/proc/keys"
	sharedList = "/proc/sysvipc/shm"
)

// OutsideOpenings lists secrets outside of the home that commands can read on
// this machine. Measured with 2.1.141, 2.1.224, 2.1.324 and 2.1.329: commands
// see every mount of the host that no denyRead hides, the user's keyrings, and
// the host's System V IPC.
func OutsideOpenings(r host.Reader, s session.Settings) []opening.Opening {
	if r.System().GOOS != "linux" {
		return nil
	}
	g := grants.Of(r, s)
	found := shownMounts(g, host.Mounted(r, s.Dirs.Home, s.Dirs.Start), true,
		"The home directory, or a part of it, is mounted at %s too: commands of plain claude can read it there.")
	found = append(found, shownMounts(g, host.Processes(r), false, "The processes of this machine are shown at %s too: "+
		"commands can read the words that each was started with there.")...)
	found = append(found, shownPlaces(g)...)
	found = append(found, talkedTo(g)...)
	if n := r.System().UID; n >= 0 {
		found = append(found, kernelSecrets(r, strconv.Itoa(n))...)
	}
	return found
}

// shownMounts lists the mounts that commands can read. claude-iso hides those that are
// plain by itself.
func shownMounts(g grants.Ground, mounts []host.Second, plain bool, opens string) (found []opening.Opening) {
	for _, m := range mounts {
		if g.Reads(m.Path) {
			found = append(found, opening.Opening{Status: report.Warn, Group: opening.ReadableOutside, Plain: plain,
				What: m.Path, Where: fmt.Sprintf("%s:%d", host.Mountinfo, m.Line), Remedy: hide(g.Host, m.Path),
				Opens: fmt.Sprintf(opens, m.Path)})
		}
	}
	return found
}

// shownPlaces lists directories and files that hold secrets on some machines, and
// do on this one.
func shownPlaces(g grants.Ground) []opening.Opening {
	r := g.Host
	sys := r.System()
	user := sys.Get("USER")
	type place struct{ path, what string }
	list := []place{
		{sys.Get("XDG_RUNTIME_DIR"), "secrets of the login session ($XDG_RUNTIME_DIR)"},
		{"/.snapshots", "snapshots of this system"},
		{filepath.Join(filepath.Dir(r.Places().Home), ".snapshots"), "snapshots of home directories"},
		{"/run/secrets", "secrets of services"},
		{"/run/agenix", "secrets of services"},
		{"/run/credentials", "secrets of services"},
	}
	if kind, cache, _ := strings.Cut(sys.Get("KRB5CCNAME"), ":"); kind == "FILE" || kind == "DIR" {
		list = append(list, place{cache, "Kerberos tickets ($KRB5CCNAME)"})
	}
	if user != "" && !strings.ContainsAny(user, "/\x00") {
		list = append(list, place{"/var/mail/" + user, "your mail"})
	}
	var found []opening.Opening
	for _, p := range list {
		if !filepath.IsAbs(p.path) || !holdsSomething(r, filepath.Join(sys.Root, p.path)) || !g.Reads(p.path) {
			continue
		}
		found = append(found, opening.Opening{Status: report.Warn, Group: opening.ReadableOutside, Where: p.path,
			What: p.path, Remedy: hide(r, p.path), Opens: "Commands can read " + p.what + " in " + p.path + "."})
	}
	return found
}

// holdsSomething says whether a file has content, or a directory can be listed
// and has entries.
func holdsSomething(r host.Reader, path string) bool {
	info, err := r.Stat(path)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		entries, err := r.ReadDir(path)
		return err == nil && len(entries) > 0
	}
	return info.Mode().IsRegular() && info.Size() > 0
}

// hide is the remedy for a place that no denyRead hides.
func hide(r host.Reader, path string) report.Remedy {
	return report.DocLink{Title: fmt.Sprintf("add %q to sandbox.filesystem.denyRead in", path),
		Target: r.Places().UserSettings()}
}

// kernelSecrets lists what the kernel keeps for the user and no setting of the
// runtime hides: keys and shared memory. Of keys the types "user" and
// "big_key" can be read back; invocation_id is systemd's mark of a service.
func kernelSecrets(r host.Reader, uid string) []opening.Opening {
	keys, segments := 0, 0
	for _, f := range table(r, keysList) {
		// ID flags usage timeout perm uid gid type description
		if len(f) > 8 && f[5] == uid && (f[7] == "user" || f[7] == "big_key") && f[8] != "invocation_id:" {
			keys++
		}
	}
	for _, f := range table(r, sharedList) {
		// key shmid perms size cpid lpid nattch uid …
		if len(f) > 7 && f[7] == uid {
			segments++
		}
	}
	var found []opening.Opening
	if keys > 0 {
		found = append(found, opening.Opening{Status: report.Warn, Group: opening.ReadableOutside, Where: keysList,
			What: "kernel keyrings",
			Remedy: report.Command{ID: "keyrings", Line: "keyctl show @s; keyctl show @u", Optional: true,
				Why: "list them; remove one with keyctl unlink, or start claude-iso"},
			Opens: report.Counted(keys, "1 key of yours is in the kernel's keyrings: ",
				"%d keys of yours are in the kernel's keyrings: ") +
				"commands can read those of the session and user keyrings (keyctl show @s @u). No setting hides them; " +
				"claude-iso hides the session keyring."})
	}
	if segments > 0 {
		found = append(found, opening.Opening{Status: report.Warn, Group: opening.ReadableOutside, Where: sharedList,
			What: "shared memory", Remedy: report.Command{ID: "shared-memory", Line: "ipcs -m -p", Optional: true,
				Why: "see which program made each; end it, or remove the segment with ipcrm -m"},
			Opens: report.Counted(segments, "Commands can read and change your System V shared memory segment (ipcs -m). ",
				"Commands can read and change your %d System V shared memory segments (ipcs -m). ") + "No setting hides them."})
	}
	return found
}

// table is a list of the kernel as fields of lines; nil where there is none.
func table(r host.Reader, path string) (rows [][]string) {
	text, err := r.Read(filepath.Join(r.System().Root, path))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}
