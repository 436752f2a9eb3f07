// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a number is a port only where a port stands, and behind a
// name of this machine rather than behind any other word: a line number or the
// time of a log line stands behind a colon too.

package hook

import (
	"slices"
	"strconv"
	"strings"
)

// maxPorts bounds how many ports of a text are looked for.
const maxPorts = 8

// here are the names of this machine that stand before a port.
var here = []string{"127.0.0.1", "localhost", "[::1]", "::1", "0.0.0.0", "[::]"}

// Ports returns the numbers in a text that stand where a port does: behind a
// colon, a slash (/dev/tcp/HOST/PORT) or the word port. Where one stands behind
// a name of this machine only those count.
func Ports(text string) []int {
	var list, local []int
	for i := 0; i < len(text) && len(list) < maxPorts; i++ {
		if text[i] < '0' || text[i] > '9' {
			continue
		}
		end := i
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		mark := ""
		for _, m := range [...]string{"port ", ":", "/"} {
			if strings.HasSuffix(text[:i], m) {
				mark = m
				break
			}
		}
		if mark != "" {
			if n, err := strconv.Atoi(text[i:end]); err == nil && n > 0 && n < 1<<16 {
				list = append(list, n)
				if named := strings.TrimRight(text[:i-len(mark)], " ,)\""); slices.ContainsFunc(here, func(name string) bool {
					return strings.HasSuffix(named, name)
				}) {
					local = append(local, n)
				}
			}
		}
		i = end
	}
	if len(local) > 0 {
		return local
	}
	return list
}
