// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the recorded rehearsal is what the pinned runtime does: as
// an ordinary user, go test ./cmd/steward-setup -run RecordedRehearsal -update
// records it again.

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

const recordedFile = "../../manifests/recorded-rehearsal.json"

func TestTheRecordedRehearsalIsWhatThePinnedRuntimeDoes(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "git", "bwrap", "socat")
	home, bin := testenv.Home(t), t.TempDir()
	testenv.OK(t, os.Symlink(testenv.Claude(t), filepath.Join(bin, "claude")))
	program := filepath.Join(bin, "steward-setup")
	testenv.Build(t, program)
	cmd := exec.Command(program, "try", "--json")
	cmd.Dir = home
	cmd.Env = testenv.Env(t, home, "SHELL=/bin/bash", "PATH="+bin+":/usr/bin:/bin")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var doc struct{ Data proof }
	if err := json.Unmarshal(out, &doc); err != nil || doc.Data.Recorded || len(doc.Data.Calls) == 0 {
		t.Fatalf("nothing was rehearsed here: %v\n%s", err, doc.Data.Why)
	}
	if testenv.Update() {
		b := testenv.Must(json.MarshalIndent(doc.Data, "", " "))(t)
		testenv.Write(t, recordedFile, string(b)+"\n", 0o644)
		return
	}
	recorded := testenv.Must(recordedProof())(t)
	if recorded.Runtime != doc.Data.Runtime {
		t.Errorf("recorded with claude %s, pinned is %s", recorded.Runtime, doc.Data.Runtime)
	}
	if diff := cmp.Diff(recorded.Calls, doc.Data.Calls); diff != "" {
		t.Errorf("the recording is not what the runtime does (-recorded +now):\n%s", diff)
	}
}

func TestNoLineOfARecordingCanBeTakenForAResult(t *testing.T) {
	p := testenv.Must(recordedProof())(t)
	if p.count(blocked) != len(p.Calls) || len(p.Calls) < 100 || p.Runtime == "" {
		t.Fatalf("%d of %d calls of the recording are blocked, with claude %q", p.count(blocked), len(p.Calls), p.Runtime)
	}
	p.Why = "claude is not installed here"
	for i, line := range p.lines() {
		if i > 2 && line[:9] != "recording" {
			t.Errorf("a line of the recording does not say so: %q", line)
		}
	}
}
