// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: why a machine refuses namespaces is read from the machine,
// and the way out is printed for its user; the one that weakens every program
// of the machine stands last.

package verify

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// obstacle is something on this machine that keeps a sandbox from starting; where
// there is none it is zero.
type obstacle struct {
	evidence []report.Evidence
	remedies []report.Remedy
	// never says, in words, that no setting of this platform helps.
	never string
}

// obstructed looks for what is known to refuse namespaces; never is why none can be
// had, "" where something can be done. inside says that the sandbox itself starts,
// and a namespace in it does not.
func (s *support) obstructed(r host.Reader, inside bool) (never string) {
	m := machine{r}
	for _, o := range []obstacle{m.subsystem(), m.kernel(),
		// of older Debian kernels
		m.sysctl("kernel.unprivileged_userns_clone", "1", "only root may create user namespaces on this machine"),
		m.sysctl("user.max_user_namespaces", "28633", "user namespaces are disabled on this machine"),
		m.appArmor(inside), m.container()} {
		s.Evidence, s.Remedies = append(s.Evidence, o.evidence...), append(s.Remedies, o.remedies...)
		never = cmp.Or(o.never, never)
	}
	return never
}

// machine reads system files.
type machine struct{ host.Reader }

func (m machine) path(name string) string { return filepath.Join(m.System().Root, name) }

// text is a small file's content without the spaces around it.
func (m machine) text(name string) (string, bool) {
	b, err := m.Read(m.path(name))
	return strings.TrimSpace(string(b)), err == nil
}

func (m machine) exists(name string) bool {
	_, err := m.Stat(m.path(name))
	return err == nil
}

// subsystem recognises Windows' Linux: its first version has no namespaces.
// The first calls its kernel "4.4.0-19041-Microsoft", the second
// "5.15.90.1-microsoft-standard-WSL2".
func (m machine) subsystem() (o obstacle) {
	const file = "/proc/sys/kernel/osrelease"
	release, ok := m.text(file)
	lower := strings.ToLower(release)
	if !ok || !strings.Contains(lower, "microsoft") {
		return o
	}
	o.evidence = []report.Evidence{report.FileEvidence(m.path(file), release)}
	if !strings.Contains(lower, "wsl2") && !strings.Contains(lower, "microsoft-standard") {
		o.never = "this is WSL 1, which has no namespaces"
		o.remedies = []report.Remedy{report.DocLink{Title: "move the distribution to WSL 2: wsl.exe --set-version NAME 2",
			Target: "https://learn.microsoft.com/windows/wsl/install"}}
	}
	return o
}

// kernel recognises one that was built without user namespaces.
func (m machine) kernel() (o obstacle) {
	const dir = "/proc/self/ns"
	if _, err := m.Lstat(m.path(dir + "/user")); !errors.Is(err, iofs.ErrNotExist) || !m.exists(dir) {
		return o
	}
	return obstacle{never: "this kernel has no user namespaces",
		evidence: []report.Evidence{report.FileEvidence(m.path(dir+"/user"),
			"is not there: the kernel was built without CONFIG_USER_NS")}}
}

// sysctl recognises a setting that is 0; better is a value that mends it.
func (m machine) sysctl(name, better, why string) (o obstacle) {
	file := "/proc/sys/" + strings.ReplaceAll(name, ".", "/")
	if v, ok := m.text(file); !ok || v != "0" {
		return o
	}
	return obstacle{evidence: []report.Evidence{report.FileEvidence(m.path(file), "0: "+why)},
		remedies: []report.Remedy{report.Command{ID: report.ID("sysctl-" + strings.ReplaceAll(name, ".", "-")),
			Privileged: true, Line: fmt.Sprintf("sudo sysctl -w %s=%s", name, better),
			Why: "allow user namespaces until the next boot; a file in /etc/sysctl.d makes it permanent"}}}
}

const (
	appArmorSwitch = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
	appArmorDir    = "/etc/apparmor.d"
	shippedProfile = "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict"
)

// appArmor recognises Ubuntu 24.04 and later, which refuse namespaces to
// programs without a profile that allows them.
func (m machine) appArmor(inside bool) (o obstacle) {
	if v, ok := m.text(appArmorSwitch); !ok || v == "0" {
		return o
	}
	o.evidence = []report.Evidence{report.FileEvidence(m.path(appArmorSwitch),
		"1: AppArmor denies user namespaces to programs without a profile")}
	profiles := m.profiles()
	o.evidence = append(o.evidence, profiles...)
	load := "sudo cp " + shippedProfile + " " + appArmorDir + "/ && sudo apparmor_parser -r " + appArmorDir +
		"/bwrap-userns-restrict"
	switch {
	case len(profiles) > 1:
		o.remedies = append(o.remedies, report.DocLink{
			Title: "keep one of these profiles: with two for one path, neither applies", Target: m.path(appArmorDir)})
	case len(profiles) == 1:
		title := "check that the existing profile is loaded (sudo aa-status) and allows userns; do not add a second one: " +
			"with two for one path, neither applies"
		if inside {
			title = "the existing profile lets bwrap start but blocks what it starts: check its rules, and do not add a " +
				"second one: with two for one path, neither applies"
		}
		o.remedies = append(o.remedies, report.DocLink{Title: title, Target: profiles[0].Where})
	case m.exists(shippedProfile):
		o.remedies = append(o.remedies, report.Command{ID: "apparmor-profile", Line: load, Privileged: true,
			Why: "load the distribution's profile for bwrap, which has none yet"})
	default:
		o.remedies = append(o.remedies, report.Command{ID: "apparmor-profile",
			Line: "sudo apt-get install apparmor-profiles && " + load, Privileged: true,
			Why: "install and load the distribution's profile for bwrap, which has none yet"})
	}
	o.remedies = append(o.remedies, report.Command{ID: "apparmor-off",
		Line: "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0", Privileged: true, Optional: true,
		Why: "let every program create user namespaces until the next boot: the last resort"})
	return o
}

// maxProfiles bounds how many profiles are looked at.
const maxProfiles = 2000

// profiles lists the AppArmor profiles that are attached to bwrap.
func (m machine) profiles() []report.Evidence {
	entries, err := m.ReadDir(m.path(appArmorDir))
	if err != nil {
		return nil
	}
	var found []report.Evidence
	for _, e := range entries[:min(len(entries), maxProfiles)] {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), "~") {
			continue
		}
		text, _ := m.text(appArmorDir + "/" + e.Name())
		n := 0
		for line := range strings.Lines(text) {
			n++
			if attachesBwrap(strings.TrimSpace(line)) {
				found = append(found, report.FileEvidence(fmt.Sprintf("%s:%d", m.path(appArmorDir+"/"+e.Name()), n),
					strings.TrimSpace(line)))
			}
		}
	}
	return found
}

// attachesBwrap says whether a line opens a profile for a path that is bwrap
// (apparmor.d(5): "profile NAME PATH flags=(...) {" or "PATH {").
func attachesBwrap(line string) bool {
	if !strings.HasSuffix(line, "{") {
		return false
	}
	words := strings.Fields(line)
	for _, word := range words {
		if path := strings.Trim(word, `"`); (words[0] == "profile" || word == words[0]) && strings.ContainsAny(path, "/@") &&
			filepath.Base(path) == "bwrap" {
			return true
		}
	}
	return false
}

// container recognises one, which has to allow namespaces from outside.
func (m machine) container() (o obstacle) {
	for _, file := range []string{"/.dockerenv", "/run/.containerenv"} {
		if m.exists(file) {
			return obstacle{evidence: []report.Evidence{report.FileEvidence(m.path(file),
				"this is a container: whoever starts it decides whether it may create namespaces")},
				remedies: []report.Remedy{report.DocLink{Title: "allow user namespaces when you start the container, or run the " +
					"agent outside it", Target: "docs/troubleshooting.md"}}}
		}
	}
	return o
}
