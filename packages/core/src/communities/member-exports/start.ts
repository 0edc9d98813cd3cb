import { enqueue } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getCommunity } from '../communities/index.ts';
import { type MemberExport, type MemberExportRequest, mostKept, toMemberExport } from './export.ts';
import { writeExport } from './jobs.ts';
import { countUnfinished, deleteBeyond, insertExport } from './queries.ts';

/** Others have to wait for a worker too. */
export const mostAtOnce = 10;

/** Has a worker write the members whom a filter leaves into a file. */
export async function startMemberExport(
  ctx: Context,
  { communityId, body }: { communityId: string; body: MemberExportRequest | undefined },
): Promise<MemberExport> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const row = {
    id: ctx.random.id(),
    community_id: community.id,
    filter: body ?? {},
    status: 'waiting' as const,
    created_by: principalId(ctx.actor),
    created_at: ctx.clock(),
    finished_at: null,
    problem: null,
  };
  await ctx.db.transaction('system', async (tx) => {
    if ((await countUnfinished(tx, community.id)) >= mostAtOnce)
      throw new AppError(
        'STATE_CONFLICT',
        `${mostAtOnce} exports of this community are being written. Try again when one is ready.`,
      );
    await insertExport(tx, row);
    await deleteBeyond(tx, community.id, mostKept);
    await enqueue(tx, writeExport, { exportId: row.id }, { uniqueKey: row.id });
  });
  return toMemberExport({ ...row, members: 0 }, () => undefined);
}
