// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of what the program says only what the page tells is read.

package main

import (
	"encoding/json"
	"fmt"

	"github.com/steward-setup/steward-setup/tools/machine"
)

// answer, difference, side and trial are what is read of what the program says.
type (
	answer struct {
		Session, Call, Title, Result, Layer, Why string
	}
	difference struct {
		Kind          string
		Before, After *answer
	}
	side struct {
		Record struct {
			Runtime string
			Answers []answer
			Hooks   []struct {
				Event, Script string
				Fires         bool
			}
			Failed map[string]string
		}
	}
	trial struct {
		Installed, Candidate side
		Differences          []difference
		Hooks                []struct {
			Event, Script string
			Lost          bool
		}
		Dropped, Learned []string
	}
)

// differs says whether a call, a hook or a key differs; which sessions a twin
// could not prove is no difference of the runtime.
func (t trial) differs() bool {
	return len(t.Differences)+len(t.Hooks)+len(t.Dropped)+len(t.Learned) > 0
}

// try compares two runtimes.
func try(m *machine.Machine, a, b string) (trial, error) {
	out, err := m.Run("update", "--json", "--runtime", a, "--try", b)
	if err != nil {
		return trial{}, err
	}
	var doc struct {
		Data  *trial
		Error *struct{ What, Where, Why string }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return trial{}, fmt.Errorf("%w: %s", err, out)
	}
	if doc.Error != nil || doc.Data == nil {
		return trial{}, fmt.Errorf("%+v", doc.Error)
	}
	return *doc.Data, nil
}
