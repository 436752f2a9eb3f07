// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const events = `{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"nobody wants this\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood","Elapsed":2.5}
{"Action":"output","Package":"m/a","Test":"TestOther","Output":"    half.go:1: run by the other user\n"}
{"Action":"skip","Package":"m/a","Test":"TestOther","Elapsed":0}
{"Action":"output","Package":"m/a","Test":"TestSkipped","Output":"    x_test.go:9: zsh is not installed\n"}
{"Action":"skip","Package":"m/a","Test":"TestSkipped","Elapsed":0}
{"Action":"output","Package":"m/a","Test":"TestBad/sub","Output":"    x_test.go:7: it is wrong\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad/sub","Elapsed":1}
{"Action":"fail","Package":"m/a","Test":"TestBad","Elapsed":1}
{"Action":"fail","Package":"m/a","Elapsed":4}
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1: undefined: x\n"}
{"ImportPath":"m/b","Action":"build-fail"}
{"Action":"fail","Package":"m/b","Elapsed":0,"FailedBuild":"m/b"}
{"Action":"output","Package":"m/c","Test":"TestPanics","Output":"panic: boom\n"}
{"Action":"output","Package":"m/c","Output":"exit status 2\n"}
{"Action":"fail","Package":"m/c","Elapsed":1}
no event
`

func TestWhatIsShownAndKept(t *testing.T) {
	var shown, kept strings.Builder
	if err := newReader(&shown, &kept, "root").read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"it is wrong", "--- FAIL: TestBad/sub", "skipped: TestSkipped zsh is not installed",
		"undefined: x", "panic: boom",
		"FAIL\tm/a\t4.0s\troot", "FAIL\tm/b", "FAIL\tm/c"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("no %q is shown in:\n%s", want, shown.String())
		}
	}
	if strings.Contains(shown.String(), "nobody wants this") || strings.Contains(shown.String(), "TestOther") {
		t.Errorf("shown:\n%s", shown.String())
	}
	want := "passed\t2.50\troot: a TestGood\nskipped\t0.00\troot: a TestSkipped\nfailed\t1.00\troot: a TestBad/sub\n" +
		"failed\t1.00\troot: a TestBad\n" +
		"failed\t0.00\troot: b\nfailed\t1.00\troot: c\n"
	if kept.String() != want {
		t.Errorf("kept:\n%swant:\n%s", kept.String(), want)
	}
}

func TestTheSummaryFailsWhereAnythingFailed(t *testing.T) {
	dir := t.TempDir()
	for text, fails := range map[string]bool{"passed\t2.50\ta TestGood\npassed\n": false, "passed\nfailed\n": true,
		"passed\nfailed\t1\ta TestBad\n": true, "": true} {
		kept, sessions := filepath.Join(dir, "kept"), filepath.Join(dir, "sessions")
		for path, content := range map[string]string{kept: text,
			sessions: "new\troot: TestX\nlive\tuser: TestX\nread\troot: TestX\nrecorded\tuser: TestX\nnew\troot: TestX\n"} {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		if err := summarise(&out, kept, sessions); (err != nil) != fails ||
			!strings.Contains(out.String(),
				"3 sessions of the runtime were played, 1 read, and 1 recordings; they were played because:\n"+
					"       2    new\n       1    live\nmost were played by:\n       2    root: TestX\n"+
					"       1    user: TestX\n") {
			t.Errorf("%q: %v\n%s", text, err, out.String())
		}
	}
}

func TestATestIsAsSlowAsItsParallelParts(t *testing.T) {
	got := map[string]float64{}
	for _, r := range whole(map[string]float64{"a": 0, "a/x": 2, "a/y": 0, "a/y/deep": 3, "serial": 4, "serial/one": 4}) {
		got[r.name] = r.seconds
	}
	if len(got) != 2 || got["a"] != 5 || got["serial"] != 4 {
		t.Errorf("%v", got)
	}
}
