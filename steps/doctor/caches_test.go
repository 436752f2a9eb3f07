// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each cache that install offers is tried with its real tool,
// as the sandbox has it: closed, and as the group opens it. What fails there is
// said by the group, which then is nobody's default.

package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/templates"
)

// cacheGroup is a group of templates/policy.toml.
type cacheGroup struct {
	ID     string   `toml:"id"`
	Kind   string   `toml:"kind"`
	Why    string   `toml:"why"`
	Detect []string `toml:"detect"`
	Entry  []struct {
		Key   string `toml:"key"`
		Value string `toml:"value"`
	} `toml:"entry"`
}

// cacheTrial are three pieces of work with a cache. In them URL is the address
// of the registry, OLD and NEW are what fills the cache and what is not in it.
type cacheTrial struct {
	group, program string
	laid           map[string]string
	environ        []string
	// fill is done outside first; filled is the work that needs what it left
	// and no network, cold the work with something else and the network.
	fill, filled, cold string
	// also is work that a cache may hinder in another way.
	also string
	// fails are those that fail with the group: "filled", "cold", "also".
	fails []string
}

var cacheTrials = []cacheTrial{
	{group: "go-modules", program: "go", environ: []string{"GOPROXY=URL/go", "GONOSUMDB=steward.example",
		"GOTOOLCHAIN=local", "GOFLAGS=-modcacherw"},
		laid: map[string]string{"go.mod": "module steward.example/project\n\ngo 1.13\n\nrequire " + model.GoPackage + " v" +
			model.PackageVersion + "\n",
			"project.go": "package project\n\nimport _ \"" + model.GoPackage + "\"\n"},
		fill: "go mod tidy && touch ~/go/pkg/mod/cache/filled", filled: "GOPROXY=off go list -deps ./...",
		cold: "rm -f go.sum && go mod tidy", fails: []string{"cold"}},
	{group: "cargo-registry", program: "cargo", environ: []string{"CARGO_REGISTRIES_STEWARD_INDEX=sparse+URL/cargo/"},
		laid: map[string]string{"src/lib.rs": "", "Cargo.toml": "[package]\nname = \"steward-project\"\n" +
			"version = \"1.0.0\"\nedition = \"2018\"\n[dependencies]\n" +
			model.Package + " = { version = \"1\", registry = \"steward\" }\n"},
		fill: "cargo fetch", filled: "cargo fetch --offline", cold: "cargo fetch", fails: []string{"cold"}},
	{group: "pre-commit", program: "pre-commit",
		laid: map[string]string{".pre-commit-config.yaml": "repos:\n- repo: HOOKS\n  rev: v1\n  hooks:\n  - id: ok\n",
			"a": "a\n", "b": "b\n"},
		fill:   "git init -q . && git add . && git commit -qm one && pre-commit install && pre-commit install-hooks",
		filled: "mv HOOKS HOOKS.away && echo c >>a && git add a && git commit -m two",
		cold:   "sed -i s/v1/v2/ .pre-commit-config.yaml && git add . && git commit -m two",
		also:   "echo c >>a && git add a && echo c >>b && git commit -m two", fails: []string{"cold", "also"}},
	{group: "npm-cache", program: "npm", laid: map[string]string{"package.json": npmPackage},
		fill:   "npm install --registry URL/npm/ " + model.Package + " && rm -r node_modules",
		filled: "npm install --offline --registry URL/npm/ " + model.Package,
		cold:   "npm install --registry URL/npm/ " + model.Package},
	{group: "pip-cache", program: "pip", fill: "pip download --dest made --index-url URL/pypi/simple " + model.Package,
		cold: "pip download --dest made --index-url URL/pypi/simple " + model.Package},
	{group: "go-build", program: "go", environ: []string{"GOTOOLCHAIN=local"},
		laid: map[string]string{"go.mod": "module steward.example/project\n\ngo 1.13\n", "project.go": "package project\n"},
		fill: "go build .", filled: "go build .", cold: "echo 'var X = 1' >>project.go && go build ."},
}

// TestCaches: with its group, a filled cache serves; without it, all other work
// succeeds. What a group makes fail, it says.
func TestCaches(t *testing.T) {
	testenv.AsRoot(t)
	testenv.Need(t, "bwrap", "git", "npm", "pip", "pre-commit")
	heard, err := model.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = heard.Close() })
	for _, c := range cacheTrials {
		t.Run(c.group, func(t *testing.T) {
			if path, err := exec.LookPath(c.program); err != nil || !works(path) {
				t.Skip(c.program + " is not installed")
			}
			g := cacheGroupOf(t, c.group)
			if g.Detect != nil {
				t.Errorf("a cache is a default where the repository has %v", g.Detect)
			}
			if got := strings.Contains(g.Why, "Still fails: "); got != (c.fails != nil) {
				t.Errorf("says that work fails: %v, want %v: %s", got, c.fails != nil, g.Why)
			}
			for work, line := range map[string]string{"filled": c.filled, "cold": c.cold, "also": c.also} {
				if line == "" {
					continue
				}
				closed, open := newCacheLab(t, c, "http://"+heard.Address()), newCacheLab(t, c, "http://"+heard.Address())
				if out, err := closed.inside(cacheGroup{}, line); (err == nil) != (work != "filled" || c.group == "go-build") {
					t.Errorf("%s, closed: %v\n%s", work, err, out)
				}
				if work == "cold" && c.group != "pre-commit" { // there the cold line asks for another version
					open.empty(t, g)
				}
				out, err := open.inside(g, line)
				if fails := strings.Contains(strings.Join(c.fails, " "), work); (err != nil) != fails {
					t.Errorf("%s, with the group: fails: %v, want %v\n%s", work, err != nil, fails, out)
				}
			}
		})
	}
}

// TestEveryCacheIsTried, but for those of tools that no registry here has.
func TestEveryCacheIsTried(t *testing.T) {
	untried := map[string]string{"uv-cache": "uv comes from PyPI alone", "local-bin": "programs", "uv-tools": "programs",
		"pyenv": "programs", "node-versions": "programs",
		"rust-toolchain": "programs"}
	for _, g := range cacheGroups(t) {
		tried := false
		for _, c := range cacheTrials {
			tried = tried || c.group == g.ID
		}
		if g.Kind == "caches" && tried == (untried[g.ID] != "") {
			t.Errorf("%s: tried: %v, and left out: %q", g.ID, tried, untried[g.ID])
		}
	}
}

func cacheGroups(t *testing.T) []cacheGroup {
	t.Helper()
	var file struct {
		Group []cacheGroup `toml:"group"`
	}
	if err := toml.Unmarshal(templates.Policy, &file); err != nil {
		t.Fatal(err)
	}
	return file.Group
}

func cacheGroupOf(t *testing.T, id string) cacheGroup {
	t.Helper()
	for _, g := range cacheGroups(t) {
		if g.Kind == "caches" && g.ID == id {
			return g
		}
	}
	t.Fatalf("there is no group %s", id)
	return cacheGroup{}
}

// cacheLab is a home with a filled cache, and a project.
type cacheLab struct {
	dir, home, project string
	environ            []string
	values             *strings.Replacer
}

func newCacheLab(t *testing.T, c cacheTrial, address string) *cacheLab {
	t.Helper()
	dir := t.TempDir()
	l := &cacheLab{dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"),
		values: strings.NewReplacer("URL", address+model.Registry, "HOOKS", filepath.Join(dir, "hooks"))}
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(l.values.Replace(text)), 0o755); err != nil { // a hook is started
			t.Fatal(err)
		}
	}
	for name, text := range c.laid {
		put(filepath.Join(l.project, name), text)
	}
	put(filepath.Join(l.home, "none"), "")
	// Otherwise go starts a process that counts, and writes here when the test is over
	// (Go 1.23 release notes, telemetry).
	put(filepath.Join(l.home, ".config/go/telemetry/mode"), "off")
	put(filepath.Join(l.project, "none"), "")
	l.environ = []string{"HOME=" + l.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.invalid",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid"}
	if home, err := os.UserHomeDir(); err == nil && c.program == "cargo" {
		l.environ = append(l.environ, "RUSTUP_HOME="+filepath.Join(home, ".rustup"))
	}
	for _, e := range c.environ {
		l.environ = append(l.environ, l.values.Replace(e))
	}
	put(filepath.Join(dir, "hooks/.pre-commit-hooks.yaml"), "- {id: ok, name: ok, entry: ok.sh, language: script}\n")
	put(filepath.Join(dir, "hooks/ok.sh"), "#!/bin/sh\n")
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", "cd "+filepath.Join(dir, "hooks")+
		"; git init -q; git add .; git commit -qm one; git tag v1; git commit -qm two --allow-empty; git tag v2")
	cmd.Env = l.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd = exec.CommandContext(t.Context(), "sh", "-ec", l.values.Replace(c.fill))
	cmd.Dir, cmd.Env = l.project, l.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the cache is not filled: %v\n%s", err, out)
	}
	return l
}

// empty leaves nothing in what a group opens.
func (l *cacheLab) empty(t *testing.T, g cacheGroup) {
	t.Helper()
	for _, e := range g.Entry {
		path := filepath.Join(l.home, strings.TrimPrefix(e.Value, "~/"))
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// inside runs a line with the home hidden but for what a group opens, as the
// sandbox of the runtime mounts it.
func (l *cacheLab) inside(g cacheGroup, line string) (string, error) {
	// What a line leaves running ends with it: where the test's end removes the home, the
	// kernel takes this mount away, and such a process would write where the home was.
	args := []string{"--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc", "--tmpfs", l.home}
	for _, e := range g.Entry {
		how := "--ro-bind"
		if e.Key == "sandbox.filesystem.allowWrite" {
			how = "--bind"
		}
		path := filepath.Join(l.home, strings.TrimPrefix(e.Value, "~/"))
		if _, err := os.Stat(path); err == nil {
			args = append(args, how, path, path)
		}
	}
	cmd := exec.Command("bwrap", append(args, "sh", "-ec", l.values.Replace(line))...)
	cmd.Dir, cmd.Env = l.project, l.environ
	out, err := cmd.CombinedOutput()
	return string(out), err
}
