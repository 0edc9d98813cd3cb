import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { requirePresence } from '../../require-presence.ts';
import { noticeEnding } from '../security-notices/index.ts';
import { type Authenticator, toAuthenticator } from './authenticator.ts';
import { findEnrolment, listLive, lockGuard, updateEnrolment } from './queries.ts';

type ListContext = Pick<Context, 'actor' | 'clock' | 'tx'>;

export async function listAuthenticators(ctx: ListContext): Promise<Authenticator[]> {
  const live = await ctx.tx((tx) => listLive(tx, principalId(ctx.actor), ctx.clock()));
  return live.map(toAuthenticator);
}

/** Its codes count no longer. Whoever has lost the app cannot send one, so the person has to have just signed in. */
export async function removeAuthenticator(ctx: ListContext, { requestId }: { requestId: string }): Promise<void> {
  const userId = principalId(ctx.actor);
  await ctx.tx(async (tx) => {
    await lockGuard(tx, userId);
    const now = ctx.clock();
    const row = await findEnrolment(tx, userId, requestId);
    if (row === undefined || row.state === 'retired') throw notFound('authenticator app');
    requirePresence(ctx);
    await updateEnrolment(tx, row, { state: 'retired', secret: null, expires_at: now });
    if (row.state === 'confirmed') await noticeEnding(tx, userId, 'authenticator-removed');
  });
}
