import { asJson, type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import type { SignatureKind } from './action-signature.ts';
import type { MiniAppAction, MiniAppStatus } from './mini-app.ts';
import type { AppProfile } from './profile.ts';

export interface MiniAppRow {
  id: string;
  organization_id: string;
  created_by_id: string;
  name: string;
  description: string;
  icon: string | null;
  feedback: string | null;
  url: string | null;
  platforms: string[];
  metadata: Record<string, unknown>;
  status: MiniAppStatus;
  actions: MiniAppAction[];
  public_key: string;
  private_key: Sealed;
  profile: AppProfile | null;
  probed_at: Date | null;
  /** The signatures it was found to verify; null for one that was never probed. */
  signature: SignatureKind | null;
  /** When its signatures were last detected, after a refusal or because its owner started a probe. */
  tried_at: Date | null;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    mini_apps: MiniAppRow;
  }
}

export function selectMiniApp(db: Sql, id: string): Promise<MiniAppRow | undefined> {
  return db.selectFrom('mini_apps').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function namesOfMiniApps(db: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('mini_apps')
    .select(['id', 'name'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Makes concurrent changes of the same mini-app wait until this transaction ends. */
export function lockMiniApp(tx: Tx, id: string): Promise<MiniAppRow | undefined> {
  return tx.selectFrom('mini_apps').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function selectMiniAppsOf(db: Sql, organizationId: string): Promise<MiniAppRow[]> {
  return db
    .selectFrom('mini_apps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function selectMiniAppsBy(db: Sql, status: MiniAppStatus | undefined): Promise<MiniAppRow[]> {
  const all = db.selectFrom('mini_apps').selectAll().orderBy('created_at').orderBy('id');
  return (status === undefined ? all : all.where('status', '=', status)).execute();
}

export interface MiniAppSearch {
  status?: MiniAppStatus | undefined;
  /** An id, or a case-insensitive prefix of the name. */
  search?: string | undefined;
}

/** Lists all mini-apps after `after`, newest first. */
export function searchMiniApps(
  db: Sql,
  { status, search }: MiniAppSearch,
  after: readonly string[] | undefined,
  limit: number,
): Promise<MiniAppRow[]> {
  let query = db.selectFrom('mini_apps').selectAll();
  if (status !== undefined) query = query.where('status', '=', status);
  if (search !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('id', '=', search),
        eb('organization_id', '=', search),
        sql<boolean>`starts_with(lower(name), lower(${search}))`,
      ]),
    );
  if (after !== undefined) {
    const [createdAt, id] = after;
    query = query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id})`);
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Serializes counting, so that of twenty concurrent requests not all see room for one more. */
export async function countMiniApps(tx: Tx, organizationId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`mini-apps:${organizationId}`}, 0))`.execute(tx);
  const row = await tx
    .selectFrom('mini_apps')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', '<>', 'REVOKED')
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function insertMiniApp(tx: Tx, row: MiniAppRow): Promise<void> {
  await tx
    .insertInto('mini_apps')
    .values({
      ...row,
      metadata: asJson(row.metadata),
      actions: asJson(row.actions),
      profile: row.profile && asJson(row.profile),
    })
    .execute();
}

export type MiniAppChange = Partial<
  Pick<
    MiniAppRow,
    | 'name'
    | 'description'
    | 'icon'
    | 'url'
    | 'status'
    | 'public_key'
    | 'private_key'
    | 'profile'
    | 'probed_at'
    | 'signature'
    | 'actions'
  >
>;

export async function updateMiniApp(tx: Tx, id: string, change: MiniAppChange): Promise<MiniAppRow> {
  const { actions, profile, ...plain } = change;
  return tx
    .updateTable('mini_apps')
    .set({
      ...plain,
      ...(actions !== undefined && { actions: asJson(actions) }),
      ...(profile !== undefined && { profile: profile && asJson(profile) }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Records that an app is being probed. Returns false if that last happened after `before`: an app must not be called in
 * a loop.
 */
export async function claimTry(db: Sql, id: string, now: Date, before: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mini_apps')
    .set({ tried_at: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('tried_at', 'is', null), eb('tried_at', '<=', before)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setSignature(db: Sql, id: string, signature: SignatureKind): Promise<void> {
  await db.updateTable('mini_apps').set({ signature }).where('id', '=', id).execute();
}

export async function deleteMiniAppRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('mini_apps').where('id', '=', id).execute();
}

export function selectDueProbes(db: Sql, probedBefore: Date, limit: number): Promise<{ id: string }[]> {
  return db
    .selectFrom('mini_apps')
    .select('id')
    .where('status', '=', 'LISTED')
    .where((eb) => eb.or([eb('probed_at', 'is', null), eb('probed_at', '<=', probedBefore)]))
    .orderBy('probed_at')
    .limit(limit)
    .execute();
}
