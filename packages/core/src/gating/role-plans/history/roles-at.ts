import type { Context } from '../../../context.ts';
import { toLedgerEntry } from '../api/answers.ts';
import { readNames } from '../api/names.ts';
import { memberKey, momentOf } from '../api/params.ts';
import { ownCommunity } from '../own-plan.ts';
import { selectEntriesAt } from './queries.ts';
import type { MemberRolesAt } from './shapes.ts';

/** Which roles a member had at a time, by the ledger, and why. */
export async function listMemberRolesAt(
  ctx: Context,
  { communityId, userId, at }: { communityId: string; userId: string; at?: string },
): Promise<MemberRolesAt> {
  const community = await ownCommunity(ctx, communityId);
  const member = memberKey(community, userId);
  const moment = at === undefined ? ctx.clock() : momentOf(at);
  const [entries, names] = await Promise.all([
    selectEntriesAt(ctx.db.system, community.id, member, moment),
    readNames(ctx, community, [member]),
  ]);
  return {
    userId: member,
    userName: names.userName(member),
    time: moment.toISOString(),
    roles: entries.map((entry) => ({
      roleId: entry.role_id,
      roleName: names.roleName(entry.role_id),
      had: entry.action === 'grant',
      entry: toLedgerEntry(entry, names),
    })),
  };
}
