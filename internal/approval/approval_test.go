// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestLaunchesAreKeptByProject(t *testing.T) {
	s := Set{SchemaVersion: 1, ProjectRoots: []string{"/x"}}
	s = s.WithPolicy("/b/.git", "sha256:1").WithPolicy("/a/.git", "sha256:2").WithItem("/b/.git",
		"sha256:9").WithItem("/b/.git", "sha256:3")
	s = s.WithPolicy("/b/.git", "sha256:4").WithPolicy("/b/.git", "sha256:1").WithItem("/b/.git", "sha256:3")
	s = s.WithRoot("/a/.git", "/a").WithRoot("/b/.git", "/b").WithRoot("/none", "/c")
	const want = `{
  "schema_version": 1,
  "project_roots": [
    "/x"
  ],
  "launches": [
    {
      "project": "/a/.git",
      "roots": [
        "/a"
      ],
      "policy": "sha256:2"
    },
    {
      "project": "/b/.git",
      "roots": [
        "/b"
      ],
      "policy": "sha256:1",
      "items": [
        "sha256:3",
        "sha256:9"
      ]
    }
  ]
}
`
	if got := string(s.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, err := Parse("approvals.json", s.Bytes())
	if err != nil || string(again.Bytes()) != want {
		t.Errorf("read back: %v\n%s", err, again.Bytes())
	}
	for d, want := range map[report.Digest]bool{"sha256:1": true, "sha256:2": false, "sha256:4": false, "sha256:9": false,
		"": false} {
		if got := again.Of("/b/.git").Policy(d); got != want {
			t.Errorf("policy %q approved %v, want %v", d, got, want)
		}
	}
	if l := again.Of("/b/.git"); !l.Item("sha256:3") || l.Item("sha256:1") || again.Of("/c").Policy("sha256:1") {
		t.Errorf("%+v", l)
	}
}

// TestWhatIsNotUnderstoodApprovesNothing.
func TestWhatIsNotUnderstoodApprovesNothing(t *testing.T) {
	for _, text := range []string{"", "{", `{"schema_version":2}`, `{"schema_version":1,"launches":[{"projects":"x"}]}`,
		`{"schema_version":1,"everything":true}`} {
		if s, err := Parse("approvals.json", []byte(text)); err == nil || len(s.Launches) > 0 {
			t.Errorf("%q is understood: %+v", text, s)
		}
	}
}

// TestApprovalsOfBeforeHaveRoots: one that was written without roots is found
// by the directory that its git directory lies in.
func TestApprovalsOfBeforeHaveRoots(t *testing.T) {
	s := testenv.Must(Parse("approvals.json", []byte(`{"schema_version":1,"launches":[{"project":"/a/.git","policy":"sha256:1"},
		{"project":"/a/.git//sub/x","policy":"sha256:2"},{"project":"/d","policy":"sha256:3"},{"project":"/a/.git/modules/m","policy":"sha256:4"}]}`)))(t)
	for root, want := range map[string]report.Digest{"/a": "sha256:1", "/a/sub/x": "sha256:2", "/d": "sha256:3",
		"/a/sub": "", "/a/.git/modules/m": "", "/": ""} {
		if l, ok := s.At(root); l.PolicyDigest != want || ok != (want != "") {
			t.Errorf("%s: %+v %v, want %s", root, l, ok, want)
		}
	}
}

// TestADirectoryIsTheRootOfOneProject: what was approved there before it
// became another repository does not come back with it.
func TestADirectoryIsTheRootOfOneProject(t *testing.T) {
	s := Set{}.WithPolicy("/d", "sha256:1").WithRoot("/d", "/d").WithPolicy("/d/.git", "sha256:2").WithRoot("/d/.git",
		"/d")
	if l, _ := s.At("/d"); l.PolicyDigest != "sha256:2" || s.Of("/d").Approved() {
		t.Errorf("%+v", s.Launches)
	}
}

func TestWholeUserIsKeptBesideRepositories(t *testing.T) {
	s, err := Parse("a", []byte(`{"schema_version":1,"whole_user":true}`))
	if err != nil || !s.WholeUser || s.RootsIn("/x/.git") || s.Empty() {
		t.Errorf("%+v, %v", s, err)
	}
	s.WholeUser = false
	if !s.Empty() {
		t.Error("nothing is approved, and it is not empty")
	}
}
