import { type ChatIdentityProvider, PlatformFailed } from '@latchkey/core/ports';

export interface TelegramLoginOptions {
  /** The base URL of links to conversations: https://t.me. */
  linkUrl: string;
  /** Reads the name of the bot from Telegram. */
  botName(signal?: AbortSignal): Promise<string>;
}

/** Creates the sign-in through a conversation with the bot. Telegram passes on up to 64 letters, digits, - and _ (deep linking). */
export function createTelegramLogin({ linkUrl, botName }: TelegramLoginOptions): ChatIdentityProvider {
  let known: string | undefined;
  return {
    kind: 'chat',
    start: async (argument, signal) => {
      if (!/^[\w-]{1,64}$/.test(argument)) throw new Error('Telegram does not support this argument.');
      known ??= await botName(signal);
      if (known === '') throw new PlatformFailed('not-configured', 'The bot has no username on Telegram.');
      return `${linkUrl}/${known}?start=${argument}`;
    },
  };
}
