// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a catalog is read completely or refused with the place.
// What its entries have to say is held by tests: it is compiled in.

package catalog

import "github.com/steward-setup/steward-setup/internal/strict"

// Load decodes a catalog; name is what errors call it. The error is a
// *report.Error with code ExitMalformed that names line and column.
func Load(name string, data []byte) ([]Entry, error) {
	var doc struct {
		Schema  int     `toml:"schema"`
		Entries []Entry `toml:"entry"`
	}
	if err := strict.TOML(name, string(data), unchecked, &doc); err != nil {
		return nil, err
	}
	if err := strict.Schema(name, doc.Schema, unchecked); err != nil {
		return nil, err
	}
	return doc.Entries, nil
}

// unchecked is what comes of a catalog that is not understood.
const unchecked = "an entry that is not understood would be advice that nobody checked"
