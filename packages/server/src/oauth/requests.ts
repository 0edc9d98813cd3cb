import {
  type AuthorizationRequest,
  findAuthorizationRequest,
  findOauthClient,
  isDocumentAddress,
  type OauthClient,
  type Services,
} from '@latchkey/core';
import { AppError, type PageClient } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** An authorization request, in the browser that it came from. */
export interface OpenRequest {
  slug: string;
  interaction: Interaction;
  request: AuthorizationRequest;
  client: OauthClient;
}

/** Finds the request with this slug, if it came from this browser. */
export async function openRequest(
  provider: Provider,
  services: Services,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<OpenRequest> {
  const interaction = await readInteraction(provider, raw, reply.raw);
  // The slug is part of URLs and the cookie is not: either one alone is useless.
  if (interaction === undefined || interaction.uid !== slug) throw isOver();
  const request = await findAuthorizationRequest(services, slug);
  const client = request && (await findOauthClient(services, request.clientId));
  if (request === undefined || client === undefined) throw isOver();
  return { slug, interaction, request, client };
}

async function readInteraction(
  provider: Provider,
  ...raw: Parameters<Provider['interactionDetails']>
): Promise<Interaction | undefined> {
  try {
    return await provider.interactionDetails(...raw);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

function isOver(): AppError {
  return new AppError(
    'ENTITY_NOT_FOUND',
    'This request has expired or was started in another browser. Go back to the application you came from and start again.',
  );
}

/** Describes the application for a page, always with the host that the user returns to. */
export function pageClientOf({ client, request }: OpenRequest): PageClient {
  // Anyone can claim to be at another address, but only its owner can put a document there.
  const url = isDocumentAddress(client.id) ? new URL(client.id).origin : client.url;
  return {
    name: client.name,
    ...(url !== undefined && { url }),
    ...(client.icon !== undefined && { icon: client.icon }),
    returnsTo: new URL(request.redirectUri).host,
  };
}
