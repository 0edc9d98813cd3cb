import type { Keyring, Sql, Tx } from '@latchkey/db';
import type { Clock, Random } from '@latchkey/kernel';
import type { EndpointRow } from './queries.ts';
import { formatWebhookSecret } from './sign.ts';

/** Where an application hears of events, without its secret. */
export interface WebhookEndpoint {
  clientId: string;
  url: string;
  subscribeEvents: string[];
  disabledAt: Date | undefined;
  disabledReason: string | undefined;
}

export interface NewWebhookEndpoint {
  clientId: string;
  ownerId: string;
  url: string;
  subscribeEvents: string[];
}

interface SecretContext {
  random: Random;
  keyring: Keyring;
}

/** The place a secret is sealed for; its ciphertext opens nowhere else. */
export function secretPlace(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}

function newSecret(random: Random): string {
  return formatWebhookSecret(random.bytes(32));
}

const columns = ['client_id', 'url', 'subscribe_events', 'disabled_at', 'disabled_reason'] as const;

function toEndpoint(row: Pick<EndpointRow, (typeof columns)[number]>): WebhookEndpoint {
  return {
    clientId: row.client_id,
    url: row.url,
    subscribeEvents: row.subscribe_events,
    disabledAt: row.disabled_at ?? undefined,
    disabledReason: row.disabled_reason ?? undefined,
  };
}

/**
 * Sets where an application hears of events. The first call makes the signing secret and is the only one to answer with
 * it. Another address starts enabled, since it was the earlier one that refused.
 */
export async function putEndpoint(
  ctx: SecretContext & { clock: Clock },
  tx: Tx,
  { clientId, ownerId, url, subscribeEvents }: NewWebhookEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: string | undefined }> {
  const present = await tx
    .selectFrom('webhook_endpoints')
    .select('url')
    .where('client_id', '=', clientId)
    .forUpdate()
    .executeTakeFirst();
  if (present !== undefined) {
    const enabled = present.url === url ? {} : { disabled_at: null, disabled_reason: null };
    const row = await tx
      .updateTable('webhook_endpoints')
      .set({ url, subscribe_events: subscribeEvents, ...enabled })
      .where('client_id', '=', clientId)
      .returning(columns)
      .executeTakeFirstOrThrow();
    return { endpoint: toEndpoint(row), secret: undefined };
  }
  const secret = newSecret(ctx.random);
  const row = await tx
    .insertInto('webhook_endpoints')
    .values({
      client_id: clientId,
      owner_id: ownerId,
      url,
      secret: ctx.keyring.seal(secretPlace(clientId), secret),
      subscribe_events: subscribeEvents,
      created_at: ctx.clock(),
      disabled_at: null,
      disabled_reason: null,
      retired_at: null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return { endpoint: toEndpoint(row), secret };
}

/** Replaces the signing secret and answers with the new one, or undefined when the application has no endpoint. */
export async function resetEndpointSecret(ctx: SecretContext, tx: Tx, clientId: string): Promise<string | undefined> {
  const secret = newSecret(ctx.random);
  const sealed = ctx.keyring.seal(secretPlace(clientId), secret);
  return (await update(tx, clientId, { secret: sealed })) ? secret : undefined;
}

/** Stops deliveries to an application, or only those to one address. Answers false when there is no such endpoint. */
export async function disableEndpoint(
  ctx: { clock: Clock },
  tx: Tx,
  clientId: string,
  reason: string,
  url?: string,
): Promise<boolean> {
  let query = tx
    .updateTable('webhook_endpoints')
    .set({ disabled_at: ctx.clock(), disabled_reason: reason })
    .where('client_id', '=', clientId);
  if (url !== undefined) query = query.where('url', '=', url);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

export function enableEndpoint(tx: Tx, clientId: string): Promise<boolean> {
  return update(tx, clientId, { disabled_at: null, disabled_reason: null });
}

/** For an application that is being deleted: what is on its way still arrives, nothing new is added. */
export async function retireEndpoint(ctx: { clock: Clock }, tx: Tx, clientId: string): Promise<void> {
  await update(tx, clientId, { retired_at: ctx.clock() });
}

/** For an application that no longer wants events: what is on its way is not sent either. */
export async function dropEndpoint(tx: Tx, clientId: string): Promise<void> {
  await tx.deleteFrom('webhook_endpoints').where('client_id', '=', clientId).execute();
}

/** The endpoints of several applications, by client id. */
export async function findEndpoints(db: Sql, clientIds: readonly string[]): Promise<Map<string, WebhookEndpoint>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db.selectFrom('webhook_endpoints').select(columns).where('client_id', 'in', clientIds).execute();
  return new Map(rows.map((row) => [row.client_id, toEndpoint(row)]));
}

async function update(tx: Tx, clientId: string, changes: Partial<EndpointRow>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_endpoints')
    .set(changes)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
