// What pages and checks say of the product: its limits, times, kinds and messages, from where they are decided.

export { dailyKudos, maxWords as kudosMaxWords, offeredKinds } from './billing/kudos/kudos.ts';
export { absentMetrics } from './communities/community/community.ts';
export {
  type BotProblem,
  type BotSituation,
  botProblems,
  channelNames,
  checkBot,
  inviteLinkOf,
  neededPermissions,
} from './communities/discord-guilds/check-bot.ts';
export { interactionTtlSeconds } from './communities/discord-guilds/interaction-state.ts';
export { defaultPeriodSeconds as guestPassPeriodSeconds } from './communities/guest-passes/guest-pass.ts';
export { MiniAppManifest } from './communities/installs/manifest.ts';
export { maxRules } from './communities/rule-records/rule.ts';
export { signatureWindowMs } from './developers/mini-apps/action-signature.ts';
export { callTimeoutMs, maxResponseBytes } from './developers/mini-apps/call-app.ts';
export { assertTransition as assertMiniAppTransition } from './developers/mini-apps/change.ts';
export { MiniAppRegistrationCreate } from './developers/mini-apps/mini-app.ts';
export { interactionTypes } from './developers/mini-apps/profile.ts';
export { patient as miniAppSyncRetry } from './developers/mini-apps/sync-jobs.ts';
export { TokenRequest } from './developers/oauth2/messages.ts';
export { oauth2 as oauth2Resource } from './developers/oauth2/operations.ts';
export { checkTtlSeconds, maxReads as maxReadsPerCheck } from './gating/access-control/check-roles.ts';
export { callBack as callBackJob } from './gating/access-control/jobs.ts';
export { maxRulesPerCheck, TokenGatingRequest } from './gating/access-control/token-gating.ts';
export { claimTtlSeconds } from './gating/assets/claim-token.ts';
export { getAxieRuleList } from './gating/axie-infinity/operations.ts';
export { maxTokensRead } from './gating/ethereum-nfts/read-attributes.ts';
export { defaultGatingSettings } from './gating/evaluation/index.ts';
export { evmNetworks } from './gating/evm/networks.ts';
export { defaultRoleId, readRule } from './gating/rules/index.ts';
export { type AssetKind, assetKinds, otherKinds } from './gating/rules/kinds.ts';
export { operatorGrantTypes, ownerGrantTypes } from './identity/client-apps/check-fields.ts';
export { clientTypes } from './identity/client-apps/client-app.ts';
export { answerTtlSeconds } from './identity/platform-logins/login.ts';
export { writeLinkMessage } from './identity/wallets/link-message.ts';
export { signInTtlSeconds } from './identity/webauthn/accept-assertion.ts';
export { maxCredentialsPerUser } from './identity/webauthn/credential.ts';
export { connectLinkMinutes } from './linking/connect-links/index.ts';
export { challengeTtlSeconds } from './linking/ethereum-login/challenge.ts';
export { connectionCodes, WalletConnectionRequest } from './linking/wallet-manager/connection.ts';
export { namespaceOfWallet } from './linking/wallet-manager/namespaces.ts';
export { pendingTtlSeconds } from './linking/wallet-manager/pending.ts';
export { snapshotEvents } from './partners/snapshot/snapshot.ts';
export { maxAgeSeconds as snapshotEventMaxAgeSeconds } from './partners/snapshot/take-event.ts';
export { writeMessage as writeSnapshotMessage } from './partners/snapshot/write-message.ts';
export { dailyTickets, dueHours } from './partners/support-tickets/create.ts';
export { defaultDays as ticketsDefaultDays } from './partners/support-tickets/list.ts';
export { PostTicket } from './partners/support-tickets/ticket.ts';
export { TokenproofPayload, TokenproofQRCode } from './partners/tokenproof/operations.ts';
export { GetQuoteResponse } from './partners/waiting-list/waiting-list.ts';
export { cacheTtlSeconds as planCacheTtlSeconds } from './services/subscription-plans/reads.ts';
export { sampleData as sampleEventData } from './services/webhooks/sample-data.ts';
export { formatWebhookSecret, signWebhook } from './services/webhooks/sign.ts';
export { settlingSeconds } from './surfaces/account/erase-account.ts';
export { adminCommands } from './surfaces/bot-replies/admin-commands.ts';
export { DiscordActionMetadata } from './surfaces/hello-action/metadata.ts';
export { inviteTtlSeconds, isOwnCommand } from './surfaces/telegram/answer-command.ts';
