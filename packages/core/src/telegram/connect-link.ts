import { userKey } from '../communities/index.ts';
import type { Context } from '../context.ts';
import { issueAeToken } from '../credentials/index.ts';
import type { TelegramButton } from '../ports/index.ts';
import { createState } from '../states/index.ts';

const ttlSeconds = 15 * 60;

/** A button that lets its reader link wallets to this Telegram account for a quarter of an hour. */
export async function connectLink(ctx: Context, userId: string): Promise<TelegramButton> {
  const user = { userId: userKey('telegram', userId), platform: 'telegram' };
  const scopes = ['user:wallet:read', 'user:wallet:write'];
  const token = await issueAeToken(ctx, { ...user, scopes, ttlSeconds });
  const { slug } = await createState(ctx, { body: { purpose: 'wallet-connection', ...user, token } });
  return { text: 'Link a wallet', url: `${ctx.settings.baseUrl}/states/${slug}` };
}
