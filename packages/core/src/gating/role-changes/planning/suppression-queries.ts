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

/**
 * Ends the suppressions that an undo left, once it is undone or rejected: of the pairs that it was to revert, and of those that it
 * cancelled. What an admin rejected when approving the undone change set stays suppressed.
 */
export async function resumeUndone(
  tx: Tx,
  { id, community_id, undoes }: { id: string; community_id: string; undoes: string | null },
): Promise<void> {
  if (undoes === null) return;
  await sql`
    delete from role_suppressions s using change_set_items i
    where s.community_id = ${community_id} and s.change_set_id = ${undoes}
      and i.community_id = s.community_id and i.user_id = s.user_id and i.role_id = s.role_id
      and (i.change_set_id = ${id} or i.change_set_id = ${undoes} and (i.state = 'failed' or i.drop_reason = 'cancelled'))`.execute(
    tx,
  );
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
