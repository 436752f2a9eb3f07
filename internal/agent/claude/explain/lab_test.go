// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a throwaway home with a project, in which the real runtime
// makes calls and the program says beforehand what will come of them.

package explain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"time"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// On a stage this binary is the program.
func TestMain(m *testing.M) { os.Exit(fakeagent.Tests(sessions.Recorded(m))) }

// lab is a throwaway home with a project in it, for the real runtime.
type lab struct {
	t                   testing.TB
	home, project, away string
}

func newLab(t testing.TB) *lab {
	home := testenv.Home(t)
	l := &lab{t, home, filepath.Join(home, "p"), testenv.Home(t)}
	l.put("p/.claude/settings.json", "{}")
	return l
}

// path is a path of the lab: below the home, or, from "^/", outside of it.
func (l *lab) path(p string) string {
	if rest, ok := strings.CutPrefix(p, "^/"); ok {
		return filepath.Join(l.away, rest)
	}
	return filepath.Join(l.home, p)
}

func (l *lab) put(p, text string) {
	l.t.Helper()
	path := l.path(p)
	testenv.Write(l.t, path, text, 0o644)
}

// settings writes a settings file; "^" in a string is the place outside.
func (l *lab) settings(p string, doc any) {
	l.t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		l.t.Fatal(err)
	}
	l.put(p, strings.NewReplacer("^", l.away, "HOME", l.home).Replace(string(b)))
}

// reader is the machine as the program sees it, started in the project.
func (l *lab) reader() host.Reader {
	l.t.Helper()
	h, err := host.New(env.System{Env: env.New(testenv.Env(l.t, l.home)), GOOS: "linux", GOARCH: "amd64", UID: os.Getuid(),
		GID: os.Getgid(), Cwd: l.project, Now: time.Now})
	if err != nil {
		l.t.Fatal(err)
	}
	return h
}

// start is a start of plain claude in the project.
func (l *lab) start() *access.Start { return access.Plain(l.t.Context(), l.reader(), l.project) }

// trust has the project trusted: the runtime takes its rules and directories then.
func (l *lab) trust() {
	l.settings(".claude.json", map[string]any{"projects": map[string]any{
		l.project: map[string]any{"hasTrustDialogAccepted": true}}})
}

// ofFile is what is said of a call of the Read or the Write tool.
func (l *lab) ofFile(s *access.Start, call model.Call) report.Ruling {
	l.t.Helper()
	q, err := access.OfPath(l.reader(), call.Input["file_path"].(string))
	if err != nil {
		l.t.Fatal(err)
	}
	rulings, _ := q.Rule(s)
	if call.Tool == "Write" {
		return ruling(l.t, rulings, access.WhoWrite, access.WriteIt)
	}
	return ruling(l.t, rulings, access.WhoRead, access.DoesRead)
}

// perMessage is how many calls a message of the model has.
const perMessage = 12

// decided is what an explanation has to say where the runtime decides so.
var decided = map[agent.Decision]report.Answer{agent.Rule: report.Denied, agent.Asked: report.Asks,
	agent.Ran: report.Allowed}

// play has the real runtime make calls, which the command line allows, and returns
// what came of each.
func (l *lab) play(calls []model.Call) []rehearsal.Call {
	l.t.Helper()
	return l.playAsked(calls, "--allowedTools=Bash,Read,Edit,Write")
}

// playAsked has the real runtime make calls, and returns what came of each.
func (l *lab) playAsked(calls []model.Call, args ...string) []rehearsal.Call {
	l.t.Helper()
	var turns []model.Turn
	for i, c := range calls {
		if i%perMessage == 0 {
			turns = append(turns, nil)
		}
		turns[len(turns)-1] = append(turns[len(turns)-1], c)
	}
	p := sessions.Play(l.t, sessions.Session{Claude: testenv.Claude(l.t), Home: l.home, Dir: "p", Script: turns,
		Args: append([]string{"--output-format", "stream-json", "--verbose"}, args...)})
	defer p.Close()
	raw := rehearsal.Raw{Stream: p.Out, Results: map[string]model.Result{}}
	list := make([]rehearsal.Call, len(calls))
	for i := range calls {
		if r, ok := p.Result(i/perMessage, i%perMessage); ok {
			raw.Results[model.ID(i/perMessage, i%perMessage)] = r
		}
	}
	for i := range calls {
		list[i] = raw.Call(i/perMessage, i%perMessage)
	}
	return list
}

// tryFiles is one command that reads files, and then writes at the
// end of others.
const tryFiles = `python3 - <<'EOF'
n=0
def said(what):
    global n
    print("TRIED",n,what)
    n+=1
for f in "%s".split():
    try: said(open(f).read()[:7])
    except OSError as e: said(e)
for f in "%s".split():
    try: said(open(f,"a").write("ARRIVED"))
    except OSError as e: said(e)
EOF`

// tried is what came of a file: whether it was read, or what was written is there, and
// what a command was told.
type tried struct {
	path, said string
	through    bool
}

// try has a command of the real runtime read files, and then write others.
func (l *lab) try(reads, writes []string) (list []tried) {
	l.t.Helper()
	for _, name := range slices.Concat(reads, writes) {
		list = append(list, tried{path: l.path(name)})
	}
	paths := func(list []tried) (text string) {
		for _, f := range list {
			text += f.path + " "
		}
		return strings.TrimSpace(text)
	}
	line := fmt.Sprintf(tryFiles, paths(list[:len(reads)]), paths(list[len(reads):]))
	text := l.play([]model.Call{model.Bash(line)})[0].Text
	for i := range list {
		f := &list[i]
		_, said, was := strings.Cut(text, fmt.Sprintf("TRIED %d ", i))
		if !was {
			l.t.Fatalf("%s was not tried: %s", f.path, text)
		}
		f.said, _, _ = strings.Cut(said, "\n")
		f.through = !strings.HasPrefix(f.said, "[Errno")
		if i >= len(reads) {
			b, _ := os.ReadFile(f.path) // what is not there did not arrive
			f.through = strings.HasSuffix(string(b), "ARRIVED")
		}
	}
	return list
}

// ruling finds what an explanation says of who does what.
func ruling(t testing.TB, list []report.Ruling, who, does string) report.Ruling {
	t.Helper()
	for _, r := range list {
		if r.Who == who && r.Does == does {
			return r
		}
	}
	t.Fatalf("nothing is said of whether %s %s: %+v", who, does, list)
	return report.Ruling{}
}
