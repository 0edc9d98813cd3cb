import { hashSecret, type Tx } from '@latchkey/db';
import { putEndpoint } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import type { ClientAppFields } from './check-fields.ts';
import type { ClientAppAction, ClientApplication, ClientAppStatus } from './client-app.ts';
import { insertApp } from './queries.ts';
import { newApiKey, newClientSecret } from './secrets.ts';
import { toRecord } from './to-record.ts';

export interface Registration {
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
  const id = ctx.random.id();
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
