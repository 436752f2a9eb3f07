// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the settings that decide how the agent looks, words and
// paces itself, and nothing about protection. Sources: descriptions in the
// schema of 2.1.329.

package claude

// plainKeys are their paths by what they are about.
var plainKeys = []struct{ about, paths string }{
	{"is about display", `
		autoScrollEnabled awaySummaryEnabled axScreenReader bashEditDiffEnabled clawdFileProgressEnabled
		companyAnnouncements defaultView footerLinksRegexes maxProseWidth prUrlTemplate prefersReducedMotion
		promptSuggestionEnabled respectGitignore responseComparisonEnabled showClearContextOnPlanAccept
		showMessageTimestamps showThinkingSummaries showTurnDuration spinnerTipsEnabled spinnerTipsOverride
		spinnerTipsOverride.excludeDefault spinnerTipsOverride.label spinnerTipsOverride.tips
		spinnerTipsOverride.tipsFile spinnerVerbs spinnerVerbs.mode spinnerVerbs.verbs syntaxHighlightingDisabled
		teammateMode terminalProgressBarEnabled terminalTitleFromRename theme timeFormat timeZone todoFeatureEnabled tui
		verbose viewMode wheelScrollAccelerationEnabled`},
	{"is about keys or dictation", `
		editorMode emojiCompletionEnabled vimInsertModeRemaps voice voice.autoSubmit voice.enabled voice.mode
		voiceEnabled`},
	{"checks spelling with one of four installed programs", `
		spellcheck spellcheck.checker spellcheck.enabled spellcheck.color spellcheck.language`},
	{"notifies, reminds or asks for feedback", `
		agentPushNotifEnabled breakReminder breakReminder.enabled breakReminder.intervalMinutes
		breakReminder.breakThresholdMinutes breakReminder.message disableReplyCheck feedbackDrafts feedbackSurveyRate
		inputNeededNotifEnabled preferredNotifChannel quietHours quietHours.enabled quietHours.start quietHours.end
		remoteMessageReceipts`},
	{"names a model, or says how it thinks and what it costs", `
		advisorModel alwaysThinkingEnabled effortLevel fallbackModel fastMode fastModePerSessionOptIn maxEffortLevel
		model modelPicker modelPicker.options modelPicker.replaceBuiltInOptions modelSettings.effortLevel
		modelSettings.maxEffortLevel promptCacheTtl subagentPromptCacheTtl switchModelsOnFlag`},
	{"is text or notes for the model", `
		autoDreamEnabled autoMemoryEnabled doneMeansMerged includeGitInstructions language outputStyle
		skillListingBudgetFraction skillListingMaxDescChars totalTokensReminder totalTokensReminderAfterUserTurn
		totalTokensReminderBudget workflowSizeGuideline`},
	{"names the agent of the session; what its front matter runs is judged there", "agent"},
	{"shortens long conversations, or bounds output", `
		autoCompactEnabled autoCompactRaisedForLoad autoCompactWindow bashOutputMaxChars idleCompaction
		modelSettings.autoCompactWindow precomputeArmTokens precomputeCompactionEnabled`},
	{"is text in commits, pull requests and usage reports", `
		attribution attribution.commit attribution.pr attribution.sessionUrl attributionProject includeCoAuthoredBy`},
	{"lets the model plan with workflows, or wait for the usage limit", `
		autoContinueAtUsageLimit enableWorkflows ultracode workflowKeywordTriggerEnabled`},
	{"names the shell of ! commands, or lets the model answer them", "defaultShell respondToBashCommands"},
	{"says where worktrees begin and lie, what they leave out and link from the main checkout", `
		worktree worktree.baseRef worktree.bgIsolation worktree.location worktree.sparsePaths
		worktree.symlinkDirectories`},
	{"is about cloud sessions, the desktop app or the background service", `
		autoCompactOfferAnswer autoCompactOfferAnswer.at autoCompactOfferAnswer.choice autoCompactOfferAnswer.model
		autoCompactOfferAnswer.tokens daemonColdStart remote remote.defaultEnvironmentId`},
	{"names a release channel, refuses downgrades, or keeps transcripts for so long", `
		autoUpdatesChannel cleanupPeriodDays desktopSessionCleanupPeriodDays minimumVersion`},
	{"names the schema for editors, or has no effect any more", "$schema keybindingFlavor taskOutputMaxChars"},
	{"is a name, a width or a port of the key above it", `
		fileSuggestion.type statusLine.type statusLine.padding statusLine.refreshInterval
		statusLine.hideVimModeIndicator subagentStatusLine.type xaaIdp.clientId xaaIdp.callbackPort sshConfigs.id
		sshConfigs.name sshConfigs.sshPort sshConfigs.startDirectory`},
}
