import type { Config } from '../config.ts';
import { isLoopbackName } from '../http/loopback.ts';

type WorldConfig = Pick<
  Config,
  'baseUrl' | 'discordBotToken' | 'host' | 'redditClientId' | 'telegramBotToken' | 'sandbox'
>;

/**
 * Whether `npm start` brings the sample community. Anybody can log in as its members and knows the keys of their wallets,
 * so it never comes with a server that others can reach.
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

/** The setting by which others than this machine reach the server. */
function findReach({ host, baseUrl }: WorldConfig): string | undefined {
  if (baseUrl !== undefined && !isLoopbackName(new URL(baseUrl).hostname)) return 'LATCHKEY_BASE_URL';
  return isLoopbackName(host) ? undefined : 'LATCHKEY_HOST';
}
