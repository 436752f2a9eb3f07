// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

type counting struct {
	host.Reader
	n atomic.Int64
}

func (c *counting) Run(_ context.Context, s proc.Spec) proc.Result {
	c.n.Add(1)
	return proc.Result{Line: s.String()}
}

func TestAQuestionIsAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		specs []proc.Spec
		want  int64
	}{
		"one version":          {[]proc.Spec{proc.Version(proc.ClaudeCode)}, 1},
		"two tools":            {[]proc.Spec{proc.Version(proc.Socat), proc.Version(proc.Bubblewrap)}, 2},
		"one place":            {[]proc.Spec{proc.GitState("/a")}, 1},
		"two places":           {[]proc.Spec{proc.GitState("/a"), proc.GitState("/b")}, 2},
		"two files":            {[]proc.Spec{proc.GitIgnored("/a", "x"), proc.GitIgnored("/a", "y")}, 2},
		"a trial, each time":   {[]proc.Spec{proc.SandboxTrial()}, 4},
		"a package, each time": {[]proc.Spec{proc.DpkgVersion("x")}, 4},
		"a commit, each time":  {[]proc.Spec{proc.SampleCommit("/a")}, 4},
	} {
		under := &counting{}
		r := host.Once(under)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for _, s := range c.specs {
					if got := r.Run(context.Background(), s); got.Line != s.String() {
						t.Errorf("%s: %q answered for %q", name, got.Line, s)
					}
				}
			})
		}
		all.Wait()
		if got := under.n.Load(); got != c.want {
			t.Errorf("%s: %d calls, want %d", name, got, c.want)
		}
	}
}
