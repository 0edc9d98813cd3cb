import type { Sql, Tx } from '@latchkey/db';
import { addSeconds, op, record, shape, T, text, type ValueOf } from '@latchkey/kernel';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { communityReader, confirmedCommunityAdmin, getReadableCommunity } from '../access/index.ts';
import { checkPeriodSeconds } from '../community-plans/index.ts';
import { type CommunityRow, getCommunity, lockOwnCommunity, updateCommunity } from '../community-records/index.ts';
import { refuseLocked } from '../managed-rules/index.ts';

/** With less than an hour, reading a large community would hardly finish before it starts again. */
export const leastCheckPeriodSeconds = 60 * 60;
export const mostCheckPeriodSeconds = 30 * 24 * 60 * 60;

const CommunitySettings = record('CommunitySettings', 'The settings of a community.', {
  communityId: text('The qualified id of the community.'),
  checkPeriodSeconds: T.Number({ description: 'How often every member is re-checked, in seconds.' }),
  isDefaultCheckPeriod: T.Boolean({ description: 'Whether that is the period of its plan.' }),
  defaultCheckPeriodSeconds: T.Number({ description: 'The period of its plan, in seconds.' }),
  leastCheckPeriodSeconds: T.Number({ description: 'The shortest period that can be set.' }),
  mostCheckPeriodSeconds: T.Number({ description: 'The longest period that can be set.' }),
  checksInBackground: T.Boolean({
    description: 'Whether scheduled re-checks run at all: the community is active, and disableBkgBalCheck is not set.',
  }),
  nextCheckTime: T.Optional(
    text('When every member is re-checked next, in ISO 8601; absent if that is due or switched off.'),
  ),
});
type CommunitySettings = ValueOf<typeof CommunitySettings>;

function toCommunitySettings(row: CommunityRow, defaultSeconds: number): CommunitySettings {
  const checksInBackground = row.status === 'active' && !row.disable_background_checks;
  return {
    communityId: row.id,
    checkPeriodSeconds: row.check_period_seconds ?? defaultSeconds,
    isDefaultCheckPeriod: row.check_period_seconds === null,
    defaultCheckPeriodSeconds: defaultSeconds,
    leastCheckPeriodSeconds,
    mostCheckPeriodSeconds,
    checksInBackground,
    ...(checksInBackground && row.next_check_at !== null && { nextCheckTime: row.next_check_at.toISOString() }),
  };
}

export const communitySettingOperations = [
  op(
    'GET /latchkey/communities/{id}/settings',
    {
      id: 'getCommunitySettings',
      summary: 'Get community settings',
      description:
        'Returns how often every member is re-checked, and when that happens next. For community admins, and for client applications that list the community with `GET /communities`.',
      access: communityReader('id', 'community:read'),
      params: { id: communityParam },
      returns: CommunitySettings,
    },
    getCommunitySettings,
  ),
  op(
    'PATCH /latchkey/communities/{id}/settings',
    {
      id: 'updateCommunitySettings',
      summary: 'Update community settings',
      description:
        'Sets how often every member is re-checked, from one hour to 30 days. A shorter period counts from the last re-check. Events such as transfers, linked wallets and changed rules trigger a check at once, whatever the period.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('id', 'community:write'),
      params: { id: communityParam },
      body: shape(
        T.Object({
          checkPeriodSeconds: T.Integer({
            description: 'How often every member is re-checked, in seconds.',
            format: 'int32',
            minimum: leastCheckPeriodSeconds,
            maximum: mostCheckPeriodSeconds,
          }),
        }),
      ),
      returns: CommunitySettings,
      errors: ['STATE_CONFLICT'],
    },
    setCheckPeriod,
  ),
  op(
    'DELETE /latchkey/communities/{id}/settings/check-period',
    {
      id: 'resetCheckPeriod',
      summary: 'Use the default re-check period',
      description: 'Resets the re-check period to that of the community’s plan: daily by default.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('id', 'community:write'),
      params: { id: communityParam },
      readAt: '/latchkey/communities/{id}/settings',
      returns: CommunitySettings,
      errors: ['STATE_CONFLICT'],
    },
    resetCheckPeriod,
  ),
] as const;

type SettingContext = Pick<Context, 'clock' | 'db' | 'tx'>;

export async function getCommunitySettings(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { id }: { id: string },
): Promise<CommunitySettings> {
  const community = await getReadableCommunity(ctx, id);
  return describe(ctx.db.system, community, ctx.clock());
}

/** Sets how often every member is re-checked. */
export async function setCheckPeriod(
  ctx: SettingContext,
  { id, body: { checkPeriodSeconds: seconds } }: { id: string; body: { checkPeriodSeconds: number } },
): Promise<CommunitySettings> {
  if (seconds < leastCheckPeriodSeconds || seconds > mostCheckPeriodSeconds)
    throw refuse('/checkPeriodSeconds', `must be from ${leastCheckPeriodSeconds} to ${mostCheckPeriodSeconds}`);
  return change(ctx, id, seconds);
}

/** Resets the re-check period to that of the community's plan. */
export function resetCheckPeriod(ctx: SettingContext, { id }: { id: string }): Promise<CommunitySettings> {
  return change(ctx, id, null);
}

async function change(ctx: SettingContext, id: string, periodSeconds: number | null): Promise<CommunitySettings> {
  const visible = await ctx.tx((tx) => getCommunity(tx, id));
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    const community = await lockOwnCommunity(tx, visible.id);
    await refuseLocked(tx, community.id);
    const changed = await putCheckPeriod(tx, community, periodSeconds, now);
    return describe(tx, { ...community, ...changed }, now);
  });
}

/** Sets how often every member is re-checked, or the period of the plan with null. The community must be locked. */
export async function putCheckPeriod(
  tx: Tx,
  community: CommunityRow,
  periodSeconds: number | null,
  now: Date,
): Promise<Pick<CommunityRow, 'check_period_seconds' | 'next_check_at'>> {
  const planned = await checkPeriodSeconds(tx, community.id, now);
  const changed = {
    check_period_seconds: periodSeconds,
    next_check_at: nextCheck(community, planned, periodSeconds ?? planned),
  };
  await updateCommunity(tx, community.id, changed, now);
  return changed;
}

/** The last check plus the new period: a shorter one does not wait for the longer one to end. */
function nextCheck(
  { next_check_at, check_period_seconds }: CommunityRow,
  plannedSeconds: number,
  periodSeconds: number,
): Date | null {
  if (next_check_at === null) return null;
  const oldSeconds = check_period_seconds ?? plannedSeconds;
  return addSeconds(next_check_at, periodSeconds - oldSeconds);
}

async function describe(db: Sql, community: CommunityRow, now: Date): Promise<CommunitySettings> {
  return toCommunitySettings(community, await checkPeriodSeconds(db, community.id, now));
}
