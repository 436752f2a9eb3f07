// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is rehearsed is started in a namespace of its own
// that ends with its starter; what it needs to know comes through pipes, so
// that no file is left when it is killed.

package proc

import "time"

// stageTimeout bounds one rehearsed session. One in print mode waits for nobody
// and ends by itself: it took 2 s on two quiet cores, and more than 55 s at a
// load of eight a core. On a terminal one may wait for a person, and has
// Patience.
const stageTimeout = 5 * time.Minute

// Patience is how long a session on a terminal may take once its runtime has
// spoken for the first time, after so long; 0 asks for the time that it has to
// speak at all: 2 minutes, or more on a machine that is slow just now. At a load
// of nine a core the first word took 0.8 s, and the whole session 9 s (2.1.329).
func Patience(first time.Duration) time.Duration {
	return min(max(2*time.Minute, 100*first), stageTimeout)
}

// Stage is bwrap with the arguments of a stage (internal/stage), given on
// descriptor 3, the data of its files on those after it, and the job on
// standard input. What it starts there is this program, which lies at self,
// with the entry as its last argument.
func Stage(arguments []string, data [][]byte, self, entry string, job []byte) Spec {
	var list []byte
	for _, a := range arguments {
		list = append(append(list, a...), 0)
	}
	return Spec{name: "bwrap", args: []string{"--args", "3", "--", self, "stage", "enter", entry},
		fds: append([][]byte{list}, data...), stdin: job, timeout: stageTimeout, firm: true}
}

// StageData is the descriptor on which the program finds the i-th data of
// Stage.
func StageData(i int) int { return 4 + i }

// Agent is the runtime at the absolute path, with arguments and an environment
// that are its own, in dir. It is started on a stage or in a replica home
// only.
func Agent(path, dir string, args, environ []string) Spec {
	return Spec{name: "claude", path: path, args: args, dir: dir, extra: environ, bare: true,
		timeout: stageTimeout - 5*time.Second, firm: true}
}

// Wrapped is this program, as claude-iso would start it, with the arguments
// for the agent.
func Wrapped(binary, dir string, args, environ []string) Spec {
	return Spec{name: "steward-setup", path: binary, args: append([]string{"iso", "--"}, args...), dir: dir,
		extra: environ, bare: true,
		timeout: stageTimeout - 5*time.Second, firm: true}
}

// SandboxStatus asks the runtime what of its sandbox is in force in dir. It
// may be asked of 2.1.329 and later only, and on a stage: older ones send the
// words to their model, and it leaves a backup in the home (both measured).
func SandboxStatus(path, dir string, environ []string) Spec {
	return Spec{name: "claude", path: path, args: []string{"sandbox", "status"}, dir: dir, extra: environ, bare: true,
		timeout: time.Minute}
}
