// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEveryUserRunsEveryPackage(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		for _, err := range []error{os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	packages := ""
	for name, words := range map[string]string{"good": "PASS", "bad": "FAIL", "unbuilt": ""} {
		put(name+"/x_test.go", "", 0o644)
		packages += fmt.Sprintf("m/%s %s/%[1]s\n", name, dir)
		if words != "" {
			put("bin/"+name+".test", fmt.Sprintf("#!/bin/sh\necho '=== RUN   Test'$USER_OF\n"+
				"echo '--- %s: Test'$USER_OF' (0.25s)'\necho %[1]s\n[ %[1]s = PASS ]\n", words), 0o755)
		}
	}
	put("as-user", "#!/bin/sh\nexport USER_OF=Nobody\nexec \"$@\"\n", 0o755)
	t.Setenv("USER_OF", "Root")
	var out, kept strings.Builder
	err := run(strings.NewReader(packages), &out, &kept, filepath.Join(dir, "bin"), before{},
		[]string{"root", "user:" + dir + "/as-user", "gone:" + dir + "/no-such-program"})
	if !errors.Is(err, errFailed) {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(kept.String()) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0] != spentBy {
			got = append(got, f[0]+" "+f[2])
		}
		if strings.Contains(f[2], "Test") && f[1] != "0.25" {
			t.Errorf("a test of a quarter of a second: %q", line)
		}
	}
	slices.Sort(got)
	want := []string{"failed gone: bad", "failed gone: good", "failed gone: unbuilt", "failed root: bad TestRoot",
		"failed root: unbuilt",
		"failed user: bad TestNobody", "failed user: unbuilt", "passed root: good TestRoot", "passed user: good TestNobody"}
	if !slices.Equal(got, want) {
		t.Errorf("kept: %q\nshown:\n%s", got, out.String())
	}
	for _, says := range []string{"m/unbuilt: its tests were not built", "ok  \tm/good\t", "\tuser\n"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("no %q in\n%s", says, out.String())
		}
	}
}

func TestWhatWaitsComesFirstThenTheLargest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "1", "b": strings.Repeat("b", 100), "c": strings.Repeat("c", 50),
		"d": "\ttestenv.MostlyWait()\n"} {
		file := filepath.Join(dir, name, "x_test.go")
		if err := cmp.Or(os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	packages := fmt.Sprintf("a %s/a\nb %[1]s/b\nc %[1]s/c\nd %[1]s/d\n", dir)
	jobs, err := jobsOf(strings.NewReader(packages), []string{"root", "user:p"})
	if err != nil {
		t.Fatal(err)
	}
	order := ""
	for _, j := range jobs {
		order += j.path + j.who + " "
	}
	if order != "droot duser broot buser croot cuser aroot auser " {
		t.Error(order)
	}
	if _, err := jobsOf(strings.NewReader("a "+dir+"/nowhere\n"), []string{"root"}); err == nil {
		t.Error("a package without tests is none")
	}
}
