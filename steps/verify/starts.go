// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an agent that does not start has no sandbox and no hooks;
// what its settings say is then said of the settings alone.

package verify

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// NotStarting says why a program that is on PATH did not start when it was
// asked for its version; "" where it did, is missing, or did not answer in time.
// A claude that succeeds and prints no version is another program.
func NotStarting(r host.Reader, res proc.Result) string {
	var not *proc.NotStarted
	switch {
	case errors.As(res.Err, &not):
		if b, err := r.Read(not.Path); err == nil && placeholder(string(b)) {
			return withoutBinary
		}
		return not.Why
	case res.OK() && res.Line == proc.Version(proc.ClaudeCode).String() && !versionIn.Match(res.Stdout):
		return "it prints no version (" + redact.Line(res.Text(), 80) + ")"
	case startsItself(r, res):
		return "it is a script that starts itself"
	case res.Err != nil || res.Code == 0:
		return ""
	case placeholder(string(res.Stdout) + string(res.Stderr)):
		return withoutBinary
	case res.Code < 0:
		return "it was ended by a signal"
	}
	if len(bytes.TrimSpace(res.Stdout))+len(bytes.TrimSpace(res.Stderr)) == 0 {
		return res.Text()
	}
	return endedBy(r, res)
}

// versionIn is what any version of the runtime prints one of.
var versionIn = regexp.MustCompile(`\d+\.\d+\.\d+`)

const withoutBinary = "it is npm's placeholder, without the native binary"

// placeholder says whether a text is what npm's package has in the place of the
// runtime until its postinstall script ran, or what its wrapper then prints
// (bin/claude.exe and cli-wrapper.cjs of 2.1.329).
func placeholder(text string) bool { return strings.Contains(text, "native binary not installed") }

// agentNotStarting is NotStarting for the runtime.
func agentNotStarting(ctx context.Context, r host.Reader) (why string, seen report.Evidence) {
	res := r.Run(ctx, proc.Version(proc.ClaudeCode))
	if why = NotStarting(r, res); why == "" {
		return "", seen
	}
	return "claude does not start: " + why, report.CommandEvidence(res.Line, res.Text())
}
