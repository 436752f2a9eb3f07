// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the tool does what any compiled program could do and no
// rule can see in a command line: read, write, look at its environment,
// connect. It says what it got, on one line a thing, and nothing else.

package rehearsal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// The tool's words. Each takes what stands behind it.
const (
	ToolRead  = "read"  // PATH...: the content of each
	ToolEnv   = "env"   // NAME...: the value of each that is set
	ToolWrite = "write" // PATH TEXT: adds a line to a file, which is made
	ToolGet   = "get"   // URL: through the proxy of the environment, if there is one
	ToolUnix  = "unix"  // makes a unix socket, and tells whether it may
	ToolReach = "reach" // NETWORK ADDRESS PATH: asks a listener directly, and tells which system call is refused
	ToolSelf  = "self"  // PATH: asks a listener of its own on loopback
	ToolIPC   = "ipc"   // SOCKET PATH: asks a listener of its own at a unix socket; a relative one is below TMPDIR
	ToolSay   = "say"   // WORD: prints it, after what no command line has (Said)
	ToolPair  = "pair"  // WORD: sends it through a pair of unix sockets
	ToolSwap  = "swap"  // PATH: puts a directory of its own in its place, and what was there back
	ToolMode  = "mode"  // PATH: gives a file or directory the mode that it has
	ToolPlant = "plant" // PATH TEXT...: lays files
)

// Replaced is what ToolSwap says when it did.
const Replaced = "it was renamed and replaced"

// ModeChanged is what ToolMode says when it did.
const ModeChanged = "its mode was set"

// SocketMade is what ToolUnix says when it did.
const SocketMade = "a unix socket was made"

// Planted is what ToolPlant says when it did.
const Planted = "it was laid there"

// Said begins what ToolSay prints: the runtime repeats a command line that it
// refuses.
const Said = "this was said: "

// Refused begins what ToolReach says of a refusal; the name of the system call
// and the error follow.
const Refused = "refused by "

// Tool is the command line that does it, for a scripted call.
func Tool(words ...string) string {
	line := stage.Self + " stage"
	for _, w := range words {
		line += " " + scripts.Literal(w)
	}
	return line
}

// toolEnds is the last line of every reply of the tool: one without it was cut
// short, and what it lacks was perhaps not refused.
const toolEnds = "(the tool has ended)"

// OfTool says whether a command line calls the tool.
func OfTool(line string) bool { return strings.Contains(line, stage.Self+" stage ") }

// tool does one word and says that it has ended.
func tool(out io.Writer, environ env.Env, word string, args []string) error {
	err := do(out, environ, word, args)
	if err != nil {
		fmt.Fprintln(out, err)
	}
	fmt.Fprintln(out, toolEnds)
	return err
}

// maxSaid bounds what is shown of a file, in bytes: the canary in it stands
// within the first of them.
const maxSaid = 200

// words are those that say one thing: how many words each takes, any number for
// -1, and what it says.
var words = map[string]struct {
	takes int
	say   func(environ env.Env, args []string) (string, error)
}{
	ToolWrite: {2, func(_ env.Env, args []string) (string, error) {
		return "written", fs.AppendOnStage(args[0], args[1]+"\n")
	}},
	ToolGet: {1, func(environ env.Env, args []string) (string, error) {
		answer, err := model.Get(context.Background(), args[0], environ.Get("http_proxy"))
		return strings.TrimSpace(answer), err
	}},
	ToolUnix: {-1, func(env.Env, []string) (string, error) {
		return SocketMade, model.UnixSocket(stage.Own + "/none.sock")
	}},
	ToolReach: {3, func(_ env.Env, args []string) (string, error) {
		return told(model.Reach(args[0], args[1], args[2]))
	}},
	ToolIPC: {2, func(environ env.Env, args []string) (string, error) {
		return told(model.SelfUnix(pathname.From(environ.Get("TMPDIR"), args[0]), args[1]))
	}},
	ToolSay:  {-1, func(_ env.Env, args []string) (string, error) { return Said + strings.Join(args, " "), nil }},
	ToolPair: {1, func(_ env.Env, args []string) (string, error) { return told(proc.Pair(args[0])) }},
	ToolSwap: {1, func(_ env.Env, args []string) (string, error) { return Replaced, fs.Replace(args[0]) }},
	ToolMode: {1, func(_ env.Env, args []string) (string, error) { return ModeChanged, fs.SetMode(args[0]) }},
	ToolPlant: {-1, func(_ env.Env, args []string) (string, error) {
		var files []fs.Laid
		for i := 0; i+1 < len(args); i += 2 {
			files = append(files, fs.Laid{Path: args[i], Mode: 0o644, Data: []byte(args[i+1])})
		}
		return Planted, fs.Lay(files)
	}},
	ToolSelf: {1, func(_ env.Env, args []string) (string, error) {
		answer, err := model.Self(args[0])
		return strings.TrimSpace(answer), err
	}},
}

func do(out io.Writer, environ env.Env, word string, args []string) error {
	switch word {
	case toolAll:
		return several(out, environ, args)
	case ToolRead:
		for _, path := range args {
			b, err := fs.Read(path)
			if err != nil {
				fmt.Fprintf(out, "no %s: %v\n", path, err)
				continue
			}
			fmt.Fprintf(out, "yes %s: %s\n", path, bytes.ReplaceAll(b[:min(len(b), maxSaid)], []byte("\n"), []byte(" ")))
		}
		return nil
	case ToolEnv:
		for _, name := range args {
			if value, ok := environ.Lookup(name); ok {
				fmt.Fprintf(out, "yes %s=%s\n", name, value)
			}
		}
		return nil
	}
	w, known := words[word]
	if !known || w.takes >= 0 && len(args) != w.takes {
		return fmt.Errorf("stage %s is nothing that is known", word)
	}
	said, err := w.say(environ, args)
	if err == nil {
		fmt.Fprintln(out, said)
	}
	return err
}

// told is an answer, or which system call was refused.
func told(answer, refused string, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("%s%s: %w", Refused, refused, err)
	}
	return strings.TrimSpace(answer), nil
}

// Plant is the command line that lays files, for a scripted call. No command line
// has what is in them.
func Plant(files []fs.Laid) string {
	words := []string{ToolPlant}
	for _, f := range files {
		words = append(words, f.Path, sealed(string(f.Data)))
	}
	return Tool(words...)
}
