// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/shell"
)

func TestWhatCodeOfAnotherLanguageStarts(t *testing.T) {
	place := shell.Place{Home: "/h", Dir: "/h/p", Project: "/h/p", Root: "/h/p",
		Look:   func(name string) (string, error) { return "/usr/bin/" + name, nil },
		Shim:   func(string) string { return "" },
		Getenv: func(string) string { return "" },
		Stays:  func(string) bool { return false }}
	for _, tt := range []struct {
		name, code string
		starts     bool
	}{
		{"x.py", `subprocess.run("npm run lint", shell=True)`, true},
		{"x.py", `subprocess.run(["npm", "run", 'lint'], check=True)`, true},
		{"x.py", "subprocess.check_call(\n    [\"make\",\n     \"lint\"], cwd=\".\")", true},
		{"x.py", `subprocess.run(shlex.split("npm run lint"))`, true},
		{"x.py", `os.system(f"pytest -q {x}")`, true},
		{"x.py", `subprocess.run([os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "x.sh")])`, true},
		{"x.py", `subprocess.Popen(f"{os.getcwd()}/x.sh")`, true},
		{"x.py", `sys.path.insert(0, os.getcwd())`, true},
		{"x.js", `execSync('npm run lint', {cwd: process.env.CLAUDE_PROJECT_DIR})`, true},
		{"x.js", `cp.spawnSync('npx', ['eslint', file], {stdio: 'inherit'})`, true},
		{"x.js", "await $`npx tsc`", true},
		{"x.js", `const p = require(process.cwd() + '/lint.js')`, true},
		{"x.rb", `system "bundle exec rubocop"`, true},
		{"x.rb", "x = `rake lint`", true},
		{"x.rb", "%x(./x)", true},
		{"x.pl", `system("make", "lint");`, true},
		{"x.pl", `require './lint.pl';`, true},
		{"x.rb", `load "./tasks.rb"`, true},
		{"x.rb", `require 'json'`, false},
		{"x.py", `subprocess.run(["uv", "run", "--script", str(tts), "done"], capture_output=True)`, true},
		{"x.py", `subprocess.run(["uv", "run", tool])`, true},
		{"x.py", `runpy.run_path("x.py")`, true},
		{"x.py", `exec(open('x.py').read())`, true},
		{"x.py", `spec = spec_from_file_location("x", "tools/x.py")`, true},
		{"x.py", `runpy.run_path("/h/x.py")`, true}, // the caller asks whether commands may write it
		{"x.js", `eval(require("fs").readFileSync("x.js", "utf8"))`, true},
		{"x.js", `vm.runInThisContext(fs.readFileSync('x.js'))`, true},
		{"x.rb", `load "tasks.rb"`, true},
		{"x.rb", `eval File.read("x.rb")`, true},
		{"x.pl", `open(F, "./x.sh|");`, true},
		{"x.pl", `open(my $f, "-|", "make", "lint");`, true},
		{"x.php", `system("./x.sh");`, true},
		{"x.php", `$out = shell_exec('npm test');`, true},
		{"x.php", `include "x.php";`, true},
		{"x.php", `require_once __DIR__ . "/x.php";`, false},
		{"x.lua", `os.execute("./x.sh")`, true},
		{"x.lua", `dofile("x.lua")`, true},
		{"x.lua", `-- os.execute("make")`, false},
		{"x.fish", "if test -f package.json\n  npx eslint $argv\nend", true},
		{"x.fish", "source x.fish", true},
		{"x.fish", "and ./x.sh", true},
		{"x.fish", "# ./x.sh\nset -l f (jq -r .x)\ngofmt -w $f", false},
		{"x.js", `const cfg = JSON.parse(fs.readFileSync("x.json"))`, false},
		{"x.pl", `open(F, "x.txt") or die "x";`, false},
		// What is said, or happens elsewhere, starts nothing of the project.
		{"x.py", `print("Please run 'npm install' first", file=sys.stderr)`, false},
		{"x.py", `if re.search(r"\bnpm publish", command): run(command)`, false},
		{"x.py", `# subprocess.run("npm run lint")`, false},
		{"x.py", `subprocess.run(["git", "branch", "--show-current"], cwd=os.environ["CLAUDE_PROJECT_DIR"])`, false},
		{"x.py", `subprocess.run([sys.executable, "x.py"])`, false},
		{"x.py", `subprocess.run(["make"], cwd=os.path.expanduser("~/tools"))`, false},
		{"x.py", `subprocess.run(["notify-send", "done"])`, false},
		{"x.js", "console.log(`run npm install`)", false},
		{"x.js", `// execSync('npm test')`, false},
		{"x.js", `const hooks = require('./lib')`, false},
		{"x.js", `if (/rm -rf/.exec(command)) process.exit(2)`, false},
	} {
		starts := false
		for _, s := range StartedBy(place, tt.name, []byte(tt.code)) {
			starts = starts || slices.ContainsFunc(s.Reach.Uses, func(u shell.Use) bool {
				return u.Kind == shell.Decides || u.Kind == shell.Configures || u.Kind == shell.Runs
			})
		}
		if starts != tt.starts {
			t.Errorf("%s: %v, want %v", tt.code, starts, tt.starts)
		}
	}
}
