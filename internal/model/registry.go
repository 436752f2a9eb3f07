// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one package, which holds one word and runs nothing, in the
// form that each package manager asks for.

package model

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1" // npm's older clients and Maven compare it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// Registry is where a listener serves the package, below which each package
// manager has a registry of its own.
const Registry = "/steward-registry"

// The package: its name, its version, and the file in it with its only word.
const (
	Package        = "steward-package"
	PackageVersion = "1.0.0"
	PackageFile    = "steward.txt"
	PackageWord    = "installed-from-the-registry-of-the-stage"
	// GoPackage and MavenGroup are its names where a name needs more.
	GoPackage  = "steward.example/package"
	MavenGroup = "example.steward"
)

// registry answers a request for a path below Registry; ok is false for a path
// that it does not have. base is the address of Registry.
func registry(path, base string) (kind string, body []byte, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	manager, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch manager {
	case "npm":
		return npmRegistry(rest, base+"/npm/")
	case "pypi":
		return pythonIndex(rest)
	case "go":
		return goProxy(rest)
	case "cargo":
		return cargoIndex(rest, base+"/cargo/")
	case "maven":
		return mavenRepository(rest)
	}
	return "", nil, false
}

const (
	jsonType   = "application/json"
	binaryType = "application/octet-stream"
	textType   = "text/plain"
)

// file is one file of an archive.
type file struct{ name, text string }

// npmRegistry is what npm, pnpm and yarn ask (npm registry API: GET /NAME).
func npmRegistry(path, base string) (kind string, body []byte, ok bool) {
	archive := packed(file{"package/package.json", `{"name":"` + Package + `","version":"` + PackageVersion + `"}`},
		file{"package/" + PackageFile, PackageWord})
	name := Package + "-" + PackageVersion + ".tgz"
	switch path {
	case Package:
		long, short := sha512.Sum512(archive), sha1.Sum(archive) // see above
		version := Object{"name": Package, "version": PackageVersion, "dist": Object{"tarball": base + Package + "/-/" + name,
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(long[:]), "shasum": hex.EncodeToString(short[:])}}
		return jsonType, Encode(Object{"name": Package, "dist-tags": Object{"latest": PackageVersion},
			"versions": Object{PackageVersion: version},
			"time":     Object{PackageVersion: "2020-01-01T00:00:00.000Z"}}), true
	case Package + "/-/" + name:
		return binaryType, archive, true
	}
	return "", nil, false
}

// pythonIndex is what pip and uv ask (PEP 503), with a wheel (PEP 427).
func pythonIndex(path string) (kind string, body []byte, ok bool) {
	const name = "steward_package"
	const wheel = name + "-" + PackageVersion + "-py3-none-any.whl"
	info := name + "-" + PackageVersion + ".dist-info/"
	files := []file{{name + "/__init__.py", ""}, {name + "/" + PackageFile, PackageWord},
		{info + "METADATA", "Metadata-Version: 2.1\nName: " + Package + "\nVersion: " + PackageVersion + "\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: steward\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}}
	record := ""
	for _, f := range files {
		sum := sha256.Sum256([]byte(f.text))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.text))
	}
	archive := zipped(append(files, file{info + "RECORD", record + info + "RECORD,,\n"})...)
	switch strings.TrimSuffix(path, "/") {
	case "simple/" + Package:
		return "text/html", fmt.Appendf(nil, "<!DOCTYPE html><html><body><a "+
			"href=\"../../%s#sha256=%x\">%s</a></body></html>\n", wheel, sha256.Sum256(archive), wheel), true
	case wheel:
		return binaryType, archive, true
	}
	return "", nil, false
}

// goProxy is what the go command asks (Go Modules Reference, "GOPROXY
// protocol").
func goProxy(path string) (kind string, body []byte, ok bool) {
	const at = GoPackage + "/@v/"
	const version = "v" + PackageVersion
	const mod = "module " + GoPackage + "\n\ngo 1.13\n"
	switch path {
	case at + "list":
		return textType, []byte(version + "\n"), true
	case at + version + ".info", GoPackage + "/@latest":
		return jsonType, Encode(Object{"Version": version, "Time": "2020-01-01T00:00:00Z"}), true
	case at + version + ".mod":
		return textType, []byte(mod), true
	case at + version + ".zip":
		in := GoPackage + "@" + version + "/"
		return binaryType, zipped(file{in + "go.mod", mod}, file{in + "package.go",
			"// Package steward is empty.\npackage steward\n"}, file{in + PackageFile, PackageWord}), true
	}
	return "", nil, false
}

// cargoIndex is what cargo asks (The Cargo Book, "Registry Index", sparse
// protocol).
func cargoIndex(path, base string) (kind string, body []byte, ok bool) {
	in := Package + "-" + PackageVersion + "/"
	crate := packed(file{in + "Cargo.toml", "[package]\nname = \"" + Package + "\"\nversion = \"" + PackageVersion +
		"\"\nedition = \"2018\"\n"}, file{in + "src/lib.rs", ""}, file{in + PackageFile, PackageWord})
	switch path {
	case "config.json":
		return jsonType, Encode(Object{"dl": base + "crates"}), true
	case "st/ew/" + Package:
		return textType, append(Encode(Object{"name": Package, "vers": PackageVersion, "deps": []any{},
			"cksum": fmt.Sprintf("%x", sha256.Sum256(crate)), "features": Object{}, "yanked": false}), '\n'), true
	case "crates/" + Package + "/" + PackageVersion + "/download":
		return binaryType, crate, true
	}
	return "", nil, false
}

// mavenRepository has a parent for a project (Maven, "Repository Layout").
func mavenRepository(path string) (kind string, body []byte, ok bool) {
	pom := strings.ReplaceAll(MavenGroup, ".", "/") + "/" + Package + "/" + PackageVersion + "/" + Package + "-" +
		PackageVersion + ".pom"
	text := []byte(`<project><modelVersion>4.0.0</modelVersion><groupId>` + MavenGroup + `</groupId><artifactId>` +
		Package + `</artifactId><version>` + PackageVersion +
		`</version><packaging>pom</packaging><name>` + PackageWord + `</name></project>`)
	switch path {
	case pom:
		return "text/xml", text, true
	case pom + ".sha1":
		return textType, fmt.Appendf(nil, "%x", sha1.Sum(text)), true // see above
	}
	return "", nil, false
}

// packed is a compressed tar archive, the same for the same files.
func packed(files ...file) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, f := range files {
		_ = t.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text))}) // into memory
		_, _ = t.Write([]byte(f.text))
	}
	_ = t.Close()
	_ = z.Close()
	return b.Bytes()
}

// zipped is a zip archive, the same for the same files.
func zipped(files ...file) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		if w, err := z.Create(f.name); err == nil { // into memory
			_, _ = w.Write([]byte(f.text))
		}
	}
	_ = z.Close()
	return b.Bytes()
}
