import { createConnectLink } from '../../linking/connect-links/index.ts';
import type { TelegramButton, TelegramPost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';

/** A button that lets its reader link wallets to this Telegram account for 15 minutes. */
export async function connectLink(ctx: Context, userId: string, communityId?: string): Promise<TelegramButton> {
  const person = { userId: userKey('telegram', userId), platform: 'telegram' };
  const { url } = await createConnectLink(ctx, person, { communityId, withPasskeys: true });
  return { text: messagesIn(ctx.locale)('telegram.link'), url };
}

/** Begins the argument of `/start` by which members of a group link a wallet. The id of the group follows. */
const linkPrefix = 'link';

/** The group that an argument of `/start` asks to link a wallet for. */
export function groupToLinkFor(argument: string): string | undefined {
  return new RegExp(`^${linkPrefix}(-\\d+)$`).exec(argument)?.[1];
}

/** The message in a group from which members come to the bot's private chat, where they get a link of their own. */
export function joinPost(name: string, chatId: string, botName: string): TelegramPost {
  // A group has no language that Telegram would tell.
  const t = messagesIn(undefined);
  return {
    text: t('telegram.joinPost', { chat: name }),
    buttons: [[{ text: t('telegram.link'), url: `https://t.me/${botName}?start=${linkPrefix}${chatId}` }]],
  };
}
