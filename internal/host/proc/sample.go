// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: these write repositories and are called on scratch
// directories only, with an identity and a branch of their own.

package proc

func sampleGit(dir string, args ...string) Spec {
	s := git(dir, args...)
	s.args = append([]string{"-c", "user.name=Sample", "-c", "user.email=sample@example.invalid", "-c",
		"init.defaultBranch=main",
		"-c", "commit.gpgSign=false"}, s.args...)
	return s
}

// SampleInit makes a repository in dir.
func SampleInit(dir string) Spec { return sampleGit(dir, "init", "--quiet") }

// SampleAdd stages everything in dir.
func SampleAdd(dir string) Spec { return sampleGit(dir, "add", "--all") }

// SampleCommit commits what is staged in dir.
func SampleCommit(dir string) Spec {
	return sampleGit(dir, "commit", "--quiet", "--message", "A sample project")
}

// SampleWorktree adds a linked worktree at path on a new branch.
func SampleWorktree(dir, path, branch string) Spec {
	return sampleGit(dir, "worktree", "add", "--quiet", "-b", branch, path)
}
