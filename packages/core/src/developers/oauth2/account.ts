import type { Context } from '../../context.ts';
import { type LivingContext, readLivingClaims } from './living-claims.ts';
import { selectAccount, upsertAccount } from './queries.ts';
import { readWalletClaims } from './wallet-claims.ts';

/** Somebody who logged in for an application. */
export interface OauthAccount {
  userId: string;
  platform: string;
  name?: string | undefined;
}

/** Keeps what tokens and claims will say of somebody, from their latest login. */
export async function rememberAccount(ctx: Pick<Context, 'clock' | 'db'>, account: OauthAccount): Promise<void> {
  const { userId, platform, name } = account;
  await upsertAccount(ctx.db.system, { user_id: userId, platform, name: name ?? null, seen_at: ctx.clock() });
}

/** Undefined for somebody who never logged in for an application, or was erased since. */
export async function findAccount(ctx: Pick<Context, 'db'>, userId: string): Promise<OauthAccount | undefined> {
  const row = await selectAccount(ctx.db.system, userId);
  return row && { userId: row.user_id, platform: row.platform, ...(row.name !== null && { name: row.name }) };
}

/** Everything that the scopes allow to be told of an account. */
export async function claimsOf(
  ctx: LivingContext,
  { userId, platform, name }: OauthAccount,
  scopes: readonly string[],
): Promise<Record<string, unknown>> {
  return {
    sub: userId,
    platform,
    ...(name !== undefined && { name, preferred_username: name }),
    ...(await readWalletClaims(ctx, userId, scopes)),
    ...(await readLivingClaims(ctx, userId, scopes)),
  };
}
