// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook fires when the runtime was seen to start it and it
// was seen to answer; that it is wired is another check's answer.

package checks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// hookCalls make each event of the setup's hooks happen: a request to leave
// the sandbox, a denied call that fails, and one that prints the refusal and
// succeeds.
func hookCalls() model.Turn {
	denied := rehearsal.Tool(rehearsal.ToolGet, fmt.Sprintf("http://%s:%d/hooks", trial.Denied, rehearsal.Port))
	return model.Turn{
		model.BashOutside("true"),
		model.Bash(denied + "; exit 3"),
		model.Bash(denied),
	}
}

// hooksFire asks whether each wired hook runs and answers.
func hooksFire(live *verify.Rehearsal, progress engine.Sink, project string) engine.Check {
	return engine.CheckOf("hooks-fire", func(ctx context.Context, r host.Reader) report.Finding {
		if err := live.Wait(progress); err != nil {
			return verify.NotRehearsed(err)
		}
		return fire(ctx, r, project, live.Session(verify.HookSession))
	})
}

func fire(ctx context.Context, r host.Reader, project string, calls *trial.Trial) report.Finding {
	if err := calls.Err; err != nil {
		return verify.NotRehearsed(err)
	}
	s, err := session.In(ctx, r, project)
	if err != nil {
		return session.NotOpened(project, err)
	}
	runs := calls.Raw.Record().Hooks()
	f := report.Finding{Status: report.Pass}
	fired, wired := 0, 0
	for _, w := range wiring.Wires {
		where := wiredAt(s, r, w)
		if where == "" {
			f.Evidence = append(f.Evidence, report.EnvEvidence(w.Event, w.Script+" is not wired on it"))
			continue
		}
		wired++
		ok, saw := hookAnswered(runs, w)
		if ok {
			fired++
			f.Evidence = append(f.Evidence, report.FileEvidence(where, w.Script+" on "+w.Event+": "+saw))
			continue
		}
		status := report.Fail
		if call := provoked(calls, w); call != "" {
			status = report.Unknown
			saw, f.Remedies = unprovoked(call)
		}
		if f.Summary == "" || status.WorseThan(f.Status) {
			f.Status, f.Summary = report.Worse(f.Status, status), w.Script+" on "+w.Event+" "+saw
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(where, w.Script+" on "+w.Event+": "+saw))
	}
	switch {
	case wired == 0:
		f.Status, f.Summary = report.Skip, "no hook of the setup is wired"
	case f.Status == report.Pass:
		f.Summary = report.OfAll(fired, wired, "wired hook fired and answered", "wired hooks fired and answered")
	}
	if f.Status == report.Fail {
		f.Remedies = []report.Remedy{verify.Again()}
	}
	answeredIn(grants.Of(r, s), runs, &f)
	return f
}

// answeredIn adds to a finding which hooks were seen to approve a command in the
// place of the user.
func answeredIn(g grants.Ground, runs []agent.HookRun, f *report.Finding) {
	seen := map[string]bool{}
	for _, run := range runs {
		if seen[run.Event] || !prompts.Decides(run.Event) || run.Exit != 0 ||
			prompts.AnswersIn(run.Event, cmp.Or(run.Stdout, run.Output)) != prompts.SaysAllow {
			continue
		}
		seen[run.Event] = true
		status, opens := prompts.Approving(g, prompts.Answering{Event: run.Event, Matcher: claude.ToolBash})
		what := prompts.AHook(run.Event) + " answered allow to a request to run unsandboxed"
		f.Evidence = append(f.Evidence, report.EnvEvidence(cmp.Or(run.Name, run.Event), what+". "+opens))
		if f.Worsen(status, false, what) {
			f.Remedies = append(f.Remedies, report.DocLink{Title: prompts.AnswerLess, Target: g.Host.Places().UserSettings()})
		}
	}
}

// wiredAt is where a session has the hook of w, "" if nowhere.
func wiredAt(s session.Settings, r host.Reader, w wiring.Wire) (where string) {
	for _, layer := range s.Layers {
		if v := wiring.Wired(layer.Doc, r.Places(), w); v != nil {
			where = layer.Doc.Where(v)
		}
	}
	return where
}

// provoked says what became of the denied call that makes the hook of w fire,
// if it was not denied; "" if it was, or where any call will do.
func provoked(calls *trial.Trial, w wiring.Wire) string {
	i := slices.Index([]string{claude.PreToolUse, claude.PostToolUseFailure, claude.PostToolUse}, w.Event)
	if i <= 0 {
		return ""
	}
	got := strings.TrimSpace(calls.Raw.Call(0, i).Text)
	if strings.Contains(got, "blocked by network allowlist") {
		return ""
	}
	return strings.ReplaceAll(got, "\n", ": ")
}

// unprovoked says of a call that was to be denied what came of it, and what leads on.
func unprovoked(got string) (saw string, steps []report.Remedy) {
	if strings.Contains(got, "HTTP/1.1 200 ") {
		return "not tested: nothing blocks the call that should trigger it", []report.Remedy{verify.Again()}
	}
	if c, ok := verify.ExplainedReply(trial.Line(got)); ok {
		steps = []report.Remedy{c}
	}
	return "the call that should trigger it had another result: " + got, steps
}

// hookAnswered says whether the hook of w answered as it should, and what was
// seen of it.
func hookAnswered(runs []agent.HookRun, w wiring.Wire) (ok bool, saw string) {
	saw = "did not fire"
	for _, run := range runs {
		if run.Event != w.Event {
			continue
		}
		var answer claude.HookAnswer
		// By the runtime, with exit code 1 or with what it had said till then
		// (measured with 2.1.329).
		if run.Outcome == "cancelled" {
			saw = "fired and was stopped before it ended: its timeout ran out"
			continue
		}
		text := cmp.Or(run.Stdout, run.Output)
		if json.Unmarshal([]byte(text), &answer) == nil && answer.Output.Event == w.Event && run.Exit == 0 {
			switch {
			case answer.Output.Decision == claude.Ask && strings.HasPrefix(answer.Output.Reason, "SANDBOX BYPASS"):
				return true, "answered ask to a request to run unsandboxed"
			case strings.HasPrefix(answer.Output.Context, "[sandbox-hint] "):
				line, _, _ := strings.Cut(answer.Output.Context, "\n")
				return true, "explained a denial: " + line
			}
		}
		if run.Exit != 0 {
			saw = fmt.Sprintf("fired and ended with exit code %d", run.Exit)
			if said := strings.TrimSpace(run.Stderr); said != "" {
				saw += ": " + said
			}
		} else if saw == "did not fire" {
			saw = "fired without output"
		}
	}
	return false, saw
}

// Fired implements verify.Agent. A hook whose call came to something else is left
// out.
func (Claude) Fired(ctx context.Context, r host.Reader, project string, calls *trial.Trial) []regress.Hook {
	s, err := session.In(ctx, r, project)
	if err != nil {
		return nil
	}
	runs := calls.Raw.Record().Hooks()
	var list []regress.Hook
	for _, w := range wiring.Wires {
		if wiredAt(s, r, w) == "" {
			continue
		}
		fires, saw := hookAnswered(runs, w)
		if !fires && provoked(calls, w) != "" {
			continue
		}
		list = append(list, regress.Hook{Event: w.Event, Script: w.Script, Fires: fires, Saw: redact.Text(saw)})
	}
	return list
}
