// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"encoding/json"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestTrustIsTheUsersOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.theatre("/bin/true")
	for _, c := range []struct{ state, want string }{
		{"", `{}`},
		{"not JSON", `{}`},
		{`{"projects":{"PROJ":{"hasTrustDialogAccepted":true,"allowedTools":["Bash(ls)"],"history":["` + secret +
			`"]},"/other":{"hasTrustDialogAccepted":true}},
			"primaryApiKey":"` + secret + `","oauthAccount":{"x":"` + secret + `"}}`,
			`{"PROJ":{"hasTrustDialogAccepted":true,"allowedTools":["Bash(ls)"]}}`},
		{`{"projects":{"HOME":{"hasTrustDialogAccepted":true},"PROJ":{"hasTrustDialogAccepted":false},"PROJ/sub":7}}`,
			`{"HOME":{"hasTrustDialogAccepted":true},"PROJ":{"hasTrustDialogAccepted":false}}`},
	} {
		fill := strings.NewReplacer("PROJ", l.project, "HOME", l.home)
		if c.state != "" {
			l.put(".claude.json", fill.Replace(c.state), 0o600)
		}
		st, err := th.Layout(Session{Dir: filepath.Join(l.project, "sub")})
		if err != nil {
			t.Fatal(err)
		}
		state := filepath.Join(l.home, ".claude.json")
		b := st.Files[slices.IndexFunc(st.Files, func(f fs.Laid) bool { return f.Path == state })].Data
		var got struct{ Projects map[string]json.RawMessage }
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(got.Projects)
		var a, w any
		if json.Unmarshal(text, &a) != nil || json.Unmarshal([]byte(fill.Replace(c.want)), &w) != nil {
			t.Fatal(string(text))
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(w)
		if string(x) != string(y) || strings.Contains(string(b), secret) {
			t.Errorf("%s\nbecomes %s\nwant %s", c.state, b, y)
		}
	}
}

// without is a machine whose kernel switches are these.
type without struct {
	host.Reader
	files map[string]string
}

func (w without) Read(path string) ([]byte, error) {
	if text, ok := w.files[path]; ok {
		return []byte(text), nil
	}
	return nil, iofs.ErrNotExist
}

func TestWhyThereIsNoStage(t *testing.T) {
	l := newLab(t)
	failed := func(said string) proc.Result { return proc.Result{Code: 1, Stderr: []byte("noise\n" + said + "\n")} }
	for _, c := range []struct {
		res   proc.Result
		files map[string]string
		want  string
	}{
		{failed("bwrap: setting up uid map: Permission denied"),
			map[string]string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "AppArmor"},
		{failed("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"),
			map[string]string{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "AppArmor"},
		{failed("bwrap: No permissions to creating new namespace, likely because the kernel does not allow non-privileged " +
			"user namespaces."),
			map[string]string{"/proc/sys/kernel/unprivileged_userns_clone": "0\n"}, "unprivileged_userns_clone = 0"},
		{failed("bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)"),
			map[string]string{"/proc/sys/user/max_user_namespaces": "0\n"}, "max_user_namespaces = 0"},
		{failed("bwrap: Creating new namespace failed: Operation not permitted"), nil, "the container"},
		{failed("bwrap: Can't mount proc on /newroot/proc: Operation not permitted"), nil, "container whose /proc is masked"},
		{failed("bwrap: Can't find source path /x: No such file or directory"), nil, "nothing can be tested"},
		{proc.Result{Code: -1, Err: iofs.ErrNotExist}, nil, "bwrap is not installed"},
		{proc.Result{Code: -1, Err: errors.New("bwrap did not answer within 1m0s")}, nil, "did not end"},
	} {
		var e *report.Error
		if err := blocked(without{l.host(), c.files}, c.res); !errors.As(err, &e) ||
			!strings.Contains(e.What+" "+e.Why, c.want) || e.Advice() == "" {
			t.Errorf("%s%v: %+v, want %q", c.res.Stderr, c.res.Err, e, c.want)
		}
	}
}

// TestTheApprovedProjectAroundIsOnTheStage: claude-iso takes its policy from
// there, also in a repository within it.
func TestTheApprovedProjectAroundIsOnTheStage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	inner := filepath.Join(l.project, "inner")
	l.put(strings.TrimPrefix(inner, l.home+"/")+"/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	th := l.theatre("/bin/true")
	set := approval.Set{SchemaVersion: 1}.WithPolicy(l.project, "sha256:1").WithRoot(l.project, l.project)
	l.put(strings.TrimPrefix(approval.Path(th.Host.Places().State), l.home+"/"), string(set.Bytes()), 0o600)
	th.Trees = []host.Tree{host.FindTree(th.Host, inner)}
	if got := th.starts(Session{Dir: inner, Launch: report.Iso}); !slices.Equal(got, []string{inner, l.project}) {
		t.Errorf("claude-iso: the settings of %q", got)
	}
	if got := th.starts(Session{Dir: inner, Launch: report.Plain}); !slices.Equal(got, []string{inner}) {
		t.Errorf("plain: the settings of %q", got)
	}
}
