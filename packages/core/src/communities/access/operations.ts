import {
  type AppError,
  listOf,
  NoContent,
  notFound,
  op,
  optional,
  principalId,
  record,
  type Scope,
  shape,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import { clientIdLimit, findClientRef, namesOfApps } from '../../identity/client-apps/index.ts';
import { communityIdField, communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { getCommunity } from '../community-records/index.ts';
import { communityAdmin, confirmedCommunityAdmin } from './guards.ts';
import { type ApplicationAccessRow, deleteAccess, putAccess, selectAccessOf } from './queries.ts';

/** What an application gets if no scopes are given: read access only. */
const readingScopes = [
  'community:read',
  'community:analytics',
  'discord:guild',
  'discord:user',
  'token-gating',
] as const satisfies readonly Scope[];
/** Scopes that must be granted explicitly. */
const actingScopes = [
  'discord:message',
  'role-manager',
  'rules:plan',
  'rules:apply',
  'rules:brakes',
] as const satisfies readonly Scope[];
const grantableScopes: readonly Scope[] = [...readingScopes, ...actingScopes];

const ApplicationAccess = record('ApplicationAccess', 'What a client application may do in a community.', {
  communityId: communityIdField(),
  clientId: text('The client application.', { maxLength: clientIdLimit }),
  name: T.Optional(text('The name of the application.', { maxLength: 200 })),
  scopes: texts('The scopes that it may use in this community.', { maxLength: 64 }),
  grantedById: text('The admin who granted it.', { maxLength: 128 }),
  grantedTime: text('When, as an ISO 8601 time.', { maxLength: 32 }),
});
type ApplicationAccess = ValueOf<typeof ApplicationAccess>;

type AccessContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

export async function listApplicationAccess(
  ctx: AccessContext,
  { communityId }: { communityId: string },
): Promise<ApplicationAccess[]> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const rows = await selectAccessOf(ctx.db.system, community.id);
  const names = await namesOfApps(
    ctx.db.system,
    rows.map(({ client_id }) => client_id),
  );
  return rows.map((row) => toRecord(row, names.get(row.client_id)?.name));
}

/** Grants an application access to a community. Granting it again replaces the scopes. */
export async function grantApplicationAccess(
  ctx: AccessContext,
  { communityId, clientId, body = {} }: { communityId: string; clientId: string; body?: { scopes?: string[] } },
): Promise<ApplicationAccess> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const found = await findClientRef(ctx.db.pool, clientId);
  if (found === undefined) throw notFound('client application');
  const row = {
    community_id: community.id,
    client_id: found.client.id,
    scopes: checkScopes(body.scopes, found.client.allowedScopes),
    granted_by_id: principalId(ctx.actor),
    granted_at: ctx.clock(),
  };
  await ctx.db.transaction('system', (tx) => putAccess(tx, row));
  return toRecord(row, found.client.name);
}

export async function revokeApplicationAccess(
  ctx: AccessContext,
  { communityId, clientId }: { communityId: string; clientId: string },
): Promise<void> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const isGone = await ctx.db.transaction('system', (tx) => deleteAccess(tx, community.id, clientId));
  if (!isGone) throw notFound('client application');
}

function checkScopes(request: readonly string[] | undefined, allowed: readonly string[] | null): string[] {
  const isHeld = (scope: string) => allowed === null || allowed.includes('$all') || allowed.includes(scope);
  const scopes = request === undefined ? readingScopes.filter(isHeld) : [...new Set(request)];
  const unknown = scopes.find((scope) => !grantableScopes.some((known) => known === scope));
  if (unknown !== undefined)
    throw wrong(`cannot contain ${JSON.stringify(unknown)}: choose from ${grantableScopes.join(', ')}`);
  const lacking = scopes.filter((scope) => !isHeld(scope));
  if (lacking.length > 0)
    throw wrong(`contains scopes that the operator did not grant the application: ${lacking.join(', ')}`);
  if (scopes.length === 0)
    throw wrong(
      `must name a scope that the application has: ${grantableScopes.filter(isHeld).join(', ') || 'it has none of these'}`,
    );
  return scopes;
}

function wrong(message: string): AppError {
  return refuse('/scopes', message, 'scopes');
}

function toRecord(row: ApplicationAccessRow, name: string | undefined): ApplicationAccess {
  return {
    communityId: row.community_id,
    clientId: row.client_id,
    name,
    scopes: row.scopes,
    grantedById: row.granted_by_id,
    grantedTime: row.granted_at.toISOString(),
  };
}

const clientParam = T.String({ description: 'The client id of the application.', minLength: 1, maxLength: 64 });

export const applicationAccessOperations = [
  op(
    'GET /latchkey/communities/{communityId}/applications',
    {
      id: 'listApplicationAccess',
      summary: 'List applications with access',
      description: 'Returns the client applications that have access to the community, with their scopes there.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: listOf(ApplicationAccess, 'The applications, oldest grant first.'),
    },
    listApplicationAccess,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/applications/{clientId}',
    {
      id: 'grantApplicationAccess',
      summary: 'Grant an application access',
      description: `Lets a client application use its API key in the community, even if another user owns it. Without a body it gets read access: ${readingScopes.join(', ')}, as far as the operator granted these to it. Only a signed-in admin can do this, not an application on their behalf. Granting access again replaces the scopes.`,
      audit: 'community.access-grant',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId: communityParam, clientId: clientParam },
      body: optional(
        shape(
          T.Object({
            scopes: T.Optional(
              texts(`What it may do in the community: ${grantableScopes.join(', ')}.`, { maxLength: 64 }),
            ),
          }),
        ),
      ),
      readAt: '/latchkey/communities/{communityId}/applications',
      returns: ApplicationAccess,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    grantApplicationAccess,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/applications/{clientId}',
    {
      id: 'revokeApplicationAccess',
      summary: 'Revoke an application’s access',
      description: 'Ends the access of a client application to the community. Its API key stops working there at once.',
      audit: 'community.access-revoke',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId: communityParam, clientId: clientParam },
      readAt: '/latchkey/communities/{communityId}/applications',
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    revokeApplicationAccess,
  ),
] as const;
