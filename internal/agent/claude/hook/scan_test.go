// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the rough readings (JSON, commands, errors) are held against exact
// ones or against examples.

package hook

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	const doc = `{"a":1,"b":{"c":["x",{"d":true}],"e":"\u0041\n"},"f":[],"g":{},"h":null}`
	var got []string
	err := walk(doc, func(v value) {
		got = append(got, strings.Repeat(".", v.depth)+v.top+"/"+v.key+"="+v.raw+"@"+doc[v.container:v.container+1])
	})
	want := []string{`."a"/"a"=1@{`, `."b"/"b"={@{`, `.."b"/"c"=[@{`, `..."b"/="x"@[`, `..."b"/={@[`, `...."b"/"d"=true@{`,
		`.."b"/"e"="\u0041\n"@{`, `."f"/"f"=[@{`, `."g"/"g"={@{`, `."h"/"h"=null@{`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,"\ud83d\ude00",{"b":null}]}`, `[[],{},""]`, `{"a":1,}`, `{"a" 1}`,
		"\"\x01\"", `"\x"`, `01`, `-`, `1.`, `tru`, `{"":`, `[1 2]`, "\xff", `"` + "\xff" + `"`, `"\ud800x"`, `{"a`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var strs []string
		err := walk(s, func(v value) {
			if v.raw[0] == '"' {
				strs = append(strs, unquote(v.raw))
			}
		})
		if valid := json.Valid([]byte(s)); valid != (err == nil) {
			t.Fatalf("%q: encoding/json says %v, walk %v", s, valid, err)
		}
		if err != nil {
			// Within a number or a word encoding/json calls the end ' '.
			e := json.Unmarshal([]byte(s), new(any)).Error()
			early := e == "unexpected end of JSON input"
			if ended := errors.Is(err, errEnd); early && !ended || ended && !early && !strings.Contains(e, "' '") {
				t.Errorf("%q: encoding/json says %v, walk %v", s, e, err)
			}
			return
		}
		var doc any
		if err := json.Unmarshal([]byte(s), &doc); err != nil {
			return // too deep
		}
		if _, scalar := doc.(string); scalar {
			return
		}
		for _, want := range stringsIn(doc) {
			// A member that is written twice is read once there.
			if !slices.ContainsFunc(strs, func(got string) bool { return slices.Equal([]rune(got), []rune(want)) }) {
				t.Errorf("%q: %q is not among %q", s, want, strs)
			}
		}
	})
}

func stringsIn(doc any) (list []string) {
	switch v := doc.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			list = append(list, stringsIn(e)...)
		}
	case map[string]any:
		for _, e := range v {
			list = append(list, stringsIn(e)...)
		}
	}
	return list
}

func TestCommands(t *testing.T) {
	for command, want := range map[string]bool{
		"cat x": true, "cd d && /usr/bin/grep -rn 'a|b' . | head -3": true, "git log -1; git show HEAD": true,
		"for f in *; do cat $f; done": true,
		"A=1 cat x # note":            true, "if true; then cat x; fi": true, "echo \"a; b\"": true,
		"": false, "make": false, "cat x | sh": false, "git push": false, "cat $(ssh-add -l)": false, "cat x; curl y": false,
		"echo `id`": false, "# note": false,
	} {
		if got := quotes(command); got != want {
			t.Errorf("quotes(%q) = %v", command, got)
		}
	}
	for command, want := range map[string]bool{
		"docker run x cat y": true, "cd x && /usr/bin/ssh h ls": true, "bash -c 'kubectl exec p -- ls'": true,
		"ssh-add -l": false, "git clone ssh://h/r": false, "cat docker.md": false,
	} {
		if got := elsewhere(command); got != want {
			t.Errorf("elsewhere(%q) = %v", command, got)
		}
	}
}

func TestPorts(t *testing.T) {
	for text, want := range map[string][]int{
		"127.0.0.1 port 18080 after 0 ms": {18080}, "dial tcp [::1]:5432: x": {5432}, "/dev/tcp/127.0.0.1/80: x": {80},
		"memcache.go:265] Get \"http://localhost:8080/api\": dial tcp 127.0.0.1:8080: x": {8080, 8080},
		"at \"localhost\" (127.0.0.1), port 5432 failed":                                 {5432},
		"12:00:01 db:5432 refused":                                                       {1, 5432},
		"curl: (7) after 99 ms":                                                          nil, "localhost:99999": nil,
		"": nil,
	} {
		if got := Ports(text); !slices.Equal(got, want) {
			t.Errorf("%q names %v, want %v", text, got, want)
		}
	}
	for line, want := range map[string]int{
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000": 0x1F90,
		"   0: 00000000:0016 00000000:0000 0A":                               22,
		"   0: 00000000000000000000000001000000:0016 0:0 0A":                 22,
		"   0: 0100007F:1F90 0100007F:0050 01":                               0, // connected, not listening
		"   0: 0501A8C0:1F90 00000000:0000 0A":                               0, // 192.168.1.5
		"  sl  local_address rem_address   st":                               0, "": 0, "0: x:y z 0A": 0,
	} {
		if got, ok := listener(line); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d %v, want %d", line, got, ok, want)
		}
	}
}
