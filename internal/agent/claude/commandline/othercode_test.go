// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/shell"
)

func TestWhatCodeOfAnotherLanguageStarts(t *testing.T) {
	place := shell.Place{Home: "/h", Dir: "/h/p", Project: "/h/p", Root: "/h/p",
		Look:   func(name string) (string, error) { return "/usr/bin/" + name, nil },
		Shim:   func(string) string { return "" },
		Getenv: func(string) string { return "" },
		Stays:  func(string) bool { return false }}
	for _, tt := range []struct{ language, code, want string }{
		{"python", `subprocess.run("npm run lint", shell=True)`, "npm run lint"},
		{"python", `subprocess.run(["npm", "run", 'lint'], check=True)`, "npm run lint"},
		{"python", "subprocess.check_call(\n    [\"make\",\n     \"lint\"], cwd=\".\")", "make lint"},
		{"python", `subprocess.run(shlex.split("npm run lint"))`, "npm run lint"},
		{"python", `os.system(f"pytest -q {x}")`, "pytest -q {x}"},
		{"python", `subprocess.run([os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "x.sh")])`, "x.sh"},
		{"python", `subprocess.Popen(f"{os.getcwd()}/x.sh")`, "x.sh"},
		{"python", `sys.path.insert(0, os.getcwd())`, "os.getcwd()"},
		{"node", `execSync('npm run lint', {cwd: process.env.CLAUDE_PROJECT_DIR})`, "npm run lint"},
		{"node", `cp.spawnSync('npx', ['eslint', file], {stdio: 'inherit'})`, "npx eslint"},
		{"node", "await $`npx tsc`", "npx tsc"},
		{"node", `const p = require(process.cwd() + '/lint.js')`, "lint.js"},
		{"ruby", `system "bundle exec rubocop"`, "bundle exec rubocop"},
		{"ruby", "x = `rake lint`", "rake lint"},
		{"ruby", "%x(./x)", "./x"},
		{"perl", `system("make", "lint");`, "make lint"},
		{"python", `subprocess.run(["uv", "run", "--script", str(tts), "done"], capture_output=True)`, "uv run --script /-"},
		{"python", `subprocess.run(["uv", "run", tool])`, "uv run /-"},
		// What is said, or happens elsewhere, starts nothing of the project.
		{"python", `print("Please run 'npm install' first", file=sys.stderr)`, ""},
		{"python", `if re.search(r"\bnpm publish", command): run(command)`, ""},
		{"python", `# subprocess.run("npm run lint")`, ""},
		{"python", `subprocess.run(["git", "branch", "--show-current"], cwd=os.environ["CLAUDE_PROJECT_DIR"])`, ""},
		{"python", `subprocess.run([sys.executable, "x.py"])`, ""},
		{"python", `subprocess.run(["make"], cwd=os.path.expanduser("~/tools"))`, ""},
		{"python", `subprocess.run(["notify-send", "done"])`, ""},
		{"node", "console.log(`run npm install`)", ""},
		{"node", `// execSync('npm test')`, ""},
		{"node", `const hooks = require('./lib')`, ""},
		{"node", `if (/rm -rf/.exec(command)) process.exit(2)`, ""},
	} {
		got := ""
		for _, s := range startedBy(place, tt.code, tt.language) {
			for _, u := range s.reach.Uses {
				if u.Kind == shell.Decides || u.Kind == shell.Configures || u.Kind == shell.Runs {
					got = s.line
				}
			}
		}
		if got != tt.want && (tt.want == "" || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %q, want %q", tt.code, got, tt.want)
		}
	}
}
