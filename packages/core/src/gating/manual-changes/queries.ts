import { type Sql, sql, type Tx } from '@latchkey/db';

interface ManualChangesRow {
  community_id: string;
  role_id: string;
  added: number;
  removed: number;
  since: Date;
  last_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    manual_role_changes: ManualChangesRow;
  }
}

/** Counts one change. After a pause the count restarts. */
export async function countManualChange(
  tx: Tx,
  { communityId, roleId, action }: { communityId: string; roleId: string; action: 'grant' | 'revoke' },
  now: Date,
  pausedSince: Date,
): Promise<void> {
  const [added, removed] = action === 'grant' ? [1, 0] : [0, 1];
  await sql`
    insert into manual_role_changes as m (community_id, role_id, added, removed, since, last_at)
    values (${communityId}, ${roleId}, ${added}, ${removed}, ${now}, ${now})
    on conflict (community_id, role_id) do update set
      added = excluded.added + case when m.last_at > ${pausedSince} then m.added else 0 end,
      removed = excluded.removed + case when m.last_at > ${pausedSince} then m.removed else 0 end,
      since = case when m.last_at > ${pausedSince} then m.since else excluded.since end,
      last_at = excluded.last_at`.execute(tx);
}

/** Selects the `community_id`, `role_id` and `since` of roles that were changed manually after a time. */
export const manualChangesSince = (after: Date) => sql<Pick<ManualChangesRow, 'community_id' | 'role_id' | 'since'>>`
  select community_id, role_id, since from manual_role_changes where last_at > ${after}`;

export function selectManualChanges(
  db: Sql,
  communityId: string,
  roleId: string,
): Promise<ManualChangesRow | undefined> {
  return db
    .selectFrom('manual_role_changes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('role_id', '=', roleId)
    .executeTakeFirst();
}
