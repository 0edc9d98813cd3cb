import type { Keyring, Sql, Tx } from '@latchkey/db';
import type { Clock, Random } from '@latchkey/kernel';
import type { EndpointRow } from './queries.ts';
import { oldSecretPlace, secretPlace } from './queries.ts';
import { formatWebhookSecret } from './sign.ts';

/** The webhook of an application, without its secret. */
export interface WebhookEndpoint {
  clientId: string;
  /** Absent for one without events, which still has a secret to sign callbacks. */
  url: string | undefined;
  subscribeEvents: string[];
  disabledAt: Date | undefined;
  disabledReason: string | undefined;
  /** Until then, messages are also signed with the previous secret. */
  oldSecretEndsAt: Date | undefined;
}

export interface NewWebhookEndpoint {
  clientId: string;
  ownerId: string;
  url: string | null;
  subscribeEvents: string[];
}

interface SecretContext {
  random: Random;
  keyring: Keyring;
}

function newSecret(random: Random): string {
  return formatWebhookSecret(random.bytes(32));
}

const columns = [
  'client_id',
  'url',
  'subscribe_events',
  'disabled_at',
  'disabled_reason',
  'old_secret_ends_at',
] as const;

function toEndpoint(row: Pick<EndpointRow, (typeof columns)[number]>): WebhookEndpoint {
  return {
    clientId: row.client_id,
    url: row.url ?? undefined,
    subscribeEvents: row.subscribe_events,
    disabledAt: row.disabled_at ?? undefined,
    disabledReason: row.disabled_reason ?? undefined,
    oldSecretEndsAt: row.old_secret_ends_at ?? undefined,
  };
}

/**
 * Sets the webhook of an application. The first call creates the signing secret and is the only one that returns it. A
 * new URL starts enabled, since it was the previous one that failed.
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
      old_secret: null,
      old_secret_ends_at: null,
      tested_at: null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return { endpoint: toEndpoint(row), secret };
}

/**
 * Replaces the signing secret of an application, or creates its first one, and returns it. With `oldEndsAt`, messages
 * are signed with both until then; otherwise the old secret, and one that was replaced before, end now.
 */
export async function resetEndpointSecret(
  ctx: SecretContext & { clock: Clock },
  tx: Tx,
  { clientId, ownerId, oldEndsAt }: Pick<NewWebhookEndpoint, 'clientId' | 'ownerId'> & { oldEndsAt?: Date | undefined },
): Promise<string> {
  const present = await tx
    .selectFrom('webhook_endpoints')
    .select('secret')
    .where('client_id', '=', clientId)
    .forUpdate()
    .executeTakeFirst();
  if (present === undefined) {
    const made = await putEndpoint(ctx, tx, { clientId, ownerId, url: null, subscribeEvents: [] });
    if (made.secret === undefined) throw new Error('A new endpoint has no secret.');
    return made.secret;
  }
  const secret = newSecret(ctx.random);
  const replaced = () =>
    ctx.keyring.seal(oldSecretPlace(clientId), ctx.keyring.openText(secretPlace(clientId), present.secret));
  await update(tx, clientId, {
    secret: ctx.keyring.seal(secretPlace(clientId), secret),
    old_secret: oldEndsAt === undefined ? null : replaced(),
    old_secret_ends_at: oldEndsAt ?? null,
  });
  return secret;
}

/**
 * Records that a test event is being sent. Returns false if that last happened after `before`: test events must not be
 * usable to flood a receiver.
 */
export async function claimTest(ctx: { clock: Clock }, tx: Tx, clientId: string, before: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_endpoints')
    .set({ tested_at: ctx.clock() })
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('tested_at', 'is', null), eb('tested_at', '<=', before)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stops deliveries to an application, or only those to one URL. Returns false if the endpoint does not exist. */
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
  query = url === undefined ? query.where('url', 'is not', null) : query.where('url', '=', url);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Returns false if the endpoint does not exist. */
export async function enableEndpoint(tx: Tx, clientId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_endpoints')
    .set({ disabled_at: null, disabled_reason: null })
    .where('client_id', '=', clientId)
    .where('url', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** For an application that is being deleted: pending events are still delivered, nothing new is added. */
export async function retireEndpoint(ctx: { clock: Clock }, tx: Tx, clientId: string): Promise<void> {
  await update(tx, clientId, { retired_at: ctx.clock() });
}

/** For an application that no longer wants events: pending ones are not sent either. Its secret stays. */
export async function dropEndpoint(tx: Tx, clientId: string): Promise<void> {
  await update(tx, clientId, { url: null, subscribe_events: [], disabled_at: null, disabled_reason: null });
}

/** Finds the endpoints of several applications, by client id. */
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
