// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the recorded rehearsal is what the pinned runtime does: as
// an ordinary user, go test ./cmd/steward-setup -run RecordedRehearsal -update
// records it again.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

const recordedFile = "../../manifests/recorded-rehearsal.json"

// TestTheRecordedRehearsalIsWhatThePinnedRuntimeDoes: with the runtime of a registry,
// since none is installed.
func TestTheRecordedRehearsalIsWhatThePinnedRuntimeDoes(t *testing.T) {
	t.Parallel()
	u := newBare(t, testenv.Must(os.ReadFile(testenv.Claude(t)))(t))
	before := u.tree()
	cmd := u.command("try", "--fetch-runtime", "--json")
	var aside bytes.Buffer
	cmd.Stderr = &aside
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, aside.String())
	}
	if !strings.Contains(aside.String(), "@"+pinned.Claude()+" from ") {
		t.Errorf("what is downloaded is not said:\n%s", aside.String())
	}
	var doc struct{ Data proof }
	if err := json.Unmarshal(out, &doc); err != nil || doc.Data.Recorded || len(doc.Data.Calls) == 0 {
		t.Fatalf("nothing was rehearsed here: %v\n%s", err, doc.Data.Why)
	}
	said := doc.Data.title() + "\n" + strings.Join(doc.Data.lines(), "\n")
	if !u.inCache() || !strings.HasPrefix(said, "Tested on this machine\ntested here   with claude "+pinned.Claude()) {
		t.Errorf("in the cache: %v\n%s", u.inCache(), said)
	}
	u.unchanged(before)
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
