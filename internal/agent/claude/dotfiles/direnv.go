// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: direnv asks about an .envrc once, and not about what that
// loads: whatever an allowed .envrc of a project names runs in the user's shell
// with the next prompt, whoever changed it since (measured with direnv 2.32.1).

package dotfiles

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// Words of direnv's library (direnv-stdlib(1)): loads read their first argument,
// or a file of that name, as code or as variables; evaluates run what the
// project configures; onPath put a directory of the project on PATH. "use X" is
// the function use_X: of those, useEvaluates name tools whose files are code,
// and others read the version of a program, as node does of .nvmrc.
var (
	direnvLoads = map[string]string{"source_env": ".envrc", "source_env_if_exists": ".envrc", "source": "", ".": "",
		"dotenv": ".env", "dotenv_if_exists": ".env"}
	direnvEvaluates = []string{"direnv_load", "layout pipenv", "layout poetry", "layout anaconda"}
	useEvaluates    = []string{"nix", "flake", "guix", "devenv", "devbox", "flox"}
	direnvOnPath    = []string{"PATH_add", "path_add", "load_prefix", "layout"}
)

// direnv judges the files that the user has allowed, and that direnv would load
// now: it knows each by its path and its content.
func (j *homeJudge) direnv() {
	for _, allowed := range j.expand(nil, "D/direnv/allow/*") {
		name, err := j.Host.Read(allowed)
		path := strings.TrimSpace(string(name))
		if err != nil || !filepath.IsAbs(path) || !j.Leads(path) {
			continue
		}
		text, err := j.Host.Read(path)
		if err != nil || len(text) > maxConfigSize {
			continue
		}
		if sum := sha256.Sum256(append([]byte(path+"\n"), text...)); hex.EncodeToString(sum[:]) == filepath.Base(allowed) {
			j.envrc(path, text)
		}
	}
}

// envrc judges the text of one.
func (j *homeJudge) envrc(path string, text []byte) {
	dir := filepath.Dir(path)
	f := shellrc.User{Home: j.Session.Dirs.Home, Getenv: j.Host.System().Get}.Read(shellrc.Bash, path, text)
	place := j.startedIn(dir)
	place.Project = dir
	for _, set := range f.Sets {
		j.steers("An .envrc that you allowed", set.Name, strings.Trim(set.Value, `"'`), set.Where())
		value := strings.NewReplacer("$PWD", dir, "${PWD}", dir).Replace(set.Value)
		if set.Name == "PATH" && slices.ContainsFunc(PathsIn(j.Host, dir, set.Name, value), j.Leads) {
			j.add(report.Warn, set.Where(), dir, "direnv puts a directory of "+dir+" on your PATH, and commands can put "+
				"programs there.")
		}
	}
	for _, c := range f.Calls {
		words := append(strings.Fields(c.Value), "", "")
		word, operand := words[0], strings.Trim(words[1], `"'`)
		file, loads := direnvLoads[word]
		used, uses := strings.CutPrefix(word, "use_")
		if word == "use" {
			used, uses = operand, true
		}
		switch {
		case loads:
			j.loaded(c, word, filepath.Clean(pathname.From(dir, cmp.Or(operand, file))))
		case word == "source_up" || word == "source_up_if_exists":
			j.loaded(c, word, filepath.Join(filepath.Dir(dir), cmp.Or(operand, ".envrc")))
		case slices.Contains(direnvEvaluates, word), slices.Contains(direnvEvaluates, word+" "+operand),
			uses && slices.Contains(useEvaluates, used):
			j.add(report.Fail, c.Where(), dir, "direnv runs "+redact.Command(word+" "+operand)+
				" of an .envrc that you allowed, with files of "+dir+" that commands can change, outside the sandbox.")
		case uses:
			j.add(report.Warn, c.Where(), dir, "direnv sets PATH or variables by files of "+dir+" ("+
				redact.Command(strings.TrimSpace(word+" "+operand))+"), and commands can change those.")
		case slices.Contains(direnvOnPath, word):
			j.add(report.Warn, c.Where(), dir, "direnv puts a directory of "+dir+" on your PATH ("+
				redact.Command(word+" "+operand)+"), and commands can put programs there.")
		default:
			for _, u := range place.Line(c.Alone()).Uses {
				runs := u.Kind == shell.Runs || u.Kind == shell.Found || u.Kind == shell.Decides || u.Kind == shell.Reads &&
					u.By == "cat" && commandline.Evaluates().MatchString(c.Value)
				if runs && j.Leads(u.Path) {
					j.loaded(c, word, u.Path)
				}
			}
		}
	}
}

// loaded notes a file that an allowed .envrc loads.
func (j *homeJudge) loaded(c shellrc.Def, word, path string) {
	if j.Leads(path) {
		j.add(report.Fail, c.Where(), path, fmt.Sprintf("direnv loads %s by an .envrc that you allowed (%s), outside the "+
			"sandbox. It does not ask again when commands change it.", path, redact.Command(word)))
	}
}
