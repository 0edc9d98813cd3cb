import type { Config } from '../config.ts';
import { isLoopbackName } from '../http/loopback.ts';

type WorldConfig = Pick<
  Config,
  'baseUrl' | 'discordBotToken' | 'host' | 'redditClientId' | 'telegramBotToken' | 'sandbox'
>;

/**
 * Whether `npm start` includes the sample community. Anyone can sign in as its members, and the keys of their wallets
 * are public, so it is never included if other machines can reach the server.
 */
export function wantsWorld(config: WorldConfig): boolean {
  const isConfigured = [config.discordBotToken, config.telegramBotToken, config.redditClientId].some(
    (token) => token !== undefined,
  );
  if (!(config.sandbox ?? !isConfigured)) return false;
  const reach = findReach(config);
  if (reach === undefined) return true;
  if (config.sandbox === undefined) return false;
  throw new Error(
    `LATCHKEY_SANDBOX is true, but ${reach} lets others reach this server, and anyone can sign in as a member of the sample community. Remove one of the two settings.`,
  );
}

/** Returns the setting that lets other machines reach the server. */
function findReach({ host, baseUrl }: WorldConfig): string | undefined {
  if (baseUrl !== undefined && !isLoopbackName(new URL(baseUrl).hostname)) return 'LATCHKEY_BASE_URL';
  return isLoopbackName(host) ? undefined : 'LATCHKEY_HOST';
}
