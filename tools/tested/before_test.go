// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatPassedIsNotRunAgain(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		for _, err := range []error{os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	// It asks for a variable, a file of the tree and one outside, as the testing package would write it down.
	script := "#!/bin/sh\necho run >>'" + dir + "/runs'\n" +
		"for a; do case $a in -test.testlogfile=*) log=${a#*=} ;; esac; done\n[ -z \"$log\" ] || " +
		`printf '# test log\ngetenv ASKED\nopen data\nopen ../data\nstat ../none\nopen ` + dir + `/outside\n' >>"$log"` +
		"\necho '=== RUN   TestX'\necho '--- PASS: TestX (0.25s)'\n[ ! -e '" + dir + "/broken' ] && echo PASS\n"
	put("tree/p/x_test.go", "")
	put("tree/p/data", "")
	put("bin/p.test", script)
	put("own/m", "")
	put("passed/m", "")
	t.Setenv("ASKED", "a")
	b := before{dir + "/passed", "Tuesday", dir + "/own", dir + "/tree", dir + "/own/copy"}
	var said, kept strings.Builder
	again := func() (ran bool) {
		t.Helper()
		said.Reset()
		kept.Reset()
		_ = os.Remove(dir + "/runs")
		err := run(strings.NewReader("m/p "+dir+"/tree/p\n"), &said, &kept, dir+"/bin", b, []string{"root"})
		_, broken := os.Stat(dir + "/broken")
		if (err == nil) != (broken != nil) || !strings.Contains(said.String(), "m/p\t") {
			t.Fatalf("%v: %s", err, said.String())
		}
		_, err = os.Stat(dir + "/runs")
		return err == nil
	}
	if !again() || !strings.HasPrefix(kept.String(), "passed\t0.25\troot: p TestX\n") {
		t.Fatalf("the first time: %s", kept.String())
	}
	put("outside", "")
	put("own/another", "")
	if again() || !strings.HasSuffix(said.String(), "\troot\tas before\n") ||
		kept.String() != "before\t0\troot: p TestX\n" {
		t.Fatalf("said %q, kept %q", said.String(), kept.String())
	}
	for name, change := range map[string]func(){
		"a variable":          func() { t.Setenv("ASKED", "b") },
		"a file":              func() { put("tree/p/data", "b") },
		"a file that is new":  func() { put("tree/none", "") },
		"the day, the system": func() { b.system = "Wednesday" },
		"the binary":          func() { put("bin/p.test", script+"\n") },
	} {
		change()
		if !again() {
			t.Errorf("after %s changed it was not run", name)
		}
		if again() {
			t.Errorf("after %s changed it was run twice", name)
		}
	}
	put("bin/p.test", script+"\n\n")
	put("broken", "")
	for range 2 {
		if !again() {
			t.Error("what failed was not run again")
		}
	}
	if err := os.Remove(dir + "/broken"); err != nil || !again() {
		t.Error(err)
	}
	put("bin/p.test", script+"echo >>data\n")
	for range 2 {
		if !again() {
			t.Error("what changed while the tests ran counts as tested")
		}
	}
	b.dir = ""
	for range 2 {
		if !again() {
			t.Error("without a directory of what passed it was not run")
		}
	}
}

func TestWhatTestsAskForIsWrittenDown(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(os.Args[0], "-test.run=^TestAsks$", "-test.testlogfile="+log)
	cmd.Env = append(os.Environ(), "STEWARD_ASKS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	b := before{tree: filepath.Dir(here), copy: "/copy"}
	got := b.asked(string(content)+"stat /copy/a\n", here)
	for _, want := range []string{"getenv STEWARD_ASKED", "open " + here + "/main.go", "open " + here + "/none",
		"open " + filepath.Dir(here) + "/go.mod", "open " + filepath.Dir(here) + "/a"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if slices.Contains(got, "open /usr") {
		t.Errorf("what lies outside is not named: %q", got)
	}
}

// TestAsks asks, for TestWhatTestsAskForIsWrittenDown.
func TestAsks(t *testing.T) {
	if os.Getenv("STEWARD_ASKS") == "" {
		return
	}
	fmt.Println(os.Getenv("STEWARD_ASKED"))
	if _, err := os.ReadFile("main.go"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("none"); err == nil {
		t.Error("there is such a file")
	}
	t.Chdir("..")
	if _, err := os.ReadFile("go.mod"); err != nil {
		t.Error(err)
	}
	_, _ = os.Stat("/usr")
}
