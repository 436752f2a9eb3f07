// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the agent's own commits run a repository's hooks in
// whole-user scope as they did before; the real runtime shows that they would
// not, without a word, if sandboxed commands could not read the shared
// directory.

package scope_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/scope"
)

func TestMain(m *testing.M) { os.Exit(testenv.Offline(m)) }

func TestTheAgentsCommitsRunHooks(t *testing.T) {
	testenv.AsRoot(t)
	testenv.Need(t, "bwrap", "socat")
	runtime := testenv.Claude(t)
	for _, readable := range []bool{true, false} {
		h := newHome(t)
		h.repo("code/p")
		h.put("code/p/.git/hooks/pre-commit", "#!/bin/sh\necho the hook ran\n")
		h.put("code/p/.claude/settings.json", `{"sandbox":{"enabled":true,"failIfUnavailable":true,"filesystem":{"denyRead":["~/"],"allowRead":[".","~/.gitconfig"]}}}`)
		p, err := h.whole(scope.Options{Agent: setup.Settings{}})
		if err != nil {
			t.Fatal(err)
		}
		h.apply(engine.Applier{State: h.at(".local/state/steward-setup"), Version: "test", Now: time.Now}, p.Plan,
			scope.WholeUserCommand)
		if !readable {
			h.put(".claude/settings.json", "{}\n")
		}
		s := sessions.Play(t, sessions.Session{Claude: runtime, Home: h.path, Dir: "code/p",
			Args: []string{"--allowedTools", "Bash"},
			Vars: []string{"GIT_CONFIG_GLOBAL=" + h.at(".gitconfig")},
			Script: []model.Turn{{model.Bash("git commit -q --allow-empty -m x 2>&1; " +
				"echo code=$? sandboxed=$SANDBOX_RUNTIME")}}})
		got, _ := s.Result(0, 0)
		if ran := strings.Contains(got.Text, "the hook ran"); ran != readable ||
			!strings.Contains(got.Text, "code=0 sandboxed=1") {
			t.Errorf("readable %v: %q", readable, got.Text)
		}
	}
}
