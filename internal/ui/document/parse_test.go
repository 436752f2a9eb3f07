// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a project is called, a reader's parser finds the findings
// that there are, and nothing that the project wrote.

package document_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/document"
)

// read reads one document as its readers do, and complains of what they would not take.
var read = map[document.Format]func(t testing.TB, b []byte, findings []report.Finding){
	document.Markdown: readMarkdown, document.HTML: readHTML, document.SARIF: readSARIF, document.JUnit: readJUnit}

// open are the findings that ask for something.
func open(findings []report.Finding) (n int) {
	for _, f := range findings {
		if f.Status != report.Pass && f.Status != report.Skip {
			n++
		}
	}
	return n
}

func TestEachFormatIsReadBack(t *testing.T) {
	for _, f := range document.Formats {
		for _, findings := range [][]report.Finding{scene, nil} {
			b := in(t, f, false, judged, findings...)
			plainText(t, f, b)
			read[f](t, b, findings)
			if again := in(t, f, false, judged, findings...); !bytes.Equal(b, again) {
				t.Errorf("%s: two runs differ", f)
			}
		}
	}
}

// plainText: no format has a character that a terminal obeys, or a secret.
func plainText(t testing.TB, f document.Format, b []byte) {
	t.Helper()
	for i, r := range string(b) {
		if r == utf8.RuneError && b[i] != 0xef || r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%s: character %U at %d", f, r, i)
		}
	}
	if bytes.Contains(b, []byte("ghp_0123")) || !bytes.HasSuffix(b, []byte("\n")) {
		t.Errorf("%s: a secret, or no newline at the end", f)
	}
}

type suites struct {
	Suite struct {
		Tests int `xml:"tests,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
			Out     string    `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
	Failed int `xml:"failures,attr"`
	Broken int `xml:"errors,attr"`
	Left   int `xml:"skipped,attr"`
}

func readJUnit(t testing.TB, b []byte, findings []report.Finding) {
	t.Helper()
	var s suites
	testenv.OK(t, xml.Unmarshal(b, &s))
	n := report.Count(findings)
	if s.Suite.Tests != len(findings) || len(s.Suite.Cases) != len(findings) || s.Failed != n[report.Fail] ||
		s.Broken != n[report.Unknown] || s.Left != n[report.Skip] {
		t.Fatalf("%+v of %v", s, n)
	}
	for i, c := range s.Suite.Cases {
		f := report.InOrder(findings)[i]
		got := map[report.Status]bool{report.Fail: c.Failure != nil, report.Unknown: c.Error != nil,
			report.Skip: c.Skipped != nil, report.Warn: c.Out != ""}
		for status, there := range got {
			if there != (status == f.Status) {
				t.Errorf("%s, %s: %v", f.Check, f.Status, got)
			}
		}
	}
}

// A warning passes on a CI server as it does with verify, and fails with --strict.
func TestAStrictWarningFails(t *testing.T) {
	var s suites
	testenv.OK(t, xml.Unmarshal(in(t, document.JUnit, true, judged, scene...), &s))
	if n := report.Count(scene); s.Failed != n[report.Fail]+n[report.Warn] {
		t.Errorf("%d failures of %v", s.Failed, n)
	}
}

func readSARIF(t testing.TB, b []byte, findings []report.Finding) {
	t.Helper()
	var doc struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID                     string
						ShortDescription, Help struct{ Text string }
					}
				}
			}
			OriginalURIBaseIDs map[string]struct{ URI string } `json:"originalUriBaseIds"`
			Results            []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           struct{ StartLine int }
					}
				}
				PartialFingerprints map[string]string
			}
			Properties struct{ Verdict report.Verdict }
		}
	}
	testenv.OK(t, json.Unmarshal(b, &doc))
	run := doc.Runs[0]
	if doc.Version != "2.1.0" || run.Tool.Driver.Version != "v1.2.3" || run.Properties.Verdict != judged.Verdict ||
		len(run.Results) != open(findings) || len(run.Tool.Driver.Rules) != len(findings) {
		t.Fatalf("%d results, %d rules of %d findings", len(run.Results), len(run.Tool.Driver.Rules), len(findings))
	}
	known := map[string]bool{}
	for _, r := range run.Results {
		rule, at := run.Tool.Driver.Rules[r.RuleIndex], r.Locations[0].PhysicalLocation
		print := r.PartialFingerprints["primaryLocationLineHash"]
		base, isBase := run.OriginalURIBaseIDs[at.ArtifactLocation.URIBaseID]
		u, err := url.Parse(at.ArtifactLocation.URI)
		if rule.ID != r.RuleID || rule.Help.Text == "" || rule.ShortDescription.Text == "" || r.Message.Text == "" ||
			len(r.Locations) != 1 || at.Region.StartLine < 1 || print == "" || known[print] || err != nil ||
			u.String() == "" || u.IsAbs() && u.Scheme != "file" || isBase && base.URI != "file:///home/ada/code/tracker/" {
			t.Errorf("%+v (%v)", r, err)
		}
		known[print] = true
		i := slices.IndexFunc(findings, func(f report.Finding) bool { return string(f.Check) == r.RuleID })
		if want := map[bool]string{true: "error", false: "warning"}[i >= 0 && findings[i].Status == report.Fail]; i >= 0 &&
			r.Level != want {
			t.Errorf("%s is of level %s", r.RuleID, r.Level)
		}
	}
}

// An alert is the same one when its evidence moves, and lies where GitHub finds it.
func TestAnAlertStaysItself(t *testing.T) {
	f := report.Finding{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Fail, Summary: "x"}
	prints := map[string]bool{}
	for at, want := range map[string]string{
		"/home/ada/code/tracker/a/b.json:3:4":           `"uri": "a/b.json",`,
		"/home/ada/code/tracker/../other:9":             `"uri": "file:///home/ada/code/other"`,
		"~/x:2":                                         `"uri": "file:///home/ada/x"`,
		"/home/ada/code/tracker":                        `"uri": "file:///home/ada/code/tracker"`,
		"/home/ada/.aws/token:12":                       `"uri": "file:///home/ada/.aws/token"`,
		"/x/ghp_0123456789abcdefghijABCDEFGHIJ012345:2": `"uri": "file:///x/%5Bredacted%5D"`,
		"rehearsal":                                     `"uri": "no-file-associated-with-this-alert"`,
		"/home/ada/code/tracker/a\nb:0":                 `"uri": "a%0Ab",`,
		"/home/ada/code/tracker/99999999999:1:0":        `"uri": "99999999999",`,
	} {
		f.Evidence = []report.Evidence{report.FileEvidence(at, "x")}
		got := string(in(t, document.SARIF, false, judged, f))
		if !strings.Contains(got, want) || strings.Contains(got, `"startLine": 0`) {
			t.Errorf("%q: no %s in %s", at, want, got)
		}
		prints[regexp.MustCompile(`"primaryLocationLineHash": .*`).FindString(got)] = true
	}
	if len(prints) != 1 {
		t.Errorf("fingerprints %v", prints)
	}
}

// tags are all that a page has.
var tags = strings.Fields("html head meta title style body header main section h1 h2 h3 p span table caption thead " +
	"tbody tr th td details summary div ul ol li code pre a b")

func readHTML(t testing.TB, b []byte, findings []report.Finding) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var stack []string
	count := map[string]int{}
	style, policy := "", ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		testenv.OK(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			stack = append(stack, e.Name.Local)
			count[e.Name.Local]++
			if !slices.Contains(tags, e.Name.Local) {
				t.Fatalf("a tag <%s>", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" || a.Name.Local == "style" ||
					a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") {
					t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
				}
				if strings.HasPrefix(a.Value, "default-src 'none'") {
					policy = a.Value
				}
			}
		case xml.EndElement:
			if last := stack[len(stack)-1]; last != e.Name.Local {
				t.Fatalf("</%s> ends <%s>", e.Name.Local, last)
			}
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && stack[len(stack)-1] == "style" {
				style += string(e)
			}
		}
	}
	digest := sha256.Sum256([]byte(style))
	if !strings.Contains(policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(digest[:])+"'") {
		t.Errorf("the style is not that of %q", policy)
	}
	if count["h3"] != open(findings) || count["section"] != open(findings) || count["h1"] != 1 || len(stack) != 0 {
		t.Errorf("%v of %d findings", count, len(findings))
	}
}

// The structure of a comment, and what may stand in it outside of code.
var (
	structure = regexp.MustCompile(`^(## |### |- |  - |\| |\|---|\d+\. next: |   |[?✗⚠]|$)`)
	ours      = strings.NewReplacer("**", "", "&nbsp;", " ", "| | Check", "", "|---|---|---|", "")
	active    = regexp.MustCompile("[<>*_`\\[\\]&]|[@#!$%^][\\pL\\pN_]|\\$|://|(?i:www\\.)|:[\\w+-]+:")
)

func readMarkdown(t testing.TB, b []byte, findings []report.Finding) {
	t.Helper()
	rows, fence := 0, ""
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if trimmed == fence {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "   ```"):
			fence = trimmed
			continue
		case strings.HasPrefix(line, "| "):
			rows++
			if n := len(regexp.MustCompile(`\\.|\|`).FindAllString(line, -1)) -
				len(regexp.MustCompile(`\\.`).FindAllString(line, -1)); n != 4 {
				t.Errorf("%d bars in %q", n, line)
			}
		}
		if left := bare(ours.Replace(line)); active.MatchString(strings.TrimLeft(left, "#| -")) {
			t.Errorf("something is active in %q: %q", line, left)
		}
		// The first line and the last two are of the page itself.
		if i > 2 && i < len(lines)-1 && !structure.MatchString(line) && lines[i-1] != "" {
			t.Errorf("a line of its own: %q", line)
		}
	}
	if fence != "" || rows != len(findings)+1 {
		t.Errorf("%d rows of %d findings, fence %q", rows, len(findings), fence)
	}
}

// bare is a line without code and without what is escaped.
func bare(line string) string {
	var b strings.Builder
	for line != "" {
		ticks := len(line) - len(strings.TrimLeft(line, "`"))
		switch {
		case line[0] == '\\' && len(line) > 1:
			_, n := utf8.DecodeRuneInString(line[1:])
			line = line[1+n:]
			b.WriteString("·")
		case ticks > 0:
			rest := line[ticks:]
			runs := slices.DeleteFunc(regexp.MustCompile("`+").FindAllStringIndex(rest, -1), func(at []int) bool {
				return at[1]-at[0] != ticks
			})
			if runs == nil {
				return b.String() + line
			}
			line = rest[runs[0][1]:]
			b.WriteByte(' ')
		default:
			b.WriteByte(line[0])
			line = line[1:]
		}
	}
	return b.String()
}

// fuzz holds one format against any text in every place.
func fuzz(f *testing.F, format document.Format) {
	f.Helper()
	for _, s := range []string{hostile, "", "`", "``", "a|`|\\|`", "\\", "\\|", "1.", "- x", "@a", "]]>", "</style>",
		"'\"", "x:1:2", "#))`)", "\xed\xa0\x80", "~/a\\`|` b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		one := report.Finding{Check: "denials", Layer: report.LayerSandbox, Status: report.Fail, Summary: s,
			Evidence: []report.Evidence{report.FileEvidence("/home/ada/code/tracker/"+s, s), report.CommandEvidence(s, s)},
			Remedies: []report.Remedy{report.Command{Line: "x" + s, Why: s, Where: s}, report.DocLink{Title: s, Target: s}},
			Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Fail, Summary: s},
				{Launch: report.Iso, Status: report.Pass, Summary: s}}}
		two := report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Pass, Summary: s,
			Evidence: one.Evidence}
		j := judged
		j.Covers = slices.Clone(j.Covers)
		for i := range j.Covers {
			j.Covers[i].Why, j.Covers[i].Dir = s, s
		}
		b := in(t, format, false, j, one, two)
		plainText(t, format, b)
		read[format](t, b, []report.Finding{one, two})
	})
}

func FuzzMarkdown(f *testing.F) { fuzz(f, document.Markdown) }

func FuzzHTML(f *testing.F) { fuzz(f, document.HTML) }

func FuzzSARIF(f *testing.F) { fuzz(f, document.SARIF) }

func FuzzJUnit(f *testing.F) { fuzz(f, document.JUnit) }
