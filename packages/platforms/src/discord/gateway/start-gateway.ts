import { REST } from '@discordjs/rest';
import { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { DiscordEvent } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { type DiscordClientOptions, discordApiUrl } from '../rest/create-client.ts';
import { readEvent } from './read-event.ts';

export interface GatewayOptions extends Pick<DiscordClientOptions, 'token' | 'apiUrl'> {
  log: Log;
  /** Called for each event in the order they came. What it throws is logged; the next one comes all the same. */
  onEvent(event: DiscordEvent): Promise<void>;
}

export interface Gateway {
  close(): Promise<void>;
}

const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildMessages;
const mostWaiting = 10_000;

/** Listens to what happens in the guilds of the bot, and comes back after interruptions. */
export async function startDiscordGateway({
  token,
  apiUrl = discordApiUrl,
  log,
  onEvent,
}: GatewayOptions): Promise<Gateway> {
  // Only asked for the address of the gateway, which has a limit of its own.
  const rest = new REST({ api: apiUrl, version: '10' }).setToken(token);
  const manager = new WebSocketManager({ token, intents, rest });
  let waiting = 0;
  let last = Promise.resolve();
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    const event = readEvent(payload);
    if (event === undefined) return;
    // A sweep finds what is dropped here; a process that runs out of memory finds nothing.
    if (waiting >= mostWaiting) return log.warn('An event of Discord was dropped.', { kind: event.kind });
    waiting += 1;
    last = last
      .then(() => onEvent(event))
      .catch((error: unknown) =>
        log.error('An event of Discord was not taken in.', { kind: event.kind, error: String(error) }),
      )
      .finally(() => {
        waiting -= 1;
      });
  });
  manager.on(WebSocketShardEvents.Error, (error) =>
    log.warn('The gateway of Discord failed.', { error: error.message }),
  );
  manager.on(WebSocketShardEvents.SocketError, (error) =>
    log.warn('The connection to the gateway of Discord failed.', { error: error.message }),
  );
  manager.on(WebSocketShardEvents.Closed, (code) => log.info('The gateway of Discord was closed.', { code }));
  await manager.connect();
  return {
    close: async () => {
      await manager.destroy();
      await last;
    },
  };
}
