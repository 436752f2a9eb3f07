// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a verdict is a word, never only a colour, and stands with
// the count that it follows from and with how fresh it is.

package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// verdictRow is the row under the header: the verdict in words, the count,
// and how long it took; while the checks run, how many have answered.
func (c *checkList) verdictRow() string {
	l := c.l
	findings := c.findings()
	right := ""
	var left string
	switch v := c.judged.Verdict; {
	case v != "":
		left = l.judged(c.judged)
		switch j := c.judged; {
		case j.From == engine.FromStored:
			right = "tested " + report.Ago(j.Age)
		case j.From == engine.FromNowhere:
			right = "not tested"
		case j.Elapsed > 0:
			right = text.Seconds(j.Elapsed)
		}
	case !c.over && report.Judge(findings, false) == report.Unprotected && len(findings) > 0:
		left = l.judged(engine.Judged{Verdict: report.Unprotected}) // nothing that is still to come can mend it
	case !c.over:
		left = l.bold.Render("CHECKING")
	}
	if !c.over {
		n, of := c.answered()
		right = fmt.Sprintf("%d of %d", n, of)
	}
	return l.statusRow(left, tallyWords(findings, l), right)
}

// statusRow is what stands under the header: a word, the count it follows
// from, and at the right end, if there is room, a remark.
func (l look) statusRow(left, tally, right string) string {
	w := l.bodyWidth()
	for _, gap := range []string{"   ", "  "} {
		row := strings.TrimSpace(left + gap + tally)
		switch used := text.Width(row) + 2 + text.Width(right); {
		case right == "" && used-2 <= w:
			return row
		case right != "" && used <= w:
			return text.Ends(row, l.dim.Render(right), w)
		}
		tally = strings.ReplaceAll(tally, "   ", "  ")
	}
	return text.Cut(strings.TrimSpace(left+"  "+tally), w)
}

// judged is the verdict of a report, in the colour of what it covers.
func (s styles) judged(j engine.Judged) string {
	return s.of(text.VerdictStatus(j.Verdict, j.Covers)).Bold(true).Render(strings.ToUpper(j.Word()))
}

// rangeHeight is the room for where a verdict holds.
func (l look) rangeHeight() int { return l.headerRows() }

// rangeRows say where a verdict holds, or, of a verdict that does not, what
// each launch is, in rangeHeight rows; they are empty until there is one.
func (l look) rangeRows(j engine.Judged) []string {
	rows := text.Wrap(rangeWords(j, l.facts), l.bodyWidth())
	if len(rows) > l.rangeHeight() {
		last := l.rangeHeight() - 1
		rows = append(rows[:last], text.Cut(strings.Join(rows[last:], " "), l.bodyWidth()))
	}
	return exactly(rows, l.rangeHeight())
}

// rangeWords say where a verdict holds, or what each launch is.
func rangeWords(j engine.Judged, facts report.Facts) string {
	if j.Verdict == report.Protected {
		return text.Range(j.Verdict, j.Covers, facts)
	}
	var launches []string
	for _, launch := range bothLaunches {
		if v, ok := j.Launches[launch]; ok {
			said := string(v)
			if v == report.Protected { // of one that is open somewhere, where it is not
				said = text.Covered(launch, v, false, j.Covers, facts)[0].Text
			}
			launches = append(launches, text.Launch(launch)+": "+said)
		}
	}
	return strings.Join(launches, ", ")
}

// tallyWords is the worst-first count with its words: "1 ✗ fail".
func tallyWords(findings []report.Finding, l look) string {
	n := report.Count(findings)
	var parts []string
	for _, s := range report.Statuses {
		if n[s] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s %s", n[s], s.Symbol(), s)
		if l.narrow() {
			part = fmt.Sprintf("%d %s", n[s], s.Symbol())
		}
		parts = append(parts, l.of(s).Render(part))
	}
	return strings.Join(parts, "   ")
}

// seconds says how long something took.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
