import { hashSecret } from '@latchkey/db';
import { type Actor, AppError, addSeconds, credentialKinds, isThePerson, observed } from '@latchkey/kernel';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Browser, Context } from '../../shared/context.ts';
import { isAddressListed } from '../../shared/ip-addresses.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import {
  type ConsoleSessionRow,
  deleteConsoleSession,
  type FoundConsoleSession,
  findBySecret,
  insertConsoleSession,
  setUsed,
} from './console-session-queries.ts';
import { type AdminKeyRow, findAdminKey } from './queries.ts';
import { refusedCredential } from './refused.ts';

const hourMs = 60 * 60 * 1000;

const longestSessionSeconds = 7 * 24 * 60 * 60;

const idleMs = 12 * hourMs;

/** The minimum interval between writes of a session's last use. */
const noteEveryMs = 60_000;

/** Returns when a session that is used now ends. */
function endOfUse(now: Date, latestAt: Date): Date {
  return new Date(Math.min(now.getTime() + idleMs, latestAt.getTime()));
}

function isWorthNoting(now: Date, usedAt: Date): boolean {
  return now.getTime() - usedAt.getTime() >= noteEveryMs;
}

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text has the format of our cookie's secret; anything else need not be looked up. */
function looksLikeSessionSecret(secret: string): boolean {
  return secretForm.test(secret);
}

type OpenContext = Pick<Context, 'actor' | 'browser' | 'clock' | 'db' | 'origin' | 'random'>;

type Holder = Pick<
  ConsoleSessionRow,
  'user_id' | 'platform' | 'user_name' | 'scopes' | 'admin_key_id' | 'presence_how' | 'presence_at'
>;

/**
 * Signs a browser in to the console as the caller, and ends its previous session, so that a planted session secret is
 * useless.
 */
export async function openConsoleSession(ctx: OpenContext): Promise<ConsoleSessionRow> {
  const browser = requireBrowser(ctx);
  const holder = holderOf(ctx);
  const secret = Buffer.from(ctx.random.bytes(32)).toString('base64url');
  const now = ctx.clock();
  const latestAt = addSeconds(now, longestSessionSeconds);
  const times = { created_at: now, used_at: now, expires_at: endOfUse(now, latestAt), latest_at: latestAt };
  const row = { id: ctx.random.id(), secret_hash: hashSecret(secret), ...holder, ...times };
  await ctx.db.transaction('system', async (tx) => {
    if (browser.sessionSecret !== undefined) await deleteConsoleSession(tx, hashSecret(browser.sessionSecret));
    await insertConsoleSession(tx, row);
    const kind = row.user_id === null ? 'operator-console-session' : 'console-session';
    await recordAudit(tx, auditOf(ctx, 'session.create', { target: row.id, details: { kind } }));
  });
  observed.signIn.record({ method: row.user_id === null ? 'operator-console' : 'console' });
  browser.keepSession(secret, longestSessionSeconds);
  return row;
}

function requireBrowser({ browser }: OpenContext): Browser {
  if (browser !== undefined) return browser;
  throw new AppError(
    'CLIENT_NOT_ALLOWED',
    'Only pages of this server can sign a browser in to the console. They send x-latchkey-console: 1.',
  );
}

/** Returns the user of the session. It outlives its credential, so only a recent sign-in is accepted. */
function holderOf(ctx: OpenContext): Holder {
  const { actor } = ctx;
  const nobody = { user_id: null, platform: null, user_name: null, scopes: [], presence_how: null, presence_at: null };
  if (actor.kind === 'admin' && actor.keyId !== undefined && actor.sessionId === undefined)
    return { ...nobody, admin_key_id: actor.keyId };
  if (actor.kind !== 'user' || !isSignIn(actor)) throw noSignIn();
  requirePresence(ctx);
  return {
    user_id: actor.userId,
    platform: actor.platform,
    user_name: actor.name ?? null,
    scopes: [...actor.scopes],
    admin_key_id: null,
    presence_how: actor.presence?.how ?? null,
    presence_at: actor.presence?.at ?? null,
  };
}

function isSignIn(actor: Extract<Actor, { kind: 'user' }>): boolean {
  return isThePerson(actor) && credentialKinds[actor.credential].logsIn;
}

function noSignIn(): AppError {
  return new AppError(
    'SCOPE_NOT_ALLOWED',
    'Sign in to the console with a wallet, passkey or chat account, or with an operator key. This credential is neither.',
  );
}

type VerifyContext = Pick<Context, 'clock' | 'db' | 'log'>;

/** The user of a browser's session cookie; throws INVALID_CREDENTIAL when the session has ended. */
export async function verifyConsoleSession(
  ctx: VerifyContext,
  secret: string,
  fromAddress: string,
  isUse = true,
): Promise<Actor> {
  const row = looksLikeSessionSecret(secret) ? await findBySecret(ctx.db, hashSecret(secret)) : undefined;
  const now = ctx.clock();
  if (row === undefined || row.expires_at <= now) throw refusedCredential('console session');
  const actor = row.admin_key_id === null ? personOf(row) : operatorOf(ctx, row, fromAddress);
  if (actor === undefined) throw refusedCredential('console session');
  if (isUse && isWorthNoting(now, row.used_at))
    await setUsed(ctx.db.system, row.id, { usedAt: now, expiresAt: endOfUse(now, row.latest_at) });
  return actor;
}

function personOf(row: ConsoleSessionRow): Actor | undefined {
  if (row.user_id === null || row.platform === null) return undefined;
  return {
    kind: 'user',
    userId: row.user_id,
    platform: row.platform,
    ...(row.user_name !== null && { name: row.user_name }),
    scopes: row.scopes,
    credential: 'console-session',
    sessionId: row.id,
    ...(row.presence_how !== null &&
      row.presence_at !== null && { presence: { how: row.presence_how, at: row.presence_at } }),
  };
}

/** The session ends with the key that opened it, and is bound to the same addresses. */
function operatorOf(ctx: VerifyContext, row: FoundConsoleSession, fromAddress: string): Actor | undefined {
  if (row.admin_key_id === null || row.key_name === null) return undefined;
  const key = {
    id: row.admin_key_id,
    revoked_at: row.key_revoked_at,
    expires_at: row.key_expires_at,
    allowed_ip_addresses: row.key_allowed_ip_addresses ?? [],
  };
  if (!isKeyInForce(ctx, key, fromAddress)) return undefined;
  return { kind: 'admin', name: row.key_name, keyId: key.id, sessionId: row.id };
}

const form = /^admin[0-9A-Za-z]{12}\.[0-9A-Za-z]{43}$/;

/**
 * Returns the operator of an admin key; throws INVALID_CREDENTIAL if the key is not valid, or not from this address.
 */
export async function verifyAdminKey(
  ctx: Pick<Context, 'clock' | 'db' | 'log'>,
  key: string,
  fromAddress: string,
): Promise<Actor> {
  const row = form.test(key) ? await findAdminKey(ctx.db, hashSecret(key)) : undefined;
  if (row === undefined) throw refusedCredential('API key');
  if (!isKeyInForce(ctx, row, fromAddress)) throw refusedCredential('API key');
  return { kind: 'admin', name: row.name, keyId: row.id };
}

/** Whether a key is valid now and from this address. The caller gets the same error as for an unknown key. */
function isKeyInForce(
  { clock, log }: Pick<Context, 'clock' | 'log'>,
  key: Pick<AdminKeyRow, 'id' | 'revoked_at' | 'expires_at' | 'allowed_ip_addresses'>,
  fromAddress: string,
): boolean {
  if (key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= clock())) return false;
  if (key.allowed_ip_addresses.length === 0 || isAddressListed(fromAddress, key.allowed_ip_addresses)) return true;
  // Logged, because the session may be stolen and need to be revoked.
  log.warn('An admin key was used from an address that it is not bound to.', { keyId: key.id, fromAddress });
  return false;
}
