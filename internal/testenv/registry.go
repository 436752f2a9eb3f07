// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a registry of packages is one over HTTP on loopback, asked
// by the real npm client; each fault that a registry can have is one of it.

package testenv

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// RegistryFault is what is wrong with a Registry.
type RegistryFault string

// The faults.
const (
	NoFault      RegistryFault = ""
	BadIntegrity RegistryFault = "integrity" // the bytes are others than the metadata says
	Truncated    RegistryFault = "truncated" // a tarball ends in the middle
	Hangs        RegistryFault = "hangs"     // a tarball begins and does not go on
	Garbage      RegistryFault = "garbage"   // the metadata are no JSON
	Refuses      RegistryFault = "refuses"   // every answer is 503
)

// Registry is an npm registry with one package.
type Registry struct {
	*httptest.Server

	pkg string

	mu       sync.Mutex
	fault    RegistryFault
	versions map[string]tarball
	asked    []string
	begun    chan struct{}
}

// tarball is a version, and its digest: of a real one, 400 MB, that takes longer than
// all else that a registry does with it.
type tarball struct {
	bytes []byte
	sum   [sha512.Size]byte
}

// NewRegistry serves versions of a package, each with an executable claude of
// these bytes, and tells home's npm client of it.
func NewRegistry(t testing.TB, home, pkg string, versions map[string]string) *Registry {
	t.Helper()
	r := &Registry{pkg: pkg, versions: map[string]tarball{}, begun: make(chan struct{}, 16)}
	for v, program := range versions {
		r.Add(t, v, []byte(program))
	}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	t.Cleanup(r.CloseClientConnections)
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte("registry="+r.URL+"/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// Add adds a version, whose executable is program; none if it is nil. It is
// stored, not compressed, so that a real one costs no time.
func (r *Registry) Add(t testing.TB, version string, program []byte) {
	t.Helper()
	var b bytes.Buffer
	b.Grow(len(program) + len(program)/1000 + 1<<16) // it is not copied as it grows
	zip, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zip)
	about := []byte(`{"name":"` + r.pkg + `","version":"` + version +
		`","bin":{"claude":"claude"},"scripts":{"install":"touch ../../../scripts-ran"}}`)
	files := map[string][]byte{"package/package.json": about}
	if program != nil {
		files["package/claude"] = program
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(b.Bytes())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.versions[version] = tarball{b.Bytes(), sum}
}

// Break gives the registry a fault, NoFault mends it.
func (r *Registry) Break(f RegistryFault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault = f
}

// Asked lists the paths that were asked for so far.
func (r *Registry) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// Begun waits until a tarball is being sent.
func (r *Registry) Begun(t testing.TB) {
	t.Helper()
	select {
	case <-r.begun:
	case <-time.After(time.Minute):
		t.Fatal("no tarball was asked for")
	}
}

// ServeHTTP implements http.Handler.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	fault, versions := r.fault, maps.Clone(r.versions)
	r.asked = append(r.asked, req.URL.Path)
	r.mu.Unlock()
	switch name := path.Base(req.URL.Path); {
	case fault == Refuses:
		http.Error(w, "later", http.StatusServiceUnavailable)
	case req.URL.Path == "/"+r.pkg && fault == Garbage:
		_, _ = io.WriteString(w, "<html>this is a portal</html>")
	case req.URL.Path == "/"+r.pkg:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(r.about(versions, fault))
	case strings.HasSuffix(name, ".tgz"):
		r.send(w, req, versions[strings.TrimSuffix(name, ".tgz")].bytes, fault)
	default:
		http.NotFound(w, req)
	}
}

// about is the metadata of the package, as npm's registry has them.
func (r *Registry) about(versions map[string]tarball, fault RegistryFault) map[string]any {
	list := map[string]any{}
	for v, b := range versions {
		sum := b.sum
		if fault == BadIntegrity {
			sum[0] ^= 1
		}
		dist := map[string]any{"tarball": r.URL + "/" + r.pkg + "/-/" + v + ".tgz", "integrity": "sha512-" +
			base64.StdEncoding.EncodeToString(sum[:]), "unpackedSize": len(b.bytes)}
		list[v] = map[string]any{"name": r.pkg, "version": v, "bin": map[string]string{"claude": "claude"}, "dist": dist}
	}
	sorted := slices.SortedFunc(maps.Keys(versions), func(a, b string) int {
		return len(a)*10 - len(b)*10 + strings.Compare(a, b)
	})
	return map[string]any{"name": r.pkg, "dist-tags": map[string]string{"latest": sorted[len(sorted)-1]}, "versions": list}
}

func (r *Registry) send(w http.ResponseWriter, req *http.Request, b []byte, fault RegistryFault) {
	if b == nil {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	if fault != Hangs && fault != Truncated {
		_, _ = w.Write(b)
		return
	}
	_, _ = w.Write(b[:len(b)/2])
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	r.begun <- struct{}{}
	if fault == Hangs {
		<-req.Context().Done()
	}
	panic(http.ErrAbortHandler)
}
