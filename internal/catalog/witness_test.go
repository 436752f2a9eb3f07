// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/catalog"
)

func TestThePlacesOfAWitness(t *testing.T) {
	variable := func(name string) string { return map[string]string{"A": "/run/a", "B": "unix:///b"}[name] }
	const witness = ".env ~/.aws/config /dev/kvm $A $B $C"
	want := []catalog.Place{{Named: ".env", Path: "/p/.env"},
		{Named: "~/.aws/config", Path: "/home/ana/.aws/config", Home: true},
		{Named: "/dev/kvm", Path: "/dev/kvm"}, {Named: "$A", Variable: "A", Path: "/run/a"},
		{Named: "$B", Variable: "B", Path: "unix:///b"}, {Named: "$C", Variable: "C"}}
	if got := catalog.PlacesOf(witness, "/home/ana", "/p", variable); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	unknown := []catalog.Place{{Named: ".env"}, {Named: "~/x"}, {Named: "/dev/kvm", Path: "/dev/kvm"}}
	if got := catalog.PlacesOf(".env ~/x /dev/kvm", "", "", variable); !slices.Equal(got, unknown) {
		t.Errorf("of no project and no home: %+v", got)
	}
}
