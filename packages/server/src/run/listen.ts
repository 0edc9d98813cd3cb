import {
  contextFor,
  discordCommands,
  followChains,
  followNear,
  personalCommands,
  type Services,
  setTelegramCommands,
  takeDiscordEvent,
  takeTelegramUpdate,
} from '@latchkey/core';
import { openLeases } from '@latchkey/db';
import { listenToChats } from '../compose/listen.ts';
import { composeNearIndex } from '../compose/near-index.ts';
import type { Config } from '../config.ts';

export interface Listening {
  stop(): Promise<void>;
}

/** Listens to external events: transfers on chains, and events of chat platforms. */
export function listenOutside(services: Services, config: Config): Listening {
  const as = (job: string) => contextFor(services, { kind: 'system', job });
  const leases = openLeases(services.db, { owner: services.process.id, log: services.log.for('leases') });
  const following = followChains(as('gating.follow'), leases);
  const near = composeNearIndex(config);
  const indexing = near && followNear(as('near.index'), near, leases);
  const chats = listenToChats(config, services, leases, {
    onDiscord: (event, once, receivedAt) => takeDiscordEvent(services, event, once, receivedAt),
    onTelegram: (event, update) => takeTelegramUpdate(as('telegram.events'), update, event),
  });
  // Members see the commands once Discord has them; a later start tries again.
  services.discord
    ?.setCommands(discordCommands, personalCommands)
    .catch((error: unknown) =>
      services.log.for('discord').warn('The bot’s commands could not be registered.', { reason: String(error) }),
    );
  setTelegramCommands(services).catch((error: unknown) =>
    services.log.for('telegram').warn('The bot’s commands could not be registered.', { reason: String(error) }),
  );
  return {
    stop: async () => {
      await Promise.all([following.stop(), indexing?.stop(), chats.stop()]);
      await leases.close();
    },
  };
}
