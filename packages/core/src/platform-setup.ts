import { type AppError, notSetUp } from '@latchkey/kernel';
import type { PlatformName } from './ports/index.ts';

/** What the operator sets so that a chat platform can be used: its bot, and logging in with it. */
const setups: Readonly<Record<PlatformName, { name: string; bot: readonly string[]; login: readonly string[] }>> = {
  discord: {
    name: 'Discord',
    bot: ['LATCHKEY_DISCORD_BOT_TOKEN'],
    login: ['LATCHKEY_DISCORD_CLIENT_ID', 'LATCHKEY_DISCORD_CLIENT_SECRET'],
  },
  telegram: { name: 'Telegram', bot: ['LATCHKEY_TELEGRAM_BOT_TOKEN'], login: ['LATCHKEY_TELEGRAM_BOT_TOKEN'] },
  reddit: {
    name: 'Reddit',
    bot: ['LATCHKEY_REDDIT_CLIENT_ID', 'LATCHKEY_REDDIT_CLIENT_SECRET'],
    login: ['LATCHKEY_REDDIT_CLIENT_ID', 'LATCHKEY_REDDIT_CLIENT_SECRET'],
  },
};

/** What is used of a platform. */
export type PlatformUse = 'bot' | 'login';

/** Says that a platform is not configured, and what the operator sets to change that. */
export function describeMissing(platform: PlatformName, uses: readonly PlatformUse[]): string {
  const { name, ...variables } = setups[platform];
  const all = [...new Set(uses.flatMap((use) => variables[use]))];
  return `${name} is not configured. Set ${new Intl.ListFormat('en').format(all)} on the server.`;
}

/** The answer to whoever needs a platform that this server does not have. */
export function notConfigured(platform: PlatformName, use: PlatformUse = 'bot'): AppError {
  return notSetUp(describeMissing(platform, [use]));
}
