import { type Sql, sql } from '@latchkey/db';
import { selectSuppressed } from './suppression-queries.ts';

/** How the changes of one member stand, in counts. */
export interface OwnChanges {
  waiting: number;
  held: number;
  given: number;
  taken: number;
  failed: number;
}

/** What waits for a member in a community, and what was written or refused since a time. */
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

/** The roles of a member that checks leave alone, since an admin undid a change of them. */
export async function suppressedRolesOf(db: Sql, communityId: string, userId: string): Promise<Set<string>> {
  const suppressed = await selectSuppressed(db, communityId, [userId]);
  return new Set([...suppressed].map((pair) => pair.slice(userId.length + 1)));
}
