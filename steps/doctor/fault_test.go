// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: for each workflow and each fault, what the doctor says is
// compared with what was seeded: detected, by the right layer, with the
// smallest fix that works, and none that does not.

package doctor_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/doctor"
)

// want is what the doctor must say of one probe.
type want struct {
	probe  report.ID
	status report.Status
	layer  catalog.Refuser // "" where nothing is refused
	also   catalog.Refuser // of another part of it
	// fix is the title of the smallest fix that is offered, "" if none may
	// be; tried is how many were.
	fix   string
	tried int
	// says is a piece of the evidence or the summary; refused is the title
	// of a fix that is refused, since a denial falls or verify would fail.
	says, refused string
	// more is what else is said.
	more  []string
	voids bool
	// next is a line that leads on.
	next string
}

// fault is one machine, what is wrong with it, and what must be said.
type fault struct {
	name  string
	seed  func(*machine)
	wants []want
}

var faults = []fault{
	{"as install leaves it", everything, []want{
		{probe: "ssh-agent", status: report.Fail, layer: catalog.Seccomp, fix: "Run ssh-add -l outside the sandbox", tried: 4,
			says: "1 identity"},
		{probe: "localhost-bind", status: report.Warn, layer: catalog.Namespace, tried: 2,
			says: "a server of the command's own answers"},
		{probe: "docker", status: report.Fail, layer: catalog.Seccomp, fix: "Allow all unix sockets", tried: 2,
			says: "run/podman/podman.sock  becomes reachable"},
		{probe: "podman", status: report.Fail, layer: catalog.Seccomp, fix: "Allow all unix sockets", tried: 1},
		{probe: "unix-sockets", status: report.Fail, layer: catalog.Seccomp, fix: "Allow all unix sockets", tried: 2,
			says: "run/agent.sock  becomes reachable"},
		{probe: "ipc-sockets", status: report.Fail, layer: catalog.Seccomp, fix: "Allow all unix sockets", tried: 2,
			says: "a pair of sockets between two processes  works inside"},
		{probe: "userns", status: report.Warn, layer: catalog.Seccomp, fix: "Allow namespaces inside the sandbox", tried: 1},
		{probe: "gpg-sign", status: report.Fail, layer: catalog.Seccomp, also: catalog.Mount, tried: 3,
			says:    doctor.NotFixable,
			refused: "Allow the keyring, all unix sockets and reading the agent's own"},
		{probe: "git-worktree", status: report.Fail, layer: catalog.Mount, tried: 3, fix: "Exclude the placeholders",
			says: "git commit in p-fix  works inside"},
		{probe: "egress", status: report.Pass, says: "git over SSH from allowed.example  works inside"},
	}},
	{"the agent's socket lies in the hidden home", func(m *machine) {
		m.sshAgentAt("home/.agents/ssh.sock")
		m.set(userSettings, "sandbox.network.allowAllUnixSockets", true)
	}, []want{{probe: "ssh-agent", status: report.Fail, layer: catalog.Mount, fix: "Allow reading the socket", tried: 4}}},
	{"the sockets lie in a hidden directory outside of the home", func(m *machine) {
		m.containers()
		m.set(userSettings, "sandbox.filesystem.denyRead", []string{m.path("run")}) // as the policy hides /run/user
	}, []want{{probe: "docker", status: report.Fail, layer: catalog.Seccomp,
		fix: "Allow all unix sockets, and reading this one", tried: 3},
		{probe: "podman", status: report.Fail, layer: catalog.Seccomp, fix: "Allow all unix sockets, and reading this one",
			tried: 2}}},
	{"the agent's address is withheld", func(m *machine) {
		m.sshAgent()
		m.set(userSettings, "sandbox.credentials.envVars", []any{map[string]any{"name": "SSH_AUTH_SOCK", "mode": "deny"}})
		m.set(userSettings, "sandbox.network.allowAllUnixSockets", true)
	}, []want{{probe: "ssh-agent", status: report.Fail, layer: catalog.Environment,
		fix: "Run ssh-add -l outside the sandbox", tried: 5}}},
	{"a rule denies the call", func(m *machine) {
		m.sshAgent()
		m.set(userSettings, "permissions.deny", []string{"Bash(ssh-add *)", "Bash(git commit *)"})
	}, []want{{probe: "ssh-agent", status: report.Fail, layer: catalog.PermissionRule, also: catalog.Seccomp,
		says: "ssh-add -l has been denied"},
		{probe: "git-worktree", status: report.Fail, layer: catalog.Mount, also: catalog.PermissionRule, tried: 3,
			fix:  "Exclude the placeholders",
			says: "git fetch in p-fix  works inside"}}},
	{"all unix sockets are allowed", func(m *machine) {
		m.sshAgent()
		m.signs("key::ssh-ed25519 AAAA")
		m.set(userSettings, "sandbox.network.allowAllUnixSockets", true)
	}, []want{{probe: "ssh-agent", status: report.Warn, says: "works, but lowers protection"},
		{probe: "unix-sockets", status: report.Warn, says: "allowAllUnixSockets in"},
		{probe: "ipc-sockets", status: report.Warn, says: "allowAllUnixSockets in"},
		{probe: "gpg-sign", status: report.Warn, says: "git verify-commit of what ssh signed  works inside"}}},
	{"the keyring is hidden with the home only", func(m *machine) {
		m.gpgKey()
		m.set(projectSettings, "sandbox.credentials.files", []any{})
		m.set(projectSettings, "permissions.deny", []any{})
	}, []want{{probe: "gpg-sign", status: report.Fail, layer: catalog.Seccomp, also: catalog.Mount,
		tried:   3, // the agent's socket lies in /run/user, which the policy hides
		refused: "Allow the keyring, all unix sockets and reading the agent's own"}}},
	{"the host is denied by another entry", func(m *machine) {
		m.set(projectSettings, "sandbox.network.allowedDomains", []string{"allowed.example"})
		m.set(userSettings, "sandbox.network.deniedDomains", []string{"allowed.example"})
	}, []want{{probe: "egress", status: report.Fail, layer: catalog.Proxy, tried: 2, says: "; denied in ",
		next: "steward-setup doctor --explain-host allowed.example"}}},
	{"no host is allowed", func(m *machine) {
		m.set(projectSettings, "sandbox.network.allowedDomains", []any{})
	}, []want{{probe: "egress", status: report.Warn, layer: catalog.Proxy}}},
	{"the registries are allowed", func(m *machine) {
		m.packages(map[string]string{"package.json": "{}\n", "requirements.txt": "steward-package\n"})
		m.set(projectSettings, "sandbox.network.allowedDomains", []string{"registry.npmjs.org", "pypi.org"})
		m.mkdir("home/.npm/_cacache")
	}, []want{{probe: "package-managers", status: report.Pass, says: "pip installs a package  works inside"}}},
	{"a registry is not allowed", func(m *machine) {
		m.packages(map[string]string{"package.json": "{}\n"})
		m.set(projectSettings, "sandbox.network.allowedDomains", []any{})
	}, []want{{probe: "package-managers", status: report.Fail, layer: catalog.Proxy, tried: 1, fix: "Allow the host",
		next: "steward-setup install --plan --domains=node"}}},
	{"npm's cache is opened for reading only", func(m *machine) {
		m.packages(map[string]string{"package.json": "{}\n"})
		m.set(projectSettings, "sandbox.network.allowedDomains", []string{"registry.npmjs.org"})
		m.set(projectSettings, "sandbox.filesystem.allowRead", []string{".", "~/.npm/_cacache/"})
		m.mkdir("home/.npm/_cacache")
	}, []want{{probe: "package-managers", status: report.Fail, layer: catalog.Mount, tried: 1,
		fix:  "Allow writing to that cache",
		next: "steward-setup install --plan --caches=npm-cache"}}},
	{"the remotes are on hosts that are not allowed", func(m *machine) {
		m.set(projectSettings, "sandbox.network.allowedDomains", []string{"allowed.example"})
		m.remoteOverSSH()
		m.git(m.project, "remote", "add", "upstream", "https://allowed.example/me/p.git")
	}, []want{{probe: "git-remote", status: report.Fail, layer: catalog.Proxy, also: catalog.Mount, tried: 2,
		fix: "Allow the host", refused: "Allow reading the known hosts",
		says: "still refused: the key of code.example in ~/.ssh/known_hosts, " +
			"git clone over SSH from code.example and 1 more"},
		{probe: "tmpdir", status: report.Pass, says: "a here-document of bash  works inside"}}},
	{"the known hosts can be read, and the agent is not reached", func(m *machine) {
		m.sshAgent()
		m.set(projectSettings, "sandbox.network.allowedDomains", []string{"code.example"})
		m.set(projectSettings, "sandbox.filesystem.allowRead", []string{".", "~/.gitconfig", "~/.ssh/known_hosts"})
		m.set(projectSettings, "sandbox.credentials.files", []any{})
		m.set(projectSettings, "permissions.deny", []any{})
		m.remoteOverSSH()
		m.write("home/.ssh/id_ed25519", "not read\n", 0o600)
		m.signs("~/.ssh/id_ed25519.pub")
	}, []want{{probe: "git-remote", status: report.Fail, layer: catalog.Seccomp, tried: 1,
		fix: "Allow all unix sockets", says: "the key to log in with: "},
		{probe: "gpg-sign", status: report.Fail, layer: catalog.Mount, says: "no known setting helps"}}},
	{"Chromium and its headless shell are installed", func(m *machine) {
		m.browsers("chromium", headlessShell)
	}, []want{{probe: "browsers", status: report.Fail, layer: catalog.Seccomp, tried: 2, fix: "Allow all unix sockets",
		says: "works: " + headlessShell + " --no-sandbox; blocked: seccomp: chromium --no-sandbox: cannot lock its " +
			"profile: unix sockets are refused",
		next: headlessShell + " --headless --no-sandbox --screenshot=page.png page.html"}}},
	{"Playwright's browser lies in the hidden home", func(m *machine) {
		m.playwright()
	}, []want{{probe: "browsers", status: report.Fail, layer: catalog.Mount, tried: 1,
		fix: "Allow reading the browsers"}}},
	{"only the headless shell is installed", func(m *machine) {
		m.browsers(headlessShell)
	}, []want{{probe: "browsers", status: report.Warn, layer: catalog.Seccomp, tried: 1,
		fix: "Allow namespaces inside the sandbox", says: "1 of 2 calls work; by design: seccomp: "}}},
	{"namespaces and unix sockets are allowed", func(m *machine) {
		m.browsers("chromium")
		m.set(userSettings, "sandbox.allowNestedUserNamespaces", true)
		m.set(userSettings, "sandbox.network.allowAllUnixSockets", true)
	}, []want{{probe: "browsers", status: report.Warn, says: "works, but lowers protection: "}}},
	{"TMPDIR is too long", func(m *machine) {
		m.environ["TMPDIR"] = m.mkdir(strings.Repeat("t", 80))
	}, []want{{probe: "tmpdir", status: report.Fail, says: "no sandbox starts: TMPDIR is ", next: "unset TMPDIR"}}},
	{"TMPDIR names a file", func(m *machine) {
		m.write("file", "", 0o644)
		m.environ["TMPDIR"] = m.path("file")
	}, []want{{probe: "tmpdir", status: report.Fail, says: "is no directory", next: "unset TMPDIR"}}},
	{"AppArmor refuses the first stage", func(m *machine) {
		m.write("root/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", 0o644)
		m.program("bwrap", "case ${1-} in --version) echo bubblewrap 0.11.2; exit 0 ;; esac\n"+
			"echo 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted' >&2\nexit 1")
	}, []want{{probe: "userns", status: report.Fail, layer: catalog.Namespace, says: "AppArmor denies user namespaces"},
		{probe: "unix-sockets", status: report.Unknown, says: "RTM_NEWADDR"}}},
	{"AppArmor refuses the second stage", func(m *machine) {
		m.write("root/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", 0o644)
		m.program("bwrap", "case \"$*\" in *' unshare --user '*) echo 'unshare: write failed /proc/self/setgroups: "+
			"Permission denied' >&2; exit 1 ;; esac\nexec '"+look(m.t, "bwrap")+"' \"$@\"")
	}, []want{{probe: "userns", status: report.Fail, layer: catalog.Namespace,
		says: "seccomp helper would not start in it"}}},
	{"user namespaces are forbidden", func(m *machine) {
		m.write("root/proc/sys/user/max_user_namespaces", "0\n", 0o644)
		// The kernel itself refuses: in a namespace whose limit is 0.
		m.program("bwrap", "case ${1-} in --version) echo bubblewrap 0.11.2; exit 0 ;; esac\nexport ARGS_OF=bwrap\n"+
			"exec unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "+look(m.t, "bwrap")+
			" \"$@\"' sh \"$@\"")
	}, []want{{probe: "userns", status: report.Fail, layer: catalog.Namespace,
		says: "user namespaces are disabled on this machine"}}},
	{"bubblewrap is missing", func(m *machine) {
		_ = os.Remove(m.path("bin/bwrap"))
	}, []want{{probe: "userns", status: report.Fail, layer: catalog.Dependency, says: "bubblewrap is not installed"}}},
	{"the sandbox is off", func(m *machine) {
		m.set(projectSettings, "sandbox", map[string]any{"enabled": false})
		m.set(projectSettings, "permissions", map[string]any{})
	}, []want{{probe: "localhost-bind", status: report.Fail, voids: true, says: "not protected: a command ",
		next: "steward-setup verify"},
		{probe: "unix-sockets", status: report.Fail, voids: true,
			says: "not judged: a protection does not work (see localhost-bind)", next: "steward-setup verify"}}},
	{"a worktree has no policy", func(m *machine) {
		m.git(m.worktree, "rm", "-r", "--quiet", ".claude")
	}, []want{{probe: "git-worktree", status: report.Fail, layer: catalog.Mount, voids: true,
		says: "no sandbox is in force in a session that starts in p-fix", next: " merge main"}}},
	{"a worktree is gone", func(m *machine) {
		_ = os.RemoveAll(m.worktree)
	}, []want{{probe: "git-worktree", status: report.Fail, layer: catalog.Mount, tried: 3, fix: "Exclude the placeholders",
		says: "1 of 2 worktrees tried"}}},
	{"git is excluded from the sandbox", func(m *machine) {
		m.set(userSettings, "sandbox.excludedCommands", []string{"git *"})
	}, []want{{probe: "git-worktree", status: report.Warn,
		says: "works, but lowers protection: git runs outside the sandbox"}}},
	{"the settings to change are no JSON", func(m *machine) {
		m.write(userSettings, "{bad\n", 0o644)
	}, []want{{probe: "unix-sockets", status: report.Fail, layer: catalog.Seccomp, tried: 2,
		says: "home/.claude/settings.json:1:2: ", next: "steward-setup verify"}}},
	{"a rule takes every command away", func(m *machine) {
		m.set(userSettings, "permissions.deny", []string{"Bash"})
	}, []want{{probe: "unix-sockets", status: report.Fail, layer: catalog.PermissionRule,
		says: "/.claude/settings.json:"}}},
	{"the project is a submodule", submodule, []want{{probe: "git-worktree", status: report.Fail, layer: catalog.Mount,
		tried: 2, fix: "Open the submodule's git directory to write", says: "a submodule of "}}},
	{"a submodule is checked out", func(m *machine) {
		m.addSubmodule()
	}, []want{{probe: "git-worktree", status: report.Fail, layer: catalog.Mount, tried: 3,
		fix: "Exclude the placeholders", says: "git status  works inside", more: []string{"git fetch  works inside\n",
			// Its entry in the configuration is refused by design.
			"git submodule init  error: could not lock config file .git/config"}}}},
	{"nothing of it is here", func(m *machine) {
		m.environ["XDG_RUNTIME_DIR"] = m.path("nowhere")
		_ = os.Remove(m.path("bin/podman"))
	}, []want{{probe: "ssh-agent", status: report.Skip, says: "SSH_AUTH_SOCK is not set"}, {probe: "docker",
		status: report.Skip, says: "no service of docker is running: no socket"},
		{probe: "podman", status: report.Skip, says: "podman is not installed"},
		{probe: "gpg-sign", status: report.Skip, says: "no secret key"}}},
}

func everything(m *machine) {
	m.sshAgent()
	m.gpgKey()
	m.containers()
	m.set(projectSettings, "sandbox.network.allowedDomains", []string{"allowed.example"})
}

var holding = regexp.MustCompile(`all (\d+) other protections still work`)

// compare compares one finding with what it should be.
func (w want) compare(t *testing.T, m *machine, name string, got report.Finding) row {
	t.Helper()
	wrong := func(what string, got, want any) {
		t.Helper()
		t.Errorf("%s: %s is %v, want %v", w.probe, what, got, want)
	}
	if got.Status != w.status || got.Voids != w.voids {
		wrong("the status", fmt.Sprint(got.Status, got.Voids), fmt.Sprint(w.status, w.voids))
	}
	layers := layersOf(got)
	if expected := slices.DeleteFunc([]catalog.Refuser{w.layer, w.also}, func(l catalog.Refuser) bool {
		return l == ""
	}); !slices.Equal(layers, expected) {
		wrong("the layer", layers, expected)
	}
	r := row{name: name, want: w, held: "–", seconds: got.Duration}
	tried := 0
	offered := map[string]bool{}
	for _, e := range got.Evidence {
		title, ok := strings.CutPrefix(e.Where, "with the fix: ")
		if !ok {
			continue
		}
		tried++
		if strings.HasPrefix(e.Text, "rejected") {
			r.refusals++
			if title != w.refused {
				wrong("a refused fix", title, w.refused)
			}
		}
		if strings.HasPrefix(e.Text, "works, and ") {
			if r.fix == "" {
				r.fix = title
			}
			offered[title] = true
			if n := holding.FindStringSubmatch(e.Text); n != nil {
				r.held = n[1]
			} else {
				wrong("what a fix leaves", e.Text, "the number of protections that still work")
			}
		}
	}
	if tried != w.tried {
		wrong("the number of fixes", tried, w.tried)
	}
	if r.fix != w.fix {
		wrong("the smallest fix", r.fix, w.fix)
	}
	if w.refused != "" && r.refusals == 0 {
		wrong("the refused fix", "none", w.refused)
	}
	for _, remedy := range got.Remedies {
		if c, ok := remedy.(report.Change); ok {
			if !offered[c.Why] || c.After == nil || string(c.After) == string(c.Before) || c.Target == "" {
				t.Errorf("%s: a change is offered that was not proved, or changes nothing: %+v", w.probe, c)
			}
			delete(offered, c.Why)
		}
	}
	if len(offered) > 0 {
		t.Errorf("%s: proved, but not offered: %v", w.probe, offered)
	}
	for _, says := range append(w.more, w.says) {
		if !strings.Contains(told([]report.Finding{got}), says) {
			wrong("what is said", "something else", says)
		}
	}
	if strings.Contains(told([]report.Finding{got}), "refused by refused by") {
		wrong("a refusal", "told twice in one line", "told once")
	}
	isNext := func(r report.Remedy) bool {
		c, ok := r.(report.Command)
		link, _ := r.(report.DocLink)
		return ok && strings.HasSuffix(c.Line, w.next) || strings.HasPrefix(link.Title, "let the agent call "+w.next)
	}
	if w.next != "" && !slices.ContainsFunc(got.Remedies, isNext) {
		wrong("what leads on", got.Remedies, w.next)
	}
	_ = m
	return r
}
