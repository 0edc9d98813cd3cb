import type { CommunityRow } from '../communities/index.ts';
import { userKey } from '../communities/index.ts';
import type { Context } from '../context.ts';
import { issueAeToken } from '../credentials/index.ts';
import { createSlug } from '../states/index.ts';
import type { Interaction } from './interaction.ts';
import { type InteractionResponse, linkButton, say } from './responses.ts';

const linkTtlSeconds = 15 * 60;

/**
 * A short link to the page that connects a wallet. What names the user travels in the fragment, which browsers send to no
 * server, and is good for nothing but wallets.
 */
export async function join(
  ctx: Context,
  community: Pick<CommunityRow, 'id'>,
  { userId, userName }: Pick<Interaction, 'userId' | 'userName'>,
): Promise<InteractionResponse> {
  const ae = await issueAeToken(ctx, {
    userId: userKey('discord', userId),
    platform: 'discord',
    ...(userName === undefined ? {} : { name: userName }),
    scopes: ['user:read', 'user:wallet:read', 'user:wallet:write'],
    ttlSeconds: linkTtlSeconds,
  });
  const fragment = new URLSearchParams({ ae, community: community.id });
  const url = `${ctx.settings.baseUrl}/connect#${fragment}`;
  const link = await ctx.tx((tx) => createSlug(ctx, tx, { url, ttlSeconds: linkTtlSeconds }));
  return say(
    `Connect a wallet to get your roles. The link is yours alone and works for ${linkTtlSeconds / 60} minutes; nobody from ${ctx.settings.serviceName} will ever ask for a recovery phrase.`,
    [linkButton('Connect a wallet', link.url)],
  );
}
