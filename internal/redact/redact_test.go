// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// Tokens are put together here, so that no scanner takes this file for a leak.
var (
	github    = "ghp_" + strings.Repeat("a1", 18)
	anthropic = "sk-ant-" + "api03-" + strings.Repeat("x", 20)
	openai    = "sk-" + "proj-" + strings.Repeat("b2", 12)
	awsID     = "AKIA" + "IOSFODNN7EXAMPLE"
	slack     = "xoxb-" + "1234567890-abcdef"
	jwt       = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
	pem       = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA " + "PRIVATE KEY-----"
)

func init() { env.Add(env.Agent{Helpers: []string{"apiKeyHelper", "otelHeadersHelper"}}) }

func TestTextHidesSecrets(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		// Tokens that name themselves.
		{"key " + awsID + " used", "key [redacted] used"},
		{"x=" + github + ";", "x=[redacted];"},
		// A permission rule ends so.
		{"Read(secrets:*) is skipped", "Read(secrets:*) is skipped"},
		{`"Bash(get-secret:*)", "Bash(x)"`, `"Bash(get-secret:*)", "Bash(x)"`},
		{"password:*)word", "password:[redacted])word"},
		{"a-" + github, "a-[redacted]"},
		{"github_pat_" + strings.Repeat("A", 30), "[redacted]"},
		{"echo " + anthropic, "echo [redacted]"},
		{openai + "\n", "[redacted]\n"},
		{slack, "[redacted]"},
		{"curl https://hooks.slack.com/services/" + "T0000/B0000/abcdefgh", "curl https://[redacted]"},
		{"got " + jwt + ".", "got [redacted]."},
		{"before\n" + pem + "\nafter", "before\n[redacted]\nafter"},
		{pem[:40] + " cut", "[redacted]"},
		{`"out\n` + github + `\n"`, `"out\n[redacted]\n"`},
		{"x is foo --key hunter2-of-mine. It runs.", "x is foo --key [redacted] It runs."},
		{"x is foo --pw hunter22, and", "x is foo --pw [redacted] and"},
		{`x "foo --pw hunter22" y/z`, `x "foo --pw [redacted]" y/z`},
		{`{"a":["foo --key hunter22"],"b":"/c"}`, `{"a":["foo --key [redacted]"],"b":"/c"}`},
		{`{\"a\":[\"foo --key hunter22\"],\"b\":\"/c\"}`, `{\"a\":[\"foo --key [redacted]\"],\"b\":\"/c\"}`},
		{`x --key hunter"2 2"2`, `x --key [redacted]`},
		{"tailscale up --authkey hunter22", "tailscale up --authkey [redacted]"},
		{"https://h/c?sp=r&sig=a%2Fb%3D&se=1", "https://h/c?sp=r&sig=[redacted]&se=1"},
		{"https://ntfy.example/x?auth=abc", "https://ntfy.example/x?auth=[redacted]"},
		{"Server=h;Uid=u;Pwd=hunter2;", "Server=h;Uid=u;Pwd=[redacted];"},
		{"DRIVER=x;UID=sa;PWD=hunter2;", "DRIVER=x;UID=sa;PWD=[redacted];"},
		{"npm publish --otp 123456", "npm publish --otp [redacted]"},
		{"npm publish --otp=123456, then", "npm publish --otp=[redacted] then"},
		{"set -gx API_KEY hunter2", "set -gx API_KEY [redacted]"},
		{"set --export --global API_KEY hunter2", "set --export --global API_KEY [redacted]"},
		{"if true; setenv API_KEY 'a b'; end", "if true; setenv API_KEY '[redacted]'; end"},
		// Names.
		{`"\napi_key=abc x"`, `"\napi_key=[redacted] x"`},
		{"GH_TOKEN=hunter2 git push", "GH_TOKEN=[redacted] git push"},
		{"export DB_PASS='a b'; run", "export DB_PASS='[redacted]'; run"},
		{`API_KEY="a\"b" c`, `API_KEY="[redacted]" c`},
		{`TOKEN=a"b c"d e`, `TOKEN=[redacted] e`},
		{`TOKEN="b c"d e`, `TOKEN=[redacted] e`},
		{"PASSWORD=a,b}c", "PASSWORD=[redacted]"},
		{"SECRET=a\\ b c", "SECRET=[redacted] c"},
		{`{"apiKey": "abc", "x": 1}`, `{"apiKey": "[redacted]", "x": 1}`},
		{`{\"access_token\":\"abc\",\"x\":1}`, `{\"access_token\":\"[redacted]\",\"x\":1}`},
		{"{'secret': 'x'}", "{'secret': '[redacted]'}"},
		{`os.environ["TOKEN"] = "x"`, `os.environ["TOKEN"] = "[redacted]"`},
		{"password: hunter2\nuser: me", "password: [redacted]\nuser: me"},
		{"credentials: hunter2", "credentials: [redacted]"},
		{"credentials: No", "credentials: [redacted]"},
		{"secret.py: 131", "secret.py: [redacted]"},
		{"token.go:1311311", "token.go:[redacted]"},
		{"password.js:12ab", "password.js:[redacted]"},
		{"credentials.yml:131", "credentials.yml:[redacted]"},
		{"token.js:12+abcdefgh==", "token.js:[redacted]"},
		{"password.rs:7!Hunter2", "password.rs:[redacted]"},
		// Whether there was a password is no password.
		{"denied for user 'dev'@'h' (using password: NO)", "denied for user 'dev'@'h' (using password: NO)"},
		{"(using password: YES) password=YES1", "(using password: YES) password=[redacted]"},
		{"credentials: No such secret", "credentials: [redacted] such secret"},
		{"credentials: Permission denied1", "credentials: [redacted] denied1"},
		{"credentials: 'No such file or directory'", "credentials: '[redacted]'"},
		{`credentials: Permission denied"x"`, `credentials: [redacted] denied"x"`},
		{"credentials:No such file or directory", "credentials:[redacted] such file or directory"},
		{"PASSWORD=Permission denied", "PASSWORD=[redacted] denied"},
		{"--password: Permission denied", "--password: [redacted] denied"},
		{"{token: abc, x: 1}", "{token: [redacted], x: 1}"},
		{"client_secret := value", "client_secret := [redacted]"},
		{"GET /?access_token=abc&page=2", "GET /?access_token=[redacted]&page=2"},
		{"tool --password hunter2 --verbose", "tool --password [redacted] --verbose"},
		{"tool --api-key=abc x", "tool --api-key=[redacted] x"},
		{"curl -u me:secret https://h/", "curl -u me:[redacted] https://h/"},
		{`curl --user "me:a b" h`, `curl --user "me:[redacted]" h`},
		{"tool --key hunter2 x", "tool --key [redacted] x"},
		{"login/passwd:123456", "login/passwd:[redacted]"},
		{"/etc/passwd: hunter2", "/etc/passwd: [redacted]"},
		{"tool --license-key=ABC-123", "tool --license-key=[redacted]"},
		{"sshpass -p hunter2 ssh h", "sshpass -p [redacted] ssh h"},
		{"curl --user=me:hunter2 h", "curl --user=me:[redacted] h"},
		{"curl --user='me:hunter2' h", "curl --user='me:[redacted]' h"},
		{"curl -U me:hunter2 -x p h", "curl -U me:[redacted] -x p h"},
		{"curl -sS -ume:hunter2 h", "curl -sS -ume:[redacted] h"},
		{"skopeo copy --src-creds me:hunter2 a b", "skopeo copy --src-creds me:[redacted] a b"},
		{"machine h login me password hunter2", "machine h login me password [redacted]"},
		{"machine h\n  login me\n  account a\n  password \"hunter2\"\n",
			"machine h\n  login me\n  account a\n  password \"[redacted]\"\n"},
		{`{"text": "default login me\npassword hunter2\nmachine h"}`,
			`{"text": "default login me\npassword [redacted]\nmachine h"}`},
		{"//registry.example.org/:_auth=bWU6aHVudGVy", "//registry.example.org/:_auth=[redacted]"},
		{"git clone https://0123456789abcdef0123@h/x", "git clone https://[redacted]@h/x"},
		{"keytool -storepass hunter2 -keypass 'hunter2' -list", "keytool -storepass [redacted] -keypass '[redacted]' -list"},
		{"openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:[redacted] -in k"},
		{"cargo login hunter2", "cargo login [redacted]"},
		{"cargo login --registry crates hunter2", "cargo login --registry crates [redacted]"},
		{"cargo login -q --registry=crates -- hunter2", "cargo login -q --registry=crates -- [redacted]"},
		{"curl -sume:hunter2 h", "curl -sume:[redacted] h"},
		{"curl -sSfu me:hunter2 h", "curl -sSfu me:[redacted] h"},
		{`curl -u"me:hunter2" h`, `curl -u"me:[redacted]" h`},
		{"curl -su'me:hunter 2' h", "curl -su'me:[redacted]' h"},
		{"curl -ume@example.org:hunter2 h", "curl -ume@example.org:[redacted] h"},
		{"wget --user=me:hunter2 h", "wget --user=me:[redacted] h"},
		{"sudo -S true <<< hunter2", "sudo -S true <<< [redacted]"},
		{"sudo -S true <<<'hunter 2' && ls", "sudo -S true <<<'[redacted]' && ls"},
		{`{"command": "docker login --password-stdin <<< hunter2"}`,
			`{"command": "docker login --password-stdin <<< [redacted]"}`},
		{`{"command": "gh auth login <<< \"hunter2\""}`, `{"command": "gh auth login <<< \"[redacted]\""}`},
		{"machine h password hunter2", "machine h password [redacted]"},
		{"x\n default password hunter2", "x\n default password [redacted]"},
		{"ipmitool -U me -P hunter2 -H h", "ipmitool -U me -P [redacted] -H h"},
		{"/usr/bin/sshpass -phunter2 ssh h", "/usr/bin/sshpass -p[redacted] ssh h"},
		{"mysql -u root -phunt!er2 db", "mysql -u root -p[redacted] db"},
		{"mysqldump -phunter2", "mysqldump -p[redacted]"},
		{"mysql -u root -p'hunter 2' db", "mysql -u root -p'[redacted]' db"},
		{`mysql -p"hunter2" db`, `mysql -p"[redacted]" db`},
		{`{"command": "mysql -p\"hunter2\" db"}`, `{"command": "mysql -p\"[redacted]\" db"}`},
		{"sshpass -p 'hunter 2' ssh h", "sshpass -p '[redacted]' ssh h"},
		{"sshpass -p'hunter2' ssh h", "sshpass -p'[redacted]' ssh h"},
		{"mongosh -u me -p hunter2", "mongosh -u me -p [redacted]"},
		{"docker login -u me -p hunter2 host", "docker login -u me -p [redacted] host"},
		{"echo hunter2 | docker login -u me --password-stdin", "echo [redacted] | docker login -u me --password-stdin"},
		{`"command": "printf '%s' 'hunter2' | gh auth login --with-token; make"`,
			`"command": "printf '%s' '[redacted]' | gh auth login --with-token; make"`},
		{`echo "$TOKEN" | helm registry login --password-stdin`, `echo "$TOKEN" | helm registry login --password-stdin`},
		{`"ANTHROPIC_CUSTOM_HEADERS": "X-Mine: hunter2",`, `"ANTHROPIC_CUSTOM_HEADERS": "[redacted]",`},
		{"unzip -P hunter2 x.zip", "unzip -P [redacted] x.zip"},
		{"7z x -phunter2 a.7z", "7z x -p[redacted] a.7z"},
		// Words of a program's own syntax.
		{"sqlplus scott/hunter2@db", "sqlplus scott/[redacted]@db"},
		{"sqlplus -S scott/hunter2@//h:1521/x @run.sql", "sqlplus -S scott/[redacted]@//h:1521/x @run.sql"},
		{"vault login hunter2", "vault login [redacted]"},
		{"vault login -no-print hunter2 && ls", "vault login -no-print [redacted] && ls"},
		{"vault login -method=userpass username=me", "vault login -method=userpass username=me"},
		{"htpasswd -b .htpasswd me hunter2", "htpasswd -b .htpasswd me [redacted]"},
		{"htpasswd -cbB /etc/htpasswd me 'hunter2'", "htpasswd -cbB /etc/htpasswd me '[redacted]'"},
		{"htpasswd -nb me hunter2", "htpasswd -nb me [redacted]"},
		{"htpasswd .htpasswd me", "htpasswd .htpasswd me"},
		{"smbclient //h/share -U me%hunter2 -c ls", "smbclient //h/share -U me%[redacted] -c ls"},
		{"smbclient -U 'me%hunter2' //h/share", "smbclient -U 'me%[redacted]' //h/share"},
		{"openssl enc -aes-256-cbc -k hunter2 -in x", "openssl enc -aes-256-cbc -k [redacted] -in x"},
		{"openssl s_client -key tls.pem -connect h:1", "openssl s_client -key tls.pem -connect h:1"},
		// Settings that a command sets.
		{"aws configure set aws_secret_access_key hunter2 --profile x",
			"aws configure set aws_secret_access_key [redacted] --profile x"},
		{"aws configure set default.aws_session_token 'a b'", "aws configure set default.aws_session_token '[redacted]'"},
		{"npm config set //registry.example.org/:_authToken hunter2", "npm config set //registry.example.org/:_authToken " +
			"[redacted]"},
		{"npm config set _auth hunter2", "npm config set _auth [redacted]"},
		{"git config --global github.token hunter2", "git config --global github.token [redacted]"},
		{"pip config set global.password hunter2 && ls", "pip config set global.password [redacted] && ls"},
		{"redis-cli -a hunter2 ping", "redis-cli -a [redacted] ping"},
		{`{"command": "sshpass", "args": ["-p", "hunter2"]}`, `{"command": "sshpass", "args": ["-p", "[redacted]"]}`},
		{`["--token", "hunter2", "--verbose"]`, `["--token", "[redacted]", "--verbose"]`},
		{"\"--api-key\",\n      \"hunter2\"", "\"--api-key\",\n      \"[redacted]\""},
		{"--sort-key modified --cache-key=deps-linux --deploy-key hunter2", "--sort-key modified --cache-key=deps-linux " +
			"--deploy-key [redacted]"},
		{`[\"--key\",\"hunter2\"]`, `[\"--key\",\"[redacted]\"]`},
		{`"apiKeyHelper": "echo hunter2"`, `"apiKeyHelper": "echo [redacted]"`},
		{"otelHeadersHelper: 'sh -c \"echo x\"'", "otelHeadersHelper: 'sh [redacted]'"},
		// Headers.
		{`curl -H "Authorization: Bearer abc.def" https://h`, `curl -H "Authorization: Bearer [redacted]" https://h`},
		{`"Authorization": "Basic dTpw"`, `"Authorization": "Basic [redacted]"`},
		{"authorization: weird a b c\nnext", "authorization: [redacted]\nnext"},
		{"Cookie: a=b; c=d\nnext", "Cookie: [redacted]\nnext"},
		{"X-Api-Key: abc", "X-Api-Key: [redacted]"},
		{"`token`: abc", "`token`: [redacted]"},
		{"{h: `Authorization: Bearer abc`}; go()", "{h: `Authorization: Bearer [redacted]`}; go()"},
		{"TOKEN='`x`'", "TOKEN='[redacted]'"},
		{"sent bearer 0123456789abcdef0", "sent bearer [redacted]"},
		// URLs.
		{"https://me:pw@host/x", "https://me:[redacted]@host/x"},
		{"postgres://u:p@ss@db/x", "postgres://u:[redacted]@db/x"},
		{"https://u:a/b@host", "https://u:[redacted]@host"},
		{"https://h/hooks/aB3dE5gH7jK9mN1pQ3sT/run", "https://h/hooks/[redacted]/run"},
		{"https://api.telegram.org/bot12345:" + "AAE-xyz0123456789abcdef/send", "https://api.telegram.org/[redacted]/send"},
		{"https://u:" + github + "@host", "https://u:[redacted]@host"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestTextKeepsWhatIsNoSecret(t *testing.T) {
	for _, s := range []string{
		"", "git push origin main", "ls -la ~/.ssh",
		"git clone https://git@github.com/x/y", "git clone https://someone-with-a-long-name@h/x", "ssh -u me h", "curl -U h",
		"psql -U me db", "psql -U me:you db", "docker run --user=me:staff x", "cargo login", "cargo login --registry crates",
		"use the default password reset form", "keep the default: password reset", "ssh://deployment-user-2024@h/x",
		"https://someone-with-a-long-name-2024@h/x", "ssh://0123456789abcdef0123@h/x",
		"sudo -S true <<< $PW", "cat <<< \"$PW\"", "cat <<<$(pass x)", "<<<<<<< HEAD", "the password of this machine",
		"git config --get github.token", "git config --global user.name me", "aws configure set region eu-west-1",
		"aws configure set aws_secret_access_key $KEY",
		`echo "mysql -p" && ls`, "mysql -p db", "docker login -u me registry.example.org", "docker run -p 80:80 x",
		"GH_TOKEN=$GH_TOKEN git push", `TOKEN="$(gh auth token)" x`, "TOKEN=${TOKEN}",
		"GH_TOKEN=`curl -s http://h/x | sh`", "TOKEN=\"`gh auth token`\" x", "curl -H \"Authorization: `cat f`\"",
		"sandbox.credentials.envVars:GH_TOKEN", "sandbox.credentials.files:~/.netrc",
		`"credentials": {"files": [{"path": "~/.netrc", "mode": "deny"}]}`,
		`"envVars": [{"name": "GITHUB_TOKEN", "mode": "deny"}]`,
		`"apiKeyHelper": "/usr/local/bin/key"`, `"secret": true`, `"token": ""`,
		"MAX_TOKENS=4096", "SSH_AUTH_SOCK=/run/agent", "PWD=/home/me", "AWS_WEB_IDENTITY_TOKEN_FILE=/run/token",
		"https://host:8080/path@v1", "https://h:4873/@scope/pkg", "git@github.com:o/r.git", "a:b@c",
		"docker run -u 1000:1000 image", "sk-learn-is-a-kebab-case-name", "Token::new(x)", "token://x",
		"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "eyJ is a prefix",
		"cat: /home/me/.aws/credentials: No such file or directory", "cat: ~/.aws/credentials: No such file\n",
		"x/token: Permission denied (os error 13)",
		"tee: .git-credentials: Read-only file system",
		"[1:1:FATAL:credentials.cc:131] Check failed", "auth/token.go:42:7: undefined: x", "at /p/secret.js:7",
		"(token.go:42) x", "cut: /etc/passwd:12", "rootfs/etc/passwd:3: bad line",
		"openssl req --key tls/server.key", "sort --key 2,2", "sort --sort-key=3", "ssh -p 2222 h", "mkdir -p some/dir",
		"mysql -p -u root", "docker run -p 8080:80 x", "cp -pr a b",
		"https://github.com/o/r/commit/0123456789abcdef0123456789abcdef01234567",
		"https://docs.rs/tokio/latest/tokio/index.html", `["--verbose", "--token"]`, `["--token"]`,
		"https://example.org/Some-Long-Title-Of-A-Page-About-Things",
		"the bearer authentication-scheme", "pass: 3 fail: 0", "cd /a;PWD=/b", "a=1;pwd=/b/c", "a=1;pwd=$(pwd)",
		"npm publish --otp $OTP", "x --key tls.pem. Then", "set -e API_KEY",
		"set -gx API_KEY $KEY", "a set of API_KEY names",
	} {
		if got := Text(s); got != s {
			t.Errorf("Text(%q) = %q, want it unchanged", s, got)
		}
	}
}

func TestCredentialName(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "GH_TOKEN": true, "ANTHROPIC_API_KEY": true, "apiKey": true, "x-api-key": true, "APIKey": true,
		"AWS_ACCESS_KEY_ID": true, "AWS_SECRET_ACCESS_KEY": true, "PGPASSWORD": true, "MYSQL_PWD": true,
		"REDISCLI_AUTH": true,
		"--password":    true, "GITHUB_PAT": true, "STRIPE_KEY": true, "clientSecret": true, "NPM_AUTHTOKEN": true,
		"GOOGLE_APPLICATION_CREDENTIALS": true, "DOCKER_AUTH_CONFIG": true, "AZURE_STORAGE_CONNECTION_STRING": true,
		"credentials": true,
		"":            false, "HOME": false, "PATH": false, "PWD": false, "OLDPWD": false, "PASS": false, "AUTH": false,
		"KEY":           false,
		"SSH_AUTH_SOCK": false, "XAUTHORITY": false, "GIT_ASKPASS": false, "MAX_THINKING_TOKENS": false,
		"TOKENIZERS_PARALLELISM": false,
		"PASSWORD_FILE":          false, "TOKEN_URL": false, "secretName": false, "primary_key": false, "KEYBOARD": false,
		"apiKeyHelper": false,
	} {
		if got := CredentialName(name); got != want {
			t.Errorf("CredentialName(%q) = %v", name, got)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"plain", 0, "plain"},
		{"\x1b[31mred\x1b[0m", 0, "␛[31mred␛[0m"},
		{"a\nb\tc\r\x00\x7f", 0, "a␊b␉c␍␀␡"},
		{"\u009b2J\u202egpj\u200b\ufeff", 0, `\u{9b}2J\u{202e}gpj\u{200b}\u{feff}`},
		{"\x9b2J", 0, `\x9b2J`},
		{"caffè 日本 😀", 0, "caffè 日本 😀"},
		{"hidden\u3164\ufe0f\U000e0041", 0, `hidden\u{3164}\u{fe0f}\u{e0041}`},
		{"nbsp\u00a0", 0, `nbsp\u{a0}`},
		{"12345", 5, "12345"},
		{"123456", 5, "1234…"},
		{"日本語日本語", 3, "日本…"},
		{"1234\x9b", 5, "1234…"},
		{"ab", 1, "…"},
		{"", 1, ""},
	} {
		if got := Line(c.in, c.limit); got != c.want {
			t.Errorf("Line(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
	if got, want := Block("a\n\tb\x1b\u202e\r\n"), "a\n\tb␛\\u{202e}␍\n"; got != want {
		t.Errorf("Block = %q, want %q", got, want)
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"echo hunter2", "echo [redacted]"},
		{"/opt/helper --profile dev", "/opt/helper --profile [redacted]"},
		{"cat ~/.keys/api", "cat ~/.keys/api"},
		{"./tools/fmt.sh --check src/a.go", "./tools/fmt.sh --check src/a.go"},
		{"db -p hunter2 -phunter2 --password=x --port 5432",
			"db -p [redacted] -p[redacted] --password=[redacted] --port 5432"},
		{"npx -y @acme/server --key hunter2", "npx -y @acme/server --key [redacted]"},
		{"npx -y notes-server", "npx -y notes-server"},
		{"docker run -i --rm -e KEY=hunter2 mcp/notes", "docker run -i --rm -e [redacted] mcp/notes"},
		{"KEY=hunter2 LANG=C serve", "KEY=[redacted] LANG=[redacted] serve"},
		{"FILE=/etc/x serve", "FILE=/etc/x serve"},
		{"vault read secret | jq .x", "vault [redacted] [redacted] | jq [redacted]"},
		{"sh -c 'echo hunter2'", "sh -c [redacted]"},
		{"curl https://me:pw@h/hooks/hunter2?k=v $TOKEN", "curl https://h/[redacted]/[redacted]?[redacted] $TOKEN"},
		{"aws s3 cp s3://b/AKIA0123456789ABCDEF .", "aws [redacted] [redacted] s3://b/[redacted] ."},
		{"echo 'unclosed hunter2", "echo [redacted]"},
		{"gh auth login --with-token <<< hunter2", "gh [redacted] [redacted] --with-token <<< [redacted]"},
		{"sudo -S <<< 'hunter2' && ls", "sudo -S <<< [redacted] && ls"},
		{"cat <<< $TOKEN | wc", "cat <<< $TOKEN | wc"},
		{`for f in docs/A.md; do [ -f "$f" ] && { cat "$f"; }; done`, `for f in docs/A.md; do [ -f "$f" ] && { cat "$f"; }; done`},
		{`if [ "$X" = hunter2 ]; then echo hunter2; fi`, `if [ "$X" = [redacted] ]; then echo [redacted]; fi`},
		{`[ hunter2 = "$X" ] || [[ hunter2 == $X ]]`, `[ [redacted] = "$X" ] || [[ [redacted] == $X ]]`},
		{"if ! [ -n hunter2 ]; then x; fi", "if ! [ -n [redacted] ]; then x; fi"},
		{"make PW=hunter2 'KEY2=hunter2' fmt", "make PW=[redacted] KEY2=[redacted] fmt"},
		{"just pw:=hunter2 run && uvx ruff==0.5.0", "just pw:=[redacted] run && uvx ruff==0.5.0"},
		{"login then hunter2", "login [redacted] [redacted]"},
		{"db -p [ x", "db -p [redacted] [redacted]"},
		{"ruff check --fix $FILES", "ruff check --fix $FILES"},
		{"cargo login hunter2", "cargo login [redacted]"},
		{"git -c http.extraheader=hunter2 push hunter2", "git -c [redacted] push [redacted]"},
		{"", ""},
	} {
		if got := Command(c.in); got != c.want {
			t.Errorf("Command(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://mcp.example.org/v1/mcp":        "https://mcp.example.org/v1/mcp",
		"https://me:pw@h:8443/hunter2/sse#frag": "https://h:8443/[redacted]/sse?[redacted]",
		"http://localhost:3000":                 "http://localhost:3000",
		"not an address":                        "not an address",
	} {
		if got := URL(in); got != want {
			t.Errorf("URL(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestJSONMeansTheSame(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b"}`:                  `{"a":"b"}`,
		"\"caffè 日本 😀\"":             "\"caffè 日本 😀\"",
		"\"\u009b\u202e\u2069\"":     `"\u009b\u202e\u2069"`,
		"\"\u2028\u200f\u061c\x7f\"": `"\u2028\u200f\u061c\u007f"`,
		"\"x\U000e0041y\"":           `"x\udb40\udc41y"`,
		"\"\x9b\"":                   "\"\x9b\"", // no JSON
	} {
		got := string(JSON([]byte(in)))
		if got != want {
			t.Errorf("JSON(%q) = %q, want %q", in, got, want)
		}
		var a, b any
		if json.Unmarshal([]byte(in), &a) == nil && (json.Unmarshal([]byte(got), &b) != nil || !reflect.DeepEqual(a, b)) {
			t.Errorf("%q reads as %v, not %v", got, b, a)
		}
	}
}
