// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a sandboxed command is to reach stands on the stage,
// outside of the sandbox, with a throwaway key or none: no socket of the
// host's is needed for that, and none is there.

package rehearsal

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// Offer is something that a stage offers to the commands of a session.
type Offer struct {
	Kind OfferKind `json:"kind"`
	// At is where: host:port, or the path of a socket. Keyring has none.
	At string `json:"at,omitempty"`
	// Word shows who answered: the comment of a key, the version of an
	// engine, the mail address of a signer.
	Word string `json:"word,omitempty"`
}

// OfferKind says what is offered.
type OfferKind string

// The kinds.
const (
	OfferServer  OfferKind = "tcp"       // a listener that answers with the path that it is asked for
	OfferSocket  OfferKind = "unix"      // the same at a unix socket
	OfferEngine  OfferKind = "engine"    // what answers the docker and podman clients
	OfferAgent   OfferKind = "ssh-agent" // ssh-agent itself, with one key
	OfferKeyring OfferKind = "gpg"       // a key that can sign, and gpg's own agent
	OfferSigner  OfferKind = "ssh-sign"  // a key that signs for Word: at At, or OfferAgent's where that is ""
	OfferRemotes OfferKind = "remotes"   // not begun as one: Session.Remotes
)

// offer begins all offers, and the remotes, which heard hears of. What could not be
// offered is in failed, by its kind: the session goes on, and its twin shows what that
// means.
func (s Session) offer(ctx context.Context, runner proc.Runner, heard *model.Listener) (stop func(),
	failed map[OfferKind]string) {
	var open []*model.Listener
	failed = map[OfferKind]string{}
	begun := func(kind OfferKind, list []*model.Listener, err error) {
		if open = append(open, list...); err != nil {
			failed[kind] = err.Error()
		}
	}
	for _, o := range s.Offers {
		list, err := o.begin(ctx, runner)
		begun(o.Kind, list, err)
	}
	if s.Remotes.Hosts != nil {
		list, err := s.Remotes.begin(ctx, runner, heard)
		begun(OfferRemotes, list, err)
	}
	return func() {
		for _, l := range open {
			l.Close()
		}
	}, failed
}

func (o Offer) begin(ctx context.Context, runner proc.Runner) ([]*model.Listener, error) {
	if o.Kind == OfferSocket || o.Kind == OfferEngine || o.Kind == OfferAgent {
		if err := fs.Lay([]fs.Laid{fs.Directory(filepath.Dir(o.At))}); err != nil {
			return nil, err
		}
	}
	var l *model.Listener
	var err error
	switch o.Kind {
	case OfferServer:
		l, err = model.Listen(o.At)
	case OfferSocket:
		l, err = model.ListenUnix(o.At)
	case OfferEngine:
		l, err = model.Engine(o.At, o.Word)
	case OfferAgent:
		key := filepath.Join(stage.Own, "key")
		return nil, all(ctx, runner, proc.StageAgent(o.At), proc.StageKey(key, o.Word), proc.StageIdentity(o.At, key))
	case OfferKeyring:
		return nil, all(ctx, runner, proc.StageSigner(o.Word))
	case OfferSigner:
		return nil, o.sign(ctx, runner)
	default:
		err = fmt.Errorf("%s is nothing that a stage offers", o.Kind)
	}
	if err != nil {
		return nil, err
	}
	return []*model.Listener{l}, nil
}

// all runs one after the other, until one fails.
func all(ctx context.Context, runner proc.Runner, specs ...proc.Spec) error {
	for _, s := range specs {
		if res := runner.Run(ctx, s); !res.OK() {
			return fmt.Errorf("%s: %s", res.Line, res.Text())
		}
	}
	return nil
}

const signerOwn = stage.Own + "/signer"

// What OfferSigner lays: AgentPublic is the public key of OfferAgent's, away
// from the private one, and AllowedSigners names the key that may sign as Word
// (ssh-keygen(1), "ALLOWED SIGNERS").
const (
	AgentPublic    = signerOwn + "/agent.pub"
	AllowedSigners = signerOwn + "/allowed"
)

// sign lays the key that the offer names, or takes that of the agent.
func (o Offer) sign(ctx context.Context, runner proc.Runner) error {
	from := filepath.Join(stage.Own, "key")
	if o.At != "" {
		from = filepath.Join(signerOwn, "key")
		if err := fs.Lay([]fs.Laid{fs.Directory(signerOwn)}); err != nil {
			return err
		}
		if err := all(ctx, runner, proc.StageKey(from, o.Word)); err != nil {
			return err
		}
	}
	public, err := fs.Read(from + ".pub")
	if err != nil {
		return err
	}
	files := []fs.Laid{{Path: AllowedSigners, Mode: 0o644, Data: append([]byte(o.Word+" "), public...)}}
	if o.At == "" {
		return fs.Lay(append(files, fs.Laid{Path: AgentPublic, Mode: 0o644, Data: public}))
	}
	private, err := fs.Read(from)
	if err != nil {
		return err
	}
	return fs.Lay(append(files, fs.Laid{Path: o.At, Mode: 0o600, Data: private}, fs.Laid{Path: o.At + ".pub",
		Mode: 0o644, Data: public}))
}
