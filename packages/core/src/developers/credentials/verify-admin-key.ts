import { hashSecret } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { isAddressListed } from '../../ip-addresses.ts';
import { type AdminKeyRow, findAdminKey } from './queries.ts';
import { refusedCredential } from './refused.ts';

const form = /^admin[0-9A-Za-z]{12}\.[0-9A-Za-z]{43}$/;

/** The operator a key belongs to; throws INVALID_CREDENTIAL when it does not count, or not from this address. */
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

/** Whether a key counts now and from this address. The caller hears the same as for a key that does not exist. */
export function isKeyInForce(
  { clock, log }: Pick<Context, 'clock' | 'log'>,
  key: Pick<AdminKeyRow, 'id' | 'revoked_at' | 'expires_at' | 'allowed_ip_addresses'>,
  fromAddress: string,
): boolean {
  if (key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= clock())) return false;
  if (key.allowed_ip_addresses.length === 0 || isAddressListed(fromAddress, key.allowed_ip_addresses)) return true;
  // Whoever sees the log may have a stolen one to revoke.
  log.warn('An admin key was used from an address that it is not bound to.', { keyId: key.id, fromAddress });
  return false;
}
