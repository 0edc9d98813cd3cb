import type { Tx } from '@latchkey/db';
import { findEndpoints, type WebhookEndpoint } from '../../services/webhooks/index.ts';
import type { ClientApplication } from './client-app.ts';
import type { StoredClientApp } from './queries.ts';

const classifier = 'CLIENT_APP';

/** Secrets that are returned once, in the response that created them. */
export interface NewSecrets {
  apiKey?: string | undefined;
  clientSecret?: string | undefined;
  secret?: string | undefined;
}

/** Converts a row to the API's record. */
export function toRecord(
  app: StoredClientApp,
  endpoint: WebhookEndpoint | undefined,
  secrets: NewSecrets = {},
): ClientApplication {
  return {
    id: app.id,
    createdTime: app.created_at.toISOString(),
    pk: app.organization_id ?? app.created_by_id,
    sk: `${classifier}#${app.id}`,
    classifier,
    classifierGroup: classifier,
    status: app.status,
    actions: app.actions,
    name: app.name,
    email: app.email ?? undefined,
    tenant: app.tenant ?? undefined,
    feedback: app.feedback ?? undefined,
    url: app.url ?? undefined,
    icon: app.icon ?? undefined,
    clientType: app.client_type,
    redirectUris: app.redirect_uris,
    allowedGrantTypes: app.allowed_grant_types,
    requestedScopes: app.requested_scopes,
    allowedScopes: app.allowed_scopes,
    disallowedScopes: app.disallowed_scopes,
    allowedOrigins: app.allowed_origins,
    allowedReferrers: app.allowed_referrers,
    allowedIpAddresses: app.allowed_ip_addresses,
    subscribeEvents: endpoint?.subscribeEvents ?? [],
    webhookUrl: endpoint?.url,
    createdByName: app.created_by_name ?? undefined,
    createdById: app.created_by_id,
    ...secrets,
  };
}

/** Returns the record of one application, with the secrets that were just created. */
export async function getRecord(tx: Tx, app: StoredClientApp, secrets?: NewSecrets): Promise<ClientApplication> {
  const endpoints = await findEndpoints(tx, [app.id]);
  return toRecord(app, endpoints.get(app.id), secrets);
}

/** Returns the records of several applications in the same order, with one query for all webhooks. */
export async function getRecords(tx: Tx, apps: readonly StoredClientApp[]): Promise<ClientApplication[]> {
  const ids = apps.map(({ id }) => id);
  const endpoints = await findEndpoints(tx, ids);
  return apps.map((app) => toRecord(app, endpoints.get(app.id)));
}
