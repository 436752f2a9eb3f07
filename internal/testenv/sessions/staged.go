// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session that the program plays on a stage counts as one
// that a test plays itself. What it answers depends on what it is started with,
// which is the stage's whole layout, and on what is mounted there.

package sessions

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
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
	if text, ok := staged(s); ok && !c.live {
		l = layoutOf(text)
	}
	kept := l.find()
	if kept != nil && !l.due(time.Now()) {
		countRead(c.t)
		now := time.Now()
		return proc.Result{Line: s.String(), Stdout: []byte(l.in.Replace(kept.Out)), Stderr: []byte(l.in.Replace(kept.Err)),
			Began: now, Ended: now}
	}
	Count(c.t)
	if l == nil {
		return c.Reader.Run(ctx, s)
	}
	l.atEnd(c.t)
	res := c.Reader.Run(ctx, s)
	if res.OK() && !claude.SandboxCameLate(string(res.Stdout)) {
		l.settle(c.t, kept, answer{Test: c.t.Name(), Played: time.Now(), Out: l.out.Replace(string(res.Stdout)),
			Err: l.out.Replace(string(res.Stderr))}, differStaged)
	}
	return res
}

// startedHere is which argument of a stage's bwrap is the program that it starts.
const startedHere = 3

// staged is what a session on a stage is started with, and what is mounted there;
// ok is false where more takes part: a machine that the stage would show, a clock.
// What a Spec holds is for its own package alone; nothing of the program needs it.
func staged(s proc.Spec) (text string, ok bool) {
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
	if json.Unmarshal(input, &job) != nil || json.Unmarshal(input, &started) != nil || started.Session.Timed {
		return "", false
	}
	if !slices.ContainsFunc([]string{"/tmp/", "/var/tmp/"}, func(dir string) bool {
		return strings.HasPrefix(temporary()+"/", dir)
	}) {
		return "", false
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
			out.WriteString(os.Getenv(player))
		case bwrap[i+1] == self && sum(from) == sum(os.Getenv("STEWARD_TEST_BINARY")):
			out.WriteString(os.Getenv(program)) // its bytes hold the commit
		case !tree(&out, from, false):
			return "", false
		}
	}
	return out.String(), true
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

// differStaged says in what two answers differ that is judged: what a session on a
// stage came to (rehearsal.Raw), and of its stream the decisions; the rest of that,
// and its standard error, hold times and numbers of the runtime's own.
func differStaged(kept, played answer) string {
	var was, is map[string]any
	for text, into := range map[string]*map[string]any{kept.Out: &was, played.Out: &is} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return err.Error()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] == nil {
			return name + " is missing"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if name == "stderr" {
			continue
		}
		a, b := steadily(was[name]), steadily(is[name])
		if name == "stream" {
			a, b = steadily(decisions(was[name])), steadily(decisions(is[name]))
		}
		if a != b {
			return fmt.Sprintf("%s: it was %s, it is %s", name, around(a, b), around(b, a))
		}
	}
	return ""
}

// decisions are what the stream says of permissions, of hooks and of its end.
func decisions(stream any) (list []any) {
	text, _ := stream.(string)
	for line := range strings.Lines(text) {
		var d map[string]any
		if json.Unmarshal([]byte(line), &d) != nil {
			continue // the runtime prints what is no document, too
		}
		switch {
		case d["type"] == "result":
			d = map[string]any{"subtype": d["subtype"], "is_error": d["is_error"], "denials": d["permission_denials"]}
		case d["subtype"] == "hook_response", d["subtype"] == "permission_denied":
			for _, own := range []string{"uuid", "session_id", "hook_id"} {
				delete(d, own)
			}
		default:
			continue
		}
		list = append(list, d)
	}
	return list
}

// anew are dates, and words with digits in them: ids, keys, addresses, times, and
// what else a program makes anew in every run. Words of ours (words) stay.
var anew = regexp.MustCompile(`«[^»]*»|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT|` +
	`\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +[0-9]{1,2}\b|` +
	`[A-Za-z0-9+/=_.:-]*[0-9][A-Za-z0-9+/=_.:-]*( ?ms\b)?|\btmp\.[A-Za-z]+`)

// stays is a number such as an exit code or a status of HTTP, a call, a word of ours.
var stays = regexp.MustCompile(`^([0-9]{1,3}|toolu_.*|«.*)$`)

// steady is a text without what is made anew.
func steady(text string) string {
	return anew.ReplaceAllStringFunc(text, func(word string) string {
		if stays.MatchString(word) {
			return word
		}
		return "…"
	})
}

// steadily is a value as text, without what is made anew and in one order: calls of
// one turn run beside each other, and a program like Chromium writes the same lines
// in another order and number.
func steadily(v any) string {
	var texts []string
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, name+": "+steadily(v[name]))
		}
		return strings.Join(texts, "\n")
	case []any:
		for _, e := range v {
			texts = append(texts, steadily(e))
		}
	case string:
		// Chromium's log has a place and a time in brackets, and more or fewer lines.
		texts = slices.DeleteFunc(strings.Split(steady(v), "\n"), func(l string) bool { return strings.HasPrefix(l, "[…]") })
	default:
		texts = []string{steady(fmt.Sprint(v))}
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "\n")
}

// around is the part of a that differs from b.
func around(a, b string) string {
	const wide = 100
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return fmt.Sprintf("%q", a[max(0, at-wide):min(len(a), at+wide)])
}
