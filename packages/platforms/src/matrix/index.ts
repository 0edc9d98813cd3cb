import { setTimeout as delay } from 'node:timers/promises';
import type { ChatBot, MessageIdentityProvider, RoleHost } from '@latchkey/core/ports';
import { createMatrixBot, type MatrixBot } from './bot.ts';
import { createMatrixClient, type MatrixOptions } from './client.ts';
import { createMatrixHost } from './host.ts';
import { isUserId, linkTo } from './ids.ts';
import type { MatrixBotOptions } from './sync.ts';

export type { MatrixOptions } from './client.ts';

export interface Matrix {
  host: RoleHost;
  bot: ChatBot;
  login: MessageIdentityProvider;
}

const sleep = async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal }));

/** Creates Matrix with one bot account on one homeserver. All of its requests go through the same client. */
export function createMatrix(
  options: MatrixOptions & Omit<MatrixBotOptions, 'sleep'> & Partial<MatrixBotOptions>,
): Matrix {
  const client = createMatrixClient(options);
  const bot = createMatrixBot(client, { sleep, ...options });
  return { host: createMatrixHost(client, options), bot, login: createMatrixLogin(bot) };
}

/**
 * Creates the sign-in by a link in a private message. The homeserver delivers it to that account alone, whichever server it is on.
 * An OpenID token would need the member's own access token, which only their client has, and single sign-on exists only where
 * the homeserver's operator set it up.
 */
function createMatrixLogin(bot: MatrixBot): MessageIdentityProvider {
  return {
    kind: 'message',
    readAccount: (text) => {
      const userId = text.trim().toLowerCase();
      return isUserId(userId) ? userId : undefined;
    },
    send: async (userId, text, signal) => linkTo(await bot.sendIn(userId, text, signal)),
  };
}
