import { hash } from 'node:crypto';
import { asJson, type RawBuilder, type Sql, sql, type Tx } from '@latchkey/db';

/** How much members may see of a rule or a condition: everything, only that there is one, or nothing. */
export const ruleVisibilities = ['public', 'secret', 'hidden'] as const;

export type RuleVisibility = (typeof ruleVisibilities)[number];

export interface CommunityRuleRow {
  id: string;
  community_id: string;
  role_id: string;
  definition: Record<string, unknown>;
  visibility: RuleVisibility;
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_rules: CommunityRuleRow & { position?: number | null };
  }
}

/** In the order in which they apply: as an admin set it, then the oldest first. */
export function selectRules(db: Sql, communityId: string): Promise<CommunityRuleRow[]> {
  return db
    .selectFrom('community_rules')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy(inOrder)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

const inOrder = sql`position nulls last`;

/** The rules of several communities at once. */
export function selectRulesOf(sql: Sql, communityIds: readonly string[]): Promise<CommunityRuleRow[]> {
  if (communityIds.length === 0) return Promise.resolve([]);
  return sql
    .selectFrom('community_rules')
    .selectAll()
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .orderBy(inOrder)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Oldest first, after `after`. */
export function listRules(
  tx: Sql,
  communityId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<CommunityRuleRow[]> {
  const [createdAt, id] = after ?? [];
  return tx
    .selectFrom('community_rules')
    .selectAll()
    .where('community_id', '=', communityId)
    .$if(createdAt !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${createdAt}::timestamptz, ${id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Sets the order of a community's rules. Rules that are not listed come last. */
export async function setRuleOrder(tx: Tx, communityId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update community_rules r set position = o.position
    from (select id, (ordinality - 1)::integer as position
      from unnest(${[...ids]}::text[]) with ordinality as t (id, ordinality)) o
    where r.community_id = ${communityId} and r.id = o.id`.execute(tx);
}

export function selectRule(tx: Sql, communityId: string, id: string): Promise<CommunityRuleRow | undefined> {
  return tx
    .selectFrom('community_rules')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function selectRuleIds(tx: Tx, communityId: string): Promise<Set<string>> {
  const rows = await tx.selectFrom('community_rules').select('id').where('community_id', '=', communityId).execute();
  return new Set(rows.map(({ id }) => id));
}

export async function insertRule(tx: Tx, row: CommunityRuleRow): Promise<void> {
  await tx
    .insertInto('community_rules')
    .values({ ...row, definition: asJson(row.definition) })
    .execute();
}

export async function updateRule(
  tx: Tx,
  { community_id, id, role_id, definition, visibility, updated_at }: Omit<CommunityRuleRow, 'created_at'>,
): Promise<void> {
  await tx
    .updateTable('community_rules')
    .set({ role_id, definition: asJson(definition), visibility, updated_at })
    .where('community_id', '=', community_id)
    .where('id', '=', id)
    .execute();
}

/** Returns the removed rule, if there was one. */
export function deleteRule(tx: Tx, communityId: string, id: string): Promise<CommunityRuleRow | undefined> {
  return tx
    .deleteFrom('community_rules')
    .where('community_id', '=', communityId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** How many rules communities have; those without any are absent. */
export async function countRules(db: Sql, communityIds: readonly string[]): Promise<Map<string, number>> {
  if (communityIds.length === 0) return new Map();
  const { rows } = await sql<{ community_id: string; rules: number }>`
    select community_id, count(*) as rules from community_rules
    where community_id = any(${[...communityIds]}::text[]) group by community_id`.execute(db);
  return new Map(rows.map((row) => [row.community_id, row.rules]));
}

/** Selects the `community_id`, `id` and `updated_at` of every rule, for statements of other modules. */
export const ruleVersions = sql<{ community_id: string; id: string; updated_at: Date }>`
  select community_id, id, updated_at from community_rules`;

/** Whether a community has rules, as a condition for statements of other modules. */
export const hasRules = (communityId: RawBuilder<unknown>) => sql<boolean>`
  exists (select from community_rules where community_id = ${communityId})`;

/**
 * Selects a digest of a community's rules that changes with them: their count, the time of the last change, and their
 * ids. `digestRules` computes the same for rules in memory.
 */
export const rulesDigest = (communityId: RawBuilder<unknown>) => sql<string>`
  select count(*) || '/' || coalesce(max(floor(extract(epoch from updated_at) * 1000))::bigint, 0) || '/'
    || md5(coalesce(string_agg(id, ',' order by id collate "C"), ''))
  from community_rules where community_id = ${communityId}`;

export function digestRules(rows: readonly CommunityRuleRow[]): string {
  const newest = Math.max(0, ...rows.map((row) => row.updated_at.getTime()));
  const ids = rows.map((row) => row.id).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `${rows.length}/${newest}/${hash('md5', ids.join(','))}`;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    retired_roles: { community_id: string; role_id: string; since: Date };
  }
}

/** The roles whose rule was deleted with the choice to take them from the members who got them from Latchkey. */
export async function selectRetiredRoles(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('retired_roles')
    .select('role_id')
    .where('community_id', '=', communityId)
    .orderBy('role_id')
    .execute();
  return rows.map(({ role_id }) => role_id);
}

export async function retireRole(tx: Tx, communityId: string, roleId: string, now: Date): Promise<void> {
  await tx
    .insertInto('retired_roles')
    .values({ community_id: communityId, role_id: roleId, since: now })
    .onConflict((conflict) => conflict.columns(['community_id', 'role_id']).doNothing())
    .execute();
}

export async function endRetirement(tx: Tx, communityId: string, roleIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('retired_roles')
    .where('community_id', '=', communityId)
    .where('role_id', '=', (eb) => eb.fn.any(eb.val([...roleIds])))
    .execute();
}
