import type { JobKind, Resource, Schedule } from '@latchkey/kernel';
import { adminNoticesFeature } from './communities/admin-notices/index.ts';
import { adminsFeature } from './communities/admins/index.ts';
import { analyticsFeature } from './communities/analytics/index.ts';
import { arrivalsFeature } from './communities/arrivals/index.ts';
import { communitiesFeature } from './communities/communities/index.ts';
import { discordFeature } from './communities/discord/index.ts';
import { discordGatewayFeature } from './communities/discord-gateway/index.ts';
import { discordInteractionsFeature } from './communities/discord-interactions/index.ts';
import { guestPassHoldersFeature } from './communities/guest-pass-holders/index.ts';
import { guestPassesFeature } from './communities/guest-passes/index.ts';
import { helloActionFeature } from './communities/hello-action/index.ts';
import { interactionsFeature } from './communities/interactions/index.ts';
import { liveFeature } from './communities/live/index.ts';
import { memberExportsFeature } from './communities/member-exports/index.ts';
import { membersFeature } from './communities/members/index.ts';
import { miniappsFeature } from './communities/miniapps/index.ts';
import { overviewFeature } from './communities/overview/index.ts';
import { picturesFeature } from './communities/pictures/index.ts';
import { redditFeature } from './communities/reddit/index.ts';
import { redditConsentFeature } from './communities/reddit-consent/index.ts';
import { setupFeature } from './communities/setup/index.ts';
import { telegramFeature } from './communities/telegram/index.ts';
import { waitingFeature } from './communities/waiting/index.ts';
import { appCallsFeature } from './developers/app-calls/index.ts';
import { appWebhooksFeature } from './developers/app-webhooks/index.ts';
import { clientAppsFeature } from './developers/client-apps/index.ts';
import { credentialsFeature } from './developers/credentials/index.ts';
import { devOrgsFeature } from './developers/dev-orgs/index.ts';
import { discoveryFeature } from './developers/discovery/index.ts';
import { jwtFeature } from './developers/jwt/index.ts';
import { logSettingsFeature } from './developers/log-settings/index.ts';
import { oauth2Feature } from './developers/oauth2/index.ts';
import { scopesFeature } from './developers/scopes/index.ts';
import { serverConfigFeature } from './developers/server-config/index.ts';
import type { SealedColumn } from './developers/signing-keys/index.ts';
import { signingKeysFeature } from './developers/signing-keys/index.ts';
import { webhooksFeature } from './developers/webhooks/index.ts';
import { type Feature, mergeResources } from './feature.ts';
import { accessControlFeature } from './gating/access-control/index.ts';
import { assetsFeature } from './gating/assets/index.ts';
import { axieInfinityFeature } from './gating/axie-infinity/index.ts';
import { ethereumNftsFeature } from './gating/ethereum-nfts/index.ts';
import { evmFeature } from './gating/evm/index.ts';
import { flowFeature } from './gating/flow/index.ts';
import { followingFeature } from './gating/following/index.ts';
import { guestRolesFeature } from './gating/guest-roles/index.ts';
import { nftMetadataFeature } from './gating/nft-metadata/index.ts';
import { readingsFeature } from './gating/readings/index.ts';
import { roleManagerFeature } from './gating/role-manager/index.ts';
import { rolePlansFeature } from './gating/role-plans/index.ts';
import { ruleBuilderFeature } from './gating/rule-builder/index.ts';
import { ruleImportsFeature } from './gating/rule-imports/index.ts';
import { stakingContractsFeature } from './gating/staking-contracts/index.ts';
import { touchesFeature } from './gating/touches/index.ts';
import { auditFeature } from './machinery/audit/index.ts';
import { auditLogFeature } from './machinery/audit-log/index.ts';
import type { Erasure } from './machinery/erasures/index.ts';
import { keptSecretsFeature } from './machinery/kept-secrets/index.ts';
import { pingFeature } from './machinery/ping/index.ts';
import { qrcodeFeature } from './machinery/qrcode/index.ts';
import { signerFeature } from './machinery/signer/index.ts';
import { statesFeature } from './machinery/states/index.ts';
import { kudosFeature } from './money/kudos/index.ts';
import { paymentsFeature } from './money/payments/index.ts';
import { plansFeature } from './money/plans/index.ts';
import { spendingFeature } from './money/spending/index.ts';
import { treasuriesFeature } from './money/treasuries/index.ts';
import { treasuryControlFeature } from './money/treasury-control/index.ts';
import { nearIndexerFeature } from './near/near-indexer/index.ts';
import { nearNftFeature } from './near/near-nft/index.ts';
import { deadJobsFeature } from './operator/dead-jobs/index.ts';
import { deskFeature } from './operator/desk/index.ts';
import { directoryFeature } from './operator/directory/index.ts';
import { healthFeature } from './operator/health/index.ts';
import { installationFeature } from './operator/installation/index.ts';
import { operatorKeysFeature } from './operator/operator-keys/index.ts';
import { reviewsFeature } from './operator/reviews/index.ts';
import { snapshotFeature } from './partners/snapshot/index.ts';
import { supportTicketsFeature } from './partners/support-tickets/index.ts';
import { tokenproofFeature } from './partners/tokenproof/index.ts';
import { waitingListFeature } from './partners/waiting-list/index.ts';
import {
  accountFeature,
  createAccountEraser,
  createErasureJobs,
  createErasureOperations,
} from './people/account/index.ts';
import { chatAccountsFeature } from './people/chat-accounts/index.ts';
import { ethereumLoginFeature } from './people/ethereum-login/index.ts';
import { handOversFeature } from './people/hand-overs/index.ts';
import { hostedWalletsFeature } from './people/hosted-wallets/index.ts';
import { linkAttemptsFeature } from './people/link-attempts/index.ts';
import { linkedRolesFeature } from './people/linked-roles/index.ts';
import { myRolesFeature } from './people/my-roles/index.ts';
import { personalDataFeature } from './people/personal-data/index.ts';
import { platformLoginsFeature } from './people/platform-logins/index.ts';
import { securityNoticesFeature } from './people/security-notices/index.ts';
import { totpFeature } from './people/totp/index.ts';
import { userAuthorizationsFeature } from './people/user-authorizations/index.ts';
import { venlyFeature, walletManagerFeature } from './people/wallet-manager/index.ts';
import { walletsFeature } from './people/wallets/index.ts';
import { waysInFeature } from './people/ways-in/index.ts';
import { webauthnFeature } from './people/webauthn/index.ts';
import { xAccountFeature } from './people/x-account/index.ts';

/**
 * Everything there is, in the order in which the documentation shows operations and a person is forgotten: applications go
 * before the organizations they belong to.
 */
export const features = [
  signingKeysFeature,
  keptSecretsFeature,
  signerFeature,
  platformLoginsFeature,
  securityNoticesFeature,
  walletsFeature,
  credentialsFeature,
  webhooksFeature,
  discoveryFeature,
  serverConfigFeature,
  pingFeature,
  jwtFeature,
  scopesFeature,
  statesFeature,
  qrcodeFeature,
  totpFeature,
  webauthnFeature,
  logSettingsFeature,
  clientAppsFeature,
  appWebhooksFeature,
  appCallsFeature,
  devOrgsFeature,
  ethereumLoginFeature,
  oauth2Feature,
  userAuthorizationsFeature,
  accessControlFeature,
  accountFeature,
  walletManagerFeature,
  hostedWalletsFeature,
  tokenproofFeature,
  communitiesFeature,
  roleManagerFeature,
  ruleBuilderFeature,
  ruleImportsFeature,
  discordFeature,
  redditFeature,
  analyticsFeature,
  assetsFeature,
  evmFeature,
  venlyFeature,
  ethereumNftsFeature,
  stakingContractsFeature,
  flowFeature,
  axieInfinityFeature,
  nearIndexerFeature,
  nearNftFeature,
  paymentsFeature,
  miniappsFeature,
  helloActionFeature,
  snapshotFeature,
  kudosFeature,
  supportTicketsFeature,
  nftMetadataFeature,
  waitingListFeature,
  readingsFeature,
  followingFeature,
  guestPassesFeature,
  guestPassHoldersFeature,
  rolePlansFeature,
  guestRolesFeature,
  touchesFeature,
  membersFeature,
  memberExportsFeature,
  adminNoticesFeature,
  interactionsFeature,
  liveFeature,
  arrivalsFeature,
  setupFeature,
  adminsFeature,
  overviewFeature,
  picturesFeature,
  discordGatewayFeature,
  discordInteractionsFeature,
  telegramFeature,
  waitingFeature,
  plansFeature,
  spendingFeature,
  treasuriesFeature,
  treasuryControlFeature,
  linkAttemptsFeature,
  xAccountFeature,
  linkedRolesFeature,
  redditConsentFeature,
  auditFeature,
  auditLogFeature,
  waysInFeature,
  healthFeature,
  deadJobsFeature,
  reviewsFeature,
  directoryFeature,
  operatorKeysFeature,
  deskFeature,
  installationFeature,
  handOversFeature,
  myRolesFeature,
  chatAccountsFeature,
  personalDataFeature(() => erasures),
] as const;

/** The API as a type, for the typed client. */
export type Api = readonly ((typeof features)[number]['resources'][number] | typeof erasingResource)[];

const all: readonly Feature[] = features as unknown as readonly Feature[];

export const erasures: readonly Erasure[] = all.flatMap((feature) => feature.erasures);

const eraser = createAccountEraser(erasures);
const erasingResource = createErasureOperations(eraser);

/** Everything the server serves. */
export const resources = mergeResources([
  ...all.flatMap((feature) => feature.resources),
  erasingResource as unknown as Resource,
]) as unknown as Api & readonly Resource[];

const erasing = createErasureJobs(eraser);
export const { eraseAccount } = eraser;

/** Every kind of background work. */
export const jobKinds: readonly JobKind[] = [...all.flatMap((feature) => feature.jobs), ...erasing.jobs];

/** Everything that is due by the clock. */
export const schedules: readonly Schedule[] = [...all.flatMap((feature) => feature.schedules), ...erasing.schedules];

/** Every column of sealed secrets, for a change of the master key. */
export const sealedColumns: readonly SealedColumn[] = all.flatMap((feature) => feature.sealed);
