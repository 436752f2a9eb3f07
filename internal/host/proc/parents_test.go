// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"encoding/binary"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// asChild makes this binary print what it finds above itself.
const asChild = "STEWARD_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		for p := range Parents(2) {
			os.Stdout.WriteString(strings.Join(p.Args(), "|") + "\n")
		}
		return
	}
	os.Exit(m.Run())
}

func TestParentsAreTheNearestFirst(t *testing.T) {
	self := testenv.Must(os.Executable())(t)
	// The shell stays between: it has something left to do.
	cmd := exec.Command("/bin/sh", "-c", asChild+`=1 "$0"; exit 0`, self, "a b", "--settings={}")
	out := testenv.Must(cmd.Output())(t)
	lines := strings.Split(string(out), "\n")
	if want := strings.Join(cmd.Args, "|"); lines[0] != want {
		t.Errorf("the nearest is %q, want %q", lines[0], want)
	}
	if want := strings.Join(os.Args, "|"); len(lines) != 3 || lines[1] != want {
		t.Errorf("above it is %q, want %q", lines[1:], want)
	}
	nearest := Parents(1)
	if first, again := slices.Collect(nearest), slices.Collect(nearest); len(first) != 1 || !slices.Equal(first, again) {
		t.Errorf("the nearest is %v, and then %v", first, again)
	}
	all := slices.Collect(Parents(100))
	if len(all) == 0 || int(all[0]) != os.Getppid() || slices.Contains(all, Parent(os.Getpid())) {
		t.Errorf("above this process are %v", all)
	}
}

// FuzzProcargs2: macOS answers in a form of its own, whose count is foreign.
func FuzzProcargs2(f *testing.F) {
	answer := func(count uint32, text string) []byte {
		return append(binary.NativeEndian.AppendUint32(nil, count), text...)
	}
	f.Add(answer(2, "/bin/x\x00\x00\x00x\x00a b\x00HOME=/h\x00"))
	f.Add(answer(1<<31, "/bin/x\x00x\x00"))
	f.Add([]byte{1})
	if got := procargs2(answer(3, "/bin/x\x00\x00\x00\x00x\x00a b\x00\x00HOME=/h\x00")); !slices.Equal(got,
		[]string{"x", "a b", ""}) {
		f.Fatalf("%q", got)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, arg := range procargs2(b) {
			if strings.ContainsRune(arg, 0) || !strings.Contains(string(b), arg) {
				t.Fatalf("%q is no argument of %q", arg, b)
			}
		}
	})
}
