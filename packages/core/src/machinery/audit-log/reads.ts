import { type AuditAction, notFound, type Page, principalId } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { type AuditFilter, selectAuditEntries } from '../audit/index.ts';
import { type AuditLogEntry, toEntry } from './entry.ts';

type Asked = PageRequest & { action?: AuditAction };

/** What was done in a community, by anybody. */
export async function listCommunityAudit(
  ctx: Context,
  { communityId, ...asked }: Asked & { communityId: string },
): Promise<Page<AuditLogEntry>> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  return readPage(ctx, asked, { communityId: community.id });
}

/** What the signed-in person did, and what was done to them. */
export function listOwnAudit(ctx: Context, asked: Asked): Promise<Page<AuditLogEntry>> {
  return readPage(ctx, asked, { userId: principalId(ctx.actor) });
}

/** Everything that is on record, or what one account did and what was done to it. */
export function listAudit(
  ctx: Context,
  { userId, ...asked }: Asked & { userId?: string },
): Promise<Page<AuditLogEntry>> {
  return readPage(ctx, asked, { userId });
}

async function readPage(
  ctx: Context,
  { action, ...request }: Asked,
  about: Pick<AuditFilter, 'communityId' | 'userId'>,
): Promise<Page<AuditLogEntry>> {
  const page = await paginate(ctx, request, {
    list: `audit:${JSON.stringify([about.communityId ?? null, about.userId ?? null, action ?? null])}`,
    read: (after, limit) => {
      const beforeId = after === undefined ? undefined : Number(after[0]);
      return selectAuditEntries(ctx.db.system, { ...about, action, beforeId, limit });
    },
    cursorOf: (row) => [String(row.id)],
  });
  return { ...page, items: page.items.map((row) => toEntry(row, ctx.actor)) };
}
