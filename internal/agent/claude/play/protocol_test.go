// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the API is asked by net/http and by the real runtime,
// neither of which knows what it was told.

package play

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func start(t *testing.T, script ...model.Turn) *model.Server {
	t.Helper()
	s, err := Serve(script...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, s *model.Server, body string) string {
	t.Helper()
	res, err := http.Post(s.URL()+"/v1/messages?beta=true", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// request is a conversation with these tools and results.
func request(stream bool, tools []string, results ...string) string {
	type object = map[string]any
	var offered []object
	for _, name := range tools {
		offered = append(offered, object{"name": name})
	}
	messages := []object{{"role": "user", "content": "hello"}}
	for _, id := range results {
		messages = append(messages, object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id,
			"content":  []object{{"type": "text", "text": "got " + id + "\n\n<system-reminder>x</system-reminder>"}},
			"is_error": id == "toolu_0_1"}}})
	}
	b, err := json.Marshal(object{"model": "m", "stream": stream, "tools": offered, "messages": messages})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestTheScriptIsPlayedInOrder(t *testing.T) {
	s := start(t, model.Turn{model.Bash("one"), model.Bash("two")},
		model.Turn{{Tool: "Read", Input: map[string]any{"file_path": "/x"}}})
	for _, c := range []struct{ body, want, not string }{
		{request(false, []string{"Bash"}), `"command":"one"`, "Read"},
		{request(false, []string{"Bash"}, "toolu_0_0"), `"command":"two"`, "Read"},
		{request(false, []string{"Bash", "Read"}, "toolu_0_0", "toolu_0_1"), `"file_path":"/x"`, "one"},
		{request(false, []string{"Bash", "Read"}, "toolu_0_0", "toolu_0_1", "toolu_1_0"), `"end_turn"`, "tool_use"},
		{request(false, nil), `"end_turn"`, "tool_use"},
	} {
		if got := post(t, s, c.body); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s\nis answered with %s\nwant %s and not %s", c.body, got, c.want, c.not)
		}
	}
	if r, ok := s.Result(0, 1); !ok || r.Text != "got toolu_0_1" || !r.Error {
		t.Errorf("the result of the second call: %+v %v", r, ok)
	}
	if _, ok := s.Result(1, 1); ok {
		t.Error("a call that was never made has a result")
	}
	if n := len(s.Requests()); n != 5 {
		t.Errorf("%d requests were kept, want 5", n)
	}
}

func TestAStreamIsTheSameMessageInPieces(t *testing.T) {
	s := start(t, model.Turn{model.Bash("one")})
	got := post(t, s, request(true, []string{"Bash"}))
	var names []string
	for line := range strings.Lines(got) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && !json.Valid([]byte(data)) {
			t.Errorf("not JSON: %s", data)
		}
	}
	want := "message_start content_block_start content_block_delta content_block_stop message_delta message_stop"
	if strings.Join(names, " ") != want {
		t.Errorf("events %q", names)
	}
	if !strings.Contains(got, `"partial_json":"{\"command\":\"one\"`) {
		t.Errorf("no whole input in %s", got)
	}
}

// TestOtherRequestsGetAnEmptyAnswer: the runtime asks for more than messages.
func TestOtherRequestsGetAnEmptyAnswer(t *testing.T) {
	s := start(t)
	for _, method := range []string{"GET", "HEAD", "POST"} {
		req, err := http.NewRequest(method, s.URL()+"/api/hello", strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 200 || len(b) > 0 {
			t.Errorf("%s: %d %q", method, res.StatusCode, b)
		}
	}
}

func TestCloseEndsAnIdleConnection(t *testing.T) {
	s, err := Serve()
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /v1/messages HTTP/1.1\r\nContent-Le") // half a request
	s.Close()                                                 // hangs if the connection is left open
	if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
}

func FuzzHear(f *testing.F) {
	f.Add([]byte("{}"))
	f.Add([]byte(`{"messages":[{"content":[{"type":"tool_result","content":[1,{}]}]}]}`))
	f.Add([]byte(request(true, []string{"Bash"}, "toolu_0_0")))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := Claude{}.Hear(model.Request{Method: http.MethodPost, Path: "/v1/messages", Body: b})
		if m == nil {
			return
		}
		m.Results()
		m.Sandbox()
		if body, _ := m.Answer(model.Turn{model.Bash("x")}, 0); !strings.Contains(string(body), "tool_use") {
			t.Fatalf("%q is answered with %q", b, body)
		}
	})
}

// TestTheRuntimeSpeaksToIt plays a call and its result through the real
// runtime.
func TestTheRuntimeSpeaksToIt(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	home := testenv.Home(t)
	s := start(t, model.Turn{model.Bash("echo first")}, model.Turn{model.Bash("echo second; exit 3"),
		{Tool: "Read", Input: map[string]any{"file_path": filepath.Join(home, "none")}}})
	cmd := exec.Command(claude, "-p", "go", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5",
		"--allowedTools", "Bash", "Read")
	cmd.Dir = home
	cmd.Env = testenv.Env(t, home, "ANTHROPIC_BASE_URL="+s.URL(), "ANTHROPIC_API_KEY=sk-fake-000",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r, ok := s.Result(0, 0); !ok || r.Text != "first" || r.Error {
		t.Errorf("first call: %+v %v", r, ok)
	}
	if r, ok := s.Result(1, 0); !ok || !strings.HasPrefix(r.Text, "Exit code 3\nsecond") || !r.Error {
		t.Errorf("second call: %+v %v", r, ok)
	}
	if r, ok := s.Result(1, 1); !ok || !r.Error {
		t.Errorf("a file that is not there: %+v %v", r, ok)
	}
}

// TestValuesThatNobodyLookedAt: a rule decides by the value of a parameter, and the
// runtime offers the model another one.
func TestValuesThatNobodyLookedAt(t *testing.T) {
	for values, want := range map[string][]string{
		`["worktree","remote"]`:         nil,
		`["worktree"]`:                  nil,
		`["worktree","remote","cloud"]`: {"Agent.isolation=cloud"},
		`["worktree",null]`:             {"Agent.isolation=<nil>"},
	} {
		body := `{"tools":[{"name":"Agent","input_schema":{"properties":{"isolation":{"enum":` + values +
			`},"model":{"enum":["x"]}}}},{"name":"Bash"}],"messages":[]}`
		m := Claude{}.Hear(model.Request{Method: "POST", Path: "/v1/messages", Body: []byte(body)})
		if got := m.Unlooked(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", values, got, want)
		}
	}
}
