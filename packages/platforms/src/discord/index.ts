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
  /** What was sent so far, how often Discord refused, and what may still be sent. */
  metrics(): Governor['metrics'] & { budget: ReturnType<Governor['budget']> };
  /** Undefined without the application's own secret. */
  linkedRoles: LinkedRoles | undefined;
}

export interface DiscordOptions extends DiscordClientOptions {
  /** Where Discord serves pictures. */
  cdnUrl?: string;
  /** The application that people allow something, with its secret. */
  application?: { clientId: string; clientSecret: string } | undefined;
}

/** Discord with one bot: everything of it that leaves this process goes through the same limits. */
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
