// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the page stands alone. It has no script and loads nothing, and a
// policy of its own says so to the browser; html/template escapes every text.

package document

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

//go:embed report.html
var pageSource string

//go:embed report.css
var style string

// pageTemplate is parsed when it is first asked for: hooks start often.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{"upper": strings.ToUpper}).Parse(pageSource))
})

func html(p page) ([]byte, error) {
	type layer struct {
		Name     report.Layer
		About    string
		Findings []finding
	}
	digest := sha256.Sum256([]byte(style))
	data := struct {
		page
		Policy string
		Style  template.CSS
		Layers []layer
		Open   []finding
	}{page: p, Style: template.CSS(style), // a constant of this program
		Policy: "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(digest[:]) + "'"}
	for _, l := range report.Layers {
		of := layer{Name: l, About: text.About(l)}
		for _, f := range p.Findings {
			if f.Layer == l {
				of.Findings = append(of.Findings, f)
			}
		}
		if of.Findings != nil {
			data.Layers = append(data.Layers, of)
		}
	}
	for _, f := range p.sorted() {
		if f.Open() {
			data.Open = append(data.Open, f)
		}
	}
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, data); err != nil {
		return nil, fmt.Errorf("the page: %w", err)
	}
	return b.Bytes(), nil
}
