import { notFound, type Page, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { listAuthorizations, selectAuthorization } from './queries.ts';
import { toRecord, type UserAuthorization } from './user-authorization.ts';

export async function getUserAuthorizationByClientId(
  ctx: Pick<Context, 'actor' | 'tx'>,
  { clientId }: { clientId: string },
): Promise<UserAuthorization> {
  const row = await ctx.tx((tx) => selectAuthorization(tx, principalId(ctx.actor), clientId));
  if (row === undefined) throw notFound('user authorization');
  return toRecord(row);
}

export async function getUserAuthorizations(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>,
  request: PageRequest,
): Promise<Page<UserAuthorization>> {
  const { items, ...rest } = await paginate(ctx, request, {
    list: 'user-authorizations',
    read: (after, limit) => ctx.tx((tx) => listAuthorizations(tx, principalId(ctx.actor), after?.[0] ?? '', limit)),
    cursorOf: (row) => [row.client_id],
  });
  return { items: items.map(toRecord), ...rest };
}
