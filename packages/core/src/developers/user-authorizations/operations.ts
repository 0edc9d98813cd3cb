import { hashSecret } from '@latchkey/db';
import {
  type Actor,
  AppError,
  addSeconds,
  alsoThePerson,
  NoContent,
  notFound,
  op,
  type Page,
  pageOf,
  pageParams,
  principalId,
  record,
  resource,
  T,
  text,
  texts,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import { clientIdLimit } from '../../identity/client-apps/index.ts';
import { issueAeToken, markTokensRevoked } from '../../identity/credentials/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import {
  canonicalScopes,
  findAuthorizationRequest,
  lifetimes,
  markGrantsRevoked,
  type OauthAccount,
} from '../oauth2/index.ts';
import {
  deleteAuthorization,
  listAuthorizations,
  putAuthorization,
  putDecision,
  selectAuthorization,
  type UserAuthorizationRow,
} from './queries.ts';

const classifier = 'USER_AUTHORIZATION';

export const UserAuthorization = record('UserAuthorization', 'The access that a user granted to an application.', {
  id: text('The account and the application, joined by a slash.', { maxLength: 700 }),
  createdTime: T.Optional(text('When the user first granted access, as an ISO 8601 time.', { maxLength: 32 })),
  pk: T.Optional(text('The account.', { maxLength: 128 })),
  sk: T.Optional(text('USER_AUTHORIZATION# and the client id.', { maxLength: 600 })),
  classifier: T.Optional(text('Always USER_AUTHORIZATION.', { maxLength: 64 })),
  classifierGroup: T.Optional(text('Always USER_AUTHORIZATION.', { maxLength: 64 })),
  clientApplicationId: text('The client id of the application.', { maxLength: clientIdLimit }),
  scopes: texts('The granted scopes.', { maxLength: 256 }),
});
export type UserAuthorization = ValueOf<typeof UserAuthorization>;

const UserAuthorizationScopes = record('UserAuthorizationScopes', 'The access to grant.', {
  rememberDecisions: T.Optional(
    T.Boolean({ description: 'Do not ask again for these scopes. Unless this is true, the user is asked again.' }),
  ),
  scopes: T.Optional(texts('The granted scopes, out of the requested ones. Defaults to none.', { maxLength: 256 })),
});
type UserAuthorizationScopes = ValueOf<typeof UserAuthorizationScopes>;

/** Converts an authorization to the API's record. */
function toRecord(row: UserAuthorizationRow): UserAuthorization {
  return {
    id: `${row.user_id}/${row.client_id}`,
    createdTime: row.created_at.toISOString(),
    pk: row.user_id,
    sk: `${classifier}#${row.client_id}`,
    classifier,
    classifierGroup: classifier,
    clientApplicationId: row.client_id,
    scopes: row.scopes,
  };
}

/** The purpose that operations must list to accept such tokens. */
const consentPurpose = 'consent';

/** Returns the purpose of a token that can only decide on one request. */
export function consentPurposeOf(slug: string): string {
  return `${consentPurpose}:${hashSecret(slug)}`;
}

/** Issues a token for the consent page: it can decide on this one request and do nothing else. */
export function issueConsentToken(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>,
  slug: string,
  { userId, platform, name }: OauthAccount,
): Promise<string> {
  return issueAeToken(ctx, {
    userId,
    platform,
    ...(name !== undefined && { name }),
    scopes: [],
    credential: 'consent-token',
    purpose: consentPurposeOf(slug),
    ttlSeconds: lifetimes.consentToken,
  });
}

const clientId = text('The client id of the application.', { minLength: 1, maxLength: clientIdLimit });

export const userAuthorizations = resource(
  'user-authorizations',
  'The access that users granted to applications, and how to revoke it.',
  [
    op(
      'POST /user-authorizations/{slug}',
      {
        id: 'createUserAuthorization',
        sdk: 'UserAuthorizationController.createUserAuthorization',
        summary: 'Approve an app’s request',
        description:
          'Records the access that the user grants to the application in the request with this slug. It takes effect when the user’s browser continues to /oauth2/callback/{slug} with userAuthorization=granted.',
        audit: 'access.allow',
        access: { ...user(), purpose: consentPurpose },
        params: { slug: text('The slug of the application’s request.', { minLength: 1, maxLength: 64 }) },
        body: UserAuthorizationScopes,
        returns: UserAuthorization,
        errors: ['ENTITY_NOT_FOUND'],
        repeatable: true,
      },
      createUserAuthorization,
    ),
    op(
      'GET /user-authorizations/{clientId}',
      {
        id: 'getUserAuthorizationByClientId',
        sdk: 'UserAuthorizationController.getUserAuthorizationByClientId',
        summary: 'Get an app’s access',
        description:
          'Returns the access that the signed-in user granted to this application. For the user’s own session and for apps owned by the operator.',
        access: alsoThePerson(user('$internal')),
        params: { clientId },
        returns: UserAuthorization,
        errors: ['ENTITY_NOT_FOUND'],
      },
      getUserAuthorizationByClientId,
    ),
    op(
      'DELETE /user-authorizations/{clientId}',
      {
        id: 'deleteUserAuthorization',
        sdk: 'UserAuthorizationController.deleteUserAuthorization',
        summary: 'Revoke an app’s access',
        description:
          'Revokes the access that the user granted to this application, and all of its tokens for the user, at once. For the user’s own session and for apps owned by the operator.',
        audit: 'access.revoke',
        access: alsoThePerson(user('$internal')),
        params: { clientId },
        returns: NoContent,
        errors: ['ENTITY_NOT_FOUND'],
      },
      deleteUserAuthorization,
    ),
    op(
      'GET /user-authorizations',
      {
        id: 'getUserAuthorizations',
        sdk: 'UserAuthorizationController.getUserAuthorizations',
        summary: 'List apps with access to your account',
        description:
          'Returns the applications that the signed-in user granted access to, with their scopes. For the user’s own session and for apps owned by the operator.',
        access: alsoThePerson(user('$internal')),
        params: pageParams,
        returns: pageOf(UserAuthorization, 'UserAuthorizationPage'),
        paginated: 'token',
      },
      getUserAuthorizations,
    ),
  ],
);

/** Revokes everything that a user granted an application: it must ask again, and its tokens for this user end now. */
export async function deleteUserAuthorization(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { clientId }: { clientId: string },
): Promise<void> {
  const userId = principalId(ctx.actor);
  // Grants and tokens belong to the system tenant; each statement names the user.
  await ctx.db.transaction('system', async (tx) => {
    if (!(await deleteAuthorization(tx, userId, clientId))) throw notFound('user authorization');
    await markGrantsRevoked(tx, { userId, clientId }, ctx.clock());
    await markTokensRevoked(tx, userId, clientId, ctx.clock());
  });
}

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'tx'>;

/**
 * Records what a user grants an application that requested it. It takes effect when the user's own browser returns with
 * the slug; until then nothing is granted.
 */
export async function createUserAuthorization(
  ctx: CreateContext,
  { slug, body }: { slug: string; body: UserAuthorizationScopes },
): Promise<UserAuthorization> {
  refusePrograms(ctx.actor);
  const request = await findAuthorizationRequest(ctx, slug);
  const userId = principalId(ctx.actor);
  const isOther = request?.userId !== undefined && request.userId !== userId;
  // For another user, and for a token issued for another request, this request is not found.
  if (request === undefined || isOther || !isFor(ctx.actor, slug)) throw notFound('authorization request');
  const scopes = canonicalScopes((body.scopes ?? []).join(' '));
  refuseUnrequestedScopes(scopes, request.scopes);
  return ctx.tx(async (tx) => {
    const now = ctx.clock();
    const expiresAt = addSeconds(now, lifetimes.interaction);
    await putDecision(tx, { slug_hash: hashSecret(slug), user_id: userId, scopes, expires_at: expiresAt });
    const isRemembered = body.rememberDecisions === true;
    const row = { user_id: userId, client_id: request.clientId, scopes, is_remembered: isRemembered };
    return toRecord(await putAuthorization(tx, row, now));
  });
}

/**
 * Otherwise, an application with some of a user's scopes could grant itself the others, by approving a request of its
 * own. Only a full login, or the consent page, can act for the user here.
 */
function refusePrograms(actor: Actor): void {
  if (actor.kind !== 'user' || actor.purpose !== undefined) return;
  const isOwn = actor.client === undefined || (actor.client.allowedScopes?.includes('$internal') ?? false);
  if (isOwn && actor.scopes.includes('$all')) return;
  throw new AppError('SCOPE_NOT_ALLOWED', 'Only the user can grant an application access, not another application.');
}

function isFor(actor: Actor, slug: string): boolean {
  const purpose = actor.kind === 'user' ? actor.purpose : undefined;
  return purpose === undefined || purpose === consentPurposeOf(slug);
}

function refuseUnrequestedScopes(scopes: readonly string[], requested: readonly string[]): void {
  const index = scopes.findIndex((scope) => !requested.includes(scope));
  if (index < 0) return;
  throw new AppError('VALIDATION_FAILED', `The application did not request the scope ${scopes[index]}.`, {
    details: [{ path: `/scopes/${index}`, code: 'scope', message: 'must be one of the requested scopes' }],
  });
}

export async function getUserAuthorizationByClientId(
  ctx: Pick<Context, 'actor' | 'tx'>,
  { clientId }: { clientId: string },
): Promise<UserAuthorization> {
  const row = await ctx.tx((tx) => selectAuthorization(tx, principalId(ctx.actor), clientId));
  if (row === undefined) throw notFound('user authorization');
  return toRecord(row);
}

export async function getUserAuthorizations(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>,
  request: PageRequest,
): Promise<Page<UserAuthorization>> {
  const { items, ...rest } = await paginate(ctx, request, {
    list: 'user-authorizations',
    read: (after, limit) => ctx.tx((tx) => listAuthorizations(tx, principalId(ctx.actor), after?.[0] ?? '', limit)),
    cursorOf: (row) => [row.client_id],
  });
  return { items: items.map(toRecord), ...rest };
}
