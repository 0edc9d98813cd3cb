import { type Sql, sql } from '@latchkey/db';
import type { Span } from '../../communities/usage/index.ts';

// Figures are drawn from what several features keep, in one statement each, and never written.

export interface RoleCount {
  roleId: string;
  count: number;
}

export interface RoleDay extends RoleCount {
  date: string;
}

/** How often each of these roles was given or taken in a span. Both ends may be open. */
export async function countRoleChanges(
  db: Sql,
  communityId: string,
  action: 'grant' | 'revoke',
  roleIds: readonly string[],
  { from, to }: Span,
): Promise<Map<string, number>> {
  const { rows } = await sql<RoleCount>`
    select role_id as "roleId", count(*) as count from role_ledger
    where community_id = ${communityId} and action = ${action} and role_id = any(${[...roleIds]})
      and (${from ?? null}::timestamptz is null or at >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or at < ${to ?? null}::timestamptz)
    group by role_id`.execute(db);
  return new Map(rows.map(({ roleId, count }) => [roleId, count]));
}

/** How often each of these roles was given on each day of a span, in UTC. Days without any are absent. */
export async function countGrantsByDay(
  db: Sql,
  communityId: string,
  roleIds: readonly string[],
  { from, to }: Span,
): Promise<RoleDay[]> {
  const { rows } = await sql<RoleDay>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, role_id as "roleId", count(*) as count
    from role_ledger
    where community_id = ${communityId} and action = 'grant' and role_id = any(${[...roleIds]})
      and (${from ?? null}::timestamptz is null or at >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or at < ${to ?? null}::timestamptz)
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}

export interface RoleChanges {
  date: string;
  roleId: string;
  given: number;
  taken: number;
}

/** How often each role was given and taken on each day since a time, in UTC. Days without any are absent. */
export async function countChangesByDay(db: Sql, communityId: string, from: Date): Promise<RoleChanges[]> {
  const { rows } = await sql<RoleChanges>`
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, role_id as "roleId",
      count(*) filter (where action = 'grant') as given, count(*) filter (where action = 'revoke') as taken
    from role_ledger where community_id = ${communityId} and at >= ${from}
    group by 1, 2 order by 1 desc, 2`.execute(db);
  return rows;
}
