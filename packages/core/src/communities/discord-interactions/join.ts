import type { Context } from '../../context.ts';
import { connectLinkMinutes, createConnectLink } from '../../people/connect-links/index.ts';
import type { CommunityRow } from '../communities/index.ts';
import { userKey } from '../communities/index.ts';
import type { Interaction } from './interaction.ts';
import { type InteractionResponse, linkButton, say } from './responses.ts';

/** A link to the page that connects a wallet, shown to nobody but the person who asked. */
export async function join(
  ctx: Context,
  community: Pick<CommunityRow, 'id'>,
  { userId, userName }: Pick<Interaction, 'userId' | 'userName'>,
): Promise<InteractionResponse> {
  const person = { userId: userKey('discord', userId), platform: 'discord', name: userName };
  const { url } = await createConnectLink(ctx, person, { communityId: community.id, withPasskeys: true });
  return say(
    `Connect a wallet to get your roles. The link is yours alone and works for ${connectLinkMinutes} minutes; nobody from ${ctx.settings.serviceName} will ever ask for a recovery phrase.`,
    [linkButton('Connect a wallet', url)],
  );
}
