// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a source answers, it is a version that is
// understood, or unknown with the reason.

package update_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/update"
)

var toolDrifts = []drift{
	{name: "a newer release whose cooldown has passed", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.answer(bubblewrapPath, github("0.11.3", "2026-11-10", "0.11.2", "2026-04-23"))
		}},
	{name: "a newer release inside its cooldown", check: update.Tools, want: report.Pass, exit: 0,
		says: "inside its cooldown until 2026-11-28", do: func(m *machine) {
			m.answer(bubblewrapPath, github("0.11.3", "2026-11-21", "0.11.2", "2026-04-23"))
		}},
	{name: "a newer pre-release", check: update.Tools, want: report.Pass, exit: 0, says: "newest 0.11.2",
		do: func(m *machine) {
			m.answer(bubblewrapPath, github("0.12.0!", "2026-10-10", "0.11.2", "2026-04-23"))
		}},
	{name: "a backport listed before the newest release", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.answer(bubblewrapPath, github("0.10.9", "2026-11-11", "0.12.0", "2026-10-10", "0.11.2", "2026-04-23"))
		}},
	{name: "a four-part version with two digits", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.answer(socatPath, index("1.8.1.10", "2026-09-01", "1.8.1.3", "2026-06-26", "1.8.1.9", "2026-08-01"))
		}},
	{name: "a pin newer than every release", check: update.Tools, want: report.Pass, exit: 0, says: "newest 0.9.0",
		do: func(m *machine) { m.answer(bubblewrapPath, github("0.9.0", "2025-04-23")) }},
	{name: "a release without a day", check: update.Tools, want: report.Pass, exit: 0,
		says: "its day of release is unknown", do: func(m *machine) {
			m.answer(socatPath, text(`<a href="socat-1.9.0.0.tar.gz">socat-1.9.0.0.tar.gz</a>`))
		}},
	{name: "an installed tool older than its pin", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.edit("bin/socat", "1.8.1.3", "1.7.4.4")
			m.keep()
		}},
	{name: "an installed runtime below the floor", check: update.Tools, want: report.Fail, exit: 1,
		do: func(m *machine) {
			m.edit("bin/claude", pinned.Claude(), "2.1.200")
		}},
	{name: "a tool that does not answer", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) {
			m.put("bin/bwrap", "#!/bin/sh\nexit 1\n",
				0o755)
		}},
	{name: "upstream: rate limit (429)", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.answer(bubblewrapPath, status(429)) }},
	{name: "upstream: rate limit (403)", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) {
			m.answer(bubblewrapPath, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-RateLimit-Remaining", "0")
				w.WriteHeader(http.StatusForbidden)
			})
		}},
	{name: "upstream: not found", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.answer(socatPath, status(404)) }},
	{name: "upstream: slow", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) {
			m.opts.Timeout = 300 * time.Millisecond
			m.answer(socatPath, func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
		}},
	{name: "upstream: malformed", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.answer(bubblewrapPath, text(`[{"tag_name":`)) }},
	{name: "upstream: another document", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.answer(socatPath, text("<html>moved</html>")) }},
	{name: "upstream: empty", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.answer(bubblewrapPath, text("[]")) }},
	{name: "upstream: huge", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.answer(socatPath, text(strings.Repeat(" ", 5<<20))) }},
	{name: "upstream: hostile versions", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) {
			m.answer(bubblewrapPath, text(`[{"tag_name":"v1.0; rm -rf ~","published_at":"2026-01-01T00:00:00Z"},{"tag_name":"v\u001b[2J","published_at":"2026-01-01T00:00:00Z"}]`))
		}},
	{name: "upstream: a redirect to a file", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) {
			m.answer(socatPath, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "file:///etc/passwd")
				w.WriteHeader(http.StatusFound)
			})
		}},
	{name: "upstream: not reachable", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.server.Close() }},
	{name: "upstream: rate limit, with an answer in the cache", check: update.Tools, want: report.Unknown, exit: 1,
		says: "from the cache, asked 2 days ago; now: the server's rate limit is reached", do: func(m *machine) {
			m.now = m.now.Add(-48 * time.Hour)
			m.report()
			m.now = m.now.Add(48 * time.Hour)
			m.answer(bubblewrapPath, status(429))
		}},
	{name: "--offline, with an answer in the cache", check: update.Tools, want: report.Pass, exit: 0,
		says: "from the cache, asked 2 days ago", do: func(m *machine) {
			m.now = m.now.Add(-48 * time.Hour)
			m.report()
			m.now = m.now.Add(48 * time.Hour)
			m.opts.Offline = true
			m.server.Close()
		}},
	{name: "--offline, with nothing in the cache", check: update.Tools, want: report.Skip, exit: 0,
		says: "not looked up: --offline", do: func(m *machine) { m.opts.Offline = true }},
	{name: "a newer revision of the distribution's package", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) { m.debian("0.8.0-2+deb12u1", "0.8.0-2+deb12u2") }},
	{name: "an older revision of the distribution's package than the pin", check: update.Tools, want: report.Warn, exit: 1,
		do: func(m *machine) { m.debian("0.8.0-2", "0.8.0-2+deb12u1") }},
	{name: "the distribution's package as pinned, and a newer release upstream", check: update.Tools, want: report.Pass,
		exit: 0,
		says: "newest 0.8.0-2+deb12u1", do: func(m *machine) { m.debian("0.8.0-2+deb12u1", "0.8.0-2+deb12u1") }},
	{name: "the distribution's package is no longer offered", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) { m.debian("0.8.0-2+deb12u1", "") }},
	{name: "an override that is malformed", check: update.Tools, want: report.Unknown, exit: 1,
		do: func(m *machine) {
			m.put(m.localPins(), "[tools.bubblewrap]\nversoin = 1\n",
				0o644)
		},
		also: map[report.ID]report.Status{update.Settings: report.Unknown}}, // install proposes nothing with it
}

// debian makes the machine one of Debian 12 whose user took its bubblewrap at
// 0.8.0-2+deb12u1, and which offers another.
func (m *machine) debian(installed, offered string) {
	m.put("root/etc/os-release", "ID=debian\nVERSION_ID=12\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", 0o644)
	m.root = m.at("root")
	m.edit("bin/bwrap", "0.11.2", "0.8.0")
	m.put("bin/dpkg-query", "#!/bin/sh\nprintf 'install ok installed\\t"+installed+"\\n'\n", 0o755)
	policy := ""
	if offered != "" {
		policy = "bubblewrap:\n  Installed: " + installed + "\n  Candidate: " + offered + "\n  Version table:\n     " +
			offered + " 500\n        500 http://deb.debian.org x Packages"
	}
	m.put("bin/apt-cache", "#!/bin/sh\ncat <<'E'\n"+policy+"\nE\n", 0o755)
	m.environ = m.path()
	m.edit(m.localPins(), "[tools.bubblewrap]\n", "[tools.bubblewrap]\nversion = \"0.8.0-2+deb12u1\"\n")
	m.answer(bubblewrapPath, github("0.12.0", "2026-06-01"))
	m.keep()
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}
