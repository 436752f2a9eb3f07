// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that draws screens is tested on a real
// pseudo-terminal, and a test reads what a user would see there.

package testenv

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// Patience is how long a test waits for a runtime or a screen. It ends what
// waits for a person, and is no part of any test: on a loaded machine all takes
// many times as long.
const Patience = 5 * time.Minute

// Terminal is a program on a pseudo-terminal of its own.
type Terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	pty  io.ReadWriteCloser
	vt   vt10x.Terminal
	done chan struct{}

	mu    sync.Mutex
	raw   strings.Builder
	frame string // the screen after the last whole frame
}

// A program that draws asks a terminal whether it shows frames whole
// (synchronized output, mode 2026), and marks them where it does.
const (
	asksForFrames, showsFrames = "\x1b[?2026$p", "\x1b[?2026;2$y"
	frameBegins, frameEnds     = "\x1b[?2026h", "\x1b[?2026l"
)

// NewTerminal starts cmd on a terminal of this size. The program is ended
// with the test.
func NewTerminal(t testing.TB, cmd *exec.Cmd, cols, rows int) *Terminal {
	t.Helper()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	term := &Terminal{t: t, cmd: cmd, pty: f, vt: vt10x.New(vt10x.WithSize(cols, rows)), done: make(chan struct{})}
	go term.read()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-term.done
		f.Close()
	})
	return term
}

func (term *Terminal) read() {
	defer close(term.done)
	buf, shown, answered := make([]byte, 4096), WholeRunes(term.vt), false
	for {
		n, err := term.pty.Read(buf)
		_, _ = shown.Write(buf[:n])
		term.mu.Lock()
		term.raw.Write(buf[:n])
		raw := term.raw.String()
		if strings.LastIndex(raw, frameBegins) <= strings.LastIndex(raw, frameEnds) || err != nil {
			term.frame = term.vt.String()
		}
		term.mu.Unlock()
		if !answered && strings.Contains(raw, asksForFrames) {
			answered = true
			_, _ = io.WriteString(term.pty, showsFrames)
		}
		if err != nil {
			return
		}
	}
}

// Screen is what stands on the terminal now: no frame that is half drawn, if
// the program marks its frames.
func (term *Terminal) Screen() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.frame
}

// Raw is everything that the program wrote, with its control sequences.
func (term *Terminal) Raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.raw.String()
}

// Sees waits until text stands on the screen.
func (term *Terminal) Sees(text string) {
	term.t.Helper()
	term.Until(strconv.Quote(text), func(screen string) bool { return strings.Contains(screen, text) })
}

// SeesOneOf waits until one of the texts stands on the screen and returns it.
func (term *Terminal) SeesOneOf(texts ...string) (found string) {
	term.t.Helper()
	term.Until(fmt.Sprintf("one of %q", texts), func(screen string) bool {
		i := slices.IndexFunc(texts, func(text string) bool { return strings.Contains(screen, text) })
		if i >= 0 {
			found = texts[i]
		}
		return i >= 0
	})
	return found
}

// Type sends keys as a keyboard would.
func (term *Terminal) Type(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.pty, keys); err != nil {
		term.t.Fatal(err)
	}
}

// Answer waits until text stands on the screen, and sends keys.
func (term *Terminal) Answer(text, keys string) {
	term.t.Helper()
	term.Sees(text)
	term.Type(keys)
}

// Ends waits for the program's end, which is an error with another exit code.
func (term *Terminal) Ends(code int) {
	term.t.Helper()
	if got := term.Exit(); got != code {
		term.t.Errorf("exit code %d, want %d; its screen:\n%s", got, code, term.Screen())
	}
}

// TypeUntil sends keys, again and again while it is not as wanted: a program
// that still draws its first screen loses them. What names it in a failure.
func (term *Terminal) TypeUntil(keys, what string, wanted func(screen string) bool) {
	term.t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); {
		term.Type(keys)
		if term.within(2*time.Second, wanted) {
			return
		}
	}
	term.t.Fatalf("%s did not appear on:\n%s", what, term.Screen())
}

// Exit waits for the program's end, and for what it wrote before, and returns its
// exit code.
func (term *Terminal) Exit() int {
	term.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- term.cmd.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			term.t.Fatal(err)
		}
		select {
		case <-term.done:
		case <-time.After(10 * time.Second): // a process that it left has the terminal open
		}
		return term.cmd.ProcessState.ExitCode()
	case <-time.After(Patience):
		term.t.Fatalf("the program goes on; its screen:\n%s", term.Screen())
		return -1
	}
}

// Until waits until the screen is as wanted; what names it in a failure.
func (term *Terminal) Until(what string, wanted func(screen string) bool) {
	term.t.Helper()
	if !term.within(Patience, wanted) {
		term.t.Fatalf("%s did not appear on:\n%s", what, term.Screen())
	}
}

// within says whether the screen is as wanted before long.
func (term *Terminal) within(long time.Duration, wanted func(screen string) bool) bool {
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if wanted(term.Screen()) {
			return true
		}
	}
	return false
}

// WholeRunes hands bytes on to w at the borders of characters: vt10x, an
// emulated terminal, drops one that comes in two writes. A Write answers for
// all of p, with the error of w; what is held back comes with the next one.
func WholeRunes(w io.Writer) io.Writer { return &wholeRunes{w: w} }

type wholeRunes struct {
	w    io.Writer
	rest []byte
}

func (r *wholeRunes) Write(p []byte) (int, error) {
	b := append(r.rest, p...)
	whole := len(b)
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				whole = i
			}
			break
		}
	}
	_, err := r.w.Write(b[:whole])
	r.rest = append([]byte(nil), b[whole:]...)
	return len(p), err
}
