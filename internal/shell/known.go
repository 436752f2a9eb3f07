// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of which programs it is known what they run, one row each,
// from their manuals.

package shell

import "strings"

// runner is a program that runs what files of its directory say.
type runner struct {
	// only are the subcommands that do, except those that do not; both ""
	// means always.
	only, except string
	// chdir are options with the directory that counts instead; of npx only in front of
	// the name of the program, which what stands behind it is given to (npx 11.19.1 was run).
	chdir string
}

const npmReads = "root prefix config view info ping whoami search completion -v --version help"

var runners = map[string]runner{
	"npm": {"", npmReads, "--prefix -C"}, "pnpm": {"", npmReads, "-C --dir"},
	"yarn": {"", "config info -v --version help", "--cwd"},
	"npx":  {"", "-v --version", "--prefix -C"}, "pnpx": {}, "bunx": {},
	"make": {"", "-v --version", "-C --directory"}, "gmake": {"", "-v --version", "-C --directory"},
	"ninja": {"", "--version", "-C"},
	"just":  {"", "--completions --version -V --help", ""}, "task": {"", "--completion --version --help", ""},
	"rake": {}, "cargo": {"", "-V --version", ""}, "bundle": {}, "bundler": {}, "composer": {},
	"mix": {}, "sbt": {}, "lein": {},
	"mvn": {}, "gradle": {}, "bazel": {}, "bazelisk": {}, "cmake": {}, "meson": {}, "scons": {}, "dune": {}, "stack": {},
	"cabal": {}, "swift": {}, "zig": {},
	"go": {"run test generate tool", "", "-C"}, "dotnet": {}, "flutter": {}, "dart": {"run test", "", ""},
	"uv":     {"run sync build pip add lock", "", "--directory --project"},
	"poetry": {"", "--version", "-C --directory -P --project"}, "pipenv": {"", "--version", ""},
	"pdm": {}, "hatch": {}, "rye": {}, "pipx": {"run", "", ""},
	"pytest": {}, "py.test": {}, "tox": {}, "nox": {}, "invoke": {}, "fab": {}, "jest": {}, "vitest": {}, "mocha": {},
	"ava": {}, "playwright": {}, "cypress": {},
	"pre-commit": {}, "lefthook": {"", "completion version", ""},
	"husky": {}, "lint-staged": {}, "turbo": {}, "nx": {}, "lerna": {}, "rush": {},
	"gulp": {}, "grunt": {},
	"webpack": {}, "rollup": {}, "vite": {}, "next": {}, "nuxt": {}, "astro": {}, "tsx": {}, "ts-node": {},
	"bun": {"", "-v --version completions", "--cwd"}, "deno": {"", "-V --version completions", ""},
	"docker": {"compose build buildx", "", ""}, "docker-compose": {}, "podman-compose": {},
	"podman": {"compose build", "", ""}, "vagrant": {},
	"terraform": {"", "version", ""}, "tofu": {"", "version", ""}, "ansible-playbook": {},
	"mise": {"", "activate completion version", ""}, "direnv": {"", "hook stdlib version", ""},
	"asdf": {"", "completion version help", ""}, "nix": {},
	"pixi": {"", "completion global self-update search info -V --version help", ""}, "nix-shell": {},
	"devenv": {"", "version -V --version help search", ""}, "devbox": {"", "global version", ""},
	"pip": {"install", "", ""}, "pip3": {"install", "", ""},
	"hg": {"", "--version", ""}, "jj": {"", "--version", ""},
	"rails": {}, "artisan": {}, "sphinx-build": {}, "mkdocs": {},
	"ant": {}, "mage": {}, "rspec": {}, "cucumber": {}, "snakemake": {}, "nodemon": {}, "foreman": {}, "overmind": {},
	"honcho": {}, "trunk": {}, "prisma": {}, "msbuild": {}, "nmake": {},
	"bmake": {}, "remake": {}, "jekyll": {}, "rebar3": {}, "erlang.mk": {}, "pod": {}, "xcodebuild": {}, "fastlane": {},
	"gradlew": {}, "mvnw": {}, "waf": {}, "doit": {}, "moon": {}, "earthly": {},
	"dagger": {}, "tilt": {}, "skaffold": {}, "pulumi": {}, "sam": {}, "cdk": {}, "serverless": {}, "sls": {},
	"wrangler": {}, "packer": {}, "nimble": {}, "shards": {}, "dub": {},
	"wasm-pack": {}, "cargo-watch": {}, "cargo-nextest": {}, "phpunit": {}, "pest": {}, "nyc": {}, "c8": {}, "karma": {},
	"tap": {}, "storybook": {}, "expo": {}, "ng": {}, "vue-cli-service": {},
	"react-scripts": {}, "gatsby": {}, "remix": {}, "esbuild-runner": {}, "flox": {}, "dvc": {}, "buck2": {}, "pants": {},
	"ctest": {}, "ansible": {}, "ansible-vault": {}, "molecule": {}, "vercel": {}, "netlify": {},
	"run-parts": {}, "inv": {}, "corepack": {"", "-v --version --help enable disable", ""},
	"terragrunt": {"", "-v --version --help", ""}, "latexmk": {"", "-v -version --version", ""},
	"gem": {"build", "", "-C"}, "nix-build": {}, "nix-instantiate": {}, "autoreconf": {"", "--version --help", ""},
	"buf": {"generate lint breaking", "", ""},
}

// configured are programs that run configuration of the directory as code, if
// there is any. lua looks there for modules before those in C, older ones before
// all (luaconf.h, package.path); rustup's proxies take the toolchain from there
// (rust-toolchain.toml, path).
var configured = append(strings.Fields("prettier rustfmt rustc babel semgrep vim vi view vimdiff ex nvim emacs gdb "+
	"lldb hugo coverage ipython lua luajit rustdoc rust-analyzer clippy-driver"), linters...)

// unconfigured are options that keep a program from it; an interpreter runs its
// start file of the directory without one: .Rprofile (R, Startup), .octaverc
// (octave(1)).
var unconfigured = map[string]string{"prettier": "--no-config", "Rscript": "--vanilla",
	"octave": "--norc --no-init-file -f", "octave-cli": "--norc --no-init-file -f"}

// instructed are programs that take instructions from a file in which other
// programs can be started (.shell, \!), and none from their directory.
var instructed = strings.Fields("sqlite3 psql mysql mariadb sqlplus ed gnuplot octave octave-cli m4 gs")

// scripted are those of them whose operands are such files (gnuplot(1), octave(1), m4(1)).
var scripted = strings.Fields("gnuplot octave octave-cli m4")

// steered are programs among data that have options which start a program, so
// that a file with such a name does (tar(1), zip(1), rsync(1), sort(1), split(1),
// man(1), find(1)).
var steered = strings.Fields("tar bsdtar gtar zip rsync sort split man scp sftp wget curl 7z")

// data are programs that run nothing of their arguments and nothing of the
// directory that they run in, beside those that print files (printers).
var data = append(strings.Fields("tr comm ls stat date diff basename dirname readlink curl gofmt goimports black ruff "+
	"isort shfmt clang-format taplo ps seq wl-paste xclip xsel most file tree pbpaste true false uvx biome "+
	"steward-setup xmllint zenity kdialog [ csplit dd dircolors expand unexpand factor getconf getent iconv "+
	"join link locale logname lsof man mkfifo mknod numfmt pathchk pidof pinky pr printenv ptx shuf split tar "+
	"bsdtar gtar tsort unlink unzip users vmstat who yes gzip gunzip xz unxz zstd unzstd bzip2 bunzip2 7z cal "+
	"figlet cowsay lolcat toilet sw_vers system_profiler defaults pmset sysctl ioreg hyprctl swaymsg i3-msg "+
	"xdotool ydotool playerctl dbus-send qdbus busctl loginctl journalctl curlie http https httpie ping dig "+
	"host nslookup nc lsb_release ip ss ifconfig gum delta hx eza exa lsd dust duf procs sd choose jc gron "+
	"dasel tomlq xq htmlq prettyping sponge ts pee vidir lsblk findmnt blkid uuidgen openssl gpg pass age "+
	"minisign git-lfs git-crypt nbstripout"), silentData...)
