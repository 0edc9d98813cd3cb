import { readingTenant, userKey } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { toKudos } from './kudos.ts';
import { selectKudos } from './queries.ts';

const maxItems = 500;

/**
 * The kudos of a user: `received`, `sent`, or a kind for both of it. Everybody sees those that are their own or of
 * communities they look after, and a program what its maker sees.
 */
export async function checkUserReceivedOrSentKudos(
  ctx: Pick<Context, 'actor' | 'db'>,
  { type, userId }: { type: string; userId: string },
): Promise<Record<string, unknown>> {
  const qualified = userId.includes('#') ? userId : userKey('discord', userId);
  const rows = await ctx.db.transaction(await readingTenant(ctx), (tx) => selectKudos(tx, qualified, type, maxItems));
  return { userId: qualified, type, count: rows.length, kudos: rows.map(toKudos) };
}
