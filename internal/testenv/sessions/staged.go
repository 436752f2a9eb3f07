// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session that the program plays on a stage counts as one
// that a test plays itself. What it answers depends on what it is started with,
// which is the stage's whole layout, and on what is mounted there.

package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
)

// Counted is r, with each session that is played on a stage counted, or read from
// an earlier run.
func Counted(t testing.TB, r host.Reader) host.Reader { return counted{r, t, false} }

// Live is r, with each session that is played on a stage counted, and none read:
// for tests that look at the machine beside the stage, which is no answer.
func Live(t testing.TB, r host.Reader) host.Reader { return counted{r, t, true} }

type counted struct {
	host.Reader
	t    testing.TB
	live bool
}

func (c counted) Run(ctx context.Context, s proc.Spec) proc.Result {
	if !strings.Contains(s.String(), " stage enter ") { // proc.Stage
		return c.Reader.Run(ctx, s)
	}
	var l *layout
	text, why := staged(s)
	switch {
	case c.live:
		why = "the test looks at the machine beside it"
	case why == "":
		l, why = layoutOf(text), notKept
	}
	kept := l.known(c.t)
	if kept != nil && !l.due(*kept, time.Now()) {
		count(c.t, kept.from())
		l.tell(c.t, *kept)
		c.t.Cleanup(func() { l.end(c.t) })
		now := time.Now()
		return proc.Result{Line: s.String(), Stdout: []byte(l.in.Replace(kept.Out)), Stderr: []byte(l.in.Replace(kept.Err)),
			Began: now, Ended: now}
	}
	if l == nil {
		count(c.t, why)
		return c.Reader.Run(ctx, s)
	}
	count(c.t, kept.why())
	c.t.Cleanup(func() { l.end(c.t) })
	res := c.Reader.Run(ctx, s)
	if res.OK() && !claude.SandboxCameLate(string(res.Stdout)) {
		l.settle(c.t, kept, answer{Test: c.t.Name(), Played: time.Now(), Out: l.out.Replace(string(res.Stdout)),
			Err: l.out.Replace(string(res.Stderr))}, stagedJudged)
		if l.settled != nil {
			l.tell(c.t, *l.settled)
		}
	}
	return res
}

// startedHere is which argument of a stage's bwrap is the program that it starts.
const startedHere = 3

// staged is what a session on a stage is started with, and what is mounted there;
// why is not "" where more takes part: a machine that the stage would show, a clock.
// What a Spec holds is for its own package alone; nothing of the program needs it.
func staged(s proc.Spec) (text, why string) {
	v := reflect.ValueOf(s)
	args, fds := v.FieldByName("args"), v.FieldByName("fds")
	var started struct {
		Session struct {
			Mode, Launch    string
			Terminal, Timed bool
		} `json:"session"`
	}
	var job any
	input := v.FieldByName("stdin").Bytes()
	if err := cmp.Or(json.Unmarshal(input, &job), json.Unmarshal(input, &started)); err != nil {
		return "", err.Error()
	}
	if started.Session.Timed {
		return "", "it is timed"
	}
	if !slices.ContainsFunc([]string{"/tmp/", "/var/tmp/"}, func(dir string) bool {
		return strings.HasPrefix(temporary()+"/", dir)
	}) {
		return "", "tests write in a place that a stage shows"
	}
	var out strings.Builder
	show(&out, "job", job)
	fmt.Fprintln(&out, args.Index(args.Len()-1).String(), v.FieldByName("lends").Bool())
	for i := range fds.Len() {
		fmt.Fprintf(&out, "%s\n", bytes.ReplaceAll(fds.Index(i).Bytes(), []byte{0}, []byte{'\n'}))
	}
	// Of this program, a session without hooks and without its own launch has the
	// player alone, which has a build id of its own.
	se := started.Session
	alone := se.Mode != "hooks" && se.Launch == "plain"
	bwrap := strings.Split(string(fds.Index(0).Bytes()), "\x00")
	self := ""
	for i, word := range bwrap {
		if word == "--ro-bind" && bwrap[i+2] == args.Index(startedHere).String() {
			self = bwrap[i+1]
		}
	}
	for i, word := range bwrap {
		if word != "--ro-bind" || bwrap[i+1] == "/" {
			continue
		}
		from := bwrap[i+1]
		if real, err := filepath.EvalSymlinks(from); err == nil {
			out.WriteString(from + " ")
			from = real // what is mounted is what a link leads to
		}
		switch {
		case bwrap[i+1] == self && alone:
			out.WriteString(part(ofPlayer, os.Getenv(player)))
		case bwrap[i+1] == self && !ours(from):
			out.WriteString(part(ofProgram, sum(from)))
		default:
			var mounted strings.Builder
			if !tree(&mounted, from, false) {
				return "", "a socket is mounted"
			}
			if ofSystem(from) && !ours(from) {
				out.WriteString(part(ofMachine, mounted.String()))
			} else {
				out.WriteString(mounted.String())
			}
		}
	}
	return out.String(), ""
}

// show writes a document of JSON in the order of its names, with the contents of
// files as they are.
func show(out *strings.Builder, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text, is := v[name].(string); is && name == "data" { // fs.Laid
				if b, err := base64.StdEncoding.DecodeString(text); err == nil {
					v[name] = string(index(b))
				}
			}
			show(out, filepath.Join(at, name), v[name])
		}
	case []any:
		for i, e := range v {
			show(out, fmt.Sprintf("%s/%d", at, i), e)
		}
	default:
		fmt.Fprintf(out, "%s: %v\n", at, v)
	}
}

// stagedJudged is what came of a session on a stage (rehearsal.Raw), without texts:
// whether each call failed, who was denied, which hooks ran, what was sent, asked for
// and left. Texts hold times, keys and the order of programs that run side by side.
func stagedJudged(a answer) (map[string]string, error) {
	var raw struct {
		Results        map[string]model.Result `json:"results"`
		Stream         string                  `json:"stream"`
		Exit           int                     `json:"exit"`
		Played, Asked  bool
		Failed, Status string
		Sandbox        string
		Sent, Hits     []string
		Files          map[string]string
		NotOffered     map[string]string `json:"not_offered"`
	}
	if err := json.Unmarshal([]byte(a.Out), &raw); err != nil {
		return nil, err
	}
	all := map[string]string{"the end": fmt.Sprint(raw.Exit, raw.Played, raw.Asked, raw.Failed != "", raw.Sandbox != "",
		raw.Status != "")}
	for id, r := range raw.Results {
		all[id] = fmt.Sprint("failed: ", r.Error)
	}
	for what, list := range map[string][]string{"what was sent": raw.Sent, "what was asked for": raw.Hits,
		"decisions": decisions(raw.Stream), "files": slices.Collect(maps.Keys(raw.Files)),
		"what was not offered": slices.Collect(maps.Keys(raw.NotOffered))} {
		slices.Sort(list)
		all[what] = strings.Join(slices.Compact(list), " ")
	}
	return all, nil
}

// decisions are what the stream says of permissions, of hooks and of its end.
func decisions(stream string) (list []string) {
	for line := range strings.Lines(stream) {
		var d struct {
			Type, Subtype string
			IsError       bool   `json:"is_error"`
			ID            string `json:"tool_use_id"`
			Event         string `json:"hook_event"`
			Exit          int    `json:"exit_code"`
			Denials       []struct {
				ID string `json:"tool_use_id"`
			} `json:"permission_denials"`
		}
		if json.Unmarshal([]byte(line), &d) != nil {
			continue // the runtime prints what is no document, too
		}
		switch {
		case d.Type == "result":
			list = append(list, fmt.Sprint(d.Subtype, " ", d.IsError))
			for _, denied := range d.Denials {
				list = append(list, "denied "+denied.ID)
			}
		case d.Subtype == "hook_response", d.Subtype == "permission_denied":
			list = append(list, fmt.Sprint(d.Subtype, " ", d.ID, d.Event, " ", d.Exit))
		}
	}
	return list
}
