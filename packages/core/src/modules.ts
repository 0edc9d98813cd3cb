import type { JobKind, Resource, Schedule } from '@latchkey/kernel';
import { kudosModule } from './billing/kudos/index.ts';
import { paymentsModule } from './billing/payments/index.ts';
import { treasuryControlModule } from './billing/treasury-control/index.ts';
import { accessModule } from './communities/access/index.ts';
import { adminsModule } from './communities/admins/index.ts';
import { arrivalsModule } from './communities/bot-arrivals/index.ts';
import { communitiesModule } from './communities/community/index.ts';
import { communityPlansModule } from './communities/community-plans/index.ts';
import { communityRecordsModule } from './communities/community-records/index.ts';
import { discordModule } from './communities/discord-guilds/index.ts';
import { guestPassHoldersModule } from './communities/guest-pass-holders/index.ts';
import { guestPassesModule } from './communities/guest-passes/index.ts';
import { installsModule } from './communities/installs/index.ts';
import { managedRulesModule } from './communities/managed-rules/index.ts';
import { membersModule } from './communities/members/index.ts';
import { membershipsModule } from './communities/memberships/index.ts';
import { picturesModule } from './communities/pictures/index.ts';
import { reconcileQueueModule } from './communities/reconcile-queue/index.ts';
import { ruleRecordsModule } from './communities/rule-records/index.ts';
import { interactionsModule } from './communities/usage/index.ts';
import { appCallsModule } from './developers/app-calls/index.ts';
import { appWebhooksModule } from './developers/app-webhooks/index.ts';
import { communityEventsModule } from './developers/community-events/index.ts';
import { discoveryModule } from './developers/discovery/index.ts';
import { miniappsModule } from './developers/mini-apps/index.ts';
import { oauth2Module } from './developers/oauth2/index.ts';
import { serverConfigModule } from './developers/server-config/index.ts';
import { userAuthorizationsModule } from './developers/user-authorizations/index.ts';
import { accessControlModule } from './gating/access-control/index.ts';
import { approvalPoliciesModule } from './gating/approval-policies/index.ts';
import { assetsModule } from './gating/assets/index.ts';
import { axieInfinityModule } from './gating/axie-infinity/index.ts';
import { communityRulesModule } from './gating/community-rules/index.ts';
import { driftChecksModule } from './gating/drift-checks/index.ts';
import { ethereumNftsModule } from './gating/ethereum-nfts/index.ts';
import { evmModule } from './gating/evm/index.ts';
import { flowModule } from './gating/flow/index.ts';
import { followingModule } from './gating/followers/index.ts';
import { guestRolesModule } from './gating/guest-roles/index.ts';
import { readingsModule } from './gating/holdings/index.ts';
import { manualChangesModule } from './gating/manual-changes/index.ts';
import { nftMetadataModule } from './gating/nft-metadata/index.ts';
import { changeSetsModule } from './gating/role-changes/index.ts';
import { roleManagerModule } from './gating/role-manager/index.ts';
import { ruleAssertionsModule } from './gating/rule-assertions/index.ts';
import { ruleBuilderModule } from './gating/rule-builder/index.ts';
import { ruleHealthModule } from './gating/rule-health/index.ts';
import { ruleImportsModule } from './gating/rule-imports/index.ts';
import { ruleSetsModule } from './gating/rule-sets/index.ts';
import { stakingContractsModule } from './gating/staking-contracts/index.ts';
import { clientAppsModule } from './identity/client-apps/index.ts';
import { credentialsModule } from './identity/credentials/index.ts';
import { hostedWalletsModule } from './identity/hosted-wallets/index.ts';
import { jwtModule } from './identity/jwt/index.ts';
import { linkAttemptsModule } from './identity/link-attempts/index.ts';
import { devOrgsModule } from './identity/organizations/index.ts';
import { platformLoginsModule } from './identity/platform-logins/index.ts';
import { scopesModule } from './identity/scopes/index.ts';
import { statesModule } from './identity/states/index.ts';
import { totpModule } from './identity/totp/index.ts';
import { walletsModule } from './identity/wallets/index.ts';
import { webauthnModule } from './identity/webauthn/index.ts';
import { chatAccountsModule } from './linking/chat-accounts/index.ts';
import { handoffsModule } from './linking/device-handoffs/index.ts';
import { ethereumLoginModule } from './linking/ethereum-login/index.ts';
import { venlyModule, walletManagerModule } from './linking/wallet-manager/index.ts';
import { xAccountModule } from './linking/x-account/index.ts';
import { nearIndexerModule } from './near/near-indexer/index.ts';
import { nearNftModule } from './near/near-nft/index.ts';
import { deadJobsModule } from './operator/dead-jobs/index.ts';
import { deskModule } from './operator/desk/index.ts';
import { directoryModule } from './operator/directory/index.ts';
import { healthModule } from './operator/health/index.ts';
import { installationModule } from './operator/installation/index.ts';
import { operatorKeysModule } from './operator/operator-keys/index.ts';
import { pathCheckModule } from './operator/path-check/index.ts';
import { reviewsModule } from './operator/reviews/index.ts';
import { snapshotModule } from './partners/snapshot/index.ts';
import { supportTicketsModule } from './partners/support-tickets/index.ts';
import { tokenproofModule } from './partners/tokenproof/index.ts';
import { waitingListModule } from './partners/waiting-list/index.ts';
import { auditModule } from './services/audit/index.ts';
import { eventLogModule } from './services/event-log/index.ts';
import { logSettingsModule } from './services/log-settings/index.ts';
import { pingModule } from './services/ping/index.ts';
import { qrcodeModule } from './services/qrcode/index.ts';
import { requestsModule } from './services/requests/index.ts';
import { keptSecretsModule } from './services/secrets/index.ts';
import { securityNoticesModule } from './services/security-notices/index.ts';
import { signerModule } from './services/signer/index.ts';
import { signingKeysModule } from './services/signing-keys/index.ts';
import { spendingModule } from './services/spending/index.ts';
import { plansModule } from './services/subscription-plans/index.ts';
import { treasuriesModule } from './services/treasuries/index.ts';
import { webhooksModule } from './services/webhooks/index.ts';
import { type Erasure, type Module, mergeResources, type SealedColumn } from './shared/module.ts';
import {
  accountModule,
  createAccountEraser,
  createErasureJobs,
  createErasureOperations,
} from './surfaces/account/index.ts';
import { adminNoticesModule } from './surfaces/admin-notices/index.ts';
import { analyticsModule } from './surfaces/analytics/index.ts';
import { auditLogModule } from './surfaces/audit-log/index.ts';
import { backDoorsModule } from './surfaces/back-doors/index.ts';
import { chatBotsModule } from './surfaces/chat-bots/index.ts';
import { devvitModule } from './surfaces/devvit/index.ts';
import { discordGatewayModule } from './surfaces/discord-gateway/index.ts';
import { discordInteractionsModule } from './surfaces/discord-interactions/index.ts';
import { helloActionModule } from './surfaces/hello-action/index.ts';
import { joinPageModule } from './surfaces/join-page/index.ts';
import { linkedRolesModule } from './surfaces/linked-roles/index.ts';
import { liveModule } from './surfaces/live/index.ts';
import { loginMethodsModule } from './surfaces/login-methods/index.ts';
import { memberExportsModule } from './surfaces/member-exports/index.ts';
import { myRolesModule } from './surfaces/my-roles/index.ts';
import { overviewModule } from './surfaces/overview/index.ts';
import { waitingModule } from './surfaces/pending-items/index.ts';
import { personalDataFeature } from './surfaces/personal-data/index.ts';
import { playgroundsModule } from './surfaces/playgrounds/index.ts';
import { redditModule } from './surfaces/reddit/index.ts';
import { redditConsentModule } from './surfaces/reddit-consent/index.ts';
import { roleInvitesModule } from './surfaces/role-invites/index.ts';
import { setupModule } from './surfaces/setup/index.ts';
import { telegramModule } from './surfaces/telegram/index.ts';
import { telegramGateModule } from './surfaces/telegram-gate/index.ts';

/**
 * Everything there is, in the order in which the documentation shows operations and a person is forgotten: applications go
 * before the organizations they belong to.
 */
export const modules = [
  signingKeysModule,
  keptSecretsModule,
  signerModule,
  platformLoginsModule,
  securityNoticesModule,
  walletsModule,
  credentialsModule,
  webhooksModule,
  eventLogModule,
  discoveryModule,
  serverConfigModule,
  pingModule,
  jwtModule,
  scopesModule,
  statesModule,
  qrcodeModule,
  totpModule,
  webauthnModule,
  logSettingsModule,
  clientAppsModule,
  appWebhooksModule,
  communityEventsModule,
  appCallsModule,
  devOrgsModule,
  ethereumLoginModule,
  oauth2Module,
  userAuthorizationsModule,
  accessControlModule,
  approvalPoliciesModule,
  accountModule,
  requestsModule,
  walletManagerModule,
  hostedWalletsModule,
  tokenproofModule,
  accessModule,
  communityRecordsModule,
  installsModule,
  communitiesModule,
  communityPlansModule,
  ruleRecordsModule,
  communityRulesModule,
  roleManagerModule,
  ruleAssertionsModule,
  ruleBuilderModule,
  ruleSetsModule,
  ruleHealthModule,
  manualChangesModule,
  ruleImportsModule,
  discordModule,
  redditModule,
  analyticsModule,
  assetsModule,
  evmModule,
  venlyModule,
  ethereumNftsModule,
  stakingContractsModule,
  flowModule,
  axieInfinityModule,
  nearIndexerModule,
  nearNftModule,
  paymentsModule,
  miniappsModule,
  helloActionModule,
  snapshotModule,
  kudosModule,
  supportTicketsModule,
  nftMetadataModule,
  waitingListModule,
  readingsModule,
  followingModule,
  driftChecksModule,
  guestPassesModule,
  guestPassHoldersModule,
  changeSetsModule,
  guestRolesModule,
  reconcileQueueModule,
  membershipsModule,
  managedRulesModule,
  membersModule,
  memberExportsModule,
  adminNoticesModule,
  interactionsModule,
  liveModule,
  arrivalsModule,
  setupModule,
  adminsModule,
  overviewModule,
  picturesModule,
  discordGatewayModule,
  discordInteractionsModule,
  telegramGateModule,
  backDoorsModule,
  roleInvitesModule,
  telegramModule,
  chatBotsModule,
  waitingModule,
  plansModule,
  spendingModule,
  treasuriesModule,
  treasuryControlModule,
  linkAttemptsModule,
  xAccountModule,
  linkedRolesModule,
  redditConsentModule,
  devvitModule,
  auditModule,
  auditLogModule,
  loginMethodsModule,
  healthModule,
  deadJobsModule,
  pathCheckModule,
  reviewsModule,
  directoryModule,
  operatorKeysModule,
  deskModule,
  installationModule,
  handoffsModule,
  myRolesModule,
  joinPageModule,
  playgroundsModule,
  chatAccountsModule,
  personalDataFeature(() => erasures),
] as const;

/** The API as a type, for the typed client. */
export type Api = readonly ((typeof modules)[number]['resources'][number] | typeof erasingResource)[];

const all: readonly Module[] = modules as unknown as readonly Module[];

export const erasures: readonly Erasure[] = all.flatMap((defineModule) => defineModule.erasures);

const eraser = createAccountEraser(erasures);
const erasingResource = createErasureOperations(eraser);

/** Everything the server serves. */
export const resources = mergeResources([
  ...all.flatMap((defineModule) => defineModule.resources),
  erasingResource as unknown as Resource,
]) as unknown as Api & readonly Resource[];

const erasing = createErasureJobs(eraser);
export const { eraseAccount } = eraser;

/** Every kind of background work. */
export const jobKinds: readonly JobKind[] = [...all.flatMap((defineModule) => defineModule.jobs), ...erasing.jobs];

/** Everything that is due by the clock. */
export const schedules: readonly Schedule[] = [
  ...all.flatMap((defineModule) => defineModule.schedules),
  ...erasing.schedules,
];

/** Every column of sealed secrets, for a change of the master key. */
export const sealedColumns: readonly SealedColumn[] = all.flatMap((defineModule) => defineModule.sealed);
