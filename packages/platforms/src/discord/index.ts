import type { DiscordApi, LinkedRoles, RoleHost } from '@latchkey/core/ports';
import { createDiscordApi } from './api/create-discord-api.ts';
import type { Governor } from './governor/index.ts';
import { createDiscordHost } from './host/create-discord-host.ts';
import { createPictureReader, discordCdnUrl } from './host/read-picture.ts';
import { createLinkedRoles } from './linked-roles/create-linked-roles.ts';
import { createDiscordClient, type DiscordClientOptions, discordApiUrl } from './rest/create-client.ts';

export { createDiscordGateway, type GatewayOptions } from './gateway/create-gateway.ts';
export type { Time } from './governor/index.ts';

export interface Discord {
  host: RoleHost;
  api: DiscordApi;
  /** Returns how much was sent, how often Discord refused, and how much may still be sent. */
  metrics(): Governor['metrics'] & { budget: ReturnType<Governor['budget']> };
  /** Undefined without the application's client secret. */
  linkedRoles: LinkedRoles | undefined;
}

export interface DiscordOptions extends DiscordClientOptions {
  /** The base URL of Discord's CDN. */
  cdnUrl?: string;
  /** The application that users authorize, with its secret. */
  application?: { clientId: string; clientSecret: string } | undefined;
}

/** Creates Discord with one bot. All of its requests go through the same rate limits. */
export function createDiscord(options: DiscordOptions): Discord {
  const client = createDiscordClient(options);
  return {
    host: {
      ...createDiscordHost(client),
      readPicture: createPictureReader(client, { cdnUrl: options.cdnUrl ?? discordCdnUrl, fetch: options.fetch }),
    },
    api: createDiscordApi(client),
    metrics: () => ({ ...client.governor.metrics, budget: client.governor.budget() }),
    linkedRoles:
      options.application &&
      createLinkedRoles(client, {
        ...options.application,
        apiUrl: options.apiUrl ?? discordApiUrl,
        fetch: options.fetch,
      }),
  };
}
