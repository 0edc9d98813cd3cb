import { dayOf, type Page } from '@latchkey/kernel';
import { ownCommunity } from '../../../communities/access/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { whoAndWhat } from '../api/answers.ts';
import { readNames } from '../api/names.ts';
import { countByDay, listDifferences, type ShadowRow, selectShadow } from './queries.ts';
import type { ShadowDifference, ShadowMode } from './shapes.ts';

const mostDays = 90;

export async function getShadowMode(ctx: Context, { communityId }: { communityId: string }): Promise<ShadowMode> {
  const { id } = await ownCommunity(ctx, communityId);
  const row = await selectShadow(ctx.db.system, id);
  const isOn = row !== undefined && row.taken_over_at === null;
  return {
    isOn,
    startedTime: row?.started_at.toISOString(),
    takenOverTime: row?.taken_over_at?.toISOString(),
    takeOver: row && isOn ? describeTakeOver(row) : undefined,
    changeSetId: (isOn ? row.undo_change_set_id : row?.take_over_change_set_id) ?? undefined,
    days: await countByDay(ctx.db.system, id, mostDays),
  };
}

function describeTakeOver(row: ShadowRow): ShadowMode['takeOver'] {
  if (row.take_over_asked_at === null && row.take_over_problem === null) return undefined;
  return {
    askedTime: row.take_over_asked_at?.toISOString(),
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
