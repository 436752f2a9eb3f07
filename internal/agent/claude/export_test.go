// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package claude

import "strings"

// What reads the literals of the runtime's schemas.
var (
	Around = around
	KeysOf = keysOf
)

// Variables lists the names and patterns of the table.
func Variables() (names []string) {
	for _, row := range variableRows() {
		names = append(names, strings.Fields(row.names)...)
	}
	return names
}

// ByPattern says whether a pattern is all that the table has for a variable, and
// what it does is known by that.
func ByPattern(name string) bool {
	_, exact := variableTable().names[strings.ToUpper(name)]
	return VariableOf(name).Class != Unknown && !exact
}
