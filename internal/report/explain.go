// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an answer names what decides it, with its place; what was
// worked out and what was tried stand beside each other, and where they differ
// the latter counts.

package report

// Answer is what becomes of something that the agent or one of its commands
// tries.
type Answer string

// The answers. Asks means that the user is asked first, and where nobody can
// be asked it is refused.
const (
	Allowed Answer = "allowed"
	Asks    Answer = "asks first"
	Denied  Answer = "denied"
	Unclear Answer = "not known"
)

// Explanation is what decides about one thing.
type Explanation struct {
	// Kind is "path", "host", "command" or "env", Subject the thing.
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	// Notes are to be known beside the rulings: a settings file that is
	// dropped, what rules do not see.
	Notes   []Note   `json:"notes"`
	Rulings []Ruling `json:"rulings"`
}

// Note is a sentence, with its place if it has one. Line is one of this program that
// follows Text.
type Note struct {
	Text  string `json:"text"`
	Where string `json:"where,omitempty"`
	Line  Line   `json:"-"`
}

// Ruling says who may do what with it.
type Ruling struct {
	// Launches are those that it holds for.
	Launches []Launch `json:"launches"`
	// Who does what: "a sandboxed command" "reads it".
	Who  string `json:"who"`
	Does string `json:"does"`
	// Answer is what counts: that of Tried, where there is one.
	Answer Answer `json:"answer"`
	// Open says that no setting decides it: the mode of the session does,
	// and the user.
	Open bool `json:"open,omitempty"`
	// Final says that no setting which allows changes the answer: what
	// denies counts above them.
	Final bool `json:"final,omitempty"`
	// Why is a sentence, By what decides, the deciding one first.
	Why string     `json:"why"`
	By  []Evidence `json:"by"`
	// Tried is what the runtime did; nil where nothing was tried.
	Tried *Tried `json:"tried,omitempty"`
}

// Tried is what was seen in a rehearsal.
type Tried struct {
	Answer Answer `json:"answer"`
	// Said is what the call got back, or why nothing was seen.
	Said string `json:"said"`
	// Expected is what the settings say, where that is another answer.
	Expected Answer `json:"expected,omitempty"`
}

// Settle takes over what was tried. Where no setting decides there is no
// difference: a rehearsal says yes to the tools and no to what needs a person.
func (r *Ruling) Settle(t Tried) {
	if t.Answer != Unclear && t.Answer != r.Answer && !r.Open {
		if r.Answer != Unclear {
			t.Expected = r.Answer
		}
		r.Answer = t.Answer
	}
	r.Tried = &t
}
