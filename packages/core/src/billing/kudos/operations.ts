import { app, OpenObject, op, resource, T } from '@latchkey/kernel';
import { readingTenant } from '../../communities/access/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { toKudos } from './kudos.ts';
import { selectKudos } from './queries.ts';

const maxItems = 500;

/**
 * Returns the kudos of a user: `received`, `sent`, or one kind of both. Callers see their own and those of communities
 * they manage; an application sees what its owner sees.
 */
export async function checkUserReceivedOrSentKudos(
  ctx: Pick<Context, 'actor' | 'db'>,
  { type, userId }: { type: string; userId: string },
): Promise<Record<string, unknown>> {
  const qualified = userId.includes('#') ? userId : userKey('discord', userId);
  const rows = await ctx.db.transaction(await readingTenant(ctx), (tx) => selectKudos(tx, qualified, type, maxItems));
  return { userId: qualified, type, count: rows.length, kudos: rows.map(toKudos) };
}

export const kudos = resource('kudos', 'Thanks among members, as verifiable credentials.', [
  op(
    'GET /kudos/users/{userId}/{type}',
    {
      id: 'checkUserReceivedOrSentKudos',
      sdk: 'KudosController.checkUserReceivedOrSentKudos',
      summary: 'List a user’s kudos',
      description:
        'Returns up to 500 kudos that a user received or sent, the newest first, each with its credential: a JWT in the W3C verifiable credentials data model, signed with a key from /.well-known/did.json. A caller sees their own kudos and those of communities they manage; an application sees what its owner sees.',
      access: app('verifiable-credential:read'),
      params: {
        type: T.String({
          description: 'received, sent, or a kind of kudos such as helpful, which returns both.',
          pattern: '^[a-z][a-z0-9-]{0,31}$',
          maxLength: 32,
        }),
        userId: T.String({
          description: 'The id of the user, for example DIS#USER#123, or Discord’s own id.',
          minLength: 1,
          maxLength: 128,
        }),
      },
      returns: OpenObject,
    },
    checkUserReceivedOrSentKudos,
  ),
]);
