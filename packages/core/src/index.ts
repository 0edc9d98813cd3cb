export { checkUserReceivedOrSentKudos, didDocument, giveKudos, type NewKudos } from './billing/kudos/index.ts';
export { giveSubscriptionPlan, paymentLedgerCheck, takeSubscriptionPlan } from './billing/payments/index.ts';
export { transferCommunity } from './communities/admins/index.ts';
export {
  createCommunity,
  getCommunitySettings,
  leastCheckPeriodSeconds,
  mostCheckPeriodSeconds,
  removeCommunity,
  resetCheckPeriod,
  setCheckPeriod,
} from './communities/community/index.ts';
export { givePlan } from './communities/community-plans/index.ts';
export { countOnPlatform, searchCommunities, selectCommunity } from './communities/community-records/index.ts';
export * from './communities/guest-passes/index.ts';
export { type MiniAppManifest, registerMiniApp } from './communities/installs/index.ts';
export * from './communities/members/index.ts';
export * from './communities/memberships/index.ts';
export { findPicture, picturesPath } from './communities/pictures/index.ts';
export * from './communities/reconcile-queue/index.ts';
export * from './communities/usage/index.ts';
export * from './developers/app-calls/index.ts';
export { describeProvider } from './developers/discovery/index.ts';
export {
  decideMiniApp,
  examineMiniApps,
  listMiniApps,
  type MiniAppDecision,
  type MiniAppStatus,
  miniAppDecisions,
  miniAppStatuses,
  probeAgain,
} from './developers/mini-apps/index.ts';
export * from './developers/oauth2/index.ts';
export * from './developers/user-authorizations/index.ts';
export { createRule } from './gating/community-rules/index.ts';
export { type GatingSettings, type RoleReason, type RoleVerdict, ruleInWords } from './gating/evaluation/index.ts';
export * from './gating/evm/index.ts';
export { type AccountChange, enqueueUser, type Following, followChains } from './gating/followers/index.ts';
export * from './gating/role-changes/index.ts';
export * from './gating/rule-imports/index.ts';
export { applyBrakes, applyRuleSet, getRuleSet, getRuleSetProgress, planRuleSet } from './gating/rule-sets/index.ts';
export { stakingContracts } from './gating/staking-contracts/index.ts';
export * from './identity/client-apps/index.ts';
export * from './identity/credentials/index.ts';
export {
  allowSigningDomain,
  countKeyless,
  countWalletsWithKeys,
  listSigningDomains,
  registerAgain,
  registrarAddress,
  registrarKey,
  removeSigningDomain,
} from './identity/hosted-wallets/index.ts';
export * from './identity/organizations/index.ts';
export {
  beginPlatformLogin,
  chatVisitor,
  type FinishedLogin,
  finishPlatformLogin,
  isOffered,
  type LoginRequester,
  loginTtlSeconds,
  offeredMethods,
} from './identity/platform-logins/index.ts';
export * from './identity/totp/index.ts';
export * from './identity/wallets/index.ts';
export { connectLinkMinutes, createConnectLink, openConnectLink } from './linking/connect-links/index.ts';
export { handoffSeconds, openHandoff } from './linking/device-handoffs/index.ts';
export { linkWallet, unlinkWallet } from './linking/wallet-links/index.ts';
export type { XAccount } from './linking/x-account/index.ts';
export { type Api, eraseAccount, jobKinds, resources, schedules, sealedColumns } from './modules.ts';
export { followNear, forgetNearIndex, indexStep } from './near/near-indexer/index.ts';
export { checkHealth, readStateMetrics, type StateMetric, scrapeMetrics } from './operator/health/index.ts';
export { checkPath, type PathCheck } from './operator/path-check/index.ts';
export { decideTicket, listTickets, type TicketDecision, ticketDecisions } from './partners/support-tickets/index.ts';
export { getWaitingListMetadata, inviteToWaitingList, waitingListSigner } from './partners/waiting-list/index.ts';
export { guardPorts } from './port-guards/index.ts';
export * from './services/audit/index.ts';
export { type Announcement, announce, announcementsFor, changes } from './services/live-updates/index.ts';
export * from './services/log-settings/index.ts';
export * from './services/ping/index.ts';
export {
  findIdempotentRequest,
  type IdempotentRequest,
  insertIdempotentRequest,
  saveIdempotentAnswer,
  useRatePoints,
} from './services/requests/index.ts';
export { notifyLoginMethodAdded } from './services/security-notices/index.ts';
export {
  checkSignerKey,
  countWaitingRequests,
  listSignatures,
  ownHostsOf,
  rewrapKeys,
  type SignerContext,
  type SigningPolicy,
  serveRequests,
  signerSealed,
} from './services/signer/index.ts';
export * from './services/signing-keys/index.ts';
export { listSpendings } from './services/spending/index.ts';
export * from './services/subscription-plans/index.ts';
export { payerAddress } from './services/treasuries/index.ts';
export * from './services/webhooks/index.ts';
export * from './shared/context.ts';
export { isAddressListed } from './shared/ip-addresses.ts';
export { messagesIn, type ServerMessages } from './shared/messages/index.ts';
export type { SealedColumn } from './shared/module.ts';
export { describeMissing, notConfigured, type PlatformUse } from './shared/platform-setup.ts';
export { communityKey, parseCommunityKey, userKey } from './shared/qualified-ids.ts';
export { selectErasures } from './surfaces/account/index.ts';
export { selectPosition, takeChatEvents } from './surfaces/chat-bots/index.ts';
export { createDevvitDesk } from './surfaces/devvit/index.ts';
export { type GatewayOptions, listenToDiscord } from './surfaces/discord-gateway/index.ts';
export * from './surfaces/discord-interactions/index.ts';
export { findJoinPage } from './surfaces/join-page/index.ts';
export type { AllowedApplication, Session, SignInWallet } from './surfaces/login-methods/index.ts';
export type { MyRoleCheck, MyRoles } from './surfaces/my-roles/index.ts';
export { forgetPlaygrounds } from './surfaces/playgrounds/index.ts';
export { addCommunityConfig, findRefreshToken } from './surfaces/reddit/index.ts';
export { consentPage } from './surfaces/reddit-consent/index.ts';
export {
  followUpgrade,
  handleTelegramEvent,
  keepTelegramSessions,
  setTelegramCommands,
  takePostedUpdate,
  takeTelegramUpdate,
  telegramRoute,
} from './surfaces/telegram/index.ts';
export { findTelegramQuery, readTagRoles } from './surfaces/telegram-gate/index.ts';
