import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { recordAudit } from '../../machinery/audit/index.ts';
import { byStart, type KeyChange } from './create-admin-key.ts';
import { type AdminKeyRow, countAdminKeyRows, markAdminKeyRevoked, selectAdminKeys } from './queries.ts';

type KeyContext = Pick<Context, 'clock' | 'db'>;

/** Takes a key of the operator back, by its id. */
export async function revokeAdminKey(ctx: KeyContext, id: string, change: KeyChange = byStart): Promise<void> {
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    if (!(await markAdminKeyRevoked(tx, id, now))) throw notFound('admin key');
    await recordAudit(tx, { ...change, at: now, action: 'admin-key.revoke', target: id });
  });
}

/** How many keys of the operator can be used. */
export async function countAdminKeys(ctx: KeyContext): Promise<number> {
  return (await countAdminKeyRows(ctx.db.system, ctx.clock())).usable;
}

/** All keys of the operator, newest first, without what would open anything. */
export function listAdminKeys(ctx: Pick<Context, 'db'>): Promise<Omit<AdminKeyRow, 'key_hash'>[]> {
  return selectAdminKeys(ctx.db.system);
}
