// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a package manager works if the package is there afterwards.
// The registry is on the stage, under the name of the real one, so that the
// user's allow list decides; the caches that the user has are there, and empty.

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
)

type manager struct {
	name string
	// files in the project's root say that the project uses it.
	files []string
	// host is where it asks if nothing else is configured.
	host string
	// caches are below the home: what of them the user has is on the stage.
	caches []string
	// environ and line install the package into dir, where the files of laid
	// lie, from the registry at url.
	environ []string
	laid    map[string]string
	line    string
	// made is the file in dir that shows that it was installed, "" where the
	// reply does; done is what stands there, "" for the word of the package.
	made, done string
}

// npmPackage is the package.json of the project on the stage.
const npmPackage = `{"name":"steward-project","version":"1.0.0","private":true}` + "\n"

// managers are tried in this order. In what they are given, URL is the address
// of their registry, HOST its name, DIR the directory.
var managers = []manager{
	{name: "npm", files: []string{"package-lock.json", "npm-shrinkwrap.json", "package.json"}, host: "registry.npmjs.org",
		caches: []string{".npm/_cacache"},
		laid:   map[string]string{"package.json": npmPackage}, made: "node_modules/" + model.Package + "/" +
			model.PackageFile,
		line: "npm install --prefix DIR --registry URL/npm/ --ignore-scripts --no-audit --no-fund " + model.Package},
	{name: "pnpm", files: []string{"pnpm-lock.yaml"}, host: "registry.npmjs.org",
		caches: []string{".local/share/pnpm", ".cache/pnpm"},
		laid:   map[string]string{"package.json": npmPackage}, made: "node_modules/" + model.Package + "/" +
			model.PackageFile,
		line: "pnpm --dir DIR add --registry URL/npm/ --ignore-scripts --ignore-workspace " + model.Package},
	{name: "yarn", files: []string{"yarn.lock"}, host: "registry.yarnpkg.com",
		caches: []string{".cache/yarn", ".yarn/berry"},
		laid: map[string]string{"package.json": npmPackage, "yarn.lock": "", ".yarnrc": "registry \"URL/npm/\"\n",
			".yarnrc.yml": "npmRegistryServer: \"URL/npm/\"\nunsafeHttpWhitelist: [\"HOST\"]\nenableTelemetry: false\n" +
				"nodeLinker: node-modules\n"},
		made: "node_modules/" + model.Package + "/" + model.PackageFile, line: "yarn --cwd DIR add " + model.Package},
	{name: "pip", files: []string{"requirements.txt", "requirements-dev.txt", "pyproject.toml", "setup.py"},
		host: "pypi.org", caches: []string{".cache/pip"}, made: "made/steward_package/" + model.PackageFile,
		line: "pip install --target DIR/made --index-url URL/pypi/simple --trusted-host HOST --no-input " +
			"--disable-pip-version-check " + model.Package},
	{name: "uv", files: []string{"uv.lock"}, host: "pypi.org", caches: []string{".cache/uv"},
		made: "made/steward_package/" + model.PackageFile,
		line: "uv pip install --target DIR/made --default-index URL/pypi/simple " + model.Package},
	{name: "cargo", files: []string{"Cargo.toml"}, host: "index.crates.io",
		caches:  []string{".cargo/registry", ".cargo/git"},
		environ: []string{"CARGO_REGISTRIES_STEWARD_INDEX=sparse+URL/cargo/"}, made: "made/" + model.Package + "/" +
			model.PackageFile,
		laid: map[string]string{"src/lib.rs": "", "Cargo.toml": "[package]\nname = \"steward-project\"\n" +
			"version = \"1.0.0\"\nedition = \"2018\"\n[workspace]\n" +
			"[dependencies]\n" + model.Package + " = { version = \"1\", registry = \"steward\" }\n"},
		line: "cargo vendor --manifest-path DIR/Cargo.toml DIR/made"},
	{name: "go", files: []string{"go.mod", "go.work"}, host: "proxy.golang.org", caches: []string{"go/pkg/mod"},
		environ: []string{"GOPROXY=URL/go", "GONOSUMDB=steward.example", "GOWORK=off", "GOTOOLCHAIN=local"}, made: "go.sum",
		done: model.GoPackage,
		laid: map[string]string{"go.mod": "module steward.example/project\n\ngo 1.13\n\nrequire " + model.GoPackage + " v" +
			model.PackageVersion + "\n", "project.go": "package project\n\nimport _ \"" + model.GoPackage + "\"\n"},
		line: "go -C DIR mod tidy"},
	{name: "mvn", files: []string{"pom.xml"}, host: "repo.maven.apache.org", caches: []string{".m2/repository"},
		done: "BUILD SUCCESS",
		// Java takes the home of the user who plays, which on a stage may be nobody. The
		// others make one short run cheap: 2.3 s of a processor without, 1.3 with them
		// (OpenJDK 17).
		environ: []string{"MAVEN_OPTS=-Duser.home=~ -XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1 " +
			"-XX:+UseSerialGC"}, laid: map[string]string{
			"settings.xml": "<settings><mirrors>" +
				"<mirror><id>steward</id><mirrorOf>*</mirrorOf><url>URL/maven</url></mirror></mirrors></settings>\n",
			"pom.xml": "<project><modelVersion>4.0.0</modelVersion><parent><groupId>" + model.MavenGroup +
				"</groupId><artifactId>" + model.Package + "</artifactId><version>" +
				model.PackageVersion + "</version><relativePath/></parent>" +
				"<artifactId>project</artifactId><packaging>pom</packaging></project>\n"},
		line: "mvn --batch-mode --settings DIR/settings.xml --file DIR/pom.xml validate"},
}

// packagesOutside looks for the package managers of the project, or for all
// where it names none. None is started outside, since each writes.
func packagesOutside(_ context.Context, b *bench) control {
	all := slices.DeleteFunc(slices.Clone(managers), func(m manager) bool {
		_, err := b.r.Look(m.name)
		return err != nil
	})
	if len(all) == 0 {
		return absent("no package manager is installed", report.EnvEvidence("PATH",
			"none of npm, pnpm, yarn, pip, uv, cargo, go, mvn"))
	}
	c := control{status: report.Pass, unstarted: true, managers: all}
	if slices.ContainsFunc(all, func(m manager) bool { return m.used(b) }) {
		c.managers = slices.DeleteFunc(all, func(m manager) bool { return !m.used(b) })
	}
	var names []string
	for _, m := range c.managers {
		path, _ := b.r.Look(m.name)
		names = append(names, m.name)
		c.evidence = append(c.evidence, report.FileEvidence(path, "installed; not started outside, since an install writes"))
		for _, v := range m.spelled(m.environ, "") {
			c.environ = append(c.environ, strings.Replace(v, "=~", "="+b.r.Places().Home, 1))
		}
	}
	c.summary = strings.Join(names, ", ")
	return c
}

// used says whether the project has a file of a package manager. A lock file of
// another one for the same packages leaves npm out.
func (m manager) used(b *bench) bool {
	root := cmp.Or(b.o.Project, b.r.System().Cwd)
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := b.r.Stat(filepath.Join(root, name))
			return err == nil
		})
	}
	if m.name == "npm" && has("pnpm-lock.yaml", "yarn.lock") && !has("package-lock.json", "npm-shrinkwrap.json") {
		return false
	}
	return has(m.files...)
}

// away says why a package manager cannot be tried on a stage, "" if it can: its
// program is only a part of it, and the rest lies where the stage has nothing.
func (m manager) away(b *bench) string {
	path, err := b.r.Look(m.name)
	if err == nil {
		path, err = b.r.Resolve(path)
	}
	if err == nil && pathname.Within(path, b.r.Places().Home) {
		return path + " lies in the home directory, which the copy of your setup lacks: steward-setup doctor " +
			"--explain-command " + m.name + " says whether commands see it"
	}
	return ""
}

// spelled puts the values of the stage into what a package manager is given.
func (m manager) spelled(list []string, dir string) []string {
	url := fmt.Sprintf("http://%s:%d%s", m.host, rehearsal.Port, model.Registry)
	values := strings.NewReplacer("URL", url, "HOST", m.host, "DIR", scripts.Literal(dir))
	list = slices.Clone(list)
	for i := range list {
		list[i] = values.Replace(list[i])
	}
	return list
}

func packagesAsks(b *bench, c control) (list []ask) {
	for _, m := range c.managers {
		if m.away(b) == "" {
			list = append(list, m.ask(b))
			b.theatre.Names = append(b.theatre.Names, m.host)
		}
	}
	return list
}

// ask is the call that installs the package.
func (m manager) ask(b *bench) ask {
	root, dir := b.inputs.Root, "steward-packages/"+m.name
	a := ask{id: m.id(), title: m.name + " installs a package", turn: 1, slow: true, programs: []string{m.name},
		call: bash(m.spelled([]string{m.line}, dir)[0]), about: m.about(b.r.Places().Home),
		layer: m.layer(b.r.Places().Home), contacts: m.host,
		outside: m.name + " runs outside the sandbox (%s): install scripts of packages can access everything that you can"}
	a.files = []fs.Laid{fs.Directory(filepath.Join(root, dir))}
	for name, text := range m.laid {
		a.files = append(a.files, fs.Laid{Path: filepath.Join(root, dir, name), Mode: 0o644,
			Data: []byte(m.spelled([]string{text}, dir)[0])})
	}
	for _, cache := range m.caches {
		path := filepath.Join(b.r.Places().Home, cache)
		if info, err := b.r.Stat(path); err == nil && info.IsDir() {
			a.files = append(a.files, fs.Directory(path))
		}
	}
	if a.through = (trial.Through{File: filepath.Join(root, dir, m.made),
		Text: cmp.Or(m.done, model.PackageWord)}); m.made == "" {
		a.through = trial.Through{Reply: m.done}
	}
	return a
}

// packagesLeft says which package managers were not tried.
func packagesLeft(b *bench, c control) (string, []report.Evidence) {
	return notTested(b, c.managers, func(m manager) string { return m.name }, manager.away)
}

// The words of what refuses a package manager, in small letters: of a file
// system, of a shell, and of those that asked a proxy.
var (
	readOnlyWords = []string{"read-only file system", "erofs", "readonly database"}
	missingWords  = []string{"command not found", ": not found"}
	proxyWords    = []string{"403", "forbidden", "allowlist", "blocked"}
)

func says(text string, words []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// cacheIn is the cache that an answer names, "" if none: npm says ENOENT of one
// that is read-only (npm 11.19, Node.js 20.20), others EROFS.
func (m manager) cacheIn(home, text string) string {
	for _, cache := range m.caches {
		if path := filepath.Join(home, cache); strings.Contains(text, path+"/") || strings.Contains(text, path+"'") {
			return path + "/"
		}
	}
	return ""
}

// layer reads from the answer who refused: a cache, the program itself, the
// proxy, or nobody, where no name is resolved beside the proxy.
func (m manager) layer(home string) refuser {
	return func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
		call := s.Of(m.id())
		switch cache := m.cacheIn(home, call.Text); {
		case cache != "":
			return catalog.Mount, report.FileEvidence(cache, "cannot be written, and the answer names it")
		case says(call.Text, readOnlyWords), says(call.Text, missingWords):
			return catalog.Mount, report.CommandEvidence(m.name, "the answer is that of the file system")
		case call.Violation, says(call.Text, proxyWords):
			return catalog.Proxy, report.CommandEvidence(m.host,
				"was not contacted: the proxy reports that it is not on the allow list")
		}
		return catalog.Namespace, report.CommandEvidence(m.host,
			"was not contacted through the proxy, and there is no other route")
	}
}

// about is the catalog's entry for what refused, and what it is about.
func (m manager) about(home string) func(*trial.Trial) (entry string, vars map[string]string) {
	return func(s *trial.Trial) (entry string, vars map[string]string) {
		call := s.Of(m.id())
		if cache := m.cacheIn(home, call.Text); cache != "" {
			return "package-cache", map[string]string{"DIRECTORY": cache}
		}
		switch layer, _ := m.layer(home)(s); {
		case layer == catalog.Proxy:
			return "egress-blocked", map[string]string{"HOST": m.host}
		case layer == catalog.Namespace:
			return "egress-direct", nil
		case says(call.Text, readOnlyWords):
			return "package-cache", nil
		}
		return "command-hidden", nil
	}
}

func (m manager) id() string { return "install-" + m.name }
