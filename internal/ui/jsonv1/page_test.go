// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package jsonv1

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestThePageNamesEveryField: whoever reads the document with a program finds each field
// of it, of its plan and of its items in docs/json.md.
func TestThePageNamesEveryField(t *testing.T) {
	page := string(testenv.Must(os.ReadFile("../../../docs/json.md"))(t))
	for _, v := range []any{Document{}, live{}, Host{}, finding{}.Finding, finding{}, plan{}, answer{}, change{},
		command{}, download{}, push{}, docLink{}, failure{}} {
		of := reflect.TypeOf(v)
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "."+name+"`") &&
				!strings.Contains(page, "`"+name+"[]`") {
				t.Errorf("%s.%s is not in docs/json.md", of.Name(), name)
			}
		}
	}
}
