// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a host is over-wide in every spelling, a proxy of the
// machine is a failure, and only lines that are known may be excluded.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

const domains = "sandbox.network.allowedDomains"

// allowsHost is an entry of allowedDomains that nobody can mean, or has a
// price.
func allowsHost(entry string, want report.Status) Fault {
	return Fault{Name: "allowedDomains names " + entry, Breaks: "policy-invariants", Want: want, Where: projectFile +
		`#"` + entry + `"`,
		Break: func(m *Machine) { m.add(projectFile, domains, entry) }}
}

// proxyPort is a proxy of the machine in place of the runtime's.
func proxyPort(file, key string) Fault {
	return Fault{Name: key + " in " + file, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: file +
		`#"` + key + `"`,
		Break: func(m *Machine) { m.set(file, "sandbox.network."+key, 3128) }}
}

var networkFaults = []Fault{
	allowsHost("*.COM", report.Fail),
	allowsHost("*:443", report.Fail),
	allowsHost("Webhook.Site", report.Fail),
	allowsHost("169.254.169.254:80", report.Fail),
	allowsHost("[::ffff:169.254.169.254]", report.Fail),
	allowsHost("LocalHost:5432", report.Warn),
	allowsHost("0.0.0.0", report.Warn),
	allowsHost("[::ffff:127.0.0.1]", report.Warn),
	allowsHost("[::1]:8080", report.Warn),
	proxyPort(userFile, "httpProxyPort"),
	proxyPort(projectFile, "socksProxyPort"),
	proxyPort(localFile, "httpProxyPort"),
	excludes("jest"),
	excludes("docker"),
	excludes("scripts/test.sh"),
	excludes("./manage.py *"),
	allowsHost("*.vercel.app", report.Warn), allowsHost("*.amazonaws.com", report.Warn),
	allowsHost("ntfy.sh", report.Fail),
	excludes("systemd-run *"),
	excludes("ssh-add *"),
}
