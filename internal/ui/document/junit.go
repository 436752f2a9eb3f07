// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a CI server counts what verify counts: a fail is a failure, what
// is not known an error, and neither is a pass.

package document

import (
	"encoding/xml"
	"fmt"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

type testsuites struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Suite testsuite `xml:"testsuite"`
}

type counts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type testsuite struct {
	counts
	Properties []property `xml:"properties>property"`
	Cases      []testcase `xml:"testcase"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *outcome `xml:"failure"`
	Error   *outcome `xml:"error"`
	Skipped *outcome `xml:"skipped"`
	Out     string   `xml:"system-out,omitempty"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func junit(p page) ([]byte, error) {
	n := counts{Name: report.Program + " verify", Tests: len(p.Findings), Time: seconds(p.Elapsed)}
	s := testsuite{Properties: []property{{"verdict", string(p.Verdict)}, {"where", p.Where}, {"rehearsal", p.Rehearsed},
		{"project", p.Project}, {"runtime", p.Runtime}, {"version", p.Version}}}
	for _, l := range p.Launches {
		s.Properties = append(s.Properties, property{"verdict of " + l.Name, string(l.Verdict)})
	}
	for _, f := range p.Findings {
		c := testcase{Class: "verify." + string(f.Layer), Name: string(f.ID), Time: seconds(f.Took)}
		o := &outcome{Message: f.Summary, Type: string(f.Status), Text: f.lines()}
		switch {
		case f.Status == report.Fail, f.Status == report.Warn && p.Strict:
			c.Failure = o
			n.Failures++
		case f.Status == report.Unknown:
			c.Error = o
			n.Errors++
		case f.Status == report.Skip:
			c.Skipped = &outcome{Message: f.Summary}
			n.Skipped++
		case f.Status == report.Warn:
			c.Out = "warning: " + f.Summary + "\n" + f.lines()
		case f.listed():
			c.Out = f.Summary + "\n" + f.lines()
		}
		s.Cases = append(s.Cases, c)
	}
	s.counts = n
	b, err := xml.MarshalIndent(testsuites{counts: n, Suite: s}, "", "  ")
	return append([]byte(xml.Header), append(b, '\n')...), err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
