// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every exit code of the program stands here, and none
// depends on the output format (DESIGN, "The command line").

package report

// Exit codes. The first three are read by command: verify answers with the
// verdict, install and undo with what is left for the user.
const (
	ExitOK          = 0
	ExitLeft        = 1 // something is left for the user to run or decide
	ExitDegraded    = 1
	ExitUnprotected = 2
	ExitUsage       = 64
	ExitMalformed   = 65 // a file that must be understood is not
	ExitInternal    = 70
	ExitStale       = 75 // the plan no longer matches, or the lock is held
	ExitNotFound    = 127
	ExitInterrupted = 130
)
