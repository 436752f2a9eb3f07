// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a JSON string reads as encoding/json reads it, but for
// bytes that are not UTF-8: those stay, so that they can be shown.

package hook

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// is says whether a key or string value, as written, reads as want.
func is(raw, want string) bool {
	if len(raw) == len(want)+2 && raw[1:len(raw)-1] == want {
		return raw[0] == '"'
	}
	return strings.IndexByte(raw, '\\') >= 0 && unquote(raw) == want
}

// unquote returns what a string value, as written, reads as; the closing
// quote may be missing. Bytes that are not UTF-8 stay.
func unquote(raw string) string {
	raw = strings.TrimPrefix(raw, `"`)
	if n := len(raw); n > 0 && raw[n-1] == '"' {
		raw = raw[:n-1]
	}
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if next := strings.IndexByte(raw[i:], '\\'); next != 0 {
			if next < 0 {
				next = len(raw) - i
			}
			b = append(b, raw[i:i+next]...)
			i += next
			continue
		}
		if i+1 == len(raw) {
			break
		}
		if raw[i+1] == 'u' {
			r := unit(raw, i)
			i += 6
			if utf16.IsSurrogate(r) {
				if pair := utf16.DecodeRune(r, unit(raw, i)); pair != utf8.RuneError {
					r = pair
					i += 6
				}
			}
			b = utf8.AppendRune(b, r)
			continue
		}
		c := raw[i+1]
		if at := strings.IndexByte("bfnrt", c); at >= 0 {
			c = "\b\f\n\r\t"[at]
		}
		b = append(b, c)
		i += 2
	}
	return string(b)
}

// unit returns the code unit of the \uXXXX at s[i], or utf8.RuneError.
func unit(s string, i int) rune {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
