import type { Sql, Tx } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { getReadableCommunity } from './access.ts';
import {
  type CommunitySettings,
  leastCheckPeriodSeconds,
  mostCheckPeriodSeconds,
  toCommunitySettings,
} from './community-settings.ts';
import { refuse } from './invalid.ts';
import { getCommunity, lockOwnCommunity } from './own-community.ts';
import type { CommunityRow } from './queries.ts';
import { checkPeriodSeconds } from './set-plan.ts';

type SettingContext = Pick<Context, 'clock' | 'db' | 'tx'>;

export async function getCommunitySettings(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { id }: { id: string },
): Promise<CommunitySettings> {
  const community = await getReadableCommunity(ctx, id);
  return describe(ctx.db.system, community, ctx.clock());
}

/** Has every member re-checked as often as the admins of the community choose. */
export async function setCheckPeriod(
  ctx: SettingContext,
  { id, body: { checkPeriodSeconds: seconds } }: { id: string; body: { checkPeriodSeconds: number } },
): Promise<CommunitySettings> {
  if (seconds < leastCheckPeriodSeconds || seconds > mostCheckPeriodSeconds)
    throw refuse('/checkPeriodSeconds', `must be from ${leastCheckPeriodSeconds} to ${mostCheckPeriodSeconds}`);
  return change(ctx, id, seconds);
}

/** Has every member re-checked as often as the plan of the community says. */
export function resetCheckPeriod(ctx: SettingContext, { id }: { id: string }): Promise<CommunitySettings> {
  return change(ctx, id, null);
}

async function change(ctx: SettingContext, id: string, periodSeconds: number | null): Promise<CommunitySettings> {
  const visible = await ctx.tx((tx) => getCommunity(tx, id));
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    const community = await lockOwnCommunity(tx, visible.id);
    const planned = await checkPeriodSeconds(tx, community.id, now);
    const changed = {
      check_period_seconds: periodSeconds,
      next_check_at: nextCheck(community, planned, periodSeconds ?? planned),
      updated_at: now,
    };
    await save(tx, community.id, changed);
    return describe(tx, { ...community, ...changed }, now);
  });
}

/** The last check, and the new period after it: a shorter one does not wait until the longer one is over. */
function nextCheck(
  { next_check_at, check_period_seconds }: CommunityRow,
  plannedSeconds: number,
  periodSeconds: number,
): Date | null {
  if (next_check_at === null) return null;
  const oldSeconds = check_period_seconds ?? plannedSeconds;
  return new Date(next_check_at.getTime() + (periodSeconds - oldSeconds) * 1000);
}

async function save(
  tx: Tx,
  id: string,
  changed: Pick<CommunityRow, 'check_period_seconds' | 'next_check_at' | 'updated_at'>,
): Promise<void> {
  await tx.updateTable('communities').set(changed).where('id', '=', id).execute();
}

async function describe(db: Sql, community: CommunityRow, now: Date): Promise<CommunitySettings> {
  return toCommunitySettings(community, await checkPeriodSeconds(db, community.id, now));
}
