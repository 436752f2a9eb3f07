// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file for bash and zsh is read in either.

package shellrc

import (
	"bytes"
	"regexp"
	"sync"
)

// zshFlags is an expansion with flags of zsh: ${=names}, ${(f)text}.
var zshFlags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([=~^]+|\([^()}\n]*\))[A-Za-z_]`)
})

// portable is a file for bash without the flags that only zsh has, every byte
// in its place. bash reads them without a word, and refuses them only when it
// comes to expand one: a file for both shells has them behind a condition.
func portable(s Shell, b []byte) []byte {
	if s != Bash {
		return b
	}
	return zshFlags().ReplaceAllFunc(b, func(m []byte) []byte {
		plain := bytes.Repeat([]byte("_"), len(m))
		copy(plain, "${")
		plain[len(m)-1] = m[len(m)-1]
		return plain
	})
}
