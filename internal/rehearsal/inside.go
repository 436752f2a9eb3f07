// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs on the stage does one session and says what it
// saw; it holds no rights, and judges nothing.

package rehearsal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// The words after "steward-setup stage" that are not the tool's.
const (
	wordEnter = "enter"
	wordPlay  = "play"
)

var errStageOnly = errors.New("this is started on a stage only")

// Inside is what this program is on a stage: the entry, the player, or the
// opaque tool that scripted calls start. It is no command for people.
func Inside(ctx context.Context, in io.Reader, out io.Writer, environ env.Env, args []string) error {
	if len(args) == 0 {
		return errStageOnly
	}
	switch args[0] {
	case wordEnter:
		return enter(args[1:])
	case wordPlay:
		return play(ctx, in, out)
	}
	words := slices.Clone(args[1:])
	for i := range words {
		words[i] = unseal(words[i])
	}
	return tool(out, environ, args[0], words)
}

// enter prepares the stage and goes on as its player, without rights.
func enter(args []string) error {
	if len(args) != 1 {
		return errStageOnly
	}
	var e proc.Entry
	if err := json.Unmarshal([]byte(args[0]), &e); err != nil {
		return err
	}
	return proc.Enter(e, stage.Self, []string{"steward-setup", "stage", wordPlay}, nil)
}

// maxWatched bounds what is read of a watched file, in bytes.
const maxWatched = 64 << 10

// play does the job that stands on in and prints what came of it.
func play(ctx context.Context, in io.Reader, out io.Writer) error {
	var j job
	if err := proc.Job(in, &j); err != nil {
		return err
	}
	if j.Session.Timed {
		proc.Adopt()
	}
	heard, err := model.Listen(j.Listen)
	if err != nil {
		return err
	}
	defer heard.Close()
	raw, err := j.do(ctx, heard)
	if err != nil {
		raw.Failed = err.Error()
	}
	if raw.Times != nil {
		raw.Times.CPU = proc.Spent()
	}
	return json.NewEncoder(out).Encode(raw)
}

// do lays the files, plays the session and gathers what there is to see.
func (j job) do(ctx context.Context, heard *model.Listener) (raw Raw, err error) {
	s := j.Session
	raw = Raw{Session: s.Name, Agent: j.Agent, Results: map[string]model.Result{}, Files: map[string]string{}}
	inside := proc.Moment()
	if err := fs.Lay(j.Files); err != nil {
		return raw, err
	}
	if s.Timed {
		raw.Times = &Times{Inside: inside, Laid: proc.Moment()}
	}
	if s.Terminal {
		return raw, j.onTerminal(ctx, heard, &raw)
	}
	api, err := model.Start(j.agent(), j.sealed()...)
	if err != nil {
		return raw, err
	}
	defer api.Close()
	raw.watch(api)
	environ := j.variables(api.URL(), "")
	runner := proc.Runner{Env: env.New(environ)}
	stop, failed := s.offer(ctx, runner, heard)
	defer stop()
	raw.NotOffered = failed
	for _, call := range s.Outside {
		var printed strings.Builder
		_ = tool(&printed, env.New(environ), call[0], call[1:]) // it prints its error
		raw.Outside = append(raw.Outside, printed.String())
	}
	if s.Status != nil {
		if res := runner.Run(ctx, proc.Status(j.Runtime, s.Dir, s.Status, environ)); res.OK() {
			raw.Status = strings.TrimSpace(string(res.Stdout))
		}
	}
	if len(s.Turns) > 0 {
		res := runner.Run(ctx, j.start(environ))
		raw.launched(res)
		raw.Stream, raw.Stderr, raw.Exit = string(res.Stdout), string(res.Stderr), res.Code
		if res.Err != nil {
			raw.Failed = res.Err.Error()
		}
	}
	raw.read(s, api, heard)
	return raw, nil
}

// variables are those of the session, and those that lead it to its model.
func (j job) variables(url, authority string) []string {
	return slices.Concat(j.Environ, j.agent().Reaches(url, authority), j.light())
}

// light are the agent's variables of a light session. Hooks do without: they are
// programs of the user's, who inherit what the agent has.
func (j job) light() []string {
	if j.Heavy || j.Session.Mode == Hooks {
		return nil
	}
	return j.agent().Light()
}

func (j job) start(environ []string) proc.Spec {
	s := j.Session
	if s.Launch == report.Iso {
		clean := j.Clean
		for _, variable := range j.light() {
			name, _, _ := strings.Cut(variable, "=")
			clean += " " + name
		}
		return proc.Wrapped(j.Self, s.Dir, j.Args, append(environ, clean))
	}
	return proc.Agent(j.Runtime, s.Dir, j.Args, environ)
}

// read gathers what is to be seen when the session is over.
func (raw *Raw) read(s Session, api *model.Server, heard *model.Listener) {
	for t, turn := range s.Turns {
		for i := range turn {
			if r, ok := api.Result(t, i); ok {
				raw.Results[model.ID(t, i)] = r
			}
		}
	}
	for _, r := range api.Requests() {
		if r.Method != "POST" {
			continue
		}
		if m := raw.agent().Hear(r); m != nil {
			raw.Sandbox = cmp.Or(raw.Sandbox, m.Sandbox())
			raw.Unlooked = report.Union(raw.Unlooked, m.Unlooked()...)
		}
		raw.Asked = true
		raw.Sent = report.Union(raw.Sent, stage.Nonces(string(r.Body))...)
	}
	raw.Hits = heard.Paths()
	if raw.Times != nil {
		raw.Times.Requests = api.Asked()
	}
	for _, path := range s.Watch {
		if b, err := fs.Read(path); err == nil {
			raw.Files[path] = string(b[:min(len(b), maxWatched)])
		}
	}
}
