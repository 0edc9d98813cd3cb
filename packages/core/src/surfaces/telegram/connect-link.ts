import { createConnectLink } from '../../linking/connect-links/index.ts';
import type { TelegramButton, TelegramPost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';

/** A button that lets its reader link wallets to this Telegram account for 15 minutes. */
export async function connectLink(ctx: Context, userId: string, communityId?: string): Promise<TelegramButton> {
  const person = { userId: userKey('telegram', userId), platform: 'telegram' };
  const { url } = await createConnectLink(ctx, person, { communityId, withPasskeys: true });
  return { text: 'Link a wallet', url };
}

/** Begins the argument of `/start` by which members of a group link a wallet. The id of the group follows. */
const linkPrefix = 'link';

/** The group that an argument of `/start` asks to link a wallet for. */
export function groupToLinkFor(argument: string): string | undefined {
  return new RegExp(`^${linkPrefix}(-\\d+)$`).exec(argument)?.[1];
}

/** The message in a group from which members come to the bot's private chat, where they get a link of their own. */
export function joinPost(name: string, chatId: string, botName: string): TelegramPost {
  return {
    text: `Membership of ${name} depends on what your wallets hold. Link a wallet to stay in, or to get in again. The bot never asks for your recovery phrase.`,
    buttons: [[{ text: 'Link a wallet', url: `https://t.me/${botName}?start=${linkPrefix}${chatId}` }]],
  };
}
