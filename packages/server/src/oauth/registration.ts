import {
  type ClientMetadata,
  contextFor,
  findRegistration,
  type Registered,
  RegistrationError,
  registerClient,
  registrationPath,
  removeRegistration,
  replaceRegistration,
  type Services,
} from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { readJson } from '../http/read-json.ts';

/** As much as twenty keys and a hundred addresses need. */
const maxMetadataBytes = 64 * 1024;

type ById = FastifyRequest<{ Params: { clientId: string } }>;

/** Applications register themselves (RFC 7591), and manage their registration (RFC 7592). */
export function addRegistration(
  fastify: FastifyInstance,
  { services, onRequest }: { services: Services; onRequest: onRequestAsyncHookHandler[] },
): void {
  const ctx = contextFor(services, { kind: 'system', job: 'client-registration' });
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: maxMetadataBytes },
    (_request, body, done) => done(null, body),
  );

  fastify.post(registrationPath, { onRequest }, async ({ body }, reply) =>
    refusing(reply, async () => {
      const registered = await registerClient(ctx, readMetadata(body));
      return reply.code(201).send(describe(registered));
    }),
  );
  const path = `${registrationPath}/:clientId`;
  fastify.get(path, { onRequest, exposeHeadRoute: false }, (request: ById, reply) =>
    refusing(reply, async () => {
      const app = await findRegistration(ctx, request.params.clientId, tokenOf(request));
      return app === undefined ? refuseToken(reply) : reply.send(describe({ app }));
    }),
  );
  fastify.put(path, { onRequest }, (request: ById, reply) =>
    refusing(reply, async () => {
      const metadata = readMetadata(request.body);
      const { clientId } = request.params;
      if (metadata.client_id !== undefined && metadata.client_id !== clientId)
        throw new RegistrationError('invalid_client_metadata', 'client_id must be that of the registration.');
      const app = await replaceRegistration(ctx, clientId, tokenOf(request), metadata);
      return app === undefined ? refuseToken(reply) : reply.send(describe({ app }));
    }),
  );
  fastify.delete(path, { onRequest }, (request: ById, reply) =>
    refusing(reply, async () => {
      const isRemoved = await removeRegistration(ctx, request.params.clientId, tokenOf(request));
      return isRemoved ? reply.code(204).send() : refuseToken(reply);
    }),
  );

  function describe({ app, clientSecret, registrationToken }: Registered) {
    const { token_endpoint_auth_method: own, ...settings } = app.oauth_settings;
    return {
      client_id: app.id,
      client_id_issued_at: Math.floor(app.created_at.getTime() / 1000),
      ...(clientSecret !== undefined && { client_secret: clientSecret, client_secret_expires_at: 0 }),
      ...(registrationToken !== undefined && { registration_access_token: registrationToken }),
      registration_client_uri: `${services.settings.baseUrl}${registrationPath}/${app.id}`,
      client_name: app.name,
      ...(app.url !== null && { client_uri: app.url }),
      ...(app.icon !== null && { logo_uri: app.icon }),
      ...(app.email !== null && { contacts: [app.email] }),
      redirect_uris: app.redirect_uris,
      grant_types: app.allowed_grant_types,
      response_types: app.allowed_grant_types.includes('authorization_code') ? ['code'] : [],
      token_endpoint_auth_method: own ?? (app.client_type === 'public' ? 'none' : 'client_secret_basic'),
      scope: ['openid', 'profile', 'address', 'offline_access', ...app.allowed_scopes].join(' '),
      ...settings,
    };
  }
}

function readMetadata(body: unknown): ClientMetadata {
  const metadata = typeof body === 'string' ? readJson(body) : undefined;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new RegistrationError('invalid_client_metadata', 'Send the metadata as a JSON object.');
  return metadata as ClientMetadata;
}

function tokenOf({ headers }: FastifyRequest): string {
  return /^bearer +(\S{1,256})$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** RFC 7592, 2: the same for a registration that does not exist. */
function refuseToken(reply: FastifyReply): FastifyReply {
  return reply
    .code(401)
    .header('www-authenticate', 'Bearer error="invalid_token"')
    .send({ error: 'invalid_token', error_description: 'The registration access token is not valid.' });
}

const statuses = { access_denied: 403, temporarily_unavailable: 503 } as const;

async function refusing(reply: FastifyReply, answer: () => Promise<FastifyReply>): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8');
  try {
    return await answer();
  } catch (error) {
    const refused = error instanceof AppError && error.status < 500 ? asRegistrationError(error) : error;
    if (!(refused instanceof RegistrationError)) throw error;
    const status = refused.error in statuses ? statuses[refused.error as keyof typeof statuses] : 400;
    return reply.code(status).send({ error: refused.error, error_description: refused.message });
  }
}

function asRegistrationError(error: AppError): RegistrationError {
  return new RegistrationError('invalid_client_metadata', error.message);
}
