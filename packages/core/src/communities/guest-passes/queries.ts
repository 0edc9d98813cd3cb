import { type RawBuilder, type Sql, sql } from '@latchkey/db';
import type { Generated } from 'kysely';

export interface PassRole {
  id: string;
  name?: string | undefined;
  color?: number | undefined;
}

export interface GuestPassRow {
  id: string;
  community_id: string;
  name: string;
  description: string | null;
  role_set: PassRole[];
  status: 'active' | 'inactive';
  period_seconds: number;
  created_by_id: string;
  created_at: Date;
  deleted_at: Date | null;
}

export interface GrantRow {
  id: string;
  pass_id: string;
  community_id: string;
  user_id: string;
  role_ids: string[];
  given_role_ids: string[];
  issued_by_id: string;
  issued_at: Date;
  ends_at: Date;
  ended_at: Date | null;
  applied_at: Date | null;
  problem: string | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    guest_passes: GuestPassRow;
    guest_pass_grants: Omit<GrantRow, 'given_role_ids'> & { given_role_ids: Generated<string[]> };
  }
}

export async function insertPass(db: Sql, row: GuestPassRow): Promise<void> {
  await db
    .insertInto('guest_passes')
    .values({ ...row, role_set: sql<PassRole[]>`${JSON.stringify(row.role_set)}::jsonb` })
    .execute();
}

export function selectPasses(db: Sql, communityId: string): Promise<GuestPassRow[]> {
  return db
    .selectFrom('guest_passes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Changes what a pass grants to those who get it from now on. */
export async function updatePass(
  db: Sql,
  id: string,
  { role_set, ...change }: Pick<GuestPassRow, 'name' | 'description' | 'role_set' | 'status' | 'period_seconds'>,
): Promise<void> {
  await db
    .updateTable('guest_passes')
    .set({ ...change, role_set: sql<PassRole[]>`${JSON.stringify(role_set)}::jsonb` })
    .where('id', '=', id)
    .execute();
}

export function lockPass(db: Sql, communityId: string, id: string): Promise<GuestPassRow | undefined> {
  return db
    .selectFrom('guest_passes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export async function markDeleted(db: Sql, id: string, at: Date): Promise<void> {
  await db.updateTable('guest_passes').set({ deleted_at: at, status: 'inactive' }).where('id', '=', id).execute();
}

/** Extends the member's existing grant, or creates one. Returns the grant's id. */
export async function putGrant(db: Sql, row: Omit<GrantRow, 'given_role_ids'>): Promise<string> {
  const { id } = await db
    .insertInto('guest_pass_grants')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['pass_id', 'user_id'])
        .where('ended_at', 'is', null)
        .doUpdateSet({ ends_at: row.ends_at, issued_by_id: row.issued_by_id, role_ids: row.role_ids }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The holders of a pass, earliest expiry first. */
export function selectHolders(
  db: Sql,
  passId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<GrantRow[]> {
  const [endsAt, id] = after ?? [];
  return db
    .selectFrom('guest_pass_grants')
    .selectAll()
    .where('pass_id', '=', passId)
    .where('ended_at', 'is', null)
    .$if(endsAt !== undefined, (query) => query.where(sql<boolean>`(ends_at, id) > (${endsAt}::timestamptz, ${id})`))
    .orderBy('ends_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Ends grants that have expired, or all grants of one pass or of one holder, and returns them. */
export function endGrants(
  db: Sql,
  which: { dueAt: Date } | { passId: string; userId?: string; at: Date },
  limit: number,
): Promise<GrantRow[]> {
  const due = db
    .selectFrom('guest_pass_grants')
    .select('id')
    .where('ended_at', 'is', null)
    .where((eb) => ('passId' in which ? eb('pass_id', '=', which.passId) : eb('ends_at', '<=', which.dueAt)))
    .$if('passId' in which && which.userId !== undefined, (query) =>
      query.where('user_id', '=', 'passId' in which ? (which.userId ?? '') : ''),
    )
    .orderBy('id')
    .limit(limit)
    .forUpdate();
  return db
    .updateTable('guest_pass_grants')
    .set({ ended_at: 'passId' in which ? which.at : which.dueAt })
    .where('id', 'in', due)
    .returningAll()
    .execute();
}

export function selectGrant(db: Sql, id: string): Promise<GrantRow | undefined> {
  return db.selectFrom('guest_pass_grants').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateGrant(
  db: Sql,
  id: string,
  change: Partial<Pick<GrantRow, 'applied_at' | 'problem'>>,
): Promise<void> {
  await db.updateTable('guest_pass_grants').set(change).where('id', '=', id).execute();
}

/** Records roles as granted by a pass, so that they are removed when it ends. */
export async function addGrantedRoles(db: Sql, id: string, roleIds: readonly string[]): Promise<void> {
  await sql`
    update guest_pass_grants
    set given_role_ids = array(select distinct unnest(given_role_ids || ${[...roleIds]}::text[]))
    where id = ${id}`.execute(db);
}

/** The active grants of members, one row each. */
export function selectRunning(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
  now: Date,
): Promise<Pick<GrantRow, 'id' | 'pass_id' | 'user_id' | 'role_ids'>[]> {
  return db
    .selectFrom('guest_pass_grants')
    .select(['id', 'pass_id', 'user_id', 'role_ids'])
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .where('ended_at', 'is', null)
    .where('ends_at', '>', now)
    .orderBy('id')
    .execute();
}

/** The active grants of these passes. */
export function selectRunningOf(
  db: Sql,
  passIds: readonly string[],
): Promise<Pick<GrantRow, 'pass_id' | 'user_id' | 'given_role_ids'>[]> {
  return db
    .selectFrom('guest_pass_grants')
    .select(['pass_id', 'user_id', 'given_role_ids'])
    .where('pass_id', '=', (eb) => eb.fn.any(eb.val([...passIds])))
    .where('ended_at', 'is', null)
    .execute();
}

/** A condition: whether a user holds an active guest pass of a community. */
export function holdsGuestPass(user: RawBuilder<unknown>, communityId: string, now: Date) {
  return sql<boolean>`exists (
    select from guest_pass_grants g
    where g.community_id = ${communityId} and g.user_id = ${user} and g.ended_at is null and g.ends_at > ${now})`;
}

/** The guest passes that one member was given, newest first, with their names. */
export async function selectGrantsOf(
  db: Sql,
  communityId: string,
  userId: string,
  limit: number,
): Promise<
  (Pick<GrantRow, 'id' | 'role_ids' | 'issued_by_id' | 'issued_at' | 'ends_at' | 'ended_at'> & { name: string })[]
> {
  return db
    .selectFrom('guest_pass_grants as g')
    .innerJoin('guest_passes as p', 'p.id', 'g.pass_id')
    .select(['g.id', 'p.name', 'g.role_ids', 'g.issued_by_id', 'g.issued_at', 'g.ends_at', 'g.ended_at'])
    .where('g.community_id', '=', communityId)
    .where('g.user_id', '=', userId)
    .orderBy('g.issued_at', 'desc')
    .orderBy('g.id', 'desc')
    .limit(limit)
    .execute();
}
