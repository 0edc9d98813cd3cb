import type { JobKind, Schedule } from '@latchkey/kernel';
import { clientApps } from './client-apps/index.ts';
import { credentialJobs, credentialSchedules } from './credentials/index.ts';
import { devOrgJobs, devOrgs, devOrgsSealed } from './dev-orgs/index.ts';
import { discovery } from './discovery/index.ts';
import { ethereumLogin, loginJobs, loginSchedules } from './ethereum-login/index.ts';
import { jwt } from './jwt/index.ts';
import { logSettings } from './log-settings/index.ts';
import { pings } from './ping/index.ts';
import { qrcode } from './qrcode/index.ts';
import { scopes } from './scopes/index.ts';
import { serverConfig } from './server-config/index.ts';
import { type SealedColumn, signingKeysSealed } from './signing-keys/index.ts';
import { slugs, slugsSealed, stateJobs, stateSchedules, states } from './states/index.ts';
import { totp, totpJobs, totpSchedules, totpSealed } from './totp/index.ts';
import { webauthn, webauthnJobs, webauthnSchedules } from './webauthn/index.ts';
import { webhookJobs, webhookSchedules, webhooksSealed } from './webhooks/index.ts';

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
] as const;

/** The API as a type, for the typed client. */
export type Api = typeof resources;

/** Every kind of background work. */
export const jobKinds: readonly JobKind[] = [
  ...credentialJobs,
  ...devOrgJobs,
  ...loginJobs,
  ...webhookJobs,
  ...stateJobs,
  ...totpJobs,
  ...webauthnJobs,
];

/** Everything that is due by the clock. */
export const schedules: readonly Schedule[] = [
  ...credentialSchedules,
  ...loginSchedules,
  ...stateSchedules,
  ...totpSchedules,
  ...webauthnSchedules,
  ...webhookSchedules,
];

/** Every column of sealed secrets, for a change of the master key. */
export const sealedColumns: readonly SealedColumn[] = [
  ...signingKeysSealed,
  ...slugsSealed,
  ...totpSealed,
  ...devOrgsSealed,
  ...webhooksSealed,
];
