import { AppError, dayOf, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, getReadableCommunity } from '../../communities/access/index.ts';
import { readPlatformRoles } from '../../communities/community/index.ts';
import { countHolders, countPresent } from '../../communities/memberships/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { countInteractionsByDay } from '../../communities/usage/index.ts';
import { countChangesByDay, type RoleChanges } from '../../gating/role-changes/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { selectMembersByDay } from './day-queries.ts';
import { spanOf } from './range.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });

const RoleSeries = record('RoleSeries', 'How many members held a role, day by day.', {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  holders: T.Array(count('How many held it at the end of the day.'), {
    description: 'One number for each day, in the order of the days.',
    maxItems: 366,
  }),
});
type RoleSeries = ValueOf<typeof RoleSeries>;

const CommunitySeries = record('CommunitySeries', 'Daily statistics for a community.', {
  communityId: text('The qualified id of the community.'),
  days: T.Array(
    record('CommunityDay', 'What happened in a community on one day, in UTC.', {
      date: text('The day, as YYYY-MM-DD.'),
      members: T.Optional(
        count('How many members it had, bots apart, as last counted on that day; absent if not counted.'),
      ),
      joined: count('How many joined.'),
      left: count('How many left.'),
      given: count('How many roles Latchkey gave.'),
      taken: count('How many roles Latchkey removed.'),
    }),
    { description: 'The days, oldest first, without gaps.', maxItems: 366 },
  ),
  roles: T.Array(RoleSeries, {
    description:
      'The roles that rules name or that changed, the most holders first, 50 at most. Calculated back from today using Latchkey’s own changes; manual changes are not included.',
    maxItems: 50,
  }),
});
type CommunitySeries = ValueOf<typeof CommunitySeries>;

const dayMs = 24 * 60 * 60 * 1000;
const mostDays = 366;
const mostRoles = 50;

/** Returns members, roles granted and removed, and holders of each role, by day. */
export async function getCommunitySeries(
  ctx: Context,
  { communityId, range }: { communityId: string; range?: string },
): Promise<CommunitySeries> {
  const now = ctx.clock();
  const dates = datesOf(spanOf(range, now), now);
  const community = await getReadableCommunity(ctx, communityId);
  const db = ctx.db.system;
  const from = new Date(`${dates[0]}T00:00:00Z`);
  // Includes changes after the range, to count back from the current holders.
  const changes = await countChangesByDay(db, community.id, from);
  const [counted, present, interactions, roles] = await Promise.all([
    selectMembersByDay(db, community.id, from),
    countPresent(db, [community.id]),
    countInteractionsByDay(db, community.id, { from }),
    roleSeries(ctx, community, dates, changes),
  ]);
  const members = counted.set(dayOf(now), present.get(community.id) ?? 0);
  const sumOf = (date: string, field: 'given' | 'taken') =>
    changes.filter((change) => change.date === date).reduce((sum, change) => sum + change[field], 0);
  const interacted = (date: string, kind: string) =>
    interactions.find((row) => row.date === date && row.kind === kind)?.count ?? 0;
  return {
    communityId: community.id,
    days: dates.map((date) => ({
      date,
      members: members.get(date),
      joined: interacted(date, 'join'),
      left: interacted(date, 'leave'),
      given: sumOf(date, 'given'),
      taken: sumOf(date, 'taken'),
    })),
    roles,
  };
}

async function roleSeries(
  ctx: Context,
  community: Parameters<typeof readPlatformRoles>[1] & { id: string },
  dates: readonly string[],
  changes: readonly RoleChanges[],
): Promise<RoleSeries[]> {
  const rules = await selectRules(ctx.db.system, community.id);
  const roleIds = [...new Set([...rules.map(({ role_id }) => role_id), ...changes.map(({ roleId }) => roleId)])];
  if (roleIds.length === 0) return [];
  const [holders, names] = await Promise.all([
    countHolders(ctx.db.system, community.id, roleIds),
    readPlatformRoles(ctx, community),
  ]);
  const byRole = Map.groupBy(changes, ({ roleId }) => roleId);
  const most = roleIds.toSorted((a, b) => (holders.get(b) ?? 0) - (holders.get(a) ?? 0) || (a < b ? -1 : 1));
  return most.slice(0, mostRoles).map((roleId) => ({
    roleId,
    roleName: names.get(roleId)?.name,
    holders: countBack(dates, holders.get(roleId) ?? 0, byRole.get(roleId) ?? []),
  }));
}

/** Counts back from today's holders, using the ledger's grants and removals since. */
function countBack(dates: readonly string[], today: number, changes: readonly RoleChanges[]): number[] {
  return dates.map((date) =>
    changes
      .filter((change) => change.date > date)
      .reduce((held, { given, taken }) => Math.max(0, held - given + taken), today),
  );
}

/** The UTC days of a range, oldest first. */
function datesOf({ from, to }: { from?: Date; to?: Date }, now: Date): string[] {
  const end = to === undefined || to > now ? now : to;
  if (from === undefined) throw tooLong();
  const first = Date.parse(dayOf(from));
  const count = Math.floor((Date.parse(dayOf(end)) - first) / dayMs) + 1;
  if (count > mostDays) throw tooLong();
  return Array.from({ length: Math.max(1, count) }, (_, day) => dayOf(new Date(first + day * dayMs)));
}

function tooLong(): AppError {
  return new AppError('INVALID_PARAMETER_VALUE', 'A chart can show at most 366 days. Choose a shorter range.', {
    details: { parameter: 'range' },
  });
}

export const seriesOperations = [
  op(
    'GET /latchkey/communities/{communityId}/series',
    {
      id: 'getCommunitySeries',
      summary: 'Get daily statistics of a community',
      description:
        'Returns members, joins, leaves, roles given and taken, and the holders of each role, day by day in UTC. Covers up to 366 days. For community admins.',
      access: communityAdmin('communityId', 'community:analytics'),
      params: {
        communityId: communityParam,
        range: T.Optional(
          T.String({
            description:
              'The time range: 1d, 7d, 30d, 90d, 1y, or two times in ISO 8601 with a slash between them. Defaults to 30d.',
            maxLength: 80,
          }),
        ),
      },
      returns: CommunitySeries,
      errors: ['INVALID_PARAMETER_VALUE'],
    },
    getCommunitySeries,
  ),
] as const;
