// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every key of sandbox and permissions that Claude Code
// 2.1.329 judges, as measured; see known.go. bwrapPath, socatPath and
// enabledPlatforms take any value outside managed settings.

package settings

import (
	"fmt"
	"strings"
)

func sandbox() *shape {
	return object(fields{
		"enabled": boolean, "failIfUnavailable": boolean,
		"autoAllowBashIfSandboxed": boolean, "allowUnsandboxedCommands": boolean,
		"enableWeakerNestedSandbox": boolean, "enableWeakerNetworkIsolation": boolean,
		"allowNestedUserNamespaces": boolean, "allowAppleEvents": boolean,
		"excludedCommands": texts,
		"ignoreViolations": mapOf(texts),
		"ripgrep":          record(fields{"command": text, "args": texts}, "command"),
		"windows":          object(fields{"backend": enum("sandboxuser", "mxc")}),
		"network": object(fields{
			"allowedDomains": texts, "deniedDomains": texts,
			"strictAllowlist": boolean, "allowManagedDomainsOnly": boolean,
			"allowUnixSockets": texts, "allowAllUnixSockets": boolean, "allowLocalBinding": boolean,
			"allowMachLookup": listOf(matching(`^[^*]*\*?$`, `"*" may only stand at the end`)),
			"httpProxyPort":   number, "socksProxyPort": number,
			"tlsTerminate": object(fields{"caCertPath": filled, "caKeyPath": filled}),
		}),
		"filesystem": object(fields{
			"allowRead": texts, "denyRead": texts, "allowWrite": texts, "denyWrite": texts,
			"allowManagedReadPathsOnly": boolean, "disabled": boolean,
		}),
		"credentials": credentials(),
	})
}

func credentials() *shape {
	variable := matching(`^[A-Za-z_][A-Za-z0-9_]*$`, "the name of an environment variable is expected")
	signing := enum("deny", "passthrough")
	pairs := listOf(record(fields{"accessKeyIdVar": variable, "secretAccessKeyVar": variable, "sessionTokenVar": variable},
		"accessKeyIdVar", "secretAccessKeyVar"))
	pairs.also = namedTwice
	return object(fields{
		"files":                credential("path", filled, maskedFile),
		"envVars":              credential("name", variable, maskedVariable),
		"allowPlaintextInject": boolean,
		"awsPairs":             pairs,
		"sigv4":                object(fields{"streaming": signing, "presigned": signing, "sigv4a": signing}),
	})
}

// credential is a list of files or variables. What an entry with mode deny
// says beside its name and mode is not looked at.
func credential(key string, name *shape, masked func(v *Value) string) *shape {
	mode := enum("deny", "mask")
	deny := record(fields{key: name, "mode": mode}, key, "mode")
	mask := record(fields{key: name, "mode": mode, "extract": text, "onExtractNoMatch": enum("warn", "deny", "error"),
		"decode": enum("jwt"), "maskClaims": texts, "injectHosts": texts}, key, "mode")
	if key == "path" {
		mask.fields["maskDuplicates"] = boolean
	}
	mask.also = masked
	return listOf(&shape{as: func(v *Value) *shape {
		if v.Get("mode").isText("deny") {
			return deny
		}
		return mask
	}})
}

func maskedFile(v *Value) string {
	if path := v.Get("path"); v.Get("mode").isText("mask") && path != nil && strings.HasSuffix(path.Text, "/") {
		return "a directory cannot be masked, only a file"
	}
	return masked(v)
}

func maskedVariable(v *Value) string {
	if v.Get("mode").isText("mask") && v.Get("decode") != nil {
		on := v.Get("onExtractNoMatch")
		if v.Get("extract") != nil || on.isText("deny") || on.isText("error") {
			return "decode does not go with extract or onExtractNoMatch"
		}
	}
	return masked(v)
}

// masked judges how the keys of an entry with mode mask go together.
func masked(v *Value) string {
	if !v.Get("mode").isText("mask") {
		return ""
	}
	if pattern := v.Get("extract"); pattern != nil && pattern.Kind == Str && !captures(pattern.Text) {
		return "extract needs a pattern with a capturing group"
	}
	if claims := v.Get("maskClaims"); claims != nil && claims.Kind == Array {
		if v.Get("decode") == nil {
			return "maskClaims needs decode"
		}
		if len(claims.Items) == 0 || claims.Get("0").isText("") {
			return "maskClaims names no claim"
		}
	}
	return ""
}

// captures says whether a JavaScript pattern has a capturing group and every
// bracket its partner. What else may be wrong with it is not judged.
func captures(pattern string) bool {
	open, groups, class := 0, 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			open++
			rest := pattern[i+1:]
			named := strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!")
			if named || !strings.HasPrefix(rest, "?") {
				groups++
			}
		case c == ')':
			open--
		}
		if open < 0 {
			return false
		}
	}
	return groups > 0 && open == 0
}

// namedTwice refuses a variable in more than one slot of the pairs.
func namedTwice(pairs *Value) string {
	seen := map[string]bool{}
	for _, pair := range pairs.Items {
		for _, slot := range []string{"accessKeyIdVar", "secretAccessKeyVar", "sessionTokenVar"} {
			if name := pair.Get(slot); name != nil && name.Kind == Str {
				if seen[name.Text] {
					return fmt.Sprintf("%q is in more than one slot", name.Text)
				}
				seen[name.Text] = true
			}
		}
	}
	return ""
}

// permissions holds the lists of rules; judgeRules judges what is in them.
func permissions() *shape {
	rules := &shape{kinds: Array}
	return object(fields{
		"allow": rules, "deny": rules, "ask": rules,
		"defaultMode": enum("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan",
			"manual"),
		"disableBypassPermissionsMode": enum("disable"), "disableAutoMode": enum("disable"),
		"blockReadsOutsideWorkingDirectories": boolean, "blockWritesOutsideWorkingDirectories": boolean,
		"blockFileToolReadsOutsideWorkingDirectories": boolean,
		"denyInsteadOfPrompting":                      boolean,
		"additionalDirectories":                       texts,
	})
}

// isText says whether v is this string; nil is not.
func (v *Value) isText(s string) bool { return v != nil && v.Kind == Str && v.Text == s }
