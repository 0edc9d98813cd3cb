import { hashSecret, type Tx } from '@latchkey/db';
import {
  AppError,
  admin,
  listOf,
  NoContent,
  op,
  optional,
  owner,
  pageParams,
  resource,
  shape,
  T,
  text,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import {
  dropEndpoint,
  emit,
  findEndpoints,
  putEndpoint,
  resetEndpointSecret,
  retireEndpoint,
} from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { ownerOfOrganization } from '../organizations/index.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import {
  checkFields,
  checkName,
  checkOrigins,
  checkScopes,
  checkText,
  checkWebhook,
  operatorGrantTypes,
} from './check-fields.ts';
import {
  ClientApplication,
  ClientApplicationCreate,
  ClientApplicationPage,
  OriginsChange,
  WebhookChange,
} from './client-app.ts';
import { clientIdLimit } from './client-documents.ts';
import { create, toColumns } from './create.ts';
import { deleteApp, type StoredClientApp } from './queries.ts';
import { findOwn, getById, getRecord, listOfOrganization, ownApp } from './reads.ts';
import { newClientSecret, overlapEnd, overlapSeconds, replaceKey } from './secrets.ts';
import { assertOperator } from './status.ts';

const SecretRotation = shape(
  T.Object({
    oldSecretEndsInSeconds: overlapSeconds(
      'How many seconds messages are also signed with the old secret, so that receivers that have not been updated yet accept them. Defaults to 0.',
    ),
  }),
);

/**
 * Creates a new signing secret for events and callbacks and shows it once. Everything sent from now on is signed with
 * it.
 */
export async function rotateWebhookSecret(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id, body }: { id: string; body?: ValueOf<typeof SecretRotation> | undefined },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application cannot get a new secret.');
    const present = (await findEndpoints(tx, [app.id])).get(app.id);
    const oldEndsAt = overlapEnd(ctx, body?.oldSecretEndsInSeconds, 'secret', present?.oldSecretEndsAt);
    const secret = await resetEndpointSecret(ctx, tx, { clientId: app.id, ownerId: app.created_by_id, oldEndsAt });
    return getRecord(tx, await change(ctx, tx, app, { action: 'reset-webhook-secret' }), { secret });
  });
}

const maxNotes = 1000;

/** Sets the allowed origins. The operator approved the application with other ones, so its history lists these. */
export async function setOrigins(
  ctx: ChangeContext,
  { id, body }: { id: string; body: OriginsChange },
): Promise<ClientApplication> {
  const columns = checkOrigins(body);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const notes = columns.allowed_origins.join(' ').slice(0, maxNotes) || 'any';
    return getRecord(tx, await change(ctx, tx, app, { action: 'set-origins', notes, columns }));
  });
}

function idParam(description: string) {
  return T.String({ description, minLength: 1, maxLength: clientIdLimit });
}

export const clientApps = resource(
  'client-apps',
  'Applications that call this API: their keys, scopes and allowed origins. The operator must approve an application before its key works.',
  [
    op(
      'POST /client-apps',
      {
        id: 'createClientAppRequest',
        sdk: 'ClientApplicationController.createClientAppRequest',
        summary: 'Request a client application',
        description:
          'Registers a client application. Its key is not accepted until the operator approves it. The API key, the client secret and the webhook secret are only shown in this response, so store them. With redirectUris and without allowedGrantTypes, the application gets authorization_code and refresh_token. The number of applications is limited by the organization’s plan.',
        audit: 'app.create',
        access: user(),
        body: ClientApplicationCreate,
        returns: ClientApplication,
        errors: ['ENTITY_NOT_FOUND', 'ORGANIZATION_NOT_VERIFIED', 'PLAN_LIMIT_REACHED'],
        repeatable: true,
      },
      create,
    ),
    op(
      'GET /client-apps',
      {
        id: 'findClientApps',
        sdk: 'ClientApplicationController.find',
        summary: 'List your client applications',
        description: 'Returns the client applications that the caller created, newest first, without their secrets.',
        access: user(),
        params: pageParams,
        returns: ClientApplicationPage,
        paginated: 'token',
      },
      findOwn,
    ),
    op(
      'PUT /client-apps/{id}',
      {
        id: 'replaceClientApp',
        sdk: 'ClientApplicationController.replaceById',
        summary: 'Approve or reject a client application',
        description:
          'Replaces a client application. Only the operator can do this and set its status and scopes. Fields that are missing from the body are cleared. Status goes from PENDING to APPROVED or REJECTED, from APPROVED to LISTED or REVOKED, from LISTED to APPROVED or REVOKED and from REJECTED to PENDING; REVOKED is final. Keys, secrets, owner and audit trail in the body are ignored.',
        audit: 'app.decide',
        access: admin(),
        params: { id: idParam('The client id.') },
        body: ClientApplication,
        returns: NoContent,
        errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
      },
      replace,
    ),
    op(
      'PATCH /client-apps/{id}',
      {
        id: 'updateClientAppRequest',
        sdk: 'ClientApplicationController.updateClientAppRequest',
        summary: 'Rename a client application',
        description: 'Renames one of the caller’s client applications. Its key, status and scopes do not change.',
        audit: 'app.change',
        access: ownApp('id'),
        params: { id: idParam('The client id.') },
        body: shape(T.Object({ name: text('The new name.', { minLength: 1, maxLength: 200 }) })),
        returns: ClientApplication,
      },
      rename,
    ),
    op(
      'GET /client-apps/{id}',
      {
        id: 'findClientAppById',
        sdk: 'ClientApplicationController.findById',
        summary: 'Get a client application',
        description: 'Returns one of the caller’s client applications and its audit trail, without its secrets.',
        access: ownApp('id'),
        params: { id: idParam('The client id.') },
        returns: ClientApplication,
      },
      getById,
    ),
    op(
      'DELETE /client-apps/{id}',
      {
        id: 'deleteClientAppRequest',
        sdk: 'ClientApplicationController.deleteClientAppRequest',
        summary: 'Delete a client application',
        description: 'Deletes one of the caller’s client applications. Its key stops working at once.',
        audit: 'app.delete',
        access: ownApp('id'),
        params: { id: idParam('The client id.') },
        returns: NoContent,
      },
      remove,
    ),
    op(
      'PATCH /client-apps/{clientAppId}/reset-api-key',
      {
        id: 'resetApiKey',
        sdk: 'ClientApplicationController.resetApiKey',
        summary: 'Replace an API key',
        description: 'Creates a new API key, which is shown only once. The old one stops working at once.',
        audit: 'app.reset-key',
        access: ownApp('clientAppId'),
        params: { clientAppId: idParam('The client id.') },
        returns: ClientApplication,
        errors: ['STATE_CONFLICT'],
      },
      resetApiKey,
    ),
    op(
      'GET /client-apps/dev-orgs/{organizationId}',
      {
        id: 'getClientAppsForOrg',
        sdk: 'ClientApplicationController.getClientAppsForOrg',
        summary: 'List an organization’s client applications',
        description:
          'Returns all client applications of one of the caller’s organizations, newest first, without their secrets.',
        access: owner<Context>('organizationId', 'organization', ownerOfOrganization),
        params: { organizationId: idParam('The organization.') },
        returns: listOf(ClientApplication, 'The client applications, newest first.'),
      },
      listOfOrganization,
    ),
  ],
);

export const clientSecretOperations = [
  op(
    'POST /latchkey/client-apps/{id}/client-secret',
    {
      id: 'resetClientSecret',
      summary: 'Rotate a client secret',
      description:
        'Replaces the OAuth2 client secret of one of your client applications and returns the new one, which is shown only once. The old one stops working at once; tokens that were already issued stay valid.',
      audit: 'app.reset-secret',
      access: ownApp('id'),
      params: { id: idParam('The client id.') },
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
      repeatable: true,
    },
    resetClientSecret,
  ),
  op(
    'POST /latchkey/client-apps/{id}/webhook-secret',
    {
      id: 'rotateWebhookSecret',
      summary: 'Rotate a webhook secret',
      description:
        'Replaces the secret that events and callbacks for one of your client applications are signed with, and returns it as `secret`, which is shown only once. Everything sent from then on, including retried events, is signed with the new one, and for `oldSecretEndsInSeconds` also with the old one. While an old secret still signs, a second overlap fails with STATE_CONFLICT. An application that has no secret yet gets its first one.',
      audit: 'app.reset-webhook-secret',
      access: ownApp('id'),
      params: { id: idParam('The client id.') },
      body: optional(SecretRotation),
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
      repeatable: true,
    },
    rotateWebhookSecret,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/webhook',
    {
      id: 'setWebhook',
      summary: 'Set an application’s webhook',
      description:
        'Sets the webhook address of one of your client applications, and the events to send. The signing secret does not change; an application without one gets one, returned as `secret` and shown only once.',
      audit: 'app.change',
      access: ownApp('id'),
      params: { id: idParam('The client id.') },
      body: WebhookChange,
      readAt: '/client-apps/{id}',
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    setWebhook,
  ),
  op(
    'DELETE /latchkey/client-apps/{id}/webhook',
    {
      id: 'removeWebhook',
      summary: 'Remove an application’s webhook',
      description:
        'Stops sending events to one of your client applications, including pending ones. The signing secret is kept: results for `callbackUrl` are signed with it.',
      audit: 'app.change',
      access: ownApp('id'),
      params: { id: idParam('The client id.') },
      readAt: '/client-apps/{id}',
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND'],
    },
    removeWebhook,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/origins',
    {
      id: 'setOrigins',
      summary: 'Set an application’s allowed origins',
      description:
        'Sets the web origins that one of your client applications can call from, and optionally the referrers. The lists replace the current ones; an empty list means any. The change is shown to the operator in `actions`.',
      audit: 'app.change',
      access: ownApp('id'),
      params: { id: idParam('The client id.') },
      body: OriginsChange,
      readAt: '/client-apps/{id}',
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    setOrigins,
  ),
] as const;

export async function rename(
  ctx: ChangeContext,
  { id, body }: { id: string; body: { name: string } },
): Promise<ClientApplication> {
  const name = checkName(body.name);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    return getRecord(tx, await change(ctx, tx, app, { action: 'rename', columns: { name } }));
  });
}

/** Deletes an application. Its key stops working with this transaction; the event about it is still sent. */
export async function remove(ctx: Pick<Context, 'tx' | 'clock' | 'random'>, { id }: { id: string }): Promise<void> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    await emit(ctx, tx, 'client-app.deleted', {
      ownerId: app.created_by_id,
      clientId: app.id,
      payload: { clientId: app.id, name: app.name },
    });
    await retireEndpoint(ctx, tx, app.id);
    await deleteApp(tx, app.id);
  });
}

/**
 * Creates a new key and shows it once. The old one, and one that was replaced before, stop working with this
 * transaction.
 */
export async function resetApiKey(
  ctx: ChangeContext,
  { clientAppId }: { clientAppId: string },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, clientAppId);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application cannot get a new key.');
    const { changed, apiKey } = await replaceKey(ctx, tx, app, undefined);
    return getRecord(tx, changed, { apiKey });
  });
}

/**
 * Creates a new client secret and shows it once. The old one stops working with this transaction, since only one hash
 * is stored.
 */
async function resetClientSecret(ctx: ChangeContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application cannot get a new secret.');
    if (app.client_type !== 'confidential')
      throw new AppError('STATE_CONFLICT', 'Only a confidential client application has a client secret.');
    const clientSecret = newClientSecret(ctx.random);
    const columns = { client_secret_hash: hashSecret(clientSecret) };
    return getRecord(tx, await change(ctx, tx, app, { action: 'reset-client-secret', columns }), { clientSecret });
  });
}

/** Sets an application's webhook. A signing secret is created, and shown, only on the first call. */
export async function setWebhook(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id, body }: { id: string; body: WebhookChange },
): Promise<ClientApplication> {
  const { url, subscribeEvents } = checkWebhook(body);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const present = (await findEndpoints(tx, [app.id])).get(app.id);
    const { secret } = await putEndpoint(ctx, tx, {
      clientId: app.id,
      ownerId: app.created_by_id,
      url,
      subscribeEvents: subscribeEvents ?? present?.subscribeEvents ?? [],
    });
    return getRecord(tx, await change(ctx, tx, app, { action: 'set-webhook' }), { secret });
  });
}

export async function removeWebhook(ctx: ChangeContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    await dropEndpoint(tx, app.id);
    return getRecord(tx, await change(ctx, tx, app, { action: 'remove-webhook' }));
  });
}

type ReplaceContext = Pick<Context, 'actor' | 'tx' | 'clock' | 'random' | 'keyring'>;

/**
 * Replaces an application with the operator's version: fields missing from the body are cleared. Creator, organization,
 * secrets and audit trail cannot be set.
 */
export async function replace(
  ctx: ReplaceContext,
  { id, body }: { id: string; body: ClientApplication },
): Promise<void> {
  assertOperator(ctx.actor);
  const fields = checkFields(body, operatorGrantTypes);
  const columns = {
    ...toColumns(fields),
    tenant: checkText('tenant', body.tenant),
    requested_scopes: checkScopes('requestedScopes', body.requestedScopes),
    allowed_scopes: checkScopes('allowedScopes', body.allowedScopes),
    disallowed_scopes: checkScopes('disallowedScopes', body.disallowedScopes),
    // A client that is no longer confidential must not keep a secret.
    ...(fields.clientType === 'confidential' ? {} : { client_secret_hash: null }),
  };
  await ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    // The webhook comes first, so that a change of status is sent to the new URL.
    await replaceWebhook(ctx, tx, app, fields);
    await change(ctx, tx, app, { action: 'replace', status: body.status, columns });
  });
}

async function replaceWebhook(
  ctx: ReplaceContext,
  tx: Tx,
  app: StoredClientApp,
  { webhookUrl, subscribeEvents }: { webhookUrl: string | null; subscribeEvents: string[] },
): Promise<void> {
  if (webhookUrl === null) return dropEndpoint(tx, app.id);
  await putEndpoint(ctx, tx, { clientId: app.id, ownerId: app.created_by_id, url: webhookUrl, subscribeEvents });
}
