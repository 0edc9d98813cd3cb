import type { Tx } from '@latchkey/db';
import { notFound, owner, type Page, principalId } from '@latchkey/kernel';
import type { PlanLimits } from '../../services/subscription-plans/index.ts';
import { findEndpoints, type WebhookEndpoint } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { ownOrganization, planOfOrganization } from '../organizations/index.ts';
import type { ClientApplication, ClientAppStatus } from './client-app.ts';
import {
  type AppSearch,
  countApps,
  findApp,
  listAppsByStatus,
  listAppsOfOrganization,
  listAppsOfOwner,
  type StoredClientApp,
  searchApps,
} from './queries.ts';
import { assertOperator } from './status.ts';

type ReadContext = Pick<Context, 'actor' | 'tx'>;

const maxListed = 1000;

/** Returns the owner of an application, before the caller's access to it is checked. */
export async function ownerOfClientApp(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return (await findApp(ctx.db.system, id))?.created_by_id;
}

export async function findOwn(
  ctx: ReadContext & Pick<Context, 'clock' | 'keyring' | 'random'>,
  request: PageRequest,
): Promise<Page<ClientApplication>> {
  const ownerId = principalId(ctx.actor);
  return ctx.tx(async (tx) => {
    const page = await paginate(ctx, request, {
      list: 'client-apps',
      read: (after, limit) => listAppsOfOwner(tx, ownerId, after, limit),
      cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
    });
    return { ...page, items: await getRecords(tx, page.items) };
  });
}

export async function getById(ctx: ReadContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await findApp(tx, id);
    if (app === undefined) throw notFound('client application');
    return getRecord(tx, app);
  });
}

export async function listOfOrganization(
  ctx: ReadContext,
  { organizationId }: { organizationId: string },
): Promise<ClientApplication[]> {
  return ctx.tx(async (tx) => {
    const { id } = await ownOrganization(ctx, tx, organizationId);
    return getRecords(tx, await listAppsOfOrganization(tx, id, maxListed));
  });
}

/** Lists every application of the installation for the operator, newest first. */
export async function listClientApps(
  ctx: ReadContext,
  { status }: { status?: ClientAppStatus | undefined } = {},
): Promise<ClientApplication[]> {
  assertOperator(ctx.actor);
  return ctx.tx(async (tx) => getRecords(tx, await listAppsByStatus(tx, status, maxListed)));
}

/** Returns a page of all applications for the operator, newest first. */
export async function pageOfClientApps(
  ctx: ReadContext & Pick<Context, 'clock' | 'keyring' | 'random'>,
  { status, search, ...request }: PageRequest & AppSearch,
): Promise<Page<ClientApplication>> {
  assertOperator(ctx.actor);
  return ctx.tx(async (tx) => {
    const page = await paginate(ctx, request, {
      list: `all-client-apps:${JSON.stringify([status ?? null, search ?? null])}`,
      read: (after, limit) => searchApps(tx, { status, search }, after, limit),
      cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
    });
    return { ...page, items: await getRecords(tx, page.items) };
  });
}

const classifier = 'CLIENT_APP';

/** Secrets that are returned once, in the response that created them. */
interface NewSecrets {
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
async function getRecords(tx: Tx, apps: readonly StoredClientApp[]): Promise<ClientApplication[]> {
  const ids = apps.map(({ id }) => id);
  const endpoints = await findEndpoints(tx, ids);
  return apps.map((app) => toRecord(app, endpoints.get(app.id)));
}

/** Grants access to the owner of the application in a parameter. */
export const ownApp = (param: string) => owner<Context>(param, 'client application', ownerOfClientApp);

/**
 * Returns what the plan of an application allows and how many applications count against it; undefined if the caller
 * does not own the application.
 */
export async function findPlanOfApp(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  tx: Tx,
  id: string,
): Promise<{ plan: PlanLimits; apps: number; keyMadeAt: Date } | undefined> {
  const app = await findApp(tx, id);
  if (app === undefined) return undefined;
  const organizationId = app.organization_id ?? undefined;
  return {
    plan: await planOfOrganization(ctx, tx, organizationId),
    apps: await countApps(tx, app.created_by_id, organizationId),
    keyMadeAt: app.api_key_made_at ?? app.created_at,
  };
}
