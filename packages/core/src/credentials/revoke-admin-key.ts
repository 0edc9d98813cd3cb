import { notFound } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { countAdminKeyRows, markAdminKeyRevoked } from './queries.ts';

/** Takes a key of the operator back, by its id. */
export async function revokeAdminKey(ctx: Pick<Context, 'clock' | 'db'>, id: string): Promise<void> {
  if (!(await markAdminKeyRevoked(ctx.db.system, id, ctx.clock()))) throw notFound('admin key');
}

/** How many keys of the operator can be used. */
export async function countAdminKeys(ctx: Pick<Context, 'db'>): Promise<number> {
  return (await countAdminKeyRows(ctx.db.system)).usable;
}
