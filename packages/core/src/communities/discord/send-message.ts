import { notFound } from '@latchkey/kernel';
import { askDiscord, type DiscordContext, guildOf } from './ask-discord.ts';
import { refuseOwnButtons } from './own-buttons.ts';

/** Writes a message into a channel of the guild and answers with its id. */
export async function sendMessage(
  ctx: DiscordContext,
  { guildId: id, channelId, body }: { guildId: string; channelId: string; body: Record<string, unknown> },
): Promise<string> {
  const { guildId } = await guildOf(ctx, id);
  refuseOwnButtons(body);
  return askDiscord(ctx, async (discord) => {
    // The bot is in many guilds, and the caller was admitted to one of them only.
    const channels = await discord.readChannels(guildId);
    if (!channels.some((channel) => channel.id === channelId)) throw notFound('channel');
    const message = await discord.sendMessage(channelId, quiet(body));
    return message.id;
  });
}

/** Nobody is pinged unless the sender says whom. */
export function quiet(message: Record<string, unknown>): Record<string, unknown> {
  return { allowed_mentions: { parse: [] }, ...message };
}
