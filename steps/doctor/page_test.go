// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: docs/doctor-benchmark.md says what the tests saw.

package doctor_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// row is one line of the page.
type row struct {
	name     string
	want     want
	fix      string
	held     string
	seconds  time.Duration
	refusals int
}

const pageFile = "../../docs/doctor-benchmark.md"

// comparePage compares the page with what was seen, but for the seconds.
func comparePage(t *testing.T, rows []row) {
	t.Helper()
	testenv.GoldenPart(t, pageFile, "faults", page(rows), timeless)
}

var seconds = regexp.MustCompile(`(?m)\| \d+ s \|$`)

func timeless(page string) string { return seconds.ReplaceAllString(page, "| s |") }

func page(rows []row) string {
	var b strings.Builder
	layers, right, fixes, proved, held := 0, 0, 0, 0, 0
	for _, r := range rows {
		if r.want.layer != "" {
			layers++
			right++ // a wrong one has failed the test
		}
		fixes += r.want.tried
		if r.fix != "" {
			proved++
		}
		held += r.refusals
	}
	fmt.Fprintf(&b, `%d rows. The layer is named in %d of the %d in which one refuses. %d fixes were judged, each on a stage unless it could change nothing; in %d rows one was proved, in %d one was refused, because it removes a protection or verify would fail.

| Probe | Fault | Answer | Layer | Fixes judged | Smallest fix that works | Other protections that still work | Time |
|---|---|---|---|---|---|---|---|
`, len(rows), right, layers, fixes, proved, held)
	for _, r := range rows {
		fix := cmp.Or(r.fix, "–")
		if r.want.refused != "" && r.fix == "" {
			fix = "none: “" + r.want.refused + "” is refused"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s %s | %s | %d | %s | %s | %d s |\n", r.want.probe, r.name, r.want.status.Symbol(),
			r.want.status, cmp.Or(string(r.want.layer), "–"),
			r.want.tried, fix, r.held, int(r.seconds.Round(time.Second)/time.Second))
	}
	return b.String()
}
