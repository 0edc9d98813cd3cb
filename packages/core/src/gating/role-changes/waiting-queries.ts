import { type Sql, sql } from '@latchkey/db';
import './tables.ts';

/** What keeps role changes of a community waiting. */
interface WaitingRoles {
  heldChangeSets: number;
  /** Roles that nobody can be given; `*` counts as one. */
  blockedRoles: number;
}

/** What waits in communities, by their ids. Those in which nothing waits are absent. */
export async function countWaiting(db: Sql, communityIds: readonly string[]): Promise<Map<string, WaitingRoles>> {
  if (communityIds.length === 0) return new Map();
  const { rows } = await sql<WaitingRoles & { id: string }>`
    select c.id,
      (select count(*) from change_sets p where p.community_id = c.id and p.status = 'held') as "heldPlans",
      (select count(*) from role_circuit_breakers s where s.community_id = c.id and s.user_id = '*') as "stoppedRoles"
    from unnest(${[...communityIds]}::text[]) as c (id)`.execute(db);
  const waiting = rows.filter(({ heldChangeSets, blockedRoles }) => heldChangeSets + blockedRoles > 0);
  return new Map(waiting.map(({ id, ...counts }) => [id, counts]));
}
