import { enqueue } from '@latchkey/db';
import {
  AppError,
  addDays,
  listOf,
  notFound,
  op,
  optional,
  type Page,
  pageOf,
  pageParams,
  principalId,
  text,
} from '@latchkey/kernel';
import { communityAdmin } from '../../communities/access/index.ts';
import { getCommunity } from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import {
  ExportPart,
  expiryOf,
  keptDays,
  MemberExport,
  MemberExportRequest,
  mostKept,
  toMemberExport,
} from './export.ts';
import { writeExport } from './jobs.ts';
import { countUnfinished, deleteBeyond, insertExport, selectExport, selectExports, selectParts } from './queries.ts';

/** Other communities need the workers too. */
export const mostAtOnce = 10;

/** Starts a background export of the members that match a filter. */
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
        `This community already has ${mostAtOnce} exports in progress. Try again when one is ready.`,
      );
    await insertExport(tx, row);
    await deleteBeyond(tx, community.id, mostKept);
    await enqueue(tx, writeExport, { exportId: row.id }, { uniqueKey: row.id });
  });
  return toMemberExport({ ...row, members: 0 }, () => undefined);
}

const access = communityAdmin('communityId', 'role-manager');

export const memberExportOperations = [
  op(
    'POST /latchkey/communities/{communityId}/member-exports',
    {
      id: 'startMemberExport',
      summary: 'Export members',
      description:
        'Starts a background export of the members that match a filter to a CSV file: id, name, roles, number of wallets, guest pass, last activity and last check. It contains no wallet addresses. Fails with STATE_CONFLICT while 10 exports of the community are in progress. For community admins.',
      audit: 'members.export',
      access,
      params: { communityId: communityParam },
      body: optional(MemberExportRequest),
      returns: MemberExport,
      errors: ['STATE_CONFLICT'],
    },
    startMemberExport,
  ),
  op(
    'GET /latchkey/communities/{communityId}/member-exports',
    {
      id: 'listMemberExports',
      summary: 'List exports of members',
      description:
        'Returns the last 15 exports of the last 7 days, newest first, with their filters. For community admins.',
      access,
      params: { communityId: communityParam },
      returns: listOf(MemberExport),
    },
    listMemberExports,
  ),
  op(
    'GET /latchkey/communities/{communityId}/member-exports/{exportId}/content',
    {
      id: 'getMemberExportContent',
      summary: 'Download an export of members',
      description:
        'Returns the file part by part, each with up to 1,000 members; joined in order they are one CSV file. Fails with STATE_CONFLICT until the export is done. For community admins.',
      access,
      params: {
        communityId: communityParam,
        exportId: text('The id of the export.', { minLength: 1, maxLength: 64 }),
        ...pageParams,
      },
      returns: pageOf(ExportPart, 'MemberExportContent'),
      paginated: 'token',
      errors: ['STATE_CONFLICT'],
    },
    getMemberExportContent,
  ),
] as const;

/** Returns the stored exports of a community, newest first. */
export async function listMemberExports(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<MemberExport[]> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const since = addDays(ctx.clock(), -keptDays);
  const rows = await selectExports(ctx.db.system, id, since, mostKept);
  const makers = [...new Set(rows.map(({ created_by }) => created_by))];
  const members = makers.length === 0 ? [] : await selectMembers(ctx.db.system, id, makers);
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name ?? undefined]));
  return rows.map((row) => toMemberExport(row, (userId) => names.get(userId)));
}

/** Returns the file, one part at a time. */
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
