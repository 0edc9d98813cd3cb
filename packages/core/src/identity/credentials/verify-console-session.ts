import { hashSecret } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { isAddressListed } from '../../shared/ip-addresses.ts';
import { endOfUse, isWorthNoting, looksLikeSessionSecret } from './console-session.ts';
import { type ConsoleSessionRow, type FoundConsoleSession, findBySecret, setUsed } from './console-session-queries.ts';
import { type AdminKeyRow, findAdminKey } from './queries.ts';
import { refusedCredential } from './refused.ts';

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
