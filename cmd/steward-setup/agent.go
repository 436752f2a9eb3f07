// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which runtime is installed, verified and diagnosed is said here
// alone. Only the launch in a clean environment (iso.go, iso_banner.go) has more of it.

package main

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/explain"
	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/agent/claude/hookcmd"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/launchword"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/agent/claude/upgrade"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// agent is the runtime, as every step asks for one.
var agent upgrade.Claude

// prepare is verify.Prepare for it.
func prepare(ctx context.Context, r host.Reader) host.Reader { return verify.Prepare(ctx, r, agent) }

// newSetup is it as install asks for one.
func newSetup(o setupOptions) install.Agent { return &setup.Claude{Options: o} }

// What it is asked for besides: about its setup and settings, a check by itself, a
// hook, and what decides about a thing or helps with a text.
type (
	setupOptions    = setup.Options
	explainQuestion = explain.Question
	explainKind     = explain.Kind
)

const (
	floorTitle   = setup.FloorTitle
	notOnPath    = iso.NotOnPath
	aboutPath    = explain.AboutPath
	aboutHost    = explain.AboutHost
	aboutCommand = explain.AboutCommand
	aboutEnv     = explain.AboutEnv
)

var (
	setupQuestions, floorQuestions, validAnswer = setup.Questions, setup.FloorQuestions, setup.Validate
	earlierAnswers, toolLines, projectRoots     = setup.EarlierAnswers, setup.ToolLines, setup.ProjectRoots
	ownPlaces, readShell, runHook               = iso.OwnPlaces, launchword.ReadShell, hookcmd.Run
	allowedHosts, staticChecks, readBaseline    = checks.Hosts, checks.Static, checks.ReadBaseline
	explainSubject, lookFor, fixWhere           = explain.Explain, explain.Look, fixes.Where
	namedPath, strangePath                      = explain.Named, explain.Strange
	whyRefuted, proposeFix                      = explain.Refuted, explain.Propose
	sampleAgent, approvedPolicy                 = setup.Sample, settings.Flag.String()
)

// policyEntries are the entries of the policy that may be left out.
func policyEntries() []string { return policy.Embedded().EntryIDs() }
