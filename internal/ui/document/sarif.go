// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: SARIF 2.1.0 as code scanning takes it. GitHub refuses a whole
// file for one result without the address of a file, and knows an alert again by its
// fingerprint: one check is one alert, wherever its evidence moves.

package document

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

type (
	object  = map[string]any
	message struct {
		Text string `json:"text"`
	}
	location struct {
		Physical physical `json:"physicalLocation"`
		Message  *message `json:"message,omitempty"`
	}
	physical struct {
		Artifact artifact `json:"artifactLocation"`
		Region   region   `json:"region"`
	}
	artifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	result struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      message           `json:"message"`
		Locations    []location        `json:"locations"`
		Related      []location        `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   object            `json:"properties"`
	}
	rule struct {
		ID         string  `json:"id"`
		Short      message `json:"shortDescription"`
		Full       message `json:"fullDescription"`
		Help       message `json:"help"`
		Properties object  `json:"properties"`
	}
)

// projectRoot is what paths in the project are relative to.
const projectRoot = "PROJECTROOT"

// nowhere stands where a finding is about no file.
const nowhere = "no-file-associated-with-this-alert"

func sarif(p page) ([]byte, error) {
	rules, results := []rule{}, []result{}
	properties := object{"verdict": p.Verdict, "where": p.Where, "rehearsal": p.Rehearsed, "runtime": p.Runtime}
	for i, f := range p.Findings {
		rules = append(rules, ruleOf(f))
		if f.listed() { // no alert, and asked for
			properties[string(f.ID)] = strings.Split(f.lines(), "\n")
		}
		if !f.Open() {
			continue
		}
		level := "warning"
		if f.Status == report.Fail {
			level = "error"
		}
		said := string(f.Status) + ": " + f.Summary
		if more := f.lines(); more != "" {
			said += "\n" + more
		}
		at := p.locations(f)
		digest := sha256.Sum256([]byte("verify " + string(f.ID)))
		results = append(results, result{Rule: string(f.ID), Index: i, Level: level, Message: message{said},
			Locations: at[:1], Related: at[1:],
			Fingerprints: map[string]string{"primaryLocationLineHash": hex.EncodeToString(digest[:8]) + ":1"},
			Properties:   object{"status": f.Status}})
	}
	launches := object{}
	for _, l := range p.Launches {
		launches[l.Name] = l.Verdict
	}
	properties["launches"] = launches
	run := object{
		"tool": object{"driver": object{"name": report.Program, "version": cmp.Or(p.Version, "unknown"),
			"rules": rules}},
		"automationDetails": object{"id": "steward-setup/verify/"},
		"columnKind":        "utf16CodeUnits",
		"results":           results,
		"properties":        properties,
	}
	if p.root != "" {
		run["originalUriBaseIds"] = object{projectRoot: object{"uri": fileURI(p.root) + "/"}}
	}
	doc, err := jsontext.Doc(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{run}})
	return redact.JSON(doc), err
}

// ruleOf is a check as a rule.
func ruleOf(f finding) rule {
	title := cmp.Or(f.Title, string(f.ID))
	help := title + ". Layer " + string(f.Layer) + ": " + text.About(f.Layer) + "."
	if f.Live != report.NotLive {
		help += " Tested in a rehearsal with the installed runtime."
	}
	return rule{string(f.ID), message{title}, message{help},
		message{help + " steward-setup verify shows the evidence and the next step."},
		object{"tags": []string{"security", string(f.Layer)}, "precision": "high"}}
}

// locations are the files of the evidence, those in the project first, never none.
func (p page) locations(f finding) (list []location) {
	for _, s := range f.Seen {
		if at, ok := p.locate(s.at); ok {
			at.Message = &message{cmp.Or(s.Text, s.Where)}
			list = append(list, at)
		}
	}
	if list == nil {
		return []location{{Physical: physical{artifact{URI: nowhere}, region{StartLine: 1}}}}
	}
	slices.SortStableFunc(list, func(a, b location) int {
		return strings.Compare(b.Physical.Artifact.BaseID, a.Physical.Artifact.BaseID)
	})
	return list
}

// place is "path[:line[:column]]".
var place = lazy.Regexp(`(?s)^(.*?)(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?$`)

// locate is the address of a place in a file; ok is false for what is no path.
func (p page) locate(at string) (location, bool) {
	at, _ = pathname.Expand(at, p.home)
	m := place().FindStringSubmatch(at)
	if m == nil || !filepath.IsAbs(m[1]) {
		return location{}, false
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	path := filepath.Clean(redact.Text(m[1])) // without its line, which may look like a value
	where := artifact{URI: fileURI(path)}
	if rest, ok := pathname.Below(path, p.root); ok {
		where = artifact{(&url.URL{Path: rest}).String(), projectRoot}
	}
	return location{Physical: physical{where, region{max(1, line), column}}}, true
}

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
