import { addMs } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { postpone, type SubscriptionRow, selectSubscription, upsertSubscription } from './queries.ts';
import { updateRights } from './subscriber.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Reads a key from its lock and grants or ends its plan. Returns whether the key is valid. */
export async function checkKey(ctx: Context, id: string): Promise<boolean> {
  const row = await selectSubscription(ctx.db.system, id);
  if (row === undefined || ctx.locks === undefined) return false;
  const now = ctx.clock();
  const [chainId = '', lock = '', account = ''] = id.split(':');
  let until: Date | undefined;
  try {
    until = await ctx.locks.keyUntil({ lock, chainId: Number(chainId), account });
  } catch (error) {
    // Unknown is not false: a subscriber keeps the plan, and the chain is read again soon.
    ctx.log.for('payments').warn('Failed to read a key from its lock.', { chain: chainId, reason: String(error) });
    await postpone(ctx.db.system, id, addMs(now, minute));
    return row.is_active;
  }
  const isGood = until !== undefined && until > now;
  await ctx.db.transaction('system', async (tx) => {
    const changed = await upsertSubscription(tx, {
      ...row,
      is_active: isGood,
      began_at: isGood && !row.is_active ? now : row.began_at,
      paid_until: until ?? row.paid_until,
      check_at: nextCheck(row, isGood ? until : undefined, now),
    });
    await updateRights(ctx, tx, changed.subscriber_id, new Set([changed.plan_id]));
  });
  return isGood;
}

/**
 * A valid key is checked again within an hour, since it can be sold, and when it expires. A purchase that is not on the
 * chain yet is checked every minute for an hour, then no more.
 */
function nextCheck(row: SubscriptionRow, goodUntil: Date | undefined, now: Date): Date | null {
  if (goodUntil !== undefined) return new Date(Math.min(now.getTime() + hour, goodUntil.getTime()));
  const isAwaited = !row.is_active && now.getTime() - row.began_at.getTime() < hour;
  return isAwaited ? addMs(now, minute) : null;
}
