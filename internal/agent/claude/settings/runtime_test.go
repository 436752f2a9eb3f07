// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what this package says of the runtime is asked of the
// runtime itself: with a throwaway home, no network, and nothing of this
// machine's environment.

package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// session is a home with a project in it, in which the runtime can be asked.
type session struct {
	t             *testing.T
	home, project string
	args          []string
}

func newSession(t *testing.T) *session {
	t.Helper()
	testenv.Claude(t)
	testenv.Need(t, "unshare")
	home := testenv.Home(t)
	s := &session{t: t, home: home, project: filepath.Join(home, "project")}
	trust := fmt.Sprintf(`{"hasCompletedOnboarding": true, "projects": {%q: {"hasTrustDialogAccepted": true}}}`, s.project)
	s.write(filepath.Join(home, ".claude.json"), trust)
	s.write(filepath.Join(s.project, "README"), "")
	return s
}

func (s *session) write(path, text string) {
	s.t.Helper()
	testenv.Write(s.t, path, text, 0o644)
}

// layer puts a document into its scope.
func (s *session) layer(scope Scope, text string) {
	s.t.Helper()
	if scope == Flag {
		s.args = []string{"--settings", text}
		return
	}
	s.write(s.file(scope), text)
}

// file is where the document of a scope lies.
func (s *session) file(scope Scope) string {
	s.t.Helper()
	switch scope {
	case User:
		return filepath.Join(s.home, ".claude", "settings.json")
	case Project:
		return filepath.Join(s.project, ".claude", "settings.json")
	case Local:
		return filepath.Join(s.project, ".claude", "settings.local.json")
	default:
		s.t.Fatalf("no %s settings here", scope)
		return ""
	}
}

// ask runs the runtime in the project and returns what it prints. It is not a
// timed test: the bound only ends a runtime that waits for a person.
func (s *session) ask(args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	argv := slices.Concat([]string{"--map-root-user", "--net", "--", testenv.Claude(s.t)}, s.args, args)
	cmd := exec.CommandContext(ctx, "unshare", argv...)
	cmd.Dir = s.project
	cmd.Env = testenv.Env(s.t, s.home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// recorded is the part that matters of what the pinned runtime answers, which depends on
// its home and its arguments.
func (s *session) recorded(part func(out string) string, args ...string) string {
	s.t.Helper()
	return testenv.RecordedAt(s.t, fmt.Sprintf("%s %q %q", claude.Newest, s.args, args),
		func() string { return part(s.ask(args...)) }, s.home)
}

// state is what `claude sandbox status` says is in force.
type state struct {
	Enabled                  bool
	StrictMode               bool
	FilesystemPolicy         string
	AutoAllowBashIfSandboxed bool
}

func (s *session) state() state {
	s.t.Helper()
	var st state
	out := s.recorded(func(out string) string { return out }, "sandbox", "status")
	if json.Unmarshal([]byte(out), &st) != nil {
		s.t.Fatalf("sandbox status: %s", out)
	}
	return st
}

// complaints are the lines of `claude doctor` about invalid settings, by the
// file that they are about.
func (s *session) complaints() map[string][]string {
	s.t.Helper()
	section := s.recorded(func(out string) string {
		_, section, _ := strings.Cut(out, "\nInvalid settings\n")
		section, _, _ = strings.Cut(section, "\n\n")
		return section
	}, "doctor")
	lines := map[string][]string{}
	for line := range strings.Lines(section) {
		if file, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), ".json"); ok {
			file += ".json"
			lines[file] = append(lines[file], strings.TrimSpace(strings.TrimPrefix(line, "- "+file)))
		}
	}
	return lines
}

// loses says that a complaint of the doctor costs only what it names.
var loses = regexp.MustCompile(`was skipped|was removed|ignored`)

func TestTheRuntimeAgreesOnEveryDocument(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	newSession(t)
	rows := corpus()
	got := make([]string, len(rows))
	scopes := []Scope{User, Project, Local} // one start reads them all
	// Each document switches the sandbox on, so that it is off where all of those
	// in a start are dropped.
	inForce := func(t *testing.T, some []int) bool {
		t.Helper()
		s := newSession(t)
		for n, i := range some {
			s.layer(scopes[n], rows[i].text)
		}
		return s.state().Enabled
	}
	var drop, keep []int
	for i, r := range rows {
		if strings.HasPrefix(r.want, "drop") {
			drop = append(drop, i)
		} else {
			keep = append(keep, i)
		}
	}
	starts := slices.AppendSeq(slices.Collect(slices.Chunk(drop, len(scopes))), slices.Chunk(keep, 1))
	t.Run("in force", func(t *testing.T) {
		for _, some := range starts {
			t.Run(fmt.Sprint(some), func(t *testing.T) {
				t.Parallel()
				on := inForce(t, some)
				for _, i := range some {
					got[i] = map[bool]string{true: "ok", false: "drop"}[on && (len(some) == 1 || inForce(t, []int{i}))]
				}
			})
		}
	})
	var kept []int
	for i, fate := range got {
		if fate == "ok" {
			kept = append(kept, i)
		}
	}
	t.Run("complaints", func(t *testing.T) {
		for some := range slices.Chunk(kept, len(scopes)) {
			t.Run(fmt.Sprint(some), func(t *testing.T) {
				t.Parallel()
				s := newSession(t)
				for n, i := range some {
					s.layer(scopes[n], rows[i].text)
				}
				all := s.complaints()
				for n, i := range some {
					for _, line := range all[s.file(scopes[n])] {
						got[i] = "skip"
						if !loses.MatchString(line) {
							t.Errorf("%s\nis accepted with the complaint %s", rows[i].text, line)
						}
					}
				}
			})
		}
	})
	for i, r := range rows {
		if want, _, _ := strings.Cut(r.want, " "); got[i] != want && got[i] != "" { // "" is not run
			t.Errorf("%s\nthe runtime: %s; we: %s", r.text, got[i], r.want)
		}
	}
}

// only lists what stands in a and not in b.
func only(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// TestTheRuntimeAgreesOnEveryKey gives every key of the table the same value,
// one JSON type after the other, and compares the keys complained about.
func TestTheRuntimeAgreesOnEveryKey(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	newSession(t)
	for _, value := range []string{`"zzz"`, `""`, `-7.5`, `1`, `true`, `null`, `[]`, `[5]`, `["zz"]`, `{}`, `{"zz": 5}`,
		`{"zz": "y"}`} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			var members, ours, theirs []string
			for _, key := range slices.Sorted(maps.Keys(document().fields)) {
				// Another name for strictKnownMarketplaces: not both.
				if key != "allowedMarketplaces" {
					members = append(members, fmt.Sprintf("%q: %s", key, value))
				}
			}
			text := "{" + strings.Join(members, ", ") + "}"
			for _, p := range Problems(mustParse(t, text)) {
				ours = append(ours, p.Path[0])
			}
			s := newSession(t)
			s.layer(User, text)
			for _, line := range s.complaints()[s.file(User)] {
				key := regexp.MustCompile(`^› ([$\w]+)`).FindStringSubmatch(line)
				if key == nil {
					t.Fatalf("the doctor says %q", line)
				}
				theirs = append(theirs, key[1])
			}
			if len(theirs) < 50 {
				t.Errorf("the runtime complains of %q only", theirs)
			}
			for _, key := range only(ours, theirs) {
				t.Errorf("only we complain of %s", key)
			}
			for _, key := range only(theirs, ours) {
				t.Errorf("only the runtime complains of %s", key)
			}
		})
	}
}

func TestTheRuntimeAgreesOnEveryRule(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, list := range ruleLists {
		t.Run(list, func(t *testing.T) {
			s := newSession(t)
			rules := slices.Sorted(maps.Keys(ruleRows))
			s.layer(User, fmt.Sprintf(`{"permissions": {%q: %s}}`, list, asJSON(t, rules)))
			var ours, theirs []string
			for _, rule := range rules {
				if skippedRule(list, String(rule)) != "" {
					ours = append(ours, rule)
				}
			}
			for _, line := range s.complaints()[s.file(User)] {
				if _, rest, ok := strings.Cut(line, `Invalid permission rule "`); ok {
					rule, _, _ := strings.Cut(rest, `" was skipped`)
					theirs = append(theirs, rule)
				}
			}
			slices.Sort(theirs)
			if !slices.Equal(ours, theirs) {
				t.Errorf("the runtime skips\n%q\nwe\n%q", theirs, ours)
			}
		})
	}
}

func TestTheRuntimeAgreesOnSyntax(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	newSession(t)
	on := `"sandbox": {"enabled": true}`
	for text, accepted := range map[string]bool{
		"\ufeff{" + on + "}": true, "{\r\n" + on + "}\r\n": true, `{"a": "\ud800", ` + on + "}": true, `{"a": 1e999, ` + on +
			"}": true,
		"{//\n" + on + "}": false, "{/**/" + on + "}": false, "#\n{" + on + "}": false, "{" + on + ",}": false,
		`{"a": [1,], ` + on + "}": false,
		"{" + on:                  false, "{'a': 1, " + on + "}": false, "{" + on + "} {}": false, "\f{" + on + "}": false,
		"\u00a0{" + on + "}":       false,
		"\ufeff\ufeff{" + on + "}": false, "{\"a\": \"\t\", " + on + "}": false, `{"a": 01, ` + on + "}": false, "[{" + on +
			"}]": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.layer(User, text)
			if _, err := Parse("s.json", []byte(text)); s.state().Enabled != accepted || (err == nil) != accepted {
				t.Errorf("the runtime accepts: %v; we: %v; want %v", s.state().Enabled, err, accepted)
			}
		})
	}
}
