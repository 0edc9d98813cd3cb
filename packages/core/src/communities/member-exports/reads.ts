import { AppError, notFound, type Page } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { getCommunity } from '../communities/index.ts';
import { selectMembers } from '../members/index.ts';
import { type ExportPart, expiryOf, keptDays, type MemberExport, mostKept, toMemberExport } from './export.ts';
import { selectExport, selectExports, selectParts } from './queries.ts';

/** The exports of a community that are kept, newest first. */
export async function listMemberExports(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<MemberExport[]> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const since = new Date(ctx.clock().getTime() - keptDays * 24 * 60 * 60 * 1000);
  const rows = await selectExports(ctx.db.system, id, since, mostKept);
  const makers = [...new Set(rows.map(({ created_by }) => created_by))];
  const members = makers.length === 0 ? [] : await selectMembers(ctx.db.system, id, makers);
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name ?? undefined]));
  return rows.map((row) => toMemberExport(row, (userId) => names.get(userId)));
}

/** The file, a part at a time. */
export async function getMemberExportContent(
  ctx: Context,
  { communityId, exportId, ...request }: { communityId: string; exportId: string } & PageRequest,
): Promise<Page<ExportPart>> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const row = await selectExport(ctx.db.system, exportId);
  if (row === undefined || row.community_id !== id || expiryOf(row.created_at) <= ctx.clock()) throw notFound('export');
  if (row.status !== 'done') throw new AppError('STATE_CONFLICT', 'This export is not ready yet.');
  const page = await paginate(ctx, request, {
    list: `member-export:${row.id}`,
    read: (after, limit) => selectParts(ctx.db.system, row.id, Number(after?.[0] ?? -1), limit),
    cursorOf: ({ part }) => [String(part)],
  });
  return { ...page, items: page.items.map(({ content }) => ({ content })) };
}
