// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an error names is a guess until somebody looks; the
// likeliest comes first.

package catalog

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// NoFile are the system's words for ENOENT, in small letters.
const NoFile = "no such file or directory"

// Missing are the words for a file that is not there, beside its path.
var Missing = []string{NoFile, "executable doesn't exist at", "(which is", "to be installed here"}

// ReadOnly are the words for a file that cannot be written, or, since something
// is mounted on it, not be replaced.
var ReadOnly = []string{"read-only file system", "device or resource busy", "resource busy or locked"}

// phrases stand beside the path that an error is about.
var phrases = slices.Concat(Missing, []string{"permission denied", "operation not permitted", ownerPhrase}, ReadOnly)

// maxNamed bounds a path or a host in an error, in bytes.
const maxNamed = 4096

// paths lists what a line may be about, the likeliest first: absolute paths,
// then relative ones. It is nil for an error that is about no path.
func (e Entry) paths(line string, c Confirm) []string {
	if !e.asks("${PATH}") &&
		!slices.Contains([]Confirm{Exists, Allowed, Writable, Temporary, Owned, Barred, Mode, Absent}, c) {
		return nil
	}
	var absolute, relative []string
	for _, phrase := range phrases {
		for _, s := range Subjects(line, phrase) {
			switch {
			case slices.Contains(absolute, s) || slices.Contains(relative, s):
			case s == "" || len(s) > maxNamed || strings.ContainsRune(s, 0):
			case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~/"):
				absolute = append(absolute, s)
			default:
				relative = append(relative, s)
			}
		}
	}
	return append(absolute, relative...)
}

// hostMarks stand before the host that an error is about.
var hostMarks = []string{"://", "network-outbound ", " CONNECT ", "resolve hostname ", "resolve host: ", "EAI_AGAIN ",
	"host='", " git@", "ENOTFOUND ", "host address '", "host name \"", "for host \"", "dial tcp: lookup "}

// HostIn is the first host that a text names where errors and addresses do, ""
// if it names none: letters, digits, dots, hyphens and underscores.
func HostIn(line string) string {
	for _, mark := range hostMarks {
		_, rest, _ := strings.Cut(line, mark)
		authority := rest[:skip(rest, 0, '!', '~')]
		if i := strings.IndexAny(authority, "/?#"); i >= 0 { // behind it an @ is no user's: a version, a query
			authority = authority[:i]
		}
		if i := strings.LastIndexByte(authority, '@'); i >= 0 { // user@host
			rest = rest[i+1:]
		}
		end := strings.IndexFunc(rest, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._", r)
		})
		if end < 0 {
			end = len(rest)
		}
		if name := strings.Trim(rest[:end], "."); strings.Contains(name, ".") && len(name) <= maxNamed &&
			(mark != " git@" || strings.Trim(name, "0123456789.") != "") { // git@2.1 is a package
			return strings.ToLower(name)
		}
	}
	return ""
}

// onlyHost is the host that the lines of a text name, "" if they name several.
func onlyHost(text string) (only string) {
	for line := range strings.Lines(text) {
		switch name := HostIn(line); {
		case name == "", name == only:
		case only != "":
			return ""
		default:
			only = name
		}
	}
	return only
}

// pip are what only pip says where its index does not answer: neither names a host.
var pip = []string{"could not find a version that satisfies the requirement", "': /simple/"}

// UsualHost is the host that a program asks whose error names none, "" if it is not known.
func UsualHost(text string) string {
	if low := toLower(text); slices.ContainsFunc(pip, func(s string) bool { return strings.Contains(low, s) }) {
		return "pypi.org"
	}
	return ""
}

// proxies are where a text names the proxy that a program asked: its address, with a
// port, behind the word, or the name that it gives itself.
var proxies = lazy.Regexp(`(?im)proxy[^\n]{0,40}?https?://([^\s/'":]+:[^\s/'":@]*@)?([\w.-]+|\[[\w:]+\]):\d+|` +
	`^connecting to ([\w.-]+):\d+\.\.\. connected|\b(x-squid-error|server: squid)\b`)

// otherProxy is the proxy that a text names, "" if it names none, or one on this
// machine's loopback: there the sandbox's stands.
func otherProxy(text string) string {
	for _, m := range proxies().FindAllStringSubmatch(text, -1) {
		switch {
		case m[4] != "":
			return "squid"
		case strings.HasPrefix(toLower(m[0]), "connecting") && !strings.Contains(toLower(text), "proxy"):
		default:
			name := toLower(m[2] + m[3])
			if ip, err := netip.ParseAddr(strings.Trim(name, "[]")); name != "localhost" && (err != nil || !ip.IsLoopback()) {
				return name
			}
		}
	}
	return ""
}

// launched are programs that start bubblewrap themselves.
var launched = []string{"flatpak", "pressure-vessel", "steam", "bubblejail", "glycin"}

// otherMaker says which other proxy or program than the sandbox's a text names, that
// would have made the error too; "" if none.
func otherMaker(a Answer, text string) string {
	if name := otherProxy(text); name != "" && a.Entry.Layer == Proxy {
		return "the text names another proxy than the sandbox's: " + name
	}
	low := toLower(text)
	if i := slices.IndexFunc(launched, func(s string) bool { return strings.Contains(low, s) }); i >= 0 &&
		strings.Contains(toLower(a.Line), "bwrap") {
		return "the text names " + launched[i] + ", which starts bubblewrap itself"
	}
	return ""
}

// asks says whether a fix has a place for the value.
func (e Entry) asks(value string) bool {
	return slices.ContainsFunc(e.Fixes, func(f Fix) bool { return strings.Contains(f.Settings, value) })
}

// Ways are the alternatives of an entry on a platform: one that begins with
// "on macOS:" is for no other.
func (e Entry) Ways(platform string) (ways []Way) {
	for _, way := range e.Alternatives {
		if platform == "darwin" || !strings.HasPrefix(way.Text, "on macOS:") {
			ways = append(ways, way)
		}
	}
	return ways
}

// BySettings says whether one of the ways changes settings by a line of its own.
func (e Entry) BySettings() bool {
	return slices.ContainsFunc(e.Alternatives, func(way Way) bool {
		return strings.Contains(way.String(), "install --plan") || strings.Contains(way.Text, "--allowedTools")
	})
}

// With is the fix with a value in the place of "${NAME}".
func (f Fix) With(name, value string) Fix {
	if value != "" {
		quoted := jsontext.Quote(value)
		f.Settings = strings.ReplaceAll(f.Settings, "${"+name+"}", quoted[1:len(quoted)-1])
	}
	return f
}

// devices are the nodes of the sandbox's own /dev (measured with 2.1.330).
var devices = strings.Fields("core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero")

// Device says whether a path is that of a device that the sandbox does not show.
func Device(path string) bool {
	name, below := strings.CutPrefix(path, "/dev/")
	name, _, _ = strings.Cut(name, "/")
	return below && !slices.Contains(devices, name)
}

// Own says whether a path is another file to each process, or that of a process:
// nobody else can look at it, or not any more (proc(5), fd(4)).
func Own(path string) bool {
	if rest, ok := strings.CutPrefix(path, "/proc/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name == "self" || name == "thread-self" || name != "" && strings.Trim(name, "0123456789") == ""
	}
	return slices.Contains([]string{"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd"}, path) ||
		strings.HasPrefix(path, "/dev/fd/")
}

// refusers stand before the host that refused a connection.
var refusers = []string{"ECONNREFUSED ", "connecting to ", "connect to host ", "connect to ", "dial tcp ", "host='",
	"server at \""}

// RefusedBy is the host that refused a connection by an error, in lower case:
// an address, or a name with a dot; "" if it names none, speaks of a proxy or of
// a name server, or the host is localhost. The address of a request does not say
// who refused: behind it a proxy may stand.
func RefusedBy(line string) string {
	line = toLower(line)
	if strings.Contains(line, "proxy") || strings.Contains(line, "lookup ") || strings.Contains(line, "localhost") ||
		strings.Contains(line, "127.0.0.1") || strings.Contains(line, "::1") {
		return ""
	}
	for _, mark := range refusers {
		_, rest, found := strings.Cut(line, toLower(mark))
		if !found {
			continue
		}
		rest = strings.TrimLeft(rest, "\"'[/")
		if end := strings.IndexFunc(rest, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-.", r)
		}); end >= 0 {
			rest = rest[:end]
		}
		if rest = strings.Trim(rest, "."); strings.Contains(rest, ".") && len(rest) <= maxNamed {
			if _, err := netip.ParseAddr(rest); err != nil && strings.Trim(rest, "0123456789.") == "" {
				return "" // 127.1 and the like: addresses too, of which machine is not looked up
			}
			return rest
		}
	}
	return ""
}

// Instead are what to do about an error that is not the sandbox's, or is known of it on
// another platform only; nil where it is one of the sandbox's, and where nobody knows.
func (a Answer) Instead(platform string) []Way {
	switch {
	case a.Elsewhere:
		return []Way{{Text: "run the command in a terminal of your own: if it fails there too, fix what it reports"}}
	case a.Verdict != Ordinary:
		return nil
	case a.Entry.Layer == None:
		return a.Entry.Ways(platform)
	}
	return []Way{{Text: "run the command in a terminal of your own, and fix what it reports there"}}
}
