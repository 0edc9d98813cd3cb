import { AppError, defaultPageSize, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { nativeUserId } from '../communities/index.ts';
import { selectActive } from '../members/index.ts';
import { guildOf } from './ask-discord.ts';

export const GuildActiveMemberResponse = record('GuildActiveMemberResponse', 'A member who wrote something.', {
  pk: T.Optional(text('The id of the community.')),
  sk: T.Optional(text('Names the member; as paginationToken it asks for the next ones.')),
  classifier: T.Optional(text('Always ACTIVE_MEMBER.')),
  source: T.Optional(text('Where it was seen: discord.')),
  timestamp: T.Optional(T.Number({ description: 'When the member last wrote, in milliseconds since 1970.' })),
});
type ActiveMember = ValueOf<typeof GuildActiveMemberResponse>;

const classifier = 'ACTIVE_MEMBER';

/** Those of whom a message was seen, in the order of their ids. The answer is a bare list, so its last item is the token. */
export async function listActiveMembers(
  ctx: Pick<Context, 'db'>,
  input: { guildId: string; limit?: number | undefined; paginationToken?: string | undefined },
): Promise<ActiveMember[]> {
  const { communityId } = await guildOf(ctx, input.guildId);
  const rows = await selectActive(ctx.db.system, communityId, cursorOf(input), input.limit ?? defaultPageSize);
  return rows.map(({ user_id, last_active_at }) => ({
    pk: communityId,
    sk: `${classifier}#${user_id}`,
    classifier,
    source: 'discord',
    timestamp: last_active_at?.getTime(),
  }));
}

function cursorOf({ paginationToken }: { paginationToken?: string | undefined }): string {
  if (paginationToken === undefined) return '';
  const [start, ...rest] = paginationToken.split('#');
  const userId = start === classifier ? rest.join('#') : '';
  if (/^\d{1,20}$/.test(nativeUserId('discord', userId) ?? '')) return userId;
  throw new AppError('INVALID_PAGINATION_TOKEN', 'Send the sk of the last item of the page before as paginationToken.');
}
