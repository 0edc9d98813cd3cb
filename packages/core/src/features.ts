import type { JobKind, Resource, Schedule } from '@latchkey/kernel';
import { kudosFeature } from './billing/kudos/index.ts';
import { paymentsFeature } from './billing/payments/index.ts';
import { treasuryControlFeature } from './billing/treasury-control/index.ts';
import { adminsFeature } from './communities/admins/index.ts';
import { arrivalsFeature } from './communities/bot-arrivals/index.ts';
import { communitiesFeature } from './communities/community/index.ts';
import { discordFeature } from './communities/discord-guilds/index.ts';
import { guestPassHoldersFeature } from './communities/guest-pass-holders/index.ts';
import { guestPassesFeature } from './communities/guest-passes/index.ts';
import { membersFeature } from './communities/members/index.ts';
import { picturesFeature } from './communities/pictures/index.ts';
import { touchesFeature } from './communities/reconcile-queue/index.ts';
import { interactionsFeature } from './communities/usage/index.ts';
import { appCallsFeature } from './developers/app-calls/index.ts';
import { appWebhooksFeature } from './developers/app-webhooks/index.ts';
import { discoveryFeature } from './developers/discovery/index.ts';
import { miniappsFeature } from './developers/mini-apps/index.ts';
import { oauth2Feature } from './developers/oauth2/index.ts';
import { serverConfigFeature } from './developers/server-config/index.ts';
import { userAuthorizationsFeature } from './developers/user-authorizations/index.ts';
import { accessControlFeature } from './gating/access-control/index.ts';
import { assetsFeature } from './gating/assets/index.ts';
import { axieInfinityFeature } from './gating/axie-infinity/index.ts';
import { communityRulesFeature } from './gating/community-rules/index.ts';
import { ethereumNftsFeature } from './gating/ethereum-nfts/index.ts';
import { evmFeature } from './gating/evm/index.ts';
import { flowFeature } from './gating/flow/index.ts';
import { followingFeature } from './gating/followers/index.ts';
import { guestRolesFeature } from './gating/guest-roles/index.ts';
import { readingsFeature } from './gating/holdings/index.ts';
import { nftMetadataFeature } from './gating/nft-metadata/index.ts';
import { rolePlansFeature } from './gating/role-changes/index.ts';
import { roleManagerFeature } from './gating/role-manager/index.ts';
import { ruleBuilderFeature } from './gating/rule-builder/index.ts';
import { ruleImportsFeature } from './gating/rule-imports/index.ts';
import { stakingContractsFeature } from './gating/staking-contracts/index.ts';
import { clientAppsFeature } from './identity/client-apps/index.ts';
import { credentialsFeature } from './identity/credentials/index.ts';
import { hostedWalletsFeature } from './identity/hosted-wallets/index.ts';
import { jwtFeature } from './identity/jwt/index.ts';
import { linkAttemptsFeature } from './identity/link-attempts/index.ts';
import { devOrgsFeature } from './identity/organizations/index.ts';
import { platformLoginsFeature } from './identity/platform-logins/index.ts';
import { scopesFeature } from './identity/scopes/index.ts';
import { statesFeature } from './identity/states/index.ts';
import { totpFeature } from './identity/totp/index.ts';
import { walletsFeature } from './identity/wallets/index.ts';
import { webauthnFeature } from './identity/webauthn/index.ts';
import { chatAccountsFeature } from './linking/chat-accounts/index.ts';
import { handOversFeature } from './linking/device-handoffs/index.ts';
import { ethereumLoginFeature } from './linking/ethereum-login/index.ts';
import { venlyFeature, walletManagerFeature } from './linking/wallet-manager/index.ts';
import { xAccountFeature } from './linking/x-account/index.ts';
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
import { auditFeature } from './services/audit/index.ts';
import { logSettingsFeature } from './services/log-settings/index.ts';
import { pingFeature } from './services/ping/index.ts';
import { qrcodeFeature } from './services/qrcode/index.ts';
import { keptSecretsFeature } from './services/secrets/index.ts';
import { securityNoticesFeature } from './services/security-notices/index.ts';
import { signerFeature } from './services/signer/index.ts';
import { signingKeysFeature } from './services/signing-keys/index.ts';
import { spendingFeature } from './services/spending/index.ts';
import { plansFeature } from './services/subscription-plans/index.ts';
import { treasuriesFeature } from './services/treasuries/index.ts';
import { webhooksFeature } from './services/webhooks/index.ts';
import type { Erasure, SealedColumn } from './shared/feature.ts';
import { type Feature, mergeResources } from './shared/feature.ts';
import {
  accountFeature,
  createAccountEraser,
  createErasureJobs,
  createErasureOperations,
} from './surfaces/account/index.ts';
import { adminNoticesFeature } from './surfaces/admin-notices/index.ts';
import { analyticsFeature } from './surfaces/analytics/index.ts';
import { auditLogFeature } from './surfaces/audit-log/index.ts';
import { discordGatewayFeature } from './surfaces/discord-gateway/index.ts';
import { discordInteractionsFeature } from './surfaces/discord-interactions/index.ts';
import { helloActionFeature } from './surfaces/hello-action/index.ts';
import { linkedRolesFeature } from './surfaces/linked-roles/index.ts';
import { liveFeature } from './surfaces/live/index.ts';
import { waysInFeature } from './surfaces/login-methods/index.ts';
import { memberExportsFeature } from './surfaces/member-exports/index.ts';
import { myRolesFeature } from './surfaces/my-roles/index.ts';
import { overviewFeature } from './surfaces/overview/index.ts';
import { waitingFeature } from './surfaces/pending-items/index.ts';
import { personalDataFeature } from './surfaces/personal-data/index.ts';
import { redditFeature } from './surfaces/reddit/index.ts';
import { redditConsentFeature } from './surfaces/reddit-consent/index.ts';
import { setupFeature } from './surfaces/setup/index.ts';
import { telegramFeature } from './surfaces/telegram/index.ts';

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
  communityRulesFeature,
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
