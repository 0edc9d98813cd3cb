import type { Context } from '../../context.ts';
import { giveKudos } from '../../money/kudos/index.ts';
import { type CommunityRow, userKey } from '../communities/index.ts';
import type { Interaction } from './interaction.ts';
import { announce, type InteractionResponse } from './responses.ts';

/** Gives kudos and says so in the channel, where nobody is pinged by the words. */
export async function thank(
  ctx: Context,
  community: Pick<CommunityRow, 'id'>,
  { userId, options }: Pick<Interaction, 'userId' | 'options'>,
): Promise<InteractionResponse> {
  const { user = '', type = '', text = '' } = options;
  const { kind, words } = await giveKudos(ctx, {
    communityId: community.id,
    toUserId: userKey('discord', user),
    kind: type,
    words: text,
  });
  return announce(`<@${userId}> gives <@${user}> kudos (${kind}): ${words}`);
}
