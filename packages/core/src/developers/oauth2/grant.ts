import type { Context } from '../../shared/context.ts';
import { markGrantsRevoked, selectGrant, upsertGrant } from './queries.ts';

/** One grant, as the provider library reads it. Times are in seconds since 1970. */
export interface GrantContent {
  [field: string]: unknown;
  accountId?: string | undefined;
  clientId?: string | undefined;
  iat?: number | undefined;
  exp?: number | undefined;
}

type StoreContext = Pick<Context, 'clock' | 'db'>;

export async function putGrant(ctx: StoreContext, id: string, grant: GrantContent): Promise<void> {
  const { accountId, clientId, exp, iat: _, jti: __, ...content } = grant;
  if (accountId === undefined || clientId === undefined || exp === undefined)
    throw new Error('A grant needs an account, a client and an expiry time.');
  await upsertGrant(ctx.db.system, {
    id,
    user_id: accountId,
    client_id: clientId,
    content,
    created_at: ctx.clock(),
    expires_at: new Date(exp * 1000),
  });
}

/** Finds a grant that has not been ended. */
export async function findGrant(ctx: StoreContext, id: string): Promise<GrantContent | undefined> {
  const row = await selectGrant(ctx.db.system, id);
  if (row === undefined) return undefined;
  return {
    ...row.content,
    jti: id,
    accountId: row.user_id,
    clientId: row.client_id,
    iat: Math.floor(row.created_at.getTime() / 1000),
    exp: Math.floor(row.expires_at.getTime() / 1000),
  };
}

/** Ends a grant: its code, refresh tokens and access tokens stop working. */
export function endGrant(ctx: StoreContext, id: string): Promise<void> {
  return markGrantsRevoked(ctx.db.system, { id }, ctx.clock());
}
