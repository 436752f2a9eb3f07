// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a number is a port only where a port stands.

package hook

import (
	"strconv"
	"strings"
)

// maxPorts bounds how many ports of a text are looked for.
const maxPorts = 8

// Ports returns the numbers in a text that stand where a port does: behind a
// colon, a slash (/dev/tcp/HOST/PORT) or the word port.
func Ports(text string) []int {
	var list []int
	for i := 0; i < len(text) && len(list) < maxPorts; i++ {
		if text[i] < '0' || text[i] > '9' {
			continue
		}
		end := i
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		head := text[max(0, i-5):i]
		if strings.HasSuffix(head, ":") || strings.HasSuffix(head, "/") || head == "port " {
			if n, err := strconv.Atoi(text[i:end]); err == nil && n > 0 && n < 1<<16 {
				list = append(list, n)
			}
		}
		i = end
	}
	return list
}
