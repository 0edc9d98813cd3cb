import { hashSecret } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { putAuthorization, selectAuthorization, takeDecision } from './queries.ts';

/** The scopes that a user does not want to be asked about again. */
export async function findRemembered(
  ctx: Pick<Context, 'db'>,
  userId: string,
  clientId: string,
): Promise<readonly string[]> {
  const row = await selectAuthorization(ctx.db.system, userId, clientId);
  return row?.is_remembered === true ? row.scopes : [];
}

/** What a user granted for one request, once; undefined when nothing was recorded. */
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
