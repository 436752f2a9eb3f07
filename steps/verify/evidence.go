// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: evidence is for somebody who was not there. It has every call
// with what came back, so that the judgement can be made again, and no secret; what
// is written is what its reader understands and judges alike.

package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Evidence is what a verdict rests on.
type Evidence struct {
	Version string    `json:"tool_version"`
	At      time.Time `json:"at"`
	Project string    `json:"project"`
	Machine Machine   `json:"machine"`
	// Files are the digests (SHA-256) of what decides about a rehearsal, by path; ""
	// is a file that is not there.
	Files    map[string]string `json:"files"`
	Strict   bool              `json:"strict"`
	Verdict  report.Verdict    `json:"verdict"`
	Findings []report.Finding  `json:"findings"`
	// Untested says why there was no rehearsal, "" if there was one.
	Untested string `json:"untested,omitempty"`
	Played   Played `json:"rehearsal"`
}

// Machine is what the sessions were played with.
type Machine struct {
	OS            string            `json:"os"`
	Distro        string            `json:"distro"`
	Kernel        string            `json:"kernel"`
	Root          bool              `json:"root"`
	Runtime       string            `json:"runtime"`
	RuntimeDigest string            `json:"runtime_sha256"`
	Tools         map[string]string `json:"tools"`
}

// Played is a rehearsal: what of the machine its judgement asks for, and its sessions.
type Played struct {
	Root string `json:"root"`
	Tree string `json:"tree,omitempty"`
	// Refused and Note are those of the plan; Clean says that there is a clean-env
	// launch.
	Refused  string    `json:"refused,omitempty"`
	Note     string    `json:"note,omitempty"`
	Clean    bool      `json:"clean"`
	Sessions []Session `json:"sessions"`
}

// Session is one start of the agent: its calls, what came back, and how they were
// judged.
type Session struct {
	Name   string         `json:"name"`
	Launch report.Launch  `json:"launch"`
	Mode   rehearsal.Mode `json:"mode"`
	Dir    string         `json:"dir"`
	// Proxied is the setting that puts a proxy of the machine's in the place of the
	// runtime's.
	Proxied *report.Evidence `json:"proxied,omitempty"`
	// Failed says why it has no result.
	Failed string `json:"failed,omitempty"`
	// Probes are judged, More are made beside them.
	Probes []trial.Probe `json:"calls"`
	More   []trial.Probe `json:"more,omitempty"`
	Raw    rehearsal.Raw `json:"raw"`
	Judged []Judgement   `json:"judged,omitempty"`
}

// Judgement is what a call came to.
type Judgement struct {
	Call   string        `json:"call"`
	Layer  trial.Decider `json:"layer"`
	Status report.Status `json:"status"`
	Why    string        `json:"why"`
}

// Deciding are the digests of the files that decide about a rehearsal of the project.
func Deciding(ctx context.Context, r host.Reader, o Options) map[string]string {
	files := map[string]string{}
	for path, digest := range keyed(ctx, r, o).files {
		if path != "" {
			files[redact.Text(path)] = digest
		}
	}
	return files
}

// EvidenceOf is what the report of a run rests on, but for what its caller knows:
// Version, Strict, and the Files of before the run (Deciding).
func EvidenceOf(ctx context.Context, r host.Reader, o Options, rep Report, l *Rehearsal) Evidence {
	f, sys := Facts(ctx, r, o), r.System()
	kernel, _ := r.Read(filepath.Join(sys.Root, kernelFiles[0])) // absent on macOS
	e := Evidence{At: sys.Now().UTC().Truncate(time.Second), Verdict: rep.Verdict,
		Project: redact.Text(gitrepo.RootOf(ctx, r, o.Project)), Machine: Machine{OS: f.OS, Distro: f.Distro,
			Kernel: strings.TrimSpace(string(kernel)), Root: sys.UID == 0, Runtime: f.Runtime, Tools: map[string]string{}}}
	for _, tool := range []proc.Tool{proc.Bubblewrap, proc.Socat} {
		e.Machine.Tools[string(tool)], _ = pins.Reported(string(tool), string(r.Run(ctx, proc.Version(tool)).Stdout))
	}
	for _, f := range rep.Findings {
		f = redacted(f)
		f.Remedies = nil // they are for who was there
		e.Findings = append(e.Findings, f)
	}
	if err := l.Wait(nil); err != nil {
		e.Untested = redact.Text(err.Error())
		return e
	}
	_ = fs.Map(l.plan.found.Path, func(b []byte) error {
		e.Machine.RuntimeDigest = fmt.Sprintf("%x", sha256.Sum256(b))
		return nil
	})
	p := l.plan
	e.Played = Played{Root: redact.Text(p.root), Tree: redact.Text(p.tree), Refused: redact.Text(p.found.Refused),
		Note: redact.Text(p.note), Clean: p.inputs.Layout.Clean != ""}
	for _, t := range p.trials {
		if t.Probes == nil {
			continue // hooks fire or not by the settings of that machine
		}
		s := Session{Name: t.Session.Name, Launch: t.Session.Launch, Mode: t.Session.Mode,
			Dir: redact.Text(t.Session.Dir), Probes: withoutSecrets(t.Probes), More: withoutSecrets(t.More),
			Raw: t.Raw.Redacted()}
		if at, yes := p.forceOf(s.Name).Proxied(s.Launch); yes {
			s.Proxied = &report.Evidence{Kind: at.Kind, Where: redact.Text(at.Where), Text: redact.Text(at.Text)}
		}
		switch {
		case t.Err != nil:
			s.Failed = redact.Text(t.Err.Error())
		case s.Name != Twin:
			s.Judged = judgements(l.Outcomes(s.Name))
		}
		e.Played.Sessions = append(e.Played.Sessions, s)
	}
	return e
}

// withoutSecrets are calls as a transcript has their replies.
func withoutSecrets(probes []trial.Probe) []trial.Probe {
	var doc struct{ Calls []trial.Probe }
	doc.Calls = probes
	b, _ := json.Marshal(doc) // strings, numbers and lists of them always encode
	doc.Calls = nil
	_ = json.Unmarshal([]byte(rehearsal.RedactLine(string(b))), &doc) // Evidence.File sees what was lost
	return doc.Calls
}

func judgements(outcomes []trial.Outcome) (list []Judgement) {
	for _, o := range outcomes {
		list = append(list, Judgement{o.ID, o.Layer, o.Status, redact.Text(o.Why)})
	}
	return list
}

// envelope is the file; Digest is that of the bytes of Body, as they are.
type envelope struct {
	SchemaVersion int             `json:"schema_version"`
	Kind          string          `json:"kind"`
	Digest        report.Digest   `json:"digest"`
	Body          json.RawMessage `json:"body"`
}

// File is the evidence as a file that ReadEvidence reads. The error says why what
// would be written is not what was judged: then nothing is.
func (e Evidence) File() ([]byte, error) {
	body, err := json.MarshalIndent(e, " ", " ")
	if err != nil {
		return nil, fmt.Errorf("the evidence: %w", err)
	}
	body = redact.JSON(body)
	file := fmt.Appendf(nil, "%s\n \"digest\": %q,\n \"body\": %s\n}\n", engine.Evidence.Head, report.DigestOf(body), body)
	again, err := ReadEvidence("", file)
	if err == nil {
		if _, differs := again.Judge(); differs != nil {
			err = errors.New(differs[0].Text)
		}
	}
	if err != nil {
		return nil, &report.Error{Code: report.ExitLeft, Err: err, Why: engine.StillValid,
			What: "the evidence is not written: without secrets its calls show another result"}
	}
	return file, nil
}

// recordedForce is what the judgement asks of the settings that were in force: which
// setting lets a call through was said then.
type recordedForce struct {
	proxied map[report.Launch]report.Evidence
}

func (recordedForce) Inputs() trial.Inputs                      { return trial.Inputs{} }
func (recordedForce) Named() []string                           { return nil }
func (recordedForce) Opens(trial.Probe, report.Launch) []Opener { return nil }
func (recordedForce) ByMode(string) (by Opener, ok bool)        { return by, false }

func (f recordedForce) Proxied(l report.Launch) (at report.Evidence, ok bool) {
	at, ok = f.proxied[l]
	return at, ok
}

// rehearsal is the recorded one, as if it had just been played.
func (e Evidence) rehearsal() *Rehearsal {
	force, beside := map[report.Launch]report.Evidence{}, map[report.Launch]report.Evidence{}
	l := NewRehearsal()
	l.plan = sessionPlan{root: e.Played.Root, tree: e.Played.Tree, note: e.Played.Note, force: recordedForce{force},
		beside: recordedForce{beside}, found: Found{Refused: e.Played.Refused}}
	if e.Played.Clean {
		l.plan.inputs.Layout.Clean = "clean"
	}
	for _, s := range e.Played.Sessions {
		t := trial.New(rehearsal.Session{Name: s.Name, Launch: s.Launch, Mode: s.Mode, Dir: s.Dir}, s.Probes, s.More...)
		t.Raw, t.Played = s.Raw, true
		if t.Err = t.Raw.Complete(); t.Err == nil && s.Failed != "" {
			t.Err = errors.New(s.Failed)
		}
		l.plan.trials = append(l.plan.trials, t)
		if s.Proxied != nil {
			in := force
			if s.Name == PlainOther {
				in = beside
			}
			in[s.Launch] = *s.Proxied
		}
	}
	if e.Untested != "" {
		l.err = errors.New(e.Untested)
	}
	close(l.done)
	close(l.steps)
	return l
}

// Judge is the report, judged again: what was denied by the recorded calls, the verdict
// by the findings. differs is what the file says otherwise.
func (e Evidence) Judge() (rep Report, differs []report.Evidence) {
	l := e.rehearsal()
	told := engine.CheckOf("denials", nil)
	var again report.Finding
	switch {
	case l.err != nil:
		again = NotRehearsed(l.err)
	case e.Machine.Root && e.Machine.OS == "linux":
		again = asRoot(l.denials())
	default:
		again = l.denials()
	}
	again.Check, again.Layer, again.Remedies = told.ID, told.Layer, nil
	again = again.Complete() // of no session nothing was seen
	differ := func(where, was, is string) {
		if was != is {
			differs = append(differs, report.EnvEvidence(where, fmt.Sprintf("the file says %s, its calls show %s",
				cmp.Or(was, "nothing"), cmp.Or(is, "nothing"))))
		}
	}
	for _, s := range e.Played.Sessions {
		if s.Name == Twin || l.Session(s.Name).Err != nil {
			continue
		}
		for i, is := range judgements(l.Outcomes(s.Name)) {
			var was Judgement
			if i < len(s.Judged) {
				was = s.Judged[i]
			}
			differ(s.Name+" · "+is.Call, said(was), said(is))
		}
	}
	findings := slices.Clone(e.Findings)
	if i := slices.IndexFunc(findings, func(f report.Finding) bool { return f.Check == told.ID }); i >= 0 {
		differ(string(told.ID), gist(findings[i]), gist(again))
		again.Duration, findings[i] = findings[i].Duration, again
	} else {
		differ(string(told.ID), "", gist(again))
		findings = append(findings, again)
	}
	rep = judged(findings, e.Strict)
	rep.Live, rep.From = string(Always), engine.FromNowhere
	if l.err == nil {
		rep.From = engine.FromFile
	}
	differ("verdict", string(e.Verdict), string(rep.Verdict))
	return rep, differs
}

func said(j Judgement) string { return strings.TrimSpace(string(j.Status) + " " + string(j.Layer)) }

// gist is what of a finding decides about a verdict and where it holds.
func gist(f report.Finding) string {
	said := string(f.Status)
	if f.Voids {
		said += ", voids"
	}
	for _, l := range f.Launches {
		said += fmt.Sprintf(", %s %s %t", l.Launch, l.Status, l.Voids)
	}
	for _, c := range f.Covers {
		said += fmt.Sprintf(", %s %s %s %d/%d", c.Launch, c.Start, c.Status, c.Through, c.Denied)
	}
	return said
}
