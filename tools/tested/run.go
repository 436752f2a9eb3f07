// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the tests of a package are linked once and run by each
// user who is named; those that mostly wait come first, beside others, then the
// largest, so that none of them is left alone at the end.

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// job is the tests of one package, run by one user.
type job struct {
	path, dir, who string
	// start begins the command that runs the tests: who runs them for whom.
	start []string
	size  int
	// waits says that its TestMain calls testenv.MostlyWait.
	waits bool
}

// errFailed says that something failed; what it was is said already.
var errFailed = errors.New("tests failed")

// limit ends tests that wait for something that never comes.
const limit = "60m"

// run runs the test binaries that `go test -c -o binaries` left. packages has a
// line for each package that has tests: its import path and its directory.
// users are each "WHO", or "WHO:PROGRAM" with the program that starts a binary
// for that user.
func run(packages io.Reader, out, keep io.Writer, binaries string, b before, users []string) error {
	jobs, err := jobsOf(packages, users)
	if err != nil {
		return err
	}
	queue := make(chan job)
	var one sync.Mutex // says and keeps
	var running sync.WaitGroup
	var failed error
	// One more than there are processors: a session of the runtime waits about
	// as long as it computes.
	for range runtime.NumCPU() + 1 {
		running.Go(func() {
			for j := range queue {
				var said, kept bytes.Buffer
				err := j.unlessBefore(&said, &kept, binaries, b)
				one.Lock()
				for _, b := range []struct {
					to   io.Writer
					text []byte
				}{{out, said.Bytes()}, {keep, kept.Bytes()}} {
					_, wrote := b.to.Write(b.text)
					err = cmp.Or(err, wrote)
				}
				failed = cmp.Or(failed, err)
				one.Unlock()
			}
		})
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	running.Wait()
	return failed
}

// jobsOf lists what is to be run, what mostly waits first, then the largest: the
// size of its tests tells roughly how much work a package is.
func jobsOf(packages io.Reader, users []string) ([]job, error) {
	var jobs []job
	lines := bufio.NewScanner(packages)
	for lines.Scan() {
		path, dir, found := strings.Cut(lines.Text(), " ")
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil || !found || len(files) == 0 {
			return nil, fmt.Errorf("%q is no package with tests: %w", lines.Text(), cmp.Or(err, os.ErrNotExist))
		}
		size, waits := 0, false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			size += len(text)
			waits = waits || bytes.Contains(text, []byte("testenv.MostlyWait("))
		}
		for _, user := range users {
			who, program, other := strings.Cut(user, ":")
			j := job{path: path, dir: dir, who: who, size: size, waits: waits}
			if other {
				j.start = []string{program}
			}
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		switch {
		case a.waits && !b.waits:
			return -1
		case b.waits && !a.waits:
			return 1
		}
		return cmp.Compare(b.size, a.size)
	})
	return jobs, lines.Err()
}

// unlessBefore runs the tests, or says again what they said when they passed.
func (j job) unlessBefore(said, kept io.Writer, binaries string, b before) error {
	binary := filepath.Join(binaries, filepath.Base(j.path)+".test")
	if b.dir == "" {
		return j.run(said, kept, binary, "")
	}
	key, err := b.key(j, binary)
	if err != nil { // run says what is missing
		return j.run(said, kept, binary, "")
	}
	if p, same := b.look(key); same {
		return p.again(said, kept)
	}
	log := filepath.Join(b.work, "asked-"+key)
	// Whoever runs them writes it.
	if err := cmp.Or(os.WriteFile(log, nil, 0o600), os.Chmod(log, 0o666)); err != nil {
		return err
	}
	began := time.Now()
	var s, k strings.Builder
	if err := j.run(io.MultiWriter(said, &s), io.MultiWriter(kept, &k), binary, log); err != nil {
		return err
	}
	return b.keep(key, j, began, log, s.String(), k.String())
}

// run runs the tests and says and keeps what came of them. log is the file for what
// they ask for, "" for none.
func (j job) run(said, kept io.Writer, binary, log string) error {
	r := newReader(said, kept, j.who)
	if _, err := os.Stat(binary); err != nil {
		fmt.Fprintf(said, "%s: its tests were not built\n", j.path)
		return cmp.Or(r.take(event{Action: "fail", Package: j.path}), errFailed)
	}
	args := slices.Concat([]string{"tool", "test2json", "-t", "-p", j.path}, j.start,
		[]string{binary, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=" + limit})
	if log != "" {
		args = append(args, "-test.testlogfile="+log)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = j.dir, os.Stderr
	cmd.Env = append(os.Environ(), "PWD="+j.dir)
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = r.read(events)
	// test2json ends as the tests end: what failed is said already.
	var exit *exec.ExitError
	if ended := cmd.Wait(); err == nil && !errors.As(ended, &exit) {
		err = ended
	}
	if !r.over { // they did not even start
		err = cmp.Or(err, r.take(event{Action: "fail", Package: j.path}))
	}
	spent := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(kept, "%s\t%.1f\t%s: %s\n", spentBy, spent.Seconds(), j.who, filepath.Base(j.path))
	if r.bad {
		err = cmp.Or(err, errFailed)
	}
	return err
}
