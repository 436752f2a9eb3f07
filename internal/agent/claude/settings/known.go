// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the keys of a settings document whose wrong type costs
// the whole file or a key of it, as measured with Claude Code 2.1.329: each
// key with every JSON type, one at a time. Of a key that is not listed a wrong
// value costs at most itself.

package settings

import (
	"math"
	"strings"
	"sync"
)

// document is the whole file. Its hooks and the rules of its permissions have
// laws of their own: judgeHooks, judgeRules. The tables are made when they are
// first needed: most runs of a hook do not need them.
var document = sync.OnceValue(func() *shape {
	var (
		null     = &shape{kinds: Null}
		command  = fields{"type": enum("command"), "command": text}
		clock    = matching(`^([01]?\d|2[0-3]):[0-5]\d$`, "a time such as 22:00 is expected")
		server   = matching(`^[A-Za-z0-9_-]+$`, "an array of server names is expected")
		option   = either(texts, &shape{kinds: Str | Number | Bool})
		markets  = either(listOf(record(fields{"source": text}, "source")), null)
		positive = between(0, math.Inf(1), true, true)
		integer  = between(math.Inf(-1), math.Inf(1), false, true)
	)
	s := object(fields{
		"sandbox":     sandbox(),
		"permissions": permissions(),
		"env":         {kinds: Object},
		"statusLine": record(fields{"type": command["type"], "command": text,
			"padding": number, "hideVimModeIndicator": boolean}, "type", "command"),
		"autoMode": object(fields{"allow": texts, "soft_deny": texts, "hard_deny": texts, "environment": texts,
			"classifyAllShell": boolean}),
		"fileSuggestion": record(command, "type", "command"),
		"attribution":    either(object(fields{"commit": text, "pr": text, "sessionUrl": boolean}), boolean),
		"breakReminder": object(fields{"enabled": boolean, "intervalMinutes": positive,
			"breakThresholdMinutes": positive, "message": text}),
		"quietHours":   object(fields{"enabled": boolean, "start": clock, "end": clock}),
		"worktree":     object(fields{"symlinkDirectories": texts, "sparsePaths": texts, "baseRef": enum("fresh", "head")}),
		"remote":       object(fields{"defaultEnvironmentId": text}),
		"remoteTools":  object(fields{"allowUnattendedServing": boolean}),
		"voice":        object(fields{"enabled": boolean, "mode": enum("hold", "tap"), "autoSubmit": boolean}),
		"spinnerVerbs": record(fields{"mode": enum("append", "replace"), "verbs": texts}, "mode", "verbs"),
		"sshConfigs": listOf(record(fields{"id": text, "name": text, "sshHost": text, "sshPort": integer,
			"sshIdentityFile": text, "startDirectory": text}, "id", "name", "sshHost")),
		"pluginConfigs":  mapOf(object(fields{"options": mapOf(option), "mcpServers": mapOf(mapOf(option))})),
		"enabledPlugins": mapOf(either(texts, boolean)),
		"skillOverrides": mapOf(enum("on", "name-only", "user-invocable-only", "off")),
		"modelOverrides": mapOf(text),

		"allowedChannelPlugins":   listOf(record(fields{"marketplace": text, "plugin": text}, "marketplace", "plugin")),
		"strictKnownMarketplaces": markets, "allowedMarketplaces": markets, "blockedMarketplaces": markets,
		"enabledMcpjsonServers": either(texts, server), "disabledMcpjsonServers": either(texts, server),
		"forceLoginOrgUUID": either(texts, text),

		"workflowSizeGuideline":       enum("unrestricted", "small", "medium", "large"),
		"defaultShell":                enum("bash", "powershell"),
		"parentSettingsBehavior":      enum("first-wins", "merge"),
		"managedSourcesBehavior":      enum("first-wins", "merge"),
		"autoUpdatesChannel":          enum("latest", "stable", "rc"),
		"tui":                         enum("default", "fullscreen"),
		"totalTokensReminder":         enum("off", "infinite", "fixed", "countdown", "padded-countdown"),
		"daemonColdStart":             enum("transient", "ask"),
		"defaultView":                 enum("chat", "transcript"),
		"disableDeepLinkRegistration": either(enum("disable"), null),
		"feedbackDrafts":              either(enum("notify", "quiet", "off"), null),
		"disableAutoMode":             either(enum("disable"), null),

		"cleanupPeriodDays":               positive,
		"desktopSessionCleanupPeriodDays": between(0, math.Inf(1), false, true),
		"skillListingMaxDescChars":        positive,
		"skillListingBudgetFraction":      between(0, 1, true, false),
		"feedbackSurveyRate":              between(0, 1, false, false),
		"totalTokensReminderBudget":       positive,

		"teammateMode":           skipped(enum("auto", "tmux", "iterm2", "in-process")),
		"crossSessionInbound":    skipped(enum("accept", "hold", "refuse")),
		"allowedMcpServers":      skipped(listOf(skipped(object(nil)))),
		"deniedMcpServers":       skipped(listOf(skipped(object(nil)))),
		"extraKnownMarketplaces": skipped(mapOf(skipped(object(nil)))),
		"modelPricing":           skipped(object(nil)),
		"modelPicker":            skipped(record(fields{"options": {kinds: Array}}, "options")),
	})
	for shape, names := range map[*shape]string{
		boolean: onlyBoolean, either(boolean, null): booleanOrNull, text: onlyText, texts: onlyTexts,
	} {
		for name := range strings.FieldsSeq(names) {
			s.fields[name] = shape
		}
	}
	return s
})

const onlyBoolean = `
	agentPushNotifEnabled allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp
	allowNestedModelAccessUnderForceLogin alwaysThinkingEnabled autoCompactEnabled autoDreamEnabled
	autoMemoryEnabled autoScrollEnabled awaySummaryEnabled axScreenReader bashEditDiffEnabled clawdFileProgressEnabled
	disableAllHooks disableReplyCheck doneMeansMerged emojiCompletionEnabled fastMode
	forceRemoteSettingsRefresh idleCompaction includeCoAuthoredBy includeGitInstructions
	inputNeededNotifEnabled precomputeCompactionEnabled prefersReducedMotion
	promptSuggestionEnabled respectGitignore respondToBashCommands showClearContextOnPlanAccept
	showMessageTimestamps showThinkingSummaries showTurnDuration spinnerTipsEnabled switchModelsOnFlag
	syntaxHighlightingDisabled terminalProgressBarEnabled terminalTitleFromRename todoFeatureEnabled
	totalTokensReminderAfterUserTurn verbose voiceEnabled wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
	wslInheritsWindowsSettings`

const booleanOrNull = `
	allowManagedHooksOnly allowManagedMcpServersOnly allowManagedPermissionRulesOnly
	autoContinueAtUsageLimit autoUploadSessions channelsEnabled disableAgentView disableArtifact
	disableBundledSkills disableClaudeAiConnectors disableCommandPluginSources disableRemoteControl
	disableSideloadFlags disableSkillShellExecution disableWindowsBashCommandSplit disableWorkflows
	enableAllProjectMcpServers enableArtifact enableWorkflows enforceAvailableModels
	fastModePerSessionOptIn fileCheckpointingEnabled isolatePeerMachines remoteControlAtStartup
	responseComparisonEnabled skipAutoPermissionPrompt skipDangerousModePermissionPrompt
	skipWebFetchPreflight skipWorkflowUsageWarning syncClaudeAiPlugins syncClaudeAiSkills useAutoModeDuringPlan`

const onlyText = `
	$schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory awsAuthRefresh
	awsCredentialExport claudeMd downloadsMirrorUrl gcpAuthRefresh language minimumVersion model
	modelCatalogPublicKey modelCatalogUrl otelHeadersHelper outputStyle plansDirectory pluginTrustMessage
	prUrlTemplate processWrapper proxyAuthHelper requiredMaximumVersion requiredMinimumVersion timeFormat timeZone`

const onlyTexts = `
	allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements fallbackModel
	httpHookAllowedEnvVars pluginSuggestionMarketplaces`
