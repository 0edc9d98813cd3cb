import { REST } from '@discordjs/rest';
import type { DiscordGateway } from '@latchkey/core/ports';
import type { Log, Random } from '@latchkey/kernel';
import { type APIGatewayBotInfo, Routes } from 'discord-api-types/v10';
import { monotonicTime, type Time } from '../governor/index.ts';
import { type DiscordClientOptions, discordApiUrl } from '../rest/create-client.ts';
import { requestsBy } from '../rest/create-rest.ts';
import { openShard } from './open-shard.ts';

export interface GatewayOptions extends Pick<DiscordClientOptions, 'token' | 'apiUrl' | 'fetch'> {
  log: Log;
  /** Refuses an address of the gateway that this server may not connect to. */
  permit(url: string): Promise<void>;
  /** For the jitter of reconnects. */
  random: Pick<Random, 'bytes'>;
  time?: Time;
}

/** The gateway of Discord with one bot. */
export function createDiscordGateway(options: GatewayOptions): DiscordGateway {
  const { token, apiUrl = discordApiUrl, log, fetch, permit, random, time = monotonicTime } = options;
  // Only asked for the address of the gateway, which has a limit of its own.
  const rest = new REST({ api: apiUrl, version: '10', makeRequest: requestsBy(fetch) }).setToken(token);
  let known: Promise<APIGatewayBotInfo> | undefined;
  const read = () => {
    const asked = rest.get(Routes.gatewayBot()) as Promise<APIGatewayBotInfo>;
    known = asked;
    asked.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked;
  };
  return {
    readPlan: async () => {
      const { shards, session_start_limit: starts } = await read();
      return {
        shards,
        maxConcurrency: Math.max(1, starts.max_concurrency),
        sessionStarts: { total: starts.total, remaining: starts.remaining, resetAfterMs: starts.reset_after },
      };
    },
    openShard: (shard) =>
      openShard({ ...shard, token, rest, log, permit, random, time, information: () => known ?? read() }),
  };
}
