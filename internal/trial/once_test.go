// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
)

func TestASessionIsReadOnceForAllItsCalls(t *testing.T) {
	var probes []Probe
	replies, told := map[string]string{}, map[string]string{}
	for i := range 40 {
		command := fmt.Sprint("echo ", i)
		probes = append(probes, Probe{ID: command, Call: model.Bash(command)})
		replies[command], told[command] = "hello", accepted
	}
	judge := func(probes []Probe) float64 {
		s := played(probes, replies, told)
		s.Raw.Stream += strings.Repeat(`{"type": "other", "content": [{"text": "x"}]}`+"\n", 1000)
		return testing.AllocsPerRun(3, func() { s.Judge(s) })
	}
	if one, all := judge(probes[:1]), judge(probes); one < 1000 || all > 3*one {
		t.Errorf("judging one call allocates %.0f times, judging %d %.0f times", one, len(probes), all)
	}
}
