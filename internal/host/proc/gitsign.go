// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is asked how commits are signed; nothing is signed here.

package proc

// Signing is how commits are signed: "" leaves format and key to the user's own
// configuration.
type Signing struct {
	On          bool
	Format, Key string
}

// GitSigns asks whether commits are signed in dir, GitSigningFormat and
// GitSigningKey with what; exit code 1 means that nothing is set.
func GitSigns(dir string) Spec { return git(dir, "config", "--type=bool", "--get", "commit.gpgsign") }

// GitSigningFormat asks for the kind of signature.
func GitSigningFormat(dir string) Spec { return git(dir, "config", "--get", "gpg.format") }

// GitSigningKey asks for the key, or the file that it is in.
func GitSigningKey(dir string) Spec { return git(dir, "config", "--get", "user.signingKey") }

// GitSigningProgram asks for the program that signs in the place of ssh-keygen
// (git-config(1), "gpg.ssh.program"), as "scope\tprogram".
func GitSigningProgram(dir string) Spec {
	return git(dir, "config", "--show-scope", "--get", "gpg.ssh.program")
}
