// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
)

// With a blank in the home's path the file was never attached, in the twin neither
// (seen with 2.1.330): the call was not judged, and no such home was ever protected.
func TestAFileIsNamedAsTheRuntimeAttachesIt(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ada/notes/a.txt":   "@/home/ada/notes/a.txt",
		"/home/ada l/notes/a.txt": `@"/home/ada l/notes/a.txt"`,
	} {
		if got := toolOf(model.Do(model.Mention, "file_path", path)).Input["args"]; got != want {
			t.Errorf("%s is named %v, not %s", path, got, want)
		}
	}
}
