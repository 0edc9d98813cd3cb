export { selectErasures } from './account/index.ts';
export * from './audit/index.ts';
export * from './client-apps/index.ts';
export * from './communities/index.ts';
export { connectLinkMinutes, createConnectLink, openConnectLink } from './connect-links/index.ts';
export * from './context.ts';
export * from './credentials/index.ts';
export * from './dev-orgs/index.ts';
export * from './discord-interactions/index.ts';
export * from './evm/index.ts';
export { type Api, eraseAccount, erasures, jobKinds, resources, schedules, sealedColumns } from './features.ts';
export * from './gating/index.ts';
export * from './guest-passes/index.ts';
export {
  allowSigningDomain,
  findHostedAddress,
  listSigningDomains,
  registerAgain,
  registrarAddress,
  registrarKey,
  removeSigningDomain,
} from './hosted-wallets/index.ts';
export * from './interactions/index.ts';
export { isAddressListed, isAddressOrNetwork } from './ip-addresses.ts';
export { checkUserReceivedOrSentKudos, didDocument, giveKudos, type NewKudos } from './kudos/index.ts';
export * from './log-settings/index.ts';
export * from './members/index.ts';
export {
  decideMiniApp,
  listMiniApps,
  type MiniAppDecision,
  type MiniAppStatus,
  miniAppDecisions,
  miniAppStatuses,
  probeAgain,
} from './miniapps/index.ts';
export { followNear, indexStep } from './near-indexer/index.ts';
export * from './oauth2/index.ts';
export * from './ping/index.ts';
export * from './plans/index.ts';
export {
  type Asker,
  beginPlatformLogin,
  finishPlatformLogin,
  isOffered,
  issueChatSession,
  loginTtlSeconds,
  offeredWays,
  platformNames,
} from './platform-logins/index.ts';
export { describeMissing, notConfigured, type PlatformUse } from './platform-setup.ts';
export { findRefreshToken } from './reddit/index.ts';
export { noticeWayIn } from './security-notices/index.ts';
export {
  checkSignerKey,
  listSignatures,
  ownHostsOf,
  rewrapKeys,
  type SignerContext,
  type SigningPolicy,
  serveRequests,
} from './signer/index.ts';
export * from './signing-keys/index.ts';
export { listSpendings } from './spending/index.ts';
export { decideTicket, listTickets, type TicketDecision, ticketDecisions } from './support-tickets/index.ts';
export { handleTelegramEvent } from './telegram/index.ts';
export * from './totp/index.ts';
export * from './touches/index.ts';
export * from './user-authorizations/index.ts';
export { getWaitingListMetadata, inviteToWaitingList, waitingListSigner } from './waiting-list/index.ts';
export * from './wallets/index.ts';
export type { AllowedApplication, Session, SignInWallet } from './ways-in/index.ts';
export * from './webhooks/index.ts';
