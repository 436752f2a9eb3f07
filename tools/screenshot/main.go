// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command screenshot runs a program in a pseudo-terminal, plays keys to it
// and saves pictures of its screen, as they stand in docs/images:
//
//	go -C tools run ./screenshot -keys FILE -out DIR -- PROGRAM ARG...
//
// A line of the keys file is one step:
//
//	wait TEXT    until TEXT stands on the screen, in one line
//	key NAME     enter, tab, esc, space, up, ctrl+c ... or one character
//	type TEXT    the characters of TEXT
//	shot NAME    save the screen as NAME.png
//
// Empty lines and lines that begin with # are passed over.
//
// Contract: the program gets a throwaway home and an environment of TERM,
// COLORTERM, LANG, PATH and HOME. A picture shows what the program drew or
// there is none: a text that does not come in time and a character that no
// font has are errors. A wide character (CJK, most emoji) takes one cell here
// instead of two; pictured screens do without them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	flags := flag.NewFlagSet("screenshot", flag.ContinueOnError)
	keys := flags.String("keys", "", "the keys `FILE`")
	out := flags.String("out", ".", "the `DIR` for the pictures")
	dir := flags.String("dir", "", "the `DIR` to run the program in (default: its home)")
	fonts := flags.String("fonts", "/usr/share/fonts/truetype/dejavu", "the `DIR` of the DejaVu fonts")
	size := flags.String("size", "80x24", "columns and rows")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var columns, rows int
	if n, err := fmt.Sscanf(*size, "%dx%d", &columns, &rows); n != 2 || err != nil || columns < 1 || rows < 1 {
		return fmt.Errorf("-size %s: want columns x rows, as in 80x24", *size)
	}
	if flags.NArg() == 0 || *keys == "" {
		return errors.New("want -keys FILE and a program to run; see -help")
	}
	text, err := os.ReadFile(*keys)
	if err != nil {
		return err
	}
	steps, err := parseSteps(string(text))
	if err != nil {
		return fmt.Errorf("%s:%w", *keys, err)
	}
	pen, err := newPen(*fonts)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "screenshot-home")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()

	program, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return err
	}
	cmd := exec.Command(program, flags.Args()[1:]...)
	cmd.Dir = home
	if *dir != "" {
		cmd.Dir = *dir
	}
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"),
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
	term, err := start(cmd, columns, rows)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, term.stop()) }()
	return play(steps, term, func(name string) error { return pen.save(filepath.Join(*out, name+".png"), term) })
}
