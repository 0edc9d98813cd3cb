import { type JobKind, resource, type Schedule } from '@latchkey/kernel';
import { analytics } from './communities/analytics/index.ts';
import {
  communities,
  communitiesErasure,
  communitiesSealed,
  communityJobs,
  communitySchedules,
} from './communities/communities/index.ts';
import { discord, discordErasure, discordJobs, discordSchedules, discordSealed } from './communities/discord/index.ts';
import { discordInteractionJobs } from './communities/discord-interactions/index.ts';
import {
  guestPassesEnding,
  guestPassesErasure,
  guestPassJobs,
  guestPassSchedules,
} from './communities/guest-passes/index.ts';
import { helloAction } from './communities/hello-action/index.ts';
import { membersErasure } from './communities/members/index.ts';
import {
  marketplace,
  miniAppJobs,
  miniAppSchedules,
  miniAppsErasure,
  miniAppsSealed,
  miniapps,
} from './communities/miniapps/index.ts';
import { reddit, redditErasure, redditSealed } from './communities/reddit/index.ts';
import { telegramErasure, telegramJobs } from './communities/telegram/index.ts';
import { clientApps, clientAppsErasure, clientSecretOperations } from './developers/client-apps/index.ts';
import { credentialJobs, credentialSchedules, credentialsErasure } from './developers/credentials/index.ts';
import { devOrgJobs, devOrgs, devOrgsErasure, devOrgsSealed } from './developers/dev-orgs/index.ts';
import { discovery } from './developers/discovery/index.ts';
import { jwt } from './developers/jwt/index.ts';
import { logSettings, logSettingsErasure } from './developers/log-settings/index.ts';
import { oauth2, oauth2Erasure, oauth2Jobs, oauth2Schedules, oauth2Sealed } from './developers/oauth2/index.ts';
import { scopes } from './developers/scopes/index.ts';
import { serverConfig } from './developers/server-config/index.ts';
import { type SealedColumn, signingKeysSealed } from './developers/signing-keys/index.ts';
import {
  eventsErasure,
  webhookJobs,
  webhookSchedules,
  webhooksErasure,
  webhooksSealed,
} from './developers/webhooks/index.ts';
import {
  accessControl,
  accessControlErasure,
  accessControlJobs,
  accessControlSchedules,
} from './gating/access-control/index.ts';
import { assets } from './gating/assets/index.ts';
import { axieInfinity } from './gating/axie-infinity/index.ts';
import { ethereumNfts, nftJobs, nftSchedules } from './gating/ethereum-nfts/index.ts';
import { evmOperations } from './gating/evm/index.ts';
import { flow } from './gating/flow/index.ts';
import { nftMetadata, nftMetadataErasure } from './gating/nft-metadata/index.ts';
import { roleManager } from './gating/role-manager/index.ts';
import { gatingErasure, gatingJobs, gatingSchedules, rolesErasure } from './gating/role-plans/index.ts';
import { stakings } from './gating/staking-contracts/index.ts';
import { touchesErasure } from './gating/touches/index.ts';
import { auditErasure } from './machinery/audit/index.ts';
import type { Erasure } from './machinery/erasures/index.ts';
import { keptSecretsSealed } from './machinery/kept-secrets/index.ts';
import { pings } from './machinery/ping/index.ts';
import { qrcode } from './machinery/qrcode/index.ts';
import { slugs, slugsErasure, slugsSealed, stateJobs, stateSchedules, states } from './machinery/states/index.ts';
import { kudos, kudosErasure } from './money/kudos/index.ts';
import { paymentJobs, paymentSchedules, payments, paymentsErasure } from './money/payments/index.ts';
import { spendingErasure } from './money/spending/index.ts';
import { nearIndexer } from './near/near-indexer/index.ts';
import { nearNft, nearNftErasure, nearNftJobs, nearNftSchedules } from './near/near-nft/index.ts';
import { snapshot, snapshotErasure, snapshotJobs, snapshotSchedules } from './partners/snapshot/index.ts';
import { supportTicketJobs, supportTickets, supportTicketsErasure } from './partners/support-tickets/index.ts';
import { tokenproof } from './partners/tokenproof/index.ts';
import {
  waitingList,
  waitingListErasure,
  waitingListJobs,
  waitingListSchedules,
} from './partners/waiting-list/index.ts';
import {
  account,
  accountSealed,
  createAccountEraser,
  createErasureJobs,
  tracesErasure,
} from './people/account/index.ts';
import { ethereumLogin, loginErasure, loginJobs, loginSchedules } from './people/ethereum-login/index.ts';
import {
  hostedWalletJobs,
  hostedWallets,
  hostedWalletsErasure,
  hostedWalletsSealed,
  pkp,
} from './people/hosted-wallets/index.ts';
import { platformLoginJobs, platformLoginSchedules, platformLoginsSealed } from './people/platform-logins/index.ts';
import { securityNoticeJobs } from './people/security-notices/index.ts';
import { totp, totpErasure, totpJobs, totpSchedules, totpSealed } from './people/totp/index.ts';
import {
  userAuthorizationJobs,
  userAuthorizationSchedules,
  userAuthorizations,
  userAuthorizationsErasure,
} from './people/user-authorizations/index.ts';
import {
  venlyOperation,
  walletManager,
  walletManagerErasure,
  walletManagerJobs,
  walletManagerSchedules,
  walletManagerSealed,
} from './people/wallet-manager/index.ts';
import { walletJobs, walletSchedules, walletsErasure } from './people/wallets/index.ts';
import { wayInOperations } from './people/ways-in/index.ts';
import { webauthn, webauthnErasure, webauthnJobs, webauthnSchedules } from './people/webauthn/index.ts';

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
