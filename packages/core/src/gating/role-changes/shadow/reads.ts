import { choice, dayOf, type Page, record, T, text, type ValueOf } from '@latchkey/kernel';
import { ownCommunity } from '../../../communities/access/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { whoAndWhat } from '../api/answers.ts';
import { readNames } from '../api/names.ts';
import { reasonForPeople } from '../api/shapes.ts';
import { selectChangeSet } from '../planning/change-set-queries.ts';
import { countByDay, listDifferences, type ShadowRow, selectShadow } from './queries.ts';

const mostDays = 90;

export async function getShadowMode(ctx: Context, { communityId }: { communityId: string }): Promise<ShadowMode> {
  const { id } = await ownCommunity(ctx, communityId);
  const row = await selectShadow(ctx.db.system, id);
  const isOn = row !== undefined && row.taken_over_at === null;
  const undo =
    isOn && row.undo_change_set_id !== null ? await selectChangeSet(ctx.db.system, row.undo_change_set_id) : undefined;
  return {
    isOn,
    startedTime: row?.started_at.toISOString(),
    takenOverTime: row?.taken_over_at?.toISOString(),
    takeOver: row && isOn ? describeTakeOver(row) : undefined,
    changeSetId: (isOn ? row.undo_change_set_id : row?.take_over_change_set_id) ?? undefined,
    ...(undo?.status === 'held' && { undoWaits: true }),
    days: await countByDay(ctx.db.system, id, mostDays),
  };
}

function describeTakeOver(row: ShadowRow): ShadowMode['takeOver'] {
  if (row.take_over_requested_at === null && row.take_over_problem === null) return undefined;
  return {
    requestedTime: row.take_over_requested_at?.toISOString(),
    checkedMembers: row.take_over_checked,
    members: row.take_over_members ?? undefined,
    problem: row.take_over_problem ?? undefined,
  };
}

/** Returns whose roles would have differed under the rules on one day. */
export async function listShadowDifferences(
  ctx: Context,
  { communityId, day, ...request }: { communityId: string; day?: string } & PageRequest,
): Promise<Page<ShadowDifference>> {
  const community = await ownCommunity(ctx, communityId);
  const wanted = day ?? dayOf(ctx.clock());
  const page = await paginate(ctx, request, {
    list: `shadow-differences:${community.id}:${wanted}`,
    read: (after, limit) => listDifferences(ctx.db.system, community.id, wanted, after, limit),
    cursorOf: ({ user_id, role_id }) => [user_id, role_id],
  });
  const userIds = page.items.map((row) => row.user_id);
  const names = await readNames(ctx, community, userIds);
  return {
    ...page,
    items: page.items.map((row) => ({
      ...whoAndWhat(row, names),
      action: row.action,
      seenTime: row.seen_at.toISOString(),
      ...names.words(row.user_id, row.reason ?? {}),
    })),
  };
}

const count = (description: string) => T.Number({ description, minimum: 0 });

export const ShadowMode = record('ShadowMode', 'Whether a community only compares roles with its rules.', {
  isOn: T.Boolean({ description: 'While it is on, no roles are changed.' }),
  startedTime: T.Optional(text('When it was last started, in ISO 8601.')),
  takenOverTime: T.Optional(text('When Latchkey took over, in ISO 8601; absent while it is on.')),
  takeOver: T.Optional(
    record('ShadowTakeOver', 'The progress of a requested takeover.', {
      requestedTime: T.Optional(text('When it was requested, in ISO 8601; absent if it was canceled.')),
      checkedMembers: count('How many members were checked.'),
      members: T.Optional(count('How many members there are; absent until they are counted.')),
      problem: T.Optional(text('Why it is waiting or was canceled.')),
    }),
  ),
  changeSetId: T.Optional(text('The change set of the takeover, or the one that undoes it.')),
  undoWaits: T.Optional(
    T.Boolean({
      description: 'true while the undo of the takeover waits for approval; `changeSetId` is that of the undo.',
    }),
  ),
  days: T.Array(
    record('ShadowDay', 'How many differences there were on a day, as last seen that day.', {
      day: text('The day, for example 2026-01-31, in UTC.'),
      grants: count('How many roles the rules would have granted.'),
      revokes: count('How many roles the rules would have removed.'),
      members: count('How many members that affects.'),
    }),
    { description: 'The last 90 days with differences, newest first.', maxItems: 90 },
  ),
});

export type ShadowMode = ValueOf<typeof ShadowMode>;

export const ShadowDifference = record('ShadowDifference', 'A role that differs from what the rules require.', {
  userId: text('The qualified id of the member.'),
  userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  action: choice('What the rules would have done.', ['grant', 'revoke'] as const),
  seenTime: text('When it was last seen that day, in ISO 8601.'),
  ...reasonForPeople,
});

export type ShadowDifference = ValueOf<typeof ShadowDifference>;
