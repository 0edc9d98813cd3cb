import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { getCommunity } from '../community/index.ts';
import { selectMemberList } from '../memberships/index.ts';

export const MemberList = record('MemberList', 'The result of the last member list of a community.', {
  communityId: text('The qualified id of the community.'),
  listedTime: T.Optional(text('When the members were last listed, in ISO 8601; absent before the first time.')),
  listed: T.Optional(T.Number({ description: 'How many members the list showed.' })),
  isComplete: T.Optional(
    T.Boolean({
      description: 'Whether it was complete. Members who are missing from an incomplete list keep their roles.',
    }),
  ),
  reason: T.Optional(text('Why it was incomplete, if the platform says so.', { maxLength: 4096 })),
});
export type MemberList = ValueOf<typeof MemberList>;

export async function getMemberList(
  ctx: Pick<Context, 'db' | 'tx'>,
  { communityId }: { communityId: string },
): Promise<MemberList> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const row = await selectMemberList(ctx.db.system, id);
  if (row === undefined) return { communityId: id };
  return {
    communityId: id,
    listedTime: row.listed_at.toISOString(),
    listed: row.listed,
    isComplete: row.is_complete,
    ...(row.reason !== null && { reason: row.reason }),
  };
}
