// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shape says what the runtime accepts at one place, and
// what it throws away when it finds something else. Keys that a shape does
// not name are accepted: the runtime ignores them (measured).

package settings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// shape is what may stand at one place.
type shape struct {
	kinds Kind // any of these
	// oneOf, if not empty, lists the strings that may stand here.
	oneOf []string
	// fields are the known members of an object, needs those that must be
	// there; each is the shape of every element, or of every other member.
	fields fields
	needs  []string
	each   *shape
	// also returns what else is wrong with a value of the right kind.
	also func(v *Value) string
	// as picks another shape in place of this one.
	as func(v *Value) *shape
	// loss is what a value of another shape costs: WholeFile if not set.
	loss Loss
}

type fields map[string]*shape

// judge reports where v does not have the shape.
func (s *shape) judge(path []string, v *Value, found finding) {
	if s.as != nil {
		s = s.as(v)
	}
	loss := cmp.Or(s.loss, WholeFile)
	if message := s.refuses(v); message != "" {
		found(path, v, loss, message)
		return
	}
	for _, key := range s.needs {
		if v.Kind == Object && v.member(key) == nil {
			found(path, v, loss, fmt.Sprintf("the key %q is missing", key))
		}
	}
	v.each(func(key string, child *Value) {
		below := s.each
		if v.Kind == Object && s.fields[key] != nil {
			below = s.fields[key]
		}
		if below != nil {
			below.judge(append(path, key), child, found)
		}
	})
}

// refuses says what is wrong with v itself, apart from what is in it.
func (s *shape) refuses(v *Value) string {
	switch {
	case v.Kind&s.kinds == 0:
		return fmt.Sprintf("%s is expected, not %s", s.kinds.alternatives(), v.Kind)
	case v.Kind == Str && len(s.oneOf) > 0 && !slices.Contains(s.oneOf, v.Text):
		return `one of "` + strings.Join(s.oneOf, `", "`) + `" is expected`
	case v.Kind == Number && math.IsInf(v.float(), 0):
		return "the number is too large"
	case s.also != nil:
		return s.also(v)
	}
	return ""
}

func (k Kind) alternatives() string {
	var names []string
	for one := Null; one <= Object; one <<= 1 {
		if k&one != 0 {
			names = append(names, one.String())
		}
	}
	return strings.Join(names, " or ")
}

// each calls f for every element or member of v.
func (v *Value) each(f func(key string, child *Value)) {
	for i, item := range v.Items {
		f(strconv.Itoa(i), item)
	}
	for _, m := range v.Members {
		f(m.Key, m.Value)
	}
}

// float is a number as the runtime reads it; infinite if it is too large.
func (v *Value) float() float64 {
	f, _ := strconv.ParseFloat(v.Text, 64) // a range error leaves ±Inf
	return f
}

// Shapes that are used in several places.
var (
	boolean = &shape{kinds: Bool}
	text    = &shape{kinds: Str}
	number  = &shape{kinds: Number}
	texts   = &shape{kinds: Array, each: text}
	// filled is a string that is not empty.
	filled = &shape{kinds: Str, also: func(v *Value) string {
		if v.Text == "" {
			return "the string is empty"
		}
		return ""
	}}
)

func enum(words ...string) *shape { return &shape{kinds: Str, oneOf: words} }

// object has these members if it has them.
func object(f fields) *shape { return &shape{kinds: Object, fields: f} }

// record is an object with these members of which some must be there.
func record(f fields, needs ...string) *shape { return &shape{kinds: Object, fields: f, needs: needs} }

// listOf is an array, mapOf an object, of one shape.
func listOf(s *shape) *shape { return &shape{kinds: Array, each: s} }
func mapOf(s *shape) *shape  { return &shape{kinds: Object, each: s} }

// either has the kinds of both, the elements of one and the rule of one.
func either(s, t *shape) *shape {
	u := *s
	u.kinds |= t.kinds
	u.each = cmp.Or(s.each, t.each)
	if u.also == nil {
		u.also = t.also
	}
	return &u
}

// skipped is s where another value costs only itself.
func skipped(s *shape) *shape {
	t := *s
	t.loss = ThisValue
	return &t
}

// between is a number in a range, whole if asked; above excludes the lower
// end.
func between(low, high float64, above, whole bool) *shape {
	return &shape{kinds: Number, also: func(v *Value) string {
		n := v.float()
		switch {
		case whole && (n != math.Trunc(n) || math.Abs(n) > 1<<53-1):
			return "a whole number is expected"
		case n < low || above && n == low || n > high:
			return "the number is out of range"
		}
		return ""
	}}
}

// matching is a string that a pattern describes.
func matching(pattern, message string) *shape {
	re := lazy.Regexp(pattern)
	return &shape{kinds: Str, also: func(v *Value) string {
		if v.Kind == Str && !re().MatchString(v.Text) {
			return message
		}
		return ""
	}}
}
