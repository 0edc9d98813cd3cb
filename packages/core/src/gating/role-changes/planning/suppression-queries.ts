import { type Sql, sql, type Tx } from '@latchkey/db';
import '../tables.ts';

export interface Pair {
  userId: string;
  roleId: string;
}

/** Suppresses changes of these pairs until an admin requests a check of them or a rule of their role changes. */
export async function suppressPairs(
  tx: Tx,
  communityId: string,
  changeSetId: string,
  pairs: readonly Pair[],
  now: Date,
): Promise<void> {
  if (pairs.length === 0) return;
  await sql`
    insert into role_suppressions (community_id, user_id, role_id, change_set_id, since)
    select ${communityId}, "userId", "roleId", ${changeSetId}, ${now}
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p ("userId" text, "roleId" text)
    on conflict (community_id, user_id, role_id) do update set change_set_id = excluded.change_set_id, since = excluded.since`.execute(
    tx,
  );
}

/** Ends the suppressions that one undo left for these pairs. */
export async function resumePairs(
  tx: Tx,
  communityId: string,
  changeSetId: string,
  pairs: readonly Pair[],
): Promise<void> {
  const refs = pairs.map(({ userId, roleId }) => ({ userId, roleId }));
  await sql`
    delete from role_suppressions s using jsonb_to_recordset(${JSON.stringify(refs)}::jsonb) as p ("userId" text, "roleId" text)
    where s.community_id = ${communityId} and s.change_set_id = ${changeSetId}
      and s.user_id = p."userId" and s.role_id = p."roleId"`.execute(tx);
}

/** The suppressed pairs of these members, as `user/role`. */
export async function selectSuppressed(db: Sql, communityId: string, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('role_suppressions')
    .select(['user_id', 'role_id'])
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .execute();
  return new Set(rows.map((row) => pairKey({ userId: row.user_id, roleId: row.role_id })));
}

export function pairKey({ userId, roleId }: Pair): string {
  return `${userId}/${roleId}`;
}

/** Ends the suppressions of these members. */
export async function resumeMembers(tx: Tx, communityId: string, userIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('role_suppressions')
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .execute();
}

/** Ends the suppressions of these roles, or of every role. */
export async function resumeRoles(tx: Tx, communityId: string, roleIds: readonly string[] | undefined): Promise<void> {
  let query = tx.deleteFrom('role_suppressions').where('community_id', '=', communityId);
  if (roleIds !== undefined) query = query.where('role_id', '=', (eb) => eb.fn.any(eb.val([...roleIds])));
  await query.execute();
}

/** Counts of one member's changes. */
export interface OwnChanges {
  waiting: number;
  held: number;
  given: number;
  taken: number;
  failed: number;
}

/** Counts what is pending for a member in a community, and what was written or refused since a time. */
export async function countOwnChanges(
  db: Sql,
  { communityId, userId, since }: { communityId: string; userId: string; since: Date },
): Promise<OwnChanges> {
  const { rows } = await sql<OwnChanges>`
    select
      count(*) filter (where i.state in ('pending', 'sent')) as waiting,
      count(*) filter (where i.state = 'planned' and p.status = 'held') as held,
      (select count(*) from role_ledger l where l.community_id = ${communityId} and l.user_id = ${userId}
        and l.at >= ${since} and l.action = 'grant') as given,
      (select count(*) from role_ledger l where l.community_id = ${communityId} and l.user_id = ${userId}
        and l.at >= ${since} and l.action = 'revoke') as taken,
      count(*) filter (where i.state = 'failed' and p.created_at >= ${since}) as failed
    from change_set_items i join change_sets p on p.id = i.change_set_id
    where i.community_id = ${communityId} and i.user_id = ${userId} and p.status <> 'previewed'`.execute(db);
  return rows[0] ?? { waiting: 0, held: 0, given: 0, taken: 0, failed: 0 };
}

/** The roles of a member that checks skip because an admin undid or rejected a change. */
export async function suppressedRolesOf(db: Sql, communityId: string, userId: string): Promise<Set<string>> {
  const suppressed = await selectSuppressed(db, communityId, [userId]);
  return new Set([...suppressed].map((pair) => pair.slice(userId.length + 1)));
}
