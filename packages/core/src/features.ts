import { type JobKind, resource, type Schedule } from '@latchkey/kernel';
import {
  accessControl,
  accessControlErasure,
  accessControlJobs,
  accessControlSchedules,
} from './access-control/index.ts';
import { account, accountSealed, createAccountEraser, createErasureJobs, tracesErasure } from './account/index.ts';
import { analytics } from './analytics/index.ts';
import { assets } from './assets/index.ts';
import { auditErasure } from './audit/index.ts';
import { axieInfinity } from './axie-infinity/index.ts';
import { clientApps, clientAppsErasure, clientSecretOperations } from './client-apps/index.ts';
import {
  communities,
  communitiesErasure,
  communitiesSealed,
  communityJobs,
  communitySchedules,
} from './communities/index.ts';
import { credentialJobs, credentialSchedules, credentialsErasure } from './credentials/index.ts';
import { devOrgJobs, devOrgs, devOrgsErasure, devOrgsSealed } from './dev-orgs/index.ts';
import { discord, discordErasure, discordJobs, discordSchedules, discordSealed } from './discord/index.ts';
import { discordInteractionJobs } from './discord-interactions/index.ts';
import { discovery } from './discovery/index.ts';
import type { Erasure } from './erasures/index.ts';
import { ethereumLogin, loginErasure, loginJobs, loginSchedules } from './ethereum-login/index.ts';
import { ethereumNfts, nftJobs, nftSchedules } from './ethereum-nfts/index.ts';
import { evmOperations } from './evm/index.ts';
import { flow } from './flow/index.ts';
import { gatingErasure, gatingJobs, gatingSchedules, rolesErasure } from './gating/index.ts';
import { guestPassesEnding, guestPassesErasure, guestPassJobs, guestPassSchedules } from './guest-passes/index.ts';
import { helloAction } from './hello-action/index.ts';
import {
  hostedWalletJobs,
  hostedWallets,
  hostedWalletsErasure,
  hostedWalletsSealed,
  pkp,
} from './hosted-wallets/index.ts';
import { jwt } from './jwt/index.ts';
import { keptSecretsSealed } from './kept-secrets/index.ts';
import { kudos, kudosErasure } from './kudos/index.ts';
import { logSettings, logSettingsErasure } from './log-settings/index.ts';
import { membersErasure } from './members/index.ts';
import {
  marketplace,
  miniAppJobs,
  miniAppSchedules,
  miniAppsErasure,
  miniAppsSealed,
  miniapps,
} from './miniapps/index.ts';
import { nearIndexer } from './near-indexer/index.ts';
import { nearNft, nearNftErasure, nearNftJobs, nearNftSchedules } from './near-nft/index.ts';
import { nftMetadata, nftMetadataErasure } from './nft-metadata/index.ts';
import { oauth2, oauth2Erasure, oauth2Jobs, oauth2Schedules, oauth2Sealed } from './oauth2/index.ts';
import { paymentJobs, paymentSchedules, payments, paymentsErasure } from './payments/index.ts';
import { pings } from './ping/index.ts';
import { platformLoginJobs, platformLoginSchedules, platformLoginsSealed } from './platform-logins/index.ts';
import { qrcode } from './qrcode/index.ts';
import { reddit, redditErasure, redditSealed } from './reddit/index.ts';
import { roleManager } from './role-manager/index.ts';
import { scopes } from './scopes/index.ts';
import { securityNoticeJobs } from './security-notices/index.ts';
import { serverConfig } from './server-config/index.ts';
import { type SealedColumn, signingKeysSealed } from './signing-keys/index.ts';
import { snapshot, snapshotErasure, snapshotJobs, snapshotSchedules } from './snapshot/index.ts';
import { spendingErasure } from './spending/index.ts';
import { stakings } from './staking-contracts/index.ts';
import { slugs, slugsErasure, slugsSealed, stateJobs, stateSchedules, states } from './states/index.ts';
import { supportTicketJobs, supportTickets, supportTicketsErasure } from './support-tickets/index.ts';
import { telegramErasure, telegramJobs } from './telegram/index.ts';
import { tokenproof } from './tokenproof/index.ts';
import { totp, totpErasure, totpJobs, totpSchedules, totpSealed } from './totp/index.ts';
import { touchesErasure } from './touches/index.ts';
import {
  userAuthorizationJobs,
  userAuthorizationSchedules,
  userAuthorizations,
  userAuthorizationsErasure,
} from './user-authorizations/index.ts';
import { waitingList, waitingListErasure, waitingListJobs, waitingListSchedules } from './waiting-list/index.ts';
import {
  venlyOperation,
  walletManager,
  walletManagerErasure,
  walletManagerJobs,
  walletManagerSchedules,
  walletManagerSealed,
} from './wallet-manager/index.ts';
import { walletJobs, walletSchedules, walletsErasure } from './wallets/index.ts';
import { wayInOperations } from './ways-in/index.ts';
import { webauthn, webauthnErasure, webauthnJobs, webauthnSchedules } from './webauthn/index.ts';
import { eventsErasure, webhookJobs, webhookSchedules, webhooksErasure, webhooksSealed } from './webhooks/index.ts';

const latchkey = resource(
  'latchkey',
  'What the published API lacks: sessions, wallets that sign in, new client secrets.',
  [...wayInOperations, ...clientSecretOperations],
);
const evm = resource('evm', 'EVM chains and their tokens.', [...evmOperations, venlyOperation]);

/** Everything the server serves, in the order the documentation shows it. */
export const resources = [
  discovery,
  serverConfig,
  pings,
  jwt,
  scopes,
  slugs,
  states,
  qrcode,
  totp,
  webauthn,
  logSettings,
  clientApps,
  devOrgs,
  ethereumLogin,
  oauth2,
  userAuthorizations,
  accessControl,
  account,
  walletManager,
  hostedWallets,
  pkp,
  tokenproof,
  communities,
  roleManager,
  discord,
  reddit,
  analytics,
  assets,
  evm,
  ethereumNfts,
  stakings,
  flow,
  axieInfinity,
  nearIndexer,
  nearNft,
  payments,
  miniapps,
  marketplace,
  helloAction,
  snapshot,
  kudos,
  supportTickets,
  nftMetadata,
  waitingList,
  latchkey,
] as const;

/** The API as a type, for the typed client. */
export type Api = typeof resources;

/**
 * How every feature forgets a person, in the order in which it is done: whatever looks at roles comes after what takes
 * their reasons away, and applications go before the organizations they belong to.
 */
export const erasures: readonly Erasure[] = [
  walletsErasure,
  walletManagerErasure,
  loginErasure,
  slugsErasure,
  webauthnErasure,
  totpErasure,
  hostedWalletsErasure,
  credentialsErasure,
  oauth2Erasure,
  userAuthorizationsErasure,
  webhooksErasure,
  clientAppsErasure,
  paymentsErasure,
  miniAppsErasure,
  devOrgsErasure,
  accessControlErasure,
  redditErasure,
  logSettingsErasure,
  communitiesErasure,
  snapshotErasure,
  kudosErasure,
  supportTicketsErasure,
  nftMetadataErasure,
  nearNftErasure,
  spendingErasure,
  waitingListErasure,
  guestPassesEnding,
  rolesErasure,
  guestPassesErasure,
  touchesErasure,
  gatingErasure,
  membersErasure,
  eventsErasure,
  telegramErasure,
  discordErasure,
  auditErasure,
  tracesErasure,
];

const eraser = createAccountEraser(erasures);
const erasureWork = createErasureJobs(eraser);
export const { eraseAccount } = eraser;

/** Every kind of background work. */
export const jobKinds: readonly JobKind[] = [
  ...accessControlJobs,
  ...erasureWork.jobs,
  ...communityJobs,
  ...credentialJobs,
  ...devOrgJobs,
  ...discordJobs,
  ...discordInteractionJobs,
  ...gatingJobs,
  ...guestPassJobs,
  ...hostedWalletJobs,
  ...loginJobs,
  ...nearNftJobs,
  ...nftJobs,
  ...paymentJobs,
  ...securityNoticeJobs,
  ...miniAppJobs,
  ...oauth2Jobs,
  ...platformLoginJobs,
  ...webhookJobs,
  ...snapshotJobs,
  ...stateJobs,
  ...supportTicketJobs,
  ...telegramJobs,
  ...totpJobs,
  ...userAuthorizationJobs,
  ...waitingListJobs,
  ...walletJobs,
  ...walletManagerJobs,
  ...webauthnJobs,
];

/** Everything that is due by the clock. */
export const schedules: readonly Schedule[] = [
  ...accessControlSchedules,
  ...erasureWork.schedules,
  ...communitySchedules,
  ...credentialSchedules,
  ...discordSchedules,
  ...gatingSchedules,
  ...guestPassSchedules,
  ...loginSchedules,
  ...nearNftSchedules,
  ...nftSchedules,
  ...paymentSchedules,
  ...miniAppSchedules,
  ...oauth2Schedules,
  ...platformLoginSchedules,
  ...snapshotSchedules,
  ...stateSchedules,
  ...totpSchedules,
  ...userAuthorizationSchedules,
  ...waitingListSchedules,
  ...walletSchedules,
  ...walletManagerSchedules,
  ...webauthnSchedules,
  ...webhookSchedules,
];

/** Every column of sealed secrets, for a change of the master key. */
export const sealedColumns: readonly SealedColumn[] = [
  ...miniAppsSealed,
  ...signingKeysSealed,
  ...keptSecretsSealed,
  ...accountSealed,
  ...slugsSealed,
  ...platformLoginsSealed,
  ...redditSealed,
  ...oauth2Sealed,
  ...totpSealed,
  ...devOrgsSealed,
  ...communitiesSealed,
  ...discordSealed,
  ...walletManagerSealed,
  ...hostedWalletsSealed,
  ...webhooksSealed,
];
