import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { markTokensRevoked } from '../../developers/credentials/index.ts';
import { markGrantsRevoked } from '../../developers/oauth2/index.ts';
import { deleteAuthorization } from './queries.ts';

/** Takes back everything an application was allowed: it is asked about again, and its tokens of this person end now. */
export async function deleteUserAuthorization(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { clientId }: { clientId: string },
): Promise<void> {
  const userId = principalId(ctx.actor);
  // Grants and tokens are the system's own; each statement names the person.
  await ctx.db.transaction('system', async (tx) => {
    if (!(await deleteAuthorization(tx, userId, clientId))) throw notFound('user authorization');
    await markGrantsRevoked(tx, { userId, clientId }, ctx.clock());
    await markTokensRevoked(tx, userId, clientId, ctx.clock());
  });
}
