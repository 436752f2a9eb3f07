// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the sandbox is made of is run, not looked up; one
// part that fails does not answer for another.

package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Unsupported are the words for a platform on which the OS sandbox cannot work.
const Unsupported = "SECURITY UNSUPPORTED CONFIGURATION"

// sandboxSupport asks whether this machine can run the OS sandbox. It takes
// 20 ms where nothing is wrong (2 cores, Linux 6.18).
func sandboxSupport(a Agent) engine.Check {
	return engine.CheckOf("sandbox-support", func(ctx context.Context, r host.Reader) report.Finding {
		return checkSupport(ctx, r, a.Unbridged())
	})
}

func checkSupport(ctx context.Context, r host.Reader, unbridged report.Evidence) report.Finding {
	switch r.System().GOOS {
	case "linux":
		return linuxSupport(ctx, r, unbridged)
	case "darwin":
		return seatbelt(ctx, r)
	}
	return report.Finding{Status: report.Fail, Voids: true, Summary: Unsupported + ": there is no OS sandbox for " +
		r.System().GOOS,
		Remedies: []report.Remedy{report.DocLink{Title: "on Linux, macOS or WSL 2:  ", Line: report.Line{Words: "verify"}}},
		Evidence: []report.Evidence{report.EnvEvidence("operating system", r.System().GOOS)}}
}

// seatbelt tries the sandbox of macOS. bubblewrap, socat and namespaces are no
// part of it.
func seatbelt(ctx context.Context, r host.Reader) report.Finding {
	res := r.Run(ctx, proc.SeatbeltTrial())
	f := report.Finding{Status: report.Pass, Summary: "Seatbelt works",
		Evidence: []report.Evidence{report.CommandEvidence(res.Line, trialSaid(res))}}
	switch {
	case res.Starved():
		f.Status, f.Summary, f.Remedies = report.Unknown, notTried+reason(res), []report.Remedy{roomFirst}
	case !res.OK():
		f.Status, f.Voids, f.Summary = report.Fail, true, "Seatbelt does not start: "+res.Text()
		f.Remedies = []report.Remedy{report.DocLink{Title: "in a terminal that is in no other sandbox:  ",
			Line: report.Line{Words: "verify"}}}
	}
	return f
}

// trials are the answers of everything that was tried.
type trials struct {
	sandbox, nested, seccomp, near, far, search proc.Result
	// filtered says that seccomp was tried.
	filtered bool
}

// try runs the trials at once.
func try(ctx context.Context, r host.Reader) trials {
	var t trials
	seccomp, known := proc.SeccompTrial(r.System().GOARCH)
	t.filtered = known
	near, far := proc.BridgeTrial(r.System().Now().UnixNano())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all, bridge sync.WaitGroup
	run := func(into *proc.Result, s proc.Spec) { all.Go(func() { *into = r.Run(ctx, s) }) }
	run(&t.nested, proc.NestedTrial())
	run(&t.search, proc.SearchTrial())
	if known {
		run(&t.seccomp, seccomp)
	}
	// The far end waits for the near one: where that one gave up, there is
	// nothing to wait for. And the near end tries again until the far one
	// listens: where that one could not start, it would try in vain.
	over, hangUp := context.WithCancel(ctx)
	bridge.Go(func() { t.far = r.Run(over, far); stopUnless(t.far.OK(), hangUp) })
	bridge.Go(func() { t.near = r.Run(over, near); stopUnless(proc.Carried(t.near), hangUp) })
	bridge.Wait()
	hangUp()
	all.Wait()
	// Where a namespace in the sandbox works, the sandbox does.
	if t.sandbox = t.nested; !t.nested.OK() {
		t.sandbox = r.Run(ctx, proc.SandboxTrial())
	}
	return t
}

func stopUnless(ok bool, stop func()) {
	if !ok {
		stop()
	}
}

// support gathers the finding.
type support struct {
	report.Finding
	wrong []string
}

// say adds what one part of the sandbox came to.
func (s *support) say(status report.Status, voids bool, what string, evidence ...report.Evidence) {
	s.Status, s.Voids = report.Worse(s.Status, status), s.Voids || voids
	s.Evidence = append(s.Evidence, evidence...)
	if status != report.Pass {
		s.wrong = append(s.wrong, what)
	}
}

// notTried begins what is said of a trial that the system had no room for.
const notTried = "not tested: "

// roomFirst is what such a trial needs.
var roomFirst = report.DocLink{
	Title: "allow more open files and processes (ulimit -n, ulimit -u), or free memory, then:  ",
	Line:  report.Line{Words: "verify"}}

// starved notes a trial that could not be started for want of files, processes or
// memory, and says whether it is one: it shows nothing of the sandbox.
func (s *support) starved(t proc.Result) bool {
	if !t.Starved() {
		return false
	}
	s.say(report.Unknown, false, notTried+reason(t), tried(t))
	if !slices.Contains(s.Remedies, report.Remedy(roomFirst)) {
		s.Remedies = append(s.Remedies, roomFirst)
	}
	return true
}

func linuxSupport(ctx context.Context, r host.Reader, unbridged report.Evidence) report.Finding {
	t := try(ctx, r)
	s := support{Finding: report.Finding{Status: report.Pass, Summary: "bubblewrap, socat, ripgrep, namespaces and " +
		"seccomp work: each was run"}}
	if name, in := r.System().Sandboxed(); in && !t.sandbox.OK() {
		// What a sandbox forbids says nothing of what is outside it.
		s.Status, s.Summary = report.Unknown, "run inside the agent's sandbox, where no other sandbox starts: run it in "+
			"your own terminal"
		s.Evidence = []report.Evidence{report.EnvEvidence(name, "set"), tried(t.sandbox)}
		return s.Finding
	}
	s.namespaces(r, t)
	s.bridge(t, unbridged)
	s.seccomp(r, t)
	s.search(r, t)
	if s.wrong != nil {
		if len(s.Remedies) == 0 {
			s.Remedies = []report.Remedy{SupportPage}
		}
		s.Summary = strings.Join(s.wrong, "; ")
	}
	return s.Finding
}

// namespaces judges bwrap, and a namespace inside it.
func (s *support) namespaces(r host.Reader, t trials) {
	switch {
	case s.starved(t.sandbox):
	case t.sandbox.Missing():
		s.say(report.Fail, true, "bubblewrap is not installed: the sandbox cannot start", tried(t.sandbox))
		s.Remedies = append(s.Remedies, ToolsPlan())
	case !t.sandbox.OK():
		what := proc.NoStart + reason(t.sandbox)
		if never := s.obstructed(r, false); never != "" {
			what = Unsupported + ": " + never
		}
		s.say(report.Fail, true, what, tried(t.sandbox))
		s.Remedies = append(s.Remedies, SupportPage)
	case strings.Contains(string(t.nested.Stderr), "execvp unshare"):
		s.say(report.Pass, false, "", tried(t.sandbox),
			report.CommandEvidence(t.nested.Line, "not tested: unshare (util-linux) is not installed"))
	case s.starved(t.nested):
	case !t.nested.OK():
		s.obstructed(r, true)
		s.say(report.Fail, true, "the sandbox starts, but the runtime's seccomp helper would not start in it: "+
			reason(t.nested), tried(t.sandbox), tried(t.nested))
		s.Remedies = append(s.Remedies, SupportPage)
	case len(proc.Shared(t.nested)) > 0:
		path, _ := r.Look("bwrap") // it was just started
		what := strings.Join(proc.Shared(t.nested), " and ")
		s.say(report.Fail, true, "bwrap does not isolate commands: they share "+what+" with the host", tried(t.nested),
			report.CommandEvidence(path, "no namespace for: "+what))
		s.Remedies = append(s.Remedies, ToolsPlan())
	default:
		s.say(report.Pass, false, "", tried(t.nested))
	}
}

func (s *support) bridge(t trials, unbridged report.Evidence) {
	switch {
	case s.starved(t.near), s.starved(t.far):
	case t.near.Missing():
		s.say(report.Fail, true, "socat is not installed: the sandbox cannot start", tried(t.near))
		s.Remedies = append(s.Remedies, ToolsPlan())
	case proc.Carried(t.near) && t.far.OK():
		s.say(report.Pass, false, "", report.CommandEvidence("socat", "relayed data over a unix socket and back"))
	default:
		// The end that failed by itself has the reason, not the one that
		// was stopped for it.
		broken := t.near
		if t.far.Err == nil && !t.far.OK() {
			broken = t.far
		}
		evidence := []report.Evidence{tried(broken), unbridged}
		if unbridged.Text == "" {
			evidence = evidence[:1]
		}
		s.say(report.Fail, true, "socat does not relay data: "+reason(broken), evidence...)
		s.Remedies = append(s.Remedies, ToolsPlan())
	}
}

// seccomp judges the filter: it has to refuse the socket that the bridge could
// make without it.
func (s *support) seccomp(r host.Reader, t trials) {
	switch {
	case !t.sandbox.OK() || !proc.Carried(t.near):
		// Nothing can be said of a filter that nothing ran under.
	case !t.filtered:
		s.say(report.Pass, false, "",
			report.EnvEvidence("seccomp", "not tested: its system calls on "+r.System().GOARCH+" are not known here"))
	case strings.Contains(string(t.seccomp.Stderr), "Operation not permitted") && t.seccomp.Err == nil &&
		t.seccomp.Code == 1:
		s.say(report.Pass, false, "", report.CommandEvidence(t.seccomp.Line, "a filter refuses unix sockets: "+
			undated(t.seccomp.Text())))
	case s.starved(t.seccomp):
	case t.seccomp.OK():
		// Whatever took the filter and did not load it is no bubblewrap.
		s.say(report.Fail, true, "a seccomp filter was loaded but blocks nothing", tried(t.seccomp))
	default:
		s.say(report.Fail, false, "seccomp filters do not work: "+reason(t.seccomp), tried(t.seccomp))
	}
}

// search judges ripgrep. 2.1.329 brings its own and starts without one
// (measured); other versions started without a sandbox
// (anthropics/claude-code#84563).
func (s *support) search(r host.Reader, t trials) {
	switch found := strings.TrimSpace(string(t.search.Stdout)) == "1"; {
	case s.starved(t.search):
	case t.search.OK() && found:
		s.say(report.Pass, false, "", report.CommandEvidence(t.search.Line, "found one line of two"))
	case t.search.Missing():
		s.say(report.Warn, false, "ripgrep is not installed: the pinned runtime has its own, others may not",
			report.CommandEvidence("rg", t.search.Text()))
		if s.Status != report.Fail { // what the sandbox needs comes first
			s.Remedies = append(s.Remedies, searchLine(r, "install"))
		}
	default:
		s.say(report.Warn, false, "ripgrep does not search: "+reason(t.search), tried(t.search))
		s.Remedies = append(s.Remedies, searchLine(r, "reinstall"))
	}
}

// searchLine installs ripgrep, or says to. verb is install, or reinstall where it
// is there and does not work.
func searchLine(r host.Reader, verb string) report.Remedy {
	c := report.Command{ID: "ripgrep", Why: verb + " ripgrep", Optional: true, Privileged: true}
	switch platform.Here(r).Manager {
	case platform.Apt:
		c.Line = "sudo apt-get install " + map[string]string{"reinstall": "--reinstall "}[verb] + "ripgrep"
	case platform.Dnf:
		c.Line = "sudo dnf " + verb + " ripgrep"
	default:
		return report.DocLink{Title: verb + " ripgrep", Target: "https://github.com/BurntSushi/ripgrep#installation"}
	}
	return c
}

// SupportPage explains what refuses a sandbox.
var SupportPage = report.Own("doctor --explain userns", report.Command{ID: "explain-userns", Optional: true,
	Why: "see why the sandbox cannot start, and how to fix it"})

// undated is a line of socat's without the time that it begins with.
func undated(line string) string {
	if i := strings.Index(line, "socat["); i > 0 {
		return line[i:]
	}
	return line
}

// tried is the evidence of one trial.
func tried(res proc.Result) report.Evidence { return report.CommandEvidence(res.Line, trialSaid(res)) }

// trialSaid is what a trial said, with its exit code where it says nothing.
func trialSaid(res proc.Result) string {
	if res.OK() {
		return "exit code 0"
	}
	return cmp.Or(reason(res), fmt.Sprintf("exit code %d", res.Code))
}

// reason is why a trial failed: what it wrote to standard error, first of all.
func reason(res proc.Result) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n")
	switch {
	case res.Err != nil:
		return res.Err.Error()
	case line != "":
		return fmt.Sprintf("%s (exit code %d)", line, res.Code)
	}
	return res.Text()
}

// Namespaces asks whether bwrap starts on this machine, and the runtime's
// helper in it: the part of the check sandbox-support that is about
// namespaces.
func Namespaces(ctx context.Context, r host.Reader) report.Finding {
	t := trials{nested: r.Run(ctx, proc.NestedTrial())}
	if t.sandbox = t.nested; !t.nested.OK() {
		t.sandbox = r.Run(ctx, proc.SandboxTrial())
	}
	s := support{Finding: report.Finding{Status: report.Pass, Summary: "the sandbox starts, and a namespace in it"}}
	s.namespaces(r, t)
	if s.wrong != nil {
		s.Summary = s.wrong[0]
	}
	return s.Finding
}
