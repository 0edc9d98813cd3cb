import { hashSecret } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { findAdminKey } from './queries.ts';
import { refusedCredential } from './refused.ts';

const form = /^admin[0-9A-Za-z]{12}\.[0-9A-Za-z]{43}$/;

/** The operator a key belongs to; throws INVALID_CREDENTIAL when it does not count. */
export async function verifyAdminKey(ctx: Pick<Context, 'db'>, key: string): Promise<Actor> {
  const row = form.test(key) ? await findAdminKey(ctx.db, hashSecret(key)) : undefined;
  if (row === undefined || row.revoked_at !== null) throw refusedCredential('API key');
  return { kind: 'admin', name: row.name };
}
