import type { Page } from '@latchkey/kernel';
import { ownCommunity } from '../../../communities/access/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import type { LedgerRow } from '../tables.ts';
import { selectEntryAt, selectHoldersAt } from './record.ts';

/** Whether a member had a role at a given time, and why. `entry` is absent if the ledger has none by then. */
export interface RoleExplanation {
  had: boolean;
  entry?: LedgerRow;
}

/** Returns whether a member had a role at a given time, according to the ledger, with the change set and the reason. */
export async function explainRole(
  ctx: Context,
  { communityId, userId, roleId, at }: { communityId: string; userId: string; roleId: string; at: Date },
): Promise<RoleExplanation> {
  const community = await ownCommunity(ctx, communityId);
  const entry = await selectEntryAt(ctx.db.system, community.id, userId, roleId, at);
  return { had: entry?.action === 'grant', ...(entry !== undefined && { entry }) };
}

/**
 * Returns who had a role at a given time and why, according to the ledger. Without a time, every page uses the time of
 * the first one.
 */
export async function listHoldersAt(
  ctx: Context,
  { communityId, roleId, at }: { communityId: string; roleId: string; at?: Date | undefined },
  request: PageRequest = {},
): Promise<Page<LedgerRow>> {
  const community = await ownCommunity(ctx, communityId);
  let moment = at ?? ctx.clock();
  return paginate(ctx, request, {
    list: `holders:${JSON.stringify([community.id, roleId, at ?? null])}`,
    read: (after, limit) => {
      const [userId = '', time] = after ?? [];
      if (time !== undefined) moment = new Date(time);
      return selectHoldersAt(ctx.db.system, community.id, roleId, moment, userId, limit);
    },
    cursorOf: (entry) => [entry.user_id, moment.toISOString()],
  });
}
