import { hashSecret } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { isAddressListed } from '../../ip-addresses.ts';
import { findAdminKey } from './queries.ts';
import { refusedCredential } from './refused.ts';

const form = /^admin[0-9A-Za-z]{12}\.[0-9A-Za-z]{43}$/;

/** The operator a key belongs to; throws INVALID_CREDENTIAL when it does not count, or not from this address. */
export async function verifyAdminKey(
  ctx: Pick<Context, 'clock' | 'db' | 'log'>,
  key: string,
  fromAddress: string,
): Promise<Actor> {
  const row = form.test(key) ? await findAdminKey(ctx.db, hashSecret(key)) : undefined;
  const isOver = row !== undefined && row.expires_at !== null && row.expires_at <= ctx.clock();
  if (row === undefined || row.revoked_at !== null || isOver) throw refusedCredential('API key');
  if (row.allowed_ip_addresses.length > 0 && !isAddressListed(fromAddress, row.allowed_ip_addresses)) {
    // The caller hears the same as for a wrong key; whoever sees the log may have a stolen one to revoke.
    ctx.log.warn('An admin key was used from an address that it is not bound to.', { keyId: row.id, fromAddress });
    throw refusedCredential('API key');
  }
  return { kind: 'admin', name: row.name };
}
