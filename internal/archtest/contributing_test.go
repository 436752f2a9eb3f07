// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// placeInText is a path of the tree between backticks: with a slash, without a blank.
var placeInText = regexp.MustCompile("`([\\w.-]+/[\\w./*-]*)`")

// lostPlaces lists the paths that a page names and that are not below root.
func lostPlaces(root, page string) (lost []string) {
	for _, m := range placeInText.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(m[1], "./") {
			continue
		}
		if there, err := filepath.Glob(filepath.Join(root, m[1])); err != nil || there == nil {
			lost = append(lost, fmt.Sprintf("%s is named, and is not there", m[1]))
		}
	}
	return lost
}

func TestTheGuideNamesPlacesThatAreThere(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, lostPlaces(root, string(page)))
	if got := lostPlaces(root, "`internal/nowhere/x.go` `internal/trial/set.go` `go test ./x`"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
