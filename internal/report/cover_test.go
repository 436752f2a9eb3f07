// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no start is called covered that was not rehearsed.

package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestCoversOfTakesTheWorse: an open start counts whoever says it, what was
// rehearsed before what settings say, and what settings promise is Unknown.
func TestCoversOfTakesTheWorse(t *testing.T) {
	at := func(d report.StartDir, s report.Status, rehearsed bool) report.Cover {
		return report.Cover{Launch: report.Plain, Start: d, Status: s, Rehearsed: rehearsed}
	}
	unseen := at(report.AtOther, report.Unknown, false)
	unseen.Why = "not tested"
	for name, tt := range map[string]struct{ settings, rehearsed, want []report.Cover }{
		"rehearsed before settings": {[]report.Cover{at(report.AtRoot, report.Pass, false)},
			[]report.Cover{at(report.AtRoot, report.Pass, true)},
			[]report.Cover{at(report.AtRoot, report.Pass, true)}},
		"a rehearsal that failed before what settings promise": {[]report.Cover{at(report.AtSub, report.Pass, false)},
			[]report.Cover{at(report.AtSub, report.Fail, true)},
			[]report.Cover{at(report.AtSub, report.Fail, true)}},
		"settings that open one before a rehearsal of another": {[]report.Cover{at(report.AtSub, report.Fail, false)},
			[]report.Cover{at(report.AtSub, report.Pass, true)},
			[]report.Cover{at(report.AtSub, report.Fail, false)}},
		"the worse of two rehearsals": {nil, []report.Cover{at(report.AtRoot, report.Pass, true),
			at(report.AtRoot, report.Unknown, true)},
			[]report.Cover{at(report.AtRoot, report.Unknown, true)}},
		"what settings promise was not seen": {[]report.Cover{at(report.AtOther, report.Pass, false)}, nil,
			[]report.Cover{unseen}},
		"what settings open is open": {[]report.Cover{at(report.AtOther, report.Fail, false)}, nil,
			[]report.Cover{at(report.AtOther, report.Fail, false)}},
	} {
		a, b := report.Finding{Covers: tt.settings}, report.Finding{Covers: tt.rehearsed}
		for _, fs := range [][]report.Finding{{a, b}, {b, a}} {
			if diff := cmp.Diff(tt.want, report.CoversOf(fs)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
	}
}

// TestCoversAreKept: a stored finding has its covers.
func TestCoversAreKept(t *testing.T) {
	f := report.Finding{Check: "denials", Layer: report.LayerSandbox, Status: report.Pass,
		Evidence: []report.Evidence{report.EnvEvidence("x", "y")},
		Covers:   []report.Cover{{Launch: report.Iso, Start: report.AtSub, Status: report.Pass, Denied: 3, Rehearsed: true}}}
	b := testenv.Must(report.EncodeFindings([]report.Finding{f}))(t)
	got, err := report.DecodeFindings(b)
	if err != nil || len(got) != 1 || !cmp.Equal(got[0].Covers, f.Covers) {
		t.Errorf("%v %v", got, err)
	}
}
