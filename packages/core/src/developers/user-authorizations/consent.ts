import { hashSecret } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { putAuthorization, selectAuthorization, takeDecision } from './queries.ts';

/** Returns the scopes for which a user chose not to be asked again. */
export async function findRemembered(
  ctx: Pick<Context, 'db'>,
  userId: string,
  clientId: string,
): Promise<readonly string[]> {
  const row = await selectAuthorization(ctx.db.system, userId, clientId);
  return row?.is_remembered === true ? row.scopes : [];
}

/** Returns what a user granted for one request, once; undefined if nothing was recorded. */
export function takeConsent(
  ctx: Pick<Context, 'clock' | 'db'>,
  slug: string,
  userId: string,
): Promise<readonly string[] | undefined> {
  return takeDecision(ctx.db.system, hashSecret(slug), userId, ctx.clock());
}

/** Records what a user granted without a consent page, so that they can see and revoke it. */
export async function noteAuthorization(
  ctx: Pick<Context, 'clock' | 'db'>,
  { userId, clientId, scopes }: { userId: string; clientId: string; scopes: readonly string[] },
): Promise<void> {
  const row = { user_id: userId, client_id: clientId, scopes: [...scopes], is_remembered: false };
  await putAuthorization(ctx.db.system, row, ctx.clock());
}
