import { type JobKind, resource, type Schedule } from '@latchkey/kernel';
import { accessControl, accessControlJobs, accessControlSchedules } from './access-control/index.ts';
import { account } from './account/index.ts';
import { analytics } from './analytics/index.ts';
import { assets } from './assets/index.ts';
import { axieInfinity } from './axie-infinity/index.ts';
import { clientApps } from './client-apps/index.ts';
import { communities, communitiesSealed } from './communities/index.ts';
import { credentialJobs, credentialSchedules } from './credentials/index.ts';
import { devOrgJobs, devOrgs, devOrgsSealed } from './dev-orgs/index.ts';
import { discord, discordJobs, discordSchedules, discordSealed } from './discord/index.ts';
import { discordInteractionJobs } from './discord-interactions/index.ts';
import { discovery } from './discovery/index.ts';
import { ethereumLogin, loginJobs, loginSchedules } from './ethereum-login/index.ts';
import { ethereumNfts, nftJobs, nftSchedules } from './ethereum-nfts/index.ts';
import { evmOperations } from './evm/index.ts';
import { flow } from './flow/index.ts';
import { gatingJobs, gatingSchedules } from './gating/index.ts';
import { guestPassJobs, guestPassSchedules } from './guest-passes/index.ts';
import { jwt } from './jwt/index.ts';
import { logSettings } from './log-settings/index.ts';
import { pings } from './ping/index.ts';
import { qrcode } from './qrcode/index.ts';
import { reddit, redditSealed } from './reddit/index.ts';
import { roleManager } from './role-manager/index.ts';
import { scopes } from './scopes/index.ts';
import { serverConfig } from './server-config/index.ts';
import { type SealedColumn, signingKeysSealed } from './signing-keys/index.ts';
import { stakings } from './staking-contracts/index.ts';
import { slugs, slugsSealed, stateJobs, stateSchedules, states } from './states/index.ts';
import { telegramJobs } from './telegram/index.ts';
import { tokenproof } from './tokenproof/index.ts';
import { totp, totpJobs, totpSchedules, totpSealed } from './totp/index.ts';
import {
  venlyOperation,
  walletManager,
  walletManagerJobs,
  walletManagerSchedules,
  walletManagerSealed,
} from './wallet-manager/index.ts';
import { walletJobs, walletSchedules } from './wallets/index.ts';
import { webauthn, webauthnJobs, webauthnSchedules } from './webauthn/index.ts';
import { webhookJobs, webhookSchedules, webhooksSealed } from './webhooks/index.ts';

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
  accessControl,
  account,
  walletManager,
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
] as const;

/** The API as a type, for the typed client. */
export type Api = typeof resources;

/** Every kind of background work. */
export const jobKinds: readonly JobKind[] = [
  ...accessControlJobs,
  ...credentialJobs,
  ...devOrgJobs,
  ...discordJobs,
  ...discordInteractionJobs,
  ...gatingJobs,
  ...guestPassJobs,
  ...loginJobs,
  ...nftJobs,
  ...webhookJobs,
  ...stateJobs,
  ...telegramJobs,
  ...totpJobs,
  ...walletJobs,
  ...walletManagerJobs,
  ...webauthnJobs,
];

/** Everything that is due by the clock. */
export const schedules: readonly Schedule[] = [
  ...accessControlSchedules,
  ...credentialSchedules,
  ...discordSchedules,
  ...gatingSchedules,
  ...guestPassSchedules,
  ...loginSchedules,
  ...nftSchedules,
  ...stateSchedules,
  ...totpSchedules,
  ...walletSchedules,
  ...walletManagerSchedules,
  ...webauthnSchedules,
  ...webhookSchedules,
];

/** Every column of sealed secrets, for a change of the master key. */
export const sealedColumns: readonly SealedColumn[] = [
  ...signingKeysSealed,
  ...slugsSealed,
  ...redditSealed,
  ...totpSealed,
  ...devOrgsSealed,
  ...communitiesSealed,
  ...discordSealed,
  ...walletManagerSealed,
  ...webhooksSealed,
];
