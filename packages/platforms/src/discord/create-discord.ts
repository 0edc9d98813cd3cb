import type { DiscordApi, RoleHost } from '@latchkey/core/ports';
import { createDiscordApi } from './api/create-discord-api.ts';
import { createDiscordHost } from './host/create-discord-host.ts';
import { createDiscordClient, type DiscordClientOptions } from './rest/create-client.ts';

export interface Discord {
  host: RoleHost;
  api: DiscordApi;
  /** What was sent so far, and how often Discord refused. */
  figures(): { sent: number; rateLimited: number; invalid: number };
}

/** Discord with one bot: everything of it that leaves this process goes through the same limits. */
export function createDiscord(options: DiscordClientOptions): Discord {
  const client = createDiscordClient(options);
  return {
    host: createDiscordHost(client),
    api: createDiscordApi(client),
    figures: () => ({ ...client.governor.figures }),
  };
}
