import { enqueueMany } from '@latchkey/db';
import { addSeconds, exponentialRetry, isPlatformName, job, type Schedule, shape, T } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { catchUp } from '../../communities/members/index.ts';
import { countHoldersAndBots } from '../../communities/memberships/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { defineModule } from '../../shared/module.ts';
import { countOpenWrites, selectRuledRoles } from '../role-changes/index.ts';
import { claimDue, noteDifference } from './queries.ts';

const hourSeconds = 60 * 60;
/** An event about the difference may be on its way. */
const confirmSeconds = 5 * 60;

/**
 * Compares how many members have each role of a rule on the platform with how many we know of, with one call. If the
 * counts differ twice in a row, events were lost and every member is read again, before the next resync. Changes that are
 * being written explain as much of a difference as they make.
 */
export async function checkDrift(
  ctx: Pick<Context, 'clock' | 'db' | 'hosts' | 'random'>,
  communityId: string,
): Promise<void> {
  const { system } = ctx.db;
  const community = await selectCommunity(system, communityId);
  if (community?.status !== 'active' || community.disable_background_checks) return;
  const roleIds = await selectRuledRoles(system, communityId);
  // In this order, and before the platform is asked: a write that is recorded in between still counts as open.
  const open = await countOpenWrites(system, communityId);
  const known = await countHoldersAndBots(system, communityId, roleIds);
  const counts = await ctx.hosts[community.platform]?.countHolders?.(community.community_id);
  if (counts === undefined || roleIds.length === 0) return;
  const differs = roleIds.some((id) => {
    const [count, holders = 0] = [counts.get(id), known.get(id)];
    const { grants, revokes } = open.get(id) ?? { grants: 0, revokes: 0 };
    // A role that the platform does not count was deleted, or cannot be counted.
    return count !== undefined && (count < holders - revokes || count > holders + grants);
  });
  const now = ctx.clock();
  const since = differs ? now : null;
  const dueAt = addSeconds(now, differs ? confirmSeconds : hourSeconds);
  if ((await noteDifference(system, communityId, { since, dueAt })) === undefined || !differs) return;
  await noteDifference(system, communityId, { since: null, dueAt: addSeconds(now, hourSeconds) });
  await catchUp(ctx, communityId);
}

const checkOne = job(
  'drift-checks.check',
  { payload: shape(T.Object({ communityId: communityIdField() })), retry: exponentialRetry(3, 60, 600) },
  async (ctx: Context, { communityId }) => {
    try {
      await checkDrift(ctx, communityId);
    } catch (error) {
      // Without the bot in it, a community cannot be counted; the setup check reports that.
      if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    }
  },
);

const Nothing = shape(T.Record(T.String(), T.Never()));
const atOnce = 500;

const checkDue = job('drift-checks.check-due', { payload: Nothing }, async (ctx: Context) => {
  const now = ctx.clock();
  const platforms = Object.entries(ctx.hosts).flatMap(([name, host]) =>
    isPlatformName(name) && host?.countHolders !== undefined ? [name] : [],
  );
  const due = await claimDue(ctx.db.system, platforms, { now, nextAt: addSeconds(now, hourSeconds), limit: atOnce });
  const jobs = due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId }));
  await enqueueMany(ctx.db.system, checkOne, jobs);
});

const driftSchedules: readonly Schedule[] = [{ name: checkDue.name, cron: '*/5 * * * *', job: checkDue }];

/** Finds communities whose roles differ from what we know, between resyncs. */
export const driftChecksModule = defineModule('drift-checks', {
  jobs: [checkOne, checkDue],
  schedules: driftSchedules,
  tables: ['drift_checks'],
});
