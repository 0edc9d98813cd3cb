import { type Sql, sql, type Tx } from '@latchkey/db';
import './tables.ts';

export interface Pair {
  userId: string;
  roleId: string;
}

/** Leaves these pairs alone until an admin asks for a check of them or the rules of their role change. */
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

/** The pairs of these members that are left alone, as `user/role`. */
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

/** Ends the pauses of these members. */
export async function resumeMembers(tx: Tx, communityId: string, userIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('role_suppressions')
    .where('community_id', '=', communityId)
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .execute();
}

/** Ends the pauses of these roles, or of every role. */
export async function resumeRoles(tx: Tx, communityId: string, roleIds: readonly string[] | undefined): Promise<void> {
  let query = tx.deleteFrom('role_suppressions').where('community_id', '=', communityId);
  if (roleIds !== undefined) query = query.where('role_id', '=', (eb) => eb.fn.any(eb.val([...roleIds])));
  await query.execute();
}
