// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an answer is exactly what it is asked for or is refused in
// words; nothing that was typed is repaired in silence.

package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// maxLine bounds one line of an answer, in bytes; everyHost is said of a host that
// bounds nothing.
const maxLine, everyHost = 253, "it allows every host"

var (
	hostLabel = lazy.Regexp(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	wholeRule = lazy.Regexp(`^[A-Z][A-Za-z]*\([^()]+\)$|^mcp__[A-Za-z0-9_*-]+$`)
)

// Validate says what is wrong with the answer to question id, or nil. A screen
// asks it while the user types; Build asks it again. Questions that are not of
// this package have no wrong answer here.
func (p *Policy) Validate(id report.ID, values []string) error {
	i := slices.IndexFunc(p.questions, func(q question) bool { return q.ID == id })
	if i < 0 {
		return nil
	}
	kind := p.questions[i].Kind
	if kind == report.Confirm && (len(values) != 1 || values[0] != "yes" && values[0] != "no") {
		return refuse(id, strings.Join(values, " "), "the answer is yes or no")
	}
	if kind == report.Text && len(values) > 1 {
		return refuse(id, strings.Join(values, " "), "the answer is one name")
	}
	for _, v := range values {
		if why := p.wrong(id, v); why != "" {
			return refuse(id, v, why)
		}
	}
	return nil
}

func (p *Policy) wrong(id report.ID, v string) string {
	switch id {
	case "project-name":
		return wrongName(v)
	case "allow-host":
		return wrongHost(v)
	case "ask":
		_, why := askRule(v)
		return why
	case "domains", "caches":
		if _, ok := p.group(id, v); !ok {
			return "there is no such group"
		}
	}
	return ""
}

func refuse(id report.ID, v, why string) error {
	return &report.Error{Code: report.ExitUsage, Where: "--" + string(id), What: fmt.Sprintf("%q: %s", v, why),
		Lines: []report.Line{{Words: "install --help"}}}
}

// unfit says what makes any line unfit.
func unfit(v string) string {
	switch {
	case v == "":
		return "it is empty"
	case len(v) > maxLine:
		return fmt.Sprintf("it is longer than %d bytes", maxLine)
	case strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsGraphic(r) || r == unicode.ReplacementChar }):
		return "it has invisible characters"
	}
	return ""
}

// wrongName judges the name of a directory below ~/.config; none is right too.
func wrongName(v string) string {
	if v == "" {
		return ""
	}
	if why := unfit(v); why != "" {
		return why
	}
	if strings.ContainsAny(v, `/\*?[]{}()!`) || v == "." || v == ".." || v == "~" || v != strings.TrimSpace(v) {
		return "it has to be the name of one directory below ~/.config"
	}
	if which, ok := sensitive.CredentialPath("~/.config/"+v, ""); ok {
		return "that directory holds " + which + ": it is a question of its own, or stays closed"
	}
	return ""
}

// wrongHost judges a host for allowedDomains.
func wrongHost(v string) string {
	if why := unfit(v); why != "" {
		return why
	}
	if why := overWide(v); why != "" {
		return why
	}
	if strings.ContainsAny(v, ":/@?#") {
		return "give only a host name: no address, port, user or path"
	}
	if _, err := netip.ParseAddr(v); err == nil {
		return "give a host name, not a number"
	}
	name := strings.TrimPrefix(v, "*.")
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if !hostLabel().MatchString(l) {
			return "it is not the name of a host (lower-case letters, digits, - and dots; xn-- for others)"
		}
	}
	if len(labels) < 2 {
		return "a name without a dot means a machine of this network"
	}
	return ""
}

// metadata are the services of cloud providers that give a machine its own
// credentials (documentation of AWS, Google Cloud, Azure, Oracle and Alibaba
// Cloud); beside them all link-local addresses count.
var metadata = []string{"metadata.google.internal", "metadata.goog", "metadata", "instance-data",
	"instance-data.ec2.internal", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23"}

// drops are services whose purpose is to take what is sent and to show it to,
// or to pass it on to, whoever set the address up.
var drops = []string{"pastebin.com", "webhook.site", "ngrok.io", "ngrok.app", "ngrok-free.app", "trycloudflare.com",
	"requestbin.com", "pipedream.net", "transfer.sh", "file.io", "0x0.st", "interact.sh", "oast.fun", "oast.pro",
	"oast.live", "oast.site", "oast.online", "oast.me", "oastify.com", "burpcollaborator.net", "termbin.com", "ix.io",
	"sprunge.us", "paste.rs", "dpaste.com", "hastebin.com", "rentry.co", "ntfy.sh", "dweet.io", "loca.lt",
	"localhost.run", "serveo.net", "requestcatcher.com", "beeceptor.com", "bashupload.com", "temp.sh", "tmpfiles.org",
	"oshi.at", "catbox.moe"}

// spelled are domains whose names lead to the address that they spell, or to this machine
// (documentation of each).
var spelled = []string{"nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "lacolhost.com"}

// overWide says why an entry of allowedDomains allows more than anyone can
// mean, or "".
func overWide(v string) string {
	e, ok := ParseHostEntry(v)
	if !ok {
		switch {
		case v != "" && strings.Trim(v, "*.") == "":
			return everyHost
		case strings.Contains(strings.TrimPrefix(v, "*."), "*"):
			return "a star may only be the part before the first dot"
		}
		return ""
	}
	switch {
	case e.every():
		return everyHost
	case e.addr.IsLinkLocalUnicast(), slices.ContainsFunc(metadata,
		func(m string) bool { h, _ := ParseHost(m); h.Port = e.port; return e.Names(h) }):
		return "it gives the credentials of a cloud machine to any program that asks"
	case below(e.name, drops):
		return "anyone can receive data through it anonymously"
	case below(e.name, spelled):
		return "its names lead to addresses of this machine and its network"
	case e.own() && e.port != 0:
		return "it opens the service at port " + strconv.Itoa(int(e.port)) + " of this machine to programs that use the proxy"
	case e.own():
		return "it opens every service of this machine to programs that use the proxy"
	case e.below:
		suffix, registry := publicsuffix.PublicSuffix(e.name)
		if suffix == e.name && (registry || !strings.Contains(suffix, ".")) {
			return "it allows every host below a public suffix"
		}
	}
	return ""
}

// below says whether a name is one of these domains, or lies below one.
func below(name string, domains []string) bool {
	return slices.ContainsFunc(domains, func(d string) bool { return name == d || strings.HasSuffix(name, "."+d) })
}

// rented are names below which anyone has hosts, and which are no suffixes of the public
// suffix list, since only names below them are (documentation of S3, Azure Storage and
// Google Cloud Storage).
var rented = []string{"amazonaws.com", "windows.net", "googleapis.com"}

// sharedBelow says whether an entry of allowedDomains allows hosts that anyone can have: its
// name is one under which a company gives names away (publicsuffix.org, private domains).
func sharedBelow(v string) bool {
	e, ok := ParseHostEntry(v)
	if !ok || !e.below {
		return false
	}
	suffix, registry := publicsuffix.PublicSuffix(e.name)
	return slices.Contains(rented, e.name) || suffix == e.name && !registry && strings.Contains(suffix, ".")
}

// sharedHosts is said of such an entry.
const sharedHosts = "Anyone can have a host below it, and receive there what a command sends."

// ownMachine says whether an entry of allowedDomains means this machine.
func ownMachine(v string) bool {
	e, ok := ParseHostEntry(v)
	return ok && e.own()
}

func hostPrice(v string) string {
	if name, wild := strings.CutPrefix(v, "*."); wild {
		if sharedBelow(v) {
			return "Every host below " + name + ". " + sharedHosts
		}
		return "Every host below " + name + ", including those that serve what anyone uploads."
	}
	return ""
}

// askRule turns an answer into a rule: a whole rule stays as it is, a command
// becomes Bash(command *).
func askRule(v string) (rule, why string) {
	if why := unfit(v); why != "" {
		return "", why
	}
	switch {
	case v != strings.TrimSpace(v):
		return "", "it begins or ends with a space"
	case wholeRule().MatchString(v):
		return v, ""
	case strings.ContainsAny(v, "()"):
		return "", "it is neither a command nor a rule such as Bash(svn commit *)"
	case strings.HasSuffix(v, "*"):
		return "Bash(" + v + ")", ""
	}
	return "Bash(" + v + " *)", ""
}
