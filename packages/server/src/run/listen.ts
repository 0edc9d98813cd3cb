import {
  contextFor,
  discordCommands,
  followChains,
  followNear,
  handleTelegramEvent,
  type Platform,
  takeDiscordEvent,
} from '@latchkey/core';
import { listenToChats } from '../compose/listen.ts';
import { composeNearIndex } from '../compose/near-index.ts';
import type { Config } from '../config.ts';

export interface Listening {
  stop(): Promise<void>;
}

/** Hears what happens outside: transfers on chains, and what people do on chat platforms. */
export function listenOutside(platform: Platform, config: Config): Listening {
  const as = (job: string) => contextFor(platform, { kind: 'system', job });
  const following = followChains(as('gating.follow'));
  const near = composeNearIndex(config);
  const indexing = near && followNear(as('near.index'), near);
  const chats = listenToChats(config, platform, {
    onDiscord: (event) => takeDiscordEvent(platform, event),
    onTelegram: (event) => handleTelegramEvent(as('telegram.events'), event),
  });
  // People see the commands once Discord knows them; a later start tries again.
  platform.discord
    ?.setCommands(discordCommands)
    .catch((error: unknown) =>
      platform.log.for('discord').warn('The commands of the bot could not be set.', { reason: String(error) }),
    );
  return { stop: async () => void (await Promise.all([following.stop(), indexing?.stop(), chats.stop()])) };
}
