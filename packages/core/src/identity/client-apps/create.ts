import { enqueue, hashSecret, type Tx } from '@latchkey/db';
import { AppError, notFound, principalId } from '@latchkey/kernel';
import { putEndpoint } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { ownOrganization, planOfOrganization, requireVerified } from '../organizations/index.ts';
import { type ClientAppFields, checkFields, checkScopes, ownerGrantTypes } from './check-fields.ts';
import type {
  ClientAppAction,
  ClientApplication,
  ClientApplicationCreate,
  ClientAppStatus,
  ClientType,
} from './client-app.ts';
import { openTrial } from './jobs.ts';
import { countApps, insertApp, lockCount } from './queries.ts';
import { toRecord } from './reads.ts';
import { newApiKey, newClientSecret } from './secrets.ts';
import { actionOf, assertOperator } from './status.ts';

type CreateContext = Pick<Context, 'actor' | 'tx' | 'db' | 'clock' | 'random' | 'keyring' | 'settings'>;

/** Creates an application that waits for the operator's approval. Status and scopes in the body are ignored. */
export async function create(
  ctx: CreateContext,
  { body }: { body: ClientApplicationCreate },
): Promise<ClientApplication> {
  const fields = checkFields(withLogins(body), ownerGrantTypes);
  const ownerId = principalId(ctx.actor);
  const ownerName = ctx.actor.kind === 'user' || ctx.actor.kind === 'admin' ? ctx.actor.name : undefined;
  return ctx.tx(async (tx) => {
    const organizationId = await organizationOf(ctx, tx, body.pk);
    await requireRoom(ctx, tx, ownerId, organizationId);
    const app = await register(ctx, tx, {
      fields,
      ownerId,
      ownerName,
      organizationId,
      status: 'PENDING',
      allowedScopes: [],
      actions: [actionOf(ctx, 'create')],
    });
    if (app.id !== undefined && (ctx.settings.trialScopes ?? []).length > 0)
      await enqueue(tx, openTrial, { id: app.id });
    return app;
  });
}

/** Redirect URIs without grant types imply the usual login grants. */
function withLogins(body: ClientApplicationCreate): ClientApplicationCreate {
  const isMeant = (body.redirectUris ?? []).length > 0 && body.clientType !== 'apiKey';
  if (body.allowedGrantTypes !== undefined || !isMeant) return body;
  return { ...body, allowedGrantTypes: ['authorization_code', 'refresh_token'] };
}

/** Returns the verified organization in the request, if any. The caller's own id means none. */
async function organizationOf(ctx: CreateContext, tx: Tx, pk: string | undefined): Promise<string | undefined> {
  const ownerId = principalId(ctx.actor);
  if (pk === undefined || pk === ownerId) return undefined;
  const organization = await ownOrganization(ctx, tx, pk);
  // The operator sees every organization, but an application must belong to the same owner as its organization.
  if (organization.created_by_id !== ownerId) throw notFound('organization');
  requireVerified(organization);
  return organization.id;
}

// Locks before counting: of twenty concurrent requests, each sees what the previous one added.
async function requireRoom(
  ctx: CreateContext,
  tx: Tx,
  ownerId: string,
  organizationId: string | undefined,
): Promise<void> {
  await lockCount(tx, organizationId ?? ownerId);
  const { maxApiKeys, name } = await planOfOrganization(ctx, tx, organizationId);
  if ((await countApps(tx, ownerId, organizationId)) < maxApiKeys) return;
  throw new AppError(
    'PLAN_LIMIT_REACHED',
    `The plan ${name} allows ${maxApiKeys} client applications. Delete one, or upgrade your plan.`,
  );
}

interface Registration {
  /** Defaults to a new one. */
  id?: string;
  fields: ClientAppFields;
  ownerId: string;
  ownerName: string | undefined;
  organizationId: string | undefined;
  status: ClientAppStatus;
  allowedScopes: string[];
  actions: ClientAppAction[];
}

/** Stores a new application and returns its record, the only one that ever shows its secrets. */
export async function register(
  ctx: Pick<Context, 'clock' | 'random' | 'keyring'>,
  tx: Tx,
  registration: Registration,
): Promise<ClientApplication> {
  const { fields, ownerId } = registration;
  const { id = ctx.random.id() } = registration;
  const apiKey = newApiKey(ctx.random, id);
  const clientSecret = fields.clientType === 'confidential' ? newClientSecret(ctx.random) : undefined;
  const now = ctx.clock();
  const app = {
    id,
    created_by_id: ownerId,
    created_by_name: registration.ownerName ?? null,
    organization_id: registration.organizationId ?? null,
    tenant: null,
    ...toColumns(fields),
    requested_scopes: registration.allowedScopes,
    allowed_scopes: registration.allowedScopes,
    disallowed_scopes: [],
    api_key_hash: hashSecret(apiKey),
    api_key_made_at: null,
    old_api_key_hash: null,
    old_api_key_ends_at: null,
    client_secret_hash: clientSecret === undefined ? null : hashSecret(clientSecret),
    oauth_settings: {},
    registration_token_hash: null,
    document_due_at: null,
    status: registration.status,
    actions: registration.actions,
    created_at: now,
    updated_at: now,
  };
  await insertApp(tx, app);
  const { endpoint, secret } = await putEndpoint(ctx, tx, {
    clientId: id,
    ownerId,
    url: fields.webhookUrl,
    subscribeEvents: fields.subscribeEvents,
  });
  return toRecord(app, endpoint, { apiKey, clientSecret, secret });
}

/** Converts the validated fields to columns. */
export function toColumns(fields: ClientAppFields) {
  return {
    name: fields.name,
    email: fields.email,
    feedback: fields.feedback,
    url: fields.url,
    icon: fields.icon,
    client_type: fields.clientType,
    redirect_uris: fields.redirectUris,
    allowed_grant_types: fields.allowedGrantTypes,
    allowed_origins: fields.allowedOrigins,
    allowed_referrers: fields.allowedReferrers,
    allowed_ip_addresses: fields.allowedIpAddresses,
  };
}

export interface DevelopmentApp {
  /** The future owner. */
  userId: string;
  name: string;
  scopes: readonly string[];
  /** The redirect URIs. Without any, the application only calls with its key. */
  redirectUris?: readonly string[];
  /** For an application that signs users in. Defaults to confidential. */
  clientType?: Exclude<ClientType, 'apiKey'>;
}

/** Creates an approved application whose key works at once, for the operator to try things out. */
export async function createDevelopmentApp(
  ctx: Pick<Context, 'actor' | 'tx' | 'clock' | 'random' | 'keyring'>,
  { userId, name, scopes, redirectUris = [], clientType = 'confidential' }: DevelopmentApp,
): Promise<ClientApplication> {
  assertOperator(ctx.actor);
  const logins = { clientType, redirectUris: [...redirectUris], allowedGrantTypes: grantTypesOf(clientType) };
  const fields = checkFields(
    { name, ...(redirectUris.length > 0 ? logins : { clientType: 'apiKey' }) },
    ownerGrantTypes,
  );
  const allowedScopes = checkScopes('scopes', scopes);
  return ctx.tx((tx) =>
    register(ctx, tx, {
      fields,
      ownerId: userId,
      ownerName: undefined,
      organizationId: undefined,
      status: 'APPROVED',
      allowedScopes,
      actions: [actionOf(ctx, 'create'), actionOf(ctx, 'approve', 'Created for development.')],
    }),
  );
}

/** A public application cannot authenticate itself, so it gets no token of its own. */
function grantTypesOf(clientType: ClientType): string[] {
  return ownerGrantTypes.filter((grantType) => clientType === 'confidential' || grantType !== 'client_credentials');
}
