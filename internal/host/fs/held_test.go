// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the locks are real ones of flock(2), asked about while others
// take them.

package fs

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAskingDisturbsNobody: while others ask without a pause whether a free lock
// is held, it can be taken. Each file is locked once, so that nobody asks about
// one that was just given back.
func TestAskingDisturbsNobody(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists its locks")
	}
	var now atomic.Pointer[string]
	dir, done, asking := t.TempDir(), make(chan struct{}), sync.WaitGroup{}
	for range 4 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if path := now.Load(); path != nil {
						Held(*path)
					}
				}
			}
		})
	}
	for i := range 100 {
		path := filepath.Join(dir, strconv.Itoa(i))
		testenv.OK(t, os.WriteFile(path, nil, 0o600))
		now.Store(&path)
		for range 20 {
			runtime.Gosched()
		}
		unlock, err := LockFile(path)
		if err != nil {
			t.Errorf("file %d: %v", i, err)
			break
		}
		defer unlock()
		if !Held(path) {
			t.Error("a held lock is not seen")
			break
		}
	}
	close(done)
	asking.Wait()
}
