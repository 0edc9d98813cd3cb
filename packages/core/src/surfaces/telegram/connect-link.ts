import { createConnectLink } from '../../linking/connect-links/index.ts';
import type { TelegramButton } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';

/** A button that lets its reader link wallets to this Telegram account for a quarter of an hour. */
export async function connectLink(ctx: Context, userId: string): Promise<TelegramButton> {
  const person = { userId: userKey('telegram', userId), platform: 'telegram' };
  const { url } = await createConnectLink(ctx, person, { withPasskeys: true });
  return { text: messagesIn(ctx.locale)('telegram.link'), url };
}
