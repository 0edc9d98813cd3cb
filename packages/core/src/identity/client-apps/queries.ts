import { asJson, type Hashed, type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import type { ClientAppAction, ClientAppStatus, ClientType, OauthSettings } from './client-app.ts';

/** A stored client application. */
export interface ClientAppRow {
  id: string;
  created_by_id: string;
  created_by_name: string | null;
  organization_id: string | null;
  name: string;
  email: string | null;
  tenant: string | null;
  feedback: string | null;
  url: string | null;
  icon: string | null;
  client_type: ClientType;
  redirect_uris: string[];
  allowed_grant_types: string[];
  requested_scopes: string[];
  allowed_scopes: string[];
  disallowed_scopes: string[];
  api_key_hash: Hashed;
  /** Null for the key that was created with the application. */
  api_key_made_at: Date | null;
  /** The replaced key, until it ends. */
  old_api_key_hash: Hashed | null;
  old_api_key_ends_at: Date | null;
  client_secret_hash: Hashed | null;
  allowed_origins: string[];
  allowed_referrers: string[];
  allowed_ip_addresses: string[];
  oauth_settings: OauthSettings;
  registration_token_hash: Hashed | null;
  /** Null unless the client id is the address of a document. */
  document_due_at: Date | null;
  status: ClientAppStatus;
  actions: ClientAppAction[];
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    client_apps: ClientAppRow;
  }
}

/** All columns except the hashes, which no response needs. */
const columns = [
  'id',
  'created_by_id',
  'created_by_name',
  'organization_id',
  'name',
  'email',
  'tenant',
  'feedback',
  'url',
  'icon',
  'client_type',
  'redirect_uris',
  'allowed_grant_types',
  'requested_scopes',
  'allowed_scopes',
  'disallowed_scopes',
  'allowed_origins',
  'allowed_referrers',
  'allowed_ip_addresses',
  'oauth_settings',
  'status',
  'actions',
  'created_at',
  'updated_at',
  'api_key_made_at',
  'old_api_key_ends_at',
] as const satisfies readonly (keyof ClientAppRow)[];

export type StoredClientApp = Pick<ClientAppRow, (typeof columns)[number]>;

// The driver would send a list as a PostgreSQL array, but this column is JSON.
/** Makes concurrent counts for the same organization or user wait until this transaction ends. */
export async function lockCount(tx: Tx, holderId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`client-apps:${holderId}`}, 0))`.execute(tx);
}

/** Counts the applications of an organization, or of a user outside any organization. */
export async function countApps(tx: Tx, ownerId: string, organizationId: string | undefined): Promise<number> {
  const query = tx.selectFrom('client_apps').select((eb) => eb.fn.countAll<number>().as('count'));
  const { count } = await (organizationId === undefined
    ? query.where('created_by_id', '=', ownerId).where('organization_id', 'is', null)
    : query.where('organization_id', '=', organizationId)
  ).executeTakeFirstOrThrow();
  return count;
}

export async function insertApp(tx: Tx, row: ClientAppRow): Promise<void> {
  await tx
    .insertInto('client_apps')
    .values({ ...row, actions: asJson(row.actions) })
    .execute();
}

export function findApp(db: Sql, id: string): Promise<StoredClientApp | undefined> {
  return db.selectFrom('client_apps').select(columns).where('id', '=', id).executeTakeFirst();
}

/** Reads an application and locks it until this transaction ends. */
export function findAppForUpdate(tx: Tx, id: string): Promise<StoredClientApp | undefined> {
  return tx.selectFrom('client_apps').select(columns).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateApp(
  tx: Tx,
  id: string,
  changes: Partial<Omit<ClientAppRow, 'id'>>,
): Promise<StoredClientApp> {
  const { actions, ...plain } = changes;
  return tx
    .updateTable('client_apps')
    .set(actions === undefined ? plain : { ...plain, actions: asJson(actions) })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Returns the hash of the current key, so that it can be kept as the old one. */
export async function getKeyHash(tx: Tx, id: string): Promise<Hashed> {
  const row = await tx.selectFrom('client_apps').select('api_key_hash').where('id', '=', id).executeTakeFirstOrThrow();
  return row.api_key_hash;
}

export async function deleteApp(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('client_apps').where('id', '=', id).execute();
}

/**
 * Returns the owners of applications, and prevents their deletion until this transaction ends. Missing ones are left
 * out.
 */
export async function keepOwners(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('client_apps')
    .select(['id', 'created_by_id'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.id, row.created_by_id]));
}

/** Lists the applications of one owner after `after`, newest first. */
export function listAppsOfOwner(
  tx: Tx,
  ownerId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<StoredClientApp[]> {
  let query = tx.selectFrom('client_apps').select(columns).where('created_by_id', '=', ownerId);
  if (after !== undefined) {
    const [createdAt, id] = after;
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id})`);
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export function listAppsOfOrganization(tx: Tx, organizationId: string, limit: number): Promise<StoredClientApp[]> {
  return tx
    .selectFrom('client_apps')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function listAppsByStatus(
  tx: Tx,
  status: ClientAppStatus | undefined,
  limit: number,
): Promise<StoredClientApp[]> {
  let query = tx.selectFrom('client_apps').select(columns);
  if (status !== undefined) query = query.where('status', '=', status);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export interface AppSearch {
  status?: ClientAppStatus | undefined;
  /** An id, or a case-insensitive prefix of the name. */
  search?: string | undefined;
}

/** Lists all applications after `after`, newest first. */
export function searchApps(
  tx: Tx,
  { status, search }: AppSearch,
  after: readonly string[] | undefined,
  limit: number,
): Promise<StoredClientApp[]> {
  let query = tx.selectFrom('client_apps').select(columns);
  if (status !== undefined) query = query.where('status', '=', status);
  if (search !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('id', '=', search),
        eb('created_by_id', '=', search),
        sql<boolean>`starts_with(lower(name), lower(${search}))`,
      ]),
    );
  if (after !== undefined) {
    const [createdAt, id] = after;
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id})`);
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Deletes a user's applications. Their keys and tokens stop working with the transaction. */
export const clientAppsErasure: Erasure = {
  columns: ['client_apps.created_by_id', 'client_apps.created_by_name', 'client_apps.email', 'client_apps.actions'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym, clientIds }) => {
    await tx
      .deleteFrom('client_apps')
      .where('id', '=', (eb) => eb.fn.any(eb.val([...clientIds])))
      .execute();
    // The user may have acted on an application owned by another user: clear them from its trail.
    const [named, unnamed] = [JSON.stringify(userId), JSON.stringify(pseudonym)];
    await sql`
      update client_apps set actions = replace(actions::text, ${named}, ${unnamed})::jsonb
      where strpos(actions::text, ${named}) > 0`.execute(tx);
  },
};

/** Returns the applications that a user created, in an organization or not. */
export async function clientIdsOf(db: Sql, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('client_apps').select('id').where('created_by_id', '=', userId).execute();
  return rows.map((row) => row.id);
}
