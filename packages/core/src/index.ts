export * from './communities/communities/index.ts';
export { type GatewayOptions, listenToDiscord } from './communities/discord-gateway/index.ts';
export * from './communities/discord-interactions/index.ts';
export * from './communities/guest-passes/index.ts';
export * from './communities/interactions/index.ts';
export * from './communities/members/index.ts';
export {
  decideMiniApp,
  examineMiniApps,
  listMiniApps,
  type MiniAppDecision,
  type MiniAppStatus,
  miniAppDecisions,
  miniAppStatuses,
  probeAgain,
} from './communities/miniapps/index.ts';
export { findPicture, picturesPath } from './communities/pictures/index.ts';
export { findRefreshToken } from './communities/reddit/index.ts';
export { consentPage } from './communities/reddit-consent/index.ts';
export {
  handleTelegramEvent,
  keepTelegramSessions,
  takePostedUpdate,
  takeTelegramUpdate,
  telegramRoute,
} from './communities/telegram/index.ts';
export * from './context.ts';
export * from './developers/app-calls/index.ts';
export * from './developers/client-apps/index.ts';
export * from './developers/credentials/index.ts';
export * from './developers/dev-orgs/index.ts';
export * from './developers/log-settings/index.ts';
export * from './developers/oauth2/index.ts';
export * from './developers/signing-keys/index.ts';
export * from './developers/webhooks/index.ts';
export { type Api, eraseAccount, jobKinds, resources, schedules, sealedColumns } from './features.ts';
export * from './gating/evm/index.ts';
export { type AccountChange, type Following, followChains, touchUser } from './gating/following/index.ts';
export { type GatingSettings, type RoleReason, type RoleVerdict, ruleInWords } from './gating/judging/index.ts';
export * from './gating/role-plans/index.ts';
export * from './gating/rule-imports/index.ts';
export { stakingContracts } from './gating/staking-contracts/index.ts';
export * from './gating/touches/index.ts';
export { isAddressListed } from './ip-addresses.ts';
export { announce, changes } from './machinery/announcements/index.ts';
export * from './machinery/audit/index.ts';
export * from './machinery/ping/index.ts';
export {
  checkSignerKey,
  countWaitingRequests,
  listSignatures,
  ownHostsOf,
  rewrapKeys,
  type SignerContext,
  type SigningPolicy,
  serveRequests,
} from './machinery/signer/index.ts';
export { checkUserReceivedOrSentKudos, didDocument, giveKudos, type NewKudos } from './money/kudos/index.ts';
export { giveSubscriptionPlan, takeSubscriptionPlan } from './money/payments/index.ts';
export * from './money/plans/index.ts';
export { listSpendings } from './money/spending/index.ts';
export { payerAddress } from './money/treasuries/index.ts';
export { followNear, forgetNearIndex, indexStep } from './near/near-indexer/index.ts';
export { checkHealth, readStateFigures, type StateFigure } from './operator/health/index.ts';
export { decideTicket, listTickets, type TicketDecision, ticketDecisions } from './partners/support-tickets/index.ts';
export { getWaitingListMetadata, inviteToWaitingList, waitingListSigner } from './partners/waiting-list/index.ts';
export { selectErasures } from './people/account/index.ts';
export { connectLinkMinutes, createConnectLink, openConnectLink } from './people/connect-links/index.ts';
export { handOverSeconds, openHandOver } from './people/hand-overs/index.ts';
export {
  allowSigningDomain,
  countWalletsWithKeys,
  listSigningDomains,
  registerAgain,
  registrarAddress,
  registrarKey,
  removeSigningDomain,
} from './people/hosted-wallets/index.ts';
export type { MyRoleCheck, MyRoles } from './people/my-roles/index.ts';
export {
  type Asker,
  beginPlatformLogin,
  chatVisitor,
  type FinishedLogin,
  finishPlatformLogin,
  isOffered,
  loginTtlSeconds,
  offeredWays,
} from './people/platform-logins/index.ts';
export { noticeWayIn } from './people/security-notices/index.ts';
export * from './people/totp/index.ts';
export * from './people/user-authorizations/index.ts';
export * from './people/wallets/index.ts';
export type { AllowedApplication, Session, SignInWallet } from './people/ways-in/index.ts';
export type { XAccount } from './people/x-account/index.ts';
export { describeMissing, notConfigured, type PlatformUse } from './platform-setup.ts';
export { guardPorts } from './port-guards/index.ts';
