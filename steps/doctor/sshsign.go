// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of the key that signs the user's commits only its place is
// looked at; a key of the stage lies beside it there, or is in the agent.

package doctor

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// signKey is the public key on the stage, signProgram what signs in the place of
// ssh-keygen, signReach a clue: whether commands reach the agent that has the
// private key.
const (
	signKey     = "SIGNING_KEY"
	signProgram = "SIGNING_PROGRAM"
	signReach   = "sign-agent"
)

// sshSigning adds to what gpg can do the key that git signs with: a file, or one
// that the agent has (git-config(1), "user.signingKey").
func (b *bench) sshSigning(ctx context.Context, gpg control, signing report.Evidence) control {
	c := gpg
	if gpg.status != report.Pass {
		c = control{status: report.Pass, unstarted: true}
	}
	c.vars = maps.Clone(gpg.vars)
	if c.vars == nil {
		c.vars = map[string]string{}
	}
	c.evidence = append(slices.Clone(gpg.evidence), signing)
	set, home := gitrepo.Signing(ctx, b.r, cmp.Or(b.o.Project, b.r.System().Cwd)), b.r.Places().Home
	key, _ := pathname.Expand(strings.TrimSpace(set.Key), home)
	private := strings.TrimSuffix(key, ".pub")
	_, err := b.r.Lstat(private)
	program, unusable := b.signingProgram(set)
	through := ""
	if program != "" {
		c.vars[signProgram], through = program, " through "+program
		c.evidence = append(c.evidence, report.EnvEvidence("gpg.ssh.program", program))
	}
	switch {
	case unusable != "":
		return unsignable(gpg, "your commits are signed with an SSH key"+through+": "+unusable, signing)
	case filepath.IsAbs(key) && err == nil && pathname.Within(private, home):
		at := filepath.Join(filepath.Dir(private), "steward_signing")
		c.offers = append(c.offers, rehearsal.Offer{Kind: rehearsal.OfferSigner, At: at, Word: signer})
		c.vars[signKey] = at + ".pub"
		c.evidence = append(c.evidence, report.FileEvidence(private, "signs your commits; it was not read"))
		c.summary = "your commits are signed with the SSH key " + private + through
		return c
	case filepath.IsAbs(key) && err == nil:
		return unsignable(gpg, "your commits are signed with an SSH key outside of the home directory, which the copy of "+
			"your setup cannot have: "+private, signing)
	}
	agent := sshOutside(ctx, b)
	if agent.status != report.Pass && program != "" {
		unknown := unsignable(gpg, "not tested: "+program+" signs your commits with a service of its own, which the copy of "+
			"your setup lacks", signing)
		if unknown.status == report.Skip {
			unknown.status = report.Unknown
		}
		return unknown
	}
	if agent.status != report.Pass {
		return unsignable(gpg, "your commits are signed with an SSH key: "+agent.summary, signing)
	}
	c.offers = append(append(c.offers, agent.offers...), rehearsal.Offer{Kind: rehearsal.OfferSigner, Word: signer})
	c.environ = append(c.environ, agent.environ...)
	maps.Copy(c.vars, agent.vars)
	c.vars[signKey] = rehearsal.AgentPublic
	c.summary = "your commits are signed with an SSH key of the agent" + through
	return c
}

// signingProgram is the program that signs, "" where it is ssh-keygen, and why it
// cannot be tried. One that the repository itself names is not started.
func (b *bench) signingProgram(set proc.Signing) (program, unusable string) {
	if program = strings.TrimSpace(set.Program); program == "" {
		return "", ""
	}
	path, err := program, error(nil)
	if !filepath.IsAbs(program) {
		path, err = b.r.Look(program)
	}
	if err == nil {
		_, err = b.r.Stat(path)
	}
	if real, lost := b.r.Resolve(path); lost == nil {
		path = real
	}
	switch {
	case err != nil:
		return program, "it is not installed, and git commit fails outside, too"
	case set.Scope != "global" && set.Scope != "system":
		return program, "not tested: the repository's own configuration names it"
	case pathname.Within(path, b.r.Places().Home):
		return program, "not tested: it lies in the home directory, which the copy of your setup lacks"
	}
	return program, ""
}

// signLeft says what was not tried where another program signs.
func signLeft(_ *bench, c control) (string, []report.Evidence) {
	if c.vars[signProgram] == "" {
		return "", nil
	}
	return "", []report.Evidence{report.CommandEvidence("not tested", "a service that "+c.vars[signProgram]+
		" asks for your keys: the copy of your setup has a throwaway key")}
}

// unsignable is what gpg can do, where the key that signs commits cannot be
// tried.
func unsignable(gpg control, why string, signing report.Evidence) control {
	if gpg.status == report.Pass {
		gpg.summary += "; " + why
	} else {
		gpg.summary = why
	}
	gpg.evidence = append(gpg.evidence, signing)
	return gpg
}

// signAsks are those of gpg, where it has a key, and of the SSH key.
func signAsks(b *bench, c control) (list []ask) {
	if c.socket != "" {
		list = gpgAsks(b, c)
	}
	key := c.vars[signKey]
	if key == "" || b.inputs.Git == "" {
		return list
	}
	options := ""
	if program := c.vars[signProgram]; program != "" {
		options = "-c gpg.ssh.program=" + scripts.Literal(program) + " "
	}
	commits := signedCommit("ssh",
		options+"-c gpg.format=ssh -c user.signingKey="+scripts.Literal(key)+" -c gpg.ssh.allowedSignersFile="+
			rehearsal.AllowedSigners,
		`Good "git" signature`, sshTurn)
	layer := always(catalog.Mount, "ssh-keygen reads the key, and needs files alone")
	if key == rehearsal.AgentPublic {
		commits[0].price = socketPrice(signReach, "every command may sign with every key that the agent holds",
			"git alone runs outside of the sandbox (excludedCommands)")
		layer = bySocket(signReach)
		list = append(list, reach(signReach, c.vars[SSHSocket]))
	}
	for i := range commits {
		commits[i].entry, commits[i].layer = "ssh-sign", layer
	}
	return append(list, commits...)
}
