// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the checks cost grows with the number of rules and no
// faster; the floor is the same machine without rules, in the same run.

package checks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

// BenchmarkAllowRules prints the time of all checks without a rehearsal as its
// ratio to the floor, and what a rule adds: the latter is the same for any
// number of them where the time is linear.
func BenchmarkAllowRules(b *testing.B) {
	floor := build(b, usualSetup)
	if report.Judge(floor.verify(), false) != report.Protected {
		b.Fatal("not a healthy machine")
	}
	for _, n := range []int{250, 1000, 4000, 10000} {
		rules := make([]any, n)
		for i := range rules {
			rules[i] = fmt.Sprintf("Bash(npm run task%d:*)", i)
		}
		m := copyOf(b, floor)
		m.set(projectFile, "permissions.allow", rules)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var least, with time.Duration
			for b.Loop() {
				start := time.Now()
				floor.verify()
				least += time.Since(start)
				start = time.Now()
				m.verify()
				with += time.Since(start)
			}
			b.ReportMetric(float64(with)/float64(least), "x-floor")
			b.ReportMetric(float64((with-least).Microseconds())/float64(b.N*n), "µs/rule")
		})
	}
}
