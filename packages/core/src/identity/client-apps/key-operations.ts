import {
  AppError,
  choice,
  findScope,
  isScope,
  notFound,
  op,
  optional,
  record,
  type Scope,
  scopes,
  shape,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { findEndpoints } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkRedirectUris, checkScopes, checkText } from './check-fields.ts';
import { ClientApplication, clientAppStatuses, RedirectUrisChange, ScopesRequest } from './client-app.ts';
import { findApp, type StoredClientApp } from './queries.ts';
import { getRecord, ownApp } from './reads.ts';
import { overlapEnd, overlapSeconds, replaceKey } from './secrets.ts';

const time = (description: string) => T.Optional(text(`${description}, as an ISO 8601 time.`, { maxLength: 32 }));

const ScopeState = record('ClientAppScope', 'A scope and its status for an application.', {
  scope: text('The name of the scope.', { maxLength: 64 }),
  group: text('The group the scope belongs to.', { maxLength: 64 }),
  description: text('What the scope allows.', { maxLength: 500 }),
  isRequested: T.Boolean({ description: 'Whether the application requested it.' }),
  state: choice('granted: it can be used; closed: the operator blocked it; none: it was not granted.', [
    'granted',
    'closed',
    'none',
  ]),
});

const ClientAppOverview = record('ClientAppOverview', 'The status of an application’s key, scopes and webhook.', {
  status: choice('The status of the application.', clientAppStatuses),
  keyCreatedAt: text('When the current API key was created, as an ISO 8601 time.', { maxLength: 32 }),
  oldKeyEndsAt: time('When the replaced API key stops working; absent when there is none'),
  scopes: T.Array(ScopeState, { description: 'Every scope that can be requested.', maxItems: 100 }),
  webhookDisabledAt: time('When sending events stopped; absent while they are sent'),
  webhookDisabledReason: T.Optional(text('Why events are no longer sent.', { maxLength: 2000 })),
  oldSigningKeyEndsAt: time('Until when messages are signed with the replaced webhook secret too'),
});
type ClientAppOverview = ValueOf<typeof ClientAppOverview>;

export async function getClientAppOverview(
  ctx: Pick<Context, 'clock' | 'tx'>,
  { id }: { id: string },
): Promise<ClientAppOverview> {
  return ctx.tx(async (tx) => {
    const app = await findApp(tx, id);
    if (app === undefined) throw notFound('client application');
    const endpoint = (await findEndpoints(tx, [id])).get(id);
    const now = ctx.clock();
    return {
      status: app.status,
      keyCreatedAt: (app.api_key_made_at ?? app.created_at).toISOString(),
      oldKeyEndsAt: ifLater(app.old_api_key_ends_at, now),
      scopes: requestable.map((scope) => stateOf(app, scope)),
      webhookDisabledAt: endpoint?.disabledAt?.toISOString(),
      webhookDisabledReason: endpoint?.disabledReason,
      oldSigningKeyEndsAt: ifLater(endpoint?.oldSecretEndsAt, now),
    };
  });
}

const requestable: readonly Scope[] = Object.keys(scopes)
  .filter(isScope)
  .filter((scope) => !scope.startsWith('$'));

function stateOf(app: StoredClientApp, scope: Scope) {
  const names = (list: readonly string[]) => list.some((name) => findScope(name) === scope || name === '$all');
  const isGranted = names(app.allowed_scopes);
  const isClosed = names(app.disallowed_scopes);
  return {
    scope,
    group: scopes[scope].group,
    description: scopes[scope].description,
    isRequested: app.requested_scopes.includes(scope),
    state: isClosed ? ('closed' as const) : isGranted ? ('granted' as const) : ('none' as const),
  };
}

function ifLater(time: Date | null | undefined, now: Date): string | undefined {
  return time && time > now ? time.toISOString() : undefined;
}

const KeyRoll = shape(
  T.Object({
    oldKeyEndsInSeconds: overlapSeconds(
      'How many seconds the old key keeps working, so that you can deploy the new one. Defaults to 0: it stops at once.',
    ),
  }),
);

/** Creates a new key and shows it once. The old one keeps working for as long as its owner chose. */
export async function rollApiKey(
  ctx: ChangeContext,
  { id, body }: { id: string; body?: ValueOf<typeof KeyRoll> | undefined },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application cannot get a new key.');
    const oldEndsAt = overlapEnd(ctx, body?.oldKeyEndsInSeconds, 'key', app.old_api_key_ends_at);
    const { changed, apiKey } = await replaceKey(ctx, tx, app, oldEndsAt);
    return getRecord(tx, changed, { apiKey });
  });
}

/** Ends a replaced key early. Does nothing if there is none. */
export async function endOldApiKey(ctx: ChangeContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.old_api_key_ends_at === null) return getRecord(tx, app);
    const columns = { old_api_key_hash: null, old_api_key_ends_at: null };
    return getRecord(tx, await change(ctx, tx, app, { action: 'end-old-api-key', columns }));
  });
}

const maxNotes = 1000;
const loginGrants = ['authorization_code', 'refresh_token'];

/** Sets the redirect URIs. The operator approved the application with other ones, so its history lists these. */
export async function setRedirectUris(
  ctx: ChangeContext,
  { id, body }: { id: string; body: RedirectUrisChange },
): Promise<ClientApplication> {
  const redirectUris = checkRedirectUris(body.redirectUris);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.client_type === 'apiKey')
      throw new AppError('STATE_CONFLICT', 'This application only uses its API key; users cannot log in with it.');
    // Redirect URIs imply the usual login grants.
    const grants =
      app.allowed_grant_types.length === 0 && redirectUris.length > 0 ? loginGrants : app.allowed_grant_types;
    return getRecord(
      tx,
      await change(ctx, tx, app, {
        action: 'set-redirect-uris',
        notes: redirectUris.join(' ').slice(0, maxNotes) || 'none',
        columns: { redirect_uris: redirectUris, allowed_grant_types: grants },
      }),
    );
  });
}

const params = { id: T.String({ description: 'The client id.', minLength: 1, maxLength: 128 }) };

/** Operations on the keys, scopes and redirect URIs of the caller's applications. */
export const clientAppKeyOperations = [
  op(
    'GET /latchkey/client-apps/{id}/overview',
    {
      id: 'getClientAppOverview',
      summary: 'Get an application’s keys and scopes',
      description:
        'Returns when the API key of one of your client applications was created and how long a replaced one keeps working, every scope with what it allows and whether it was granted, and whether its webhook is disabled.',
      access: ownApp('id'),
      params,
      returns: ClientAppOverview,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getClientAppOverview,
  ),
  op(
    'POST /latchkey/client-apps/{id}/api-key',
    {
      id: 'rollApiKey',
      summary: 'Roll an API key',
      description:
        'Replaces the API key of one of your client applications and returns the new one, which is shown only once. The old key keeps working for `oldKeyEndsInSeconds`, at most 7 days. While an old key still works, a second overlap fails with STATE_CONFLICT; an overlap of 0 ends both at once.',
      audit: 'app.reset-key',
      access: ownApp('id'),
      params,
      body: optional(KeyRoll),
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
      repeatable: true,
    },
    rollApiKey,
  ),
  op(
    'DELETE /latchkey/client-apps/{id}/api-key/old',
    {
      id: 'endOldApiKey',
      summary: 'End a replaced API key',
      description: 'Immediately disables the replaced API key of one of your client applications.',
      audit: 'app.reset-key',
      access: ownApp('id'),
      params,
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND'],
    },
    endOldApiKey,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/redirect-uris',
    {
      id: 'setRedirectUris',
      summary: 'Set an application’s redirect URIs',
      description:
        'Sets the redirect URIs of one of your client applications. The list replaces the current one. An application without grant types gets authorization_code and refresh_token. The change is shown to the operator in `actions`.',
      audit: 'app.change',
      access: ownApp('id'),
      params,
      body: RedirectUrisChange,
      readAt: '/client-apps/{id}',
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    setRedirectUris,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/requested-scopes',
    {
      id: 'requestScopes',
      summary: 'Request scopes for an application',
      description:
        'Requests scopes for one of your client applications from the operator, with a reason. The operator decides which of them are granted. The list replaces any earlier request.',
      audit: 'app.change',
      access: ownApp('id'),
      params,
      body: ScopesRequest,
      readAt: '/client-apps/{id}',
      returns: ClientApplication,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    requestScopes,
  ),
] as const;

/** Requests scopes from the operator. Nothing is granted by this: the operator decides. */
export async function requestScopes(
  ctx: ChangeContext,
  { id, body }: { id: string; body: ScopesRequest },
): Promise<ClientApplication> {
  const scopes = checkScopes('scopes', body.scopes);
  const special = scopes.find((scope) => scope.startsWith('$'));
  if (special !== undefined)
    throw new AppError('VALIDATION_FAILED', `The scope ${special} cannot be requested.`, {
      details: [
        { path: `/scopes/${scopes.indexOf(special)}`, code: 'rule', message: 'Only the operator can grant it.' },
      ],
    });
  const reason = checkText('reason', body.reason) ?? undefined;
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application cannot get new scopes.');
    const notes = [scopes.join(' ') || 'none', reason].filter((part) => part !== undefined).join(': ');
    const columns = { requested_scopes: scopes };
    return getRecord(
      tx,
      await change(ctx, tx, app, { action: 'request-scopes', notes: notes.slice(0, 1000), columns }),
    );
  });
}
