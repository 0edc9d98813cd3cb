import { asJson, type Sql, sql, type Tx } from '@latchkey/db';
import { activeCommunities } from '../../communities/community-records/index.ts';
import { ruleVersions } from '../../communities/rule-records/index.ts';
import type { HealthState, RuleProblem } from './problems.ts';

export type StoredProblem = Pick<RuleProblem, 'code' | 'message' | 'action'>;

export interface RuleHealthRow {
  community_id: string;
  rule_id: string;
  state: HealthState;
  cause: string | null;
  problems: StoredProblem[];
  reads: number;
  since: Date;
  checked_at: Date | null;
  due_at: Date;
  evaluated_at: Date | null;
  blocks: Record<string, string>;
  qualifying: number | null;
  unknown_members: number | null;
  unknown_since: Date | null;
  counted_members: number | null;
  is_count_whole: boolean | null;
  counted_at: Date | null;
  count_due_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    rule_health: RuleHealthRow;
  }
}

export const notChecked: StoredProblem = { code: 'not-checked', message: 'This rule has not been checked yet.' };

/** Resets the health of a rule that was created or changed: it is checked immediately, and counted a little later. */
export async function resetRuleHealth(
  tx: Tx,
  rule: { communityId: string; ruleId: string },
  { now, countDueAt }: { now: Date; countDueAt: Date },
): Promise<void> {
  const row = {
    state: 'unknown' as const,
    cause: 'not-checked',
    problems: asJson([notChecked]),
    reads: 0,
    since: now,
    checked_at: null,
    due_at: now,
    evaluated_at: null,
    blocks: asJson({}),
    qualifying: null,
    unknown_members: null,
    unknown_since: null,
    counted_members: null,
    is_count_whole: null,
    counted_at: null,
    count_due_at: countDueAt,
  };
  await tx
    .insertInto('rule_health')
    .values({ community_id: rule.communityId, rule_id: rule.ruleId, ...row })
    .onConflict((conflict) => conflict.columns(['community_id', 'rule_id']).doUpdateSet(row))
    .execute();
}

/** Adds rows for rules that have none, so that they are checked. */
export async function addMissing(db: Sql, now: Date, limit: number): Promise<void> {
  await sql`
    insert into rule_health (community_id, rule_id, state, cause, problems, reads, since, due_at, blocks, count_due_at)
    select r.community_id, r.id, 'unknown', 'not-checked', ${JSON.stringify([notChecked])}::jsonb, 0, ${now}, ${now}, '{}', ${now}
    from (${ruleVersions}) r
    where not exists (select from rule_health h where h.community_id = r.community_id and h.rule_id = r.id)
    limit ${limit}
    on conflict do nothing`.execute(db);
}

const rowsLookedAt = 5_000;

/** Active communities in which a rule is due to be checked or counted, the longest overdue first. */
export async function selectDueCommunities(db: Sql, now: Date, limit: number): Promise<string[]> {
  const dueBy = (column: 'due_at' | 'count_due_at') => sql`
    select h.community_id, ${sql.ref(`h.${column}`)} as at
    from rule_health h join (${activeCommunities}) c on c.id = h.community_id
    where ${sql.ref(`h.${column}`)} <= ${now} order by at limit ${rowsLookedAt}`;
  const { rows } = await sql<{ id: string }>`
    select d.community_id as id from ((${dueBy('due_at')}) union all (${dueBy('count_due_at')})) d
    group by d.community_id order by min(d.at) limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Claims rules of a community that are due, so that other workers skip them until `until`. */
export async function claimDue(
  db: Sql,
  communityId: string,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<{ rule_id: string; state: HealthState; evaluated_at: Date | null }[]> {
  const { rows } = await sql<{ rule_id: string; state: HealthState; evaluated_at: Date | null }>`
    update rule_health h set due_at = ${until}
    where h.community_id = ${communityId} and h.rule_id in (
      select rule_id from rule_health
      where community_id = ${communityId} and due_at <= ${now}
      order by due_at, rule_id limit ${limit} for update skip locked
    )
    returning h.rule_id, h.state, h.evaluated_at`.execute(db);
  return rows;
}

export interface CheckedRule {
  ruleId: string;
  /** The version that was checked: results for an older one are discarded. */
  updatedAt: Date;
  state: HealthState;
  cause: string | null;
  problems: readonly StoredProblem[];
  reads: number;
  blocks: Readonly<Record<string, string>>;
  dueAt: Date;
}

/** Stores the result of a check. If the state changed, the members are counted again. Returns whether it changed. */
export async function saveChecked(db: Sql, communityId: string, checked: CheckedRule, now: Date): Promise<boolean> {
  const { ruleId, updatedAt, state, cause, problems, reads, blocks, dueAt } = checked;
  const isOk = state === 'ok';
  const { rows } = await sql<{ changed: boolean }>`
    with before as (
      select h.state from rule_health h join (${ruleVersions}) r on r.community_id = h.community_id and r.id = h.rule_id
      where h.community_id = ${communityId} and h.rule_id = ${ruleId} and date_trunc('milliseconds', r.updated_at) = ${updatedAt}
      for update of h
    )
    update rule_health h set
      state = ${state}, cause = ${cause}, problems = ${JSON.stringify(problems)}::jsonb, reads = ${reads},
      checked_at = ${now}, due_at = ${dueAt},
      since = case when b.state = ${state} then h.since else ${now}::timestamptz end,
      count_due_at = case when b.state in (${state}, 'unknown') then h.count_due_at else ${now}::timestamptz end,
      evaluated_at = case when ${isOk} then ${now}::timestamptz else h.evaluated_at end,
      blocks = case when ${isOk} then ${JSON.stringify(blocks)}::jsonb else h.blocks end
    from before b
    where h.community_id = ${communityId} and h.rule_id = ${ruleId}
    returning b.state <> ${state} as changed`.execute(db);
  return rows[0]?.changed ?? false;
}

export async function isCountDue(db: Sql, communityId: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('rule_health')
    .select('rule_id')
    .where('community_id', '=', communityId)
    .where('count_due_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface CountedRule {
  rule_id: string;
  /** Null for rules about other roles, which no wallet meets. */
  qualifying: number | null;
  unknown_members: number | null;
}

export async function saveCounts(
  db: Sql,
  communityId: string,
  counts: readonly CountedRule[],
  { members, isWhole, now, dueAt }: { members: number; isWhole: boolean; now: Date; dueAt: Date },
): Promise<void> {
  await sql`
    update rule_health h set qualifying = c.qualifying, unknown_members = c.unknown_members,
      unknown_since = case when coalesce(c.unknown_members, 0) > 0 then coalesce(h.unknown_since, ${now}::timestamptz) end,
      counted_members = ${members}, is_count_whole = ${isWhole}, counted_at = ${now}, count_due_at = ${dueAt}
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as c (rule_id text, qualifying int, unknown_members int)
    where h.community_id = ${communityId} and h.rule_id = c.rule_id`.execute(db);
}

export async function selectRuleHealth(
  db: Sql,
  communityId: string,
  ruleIds: readonly string[],
): Promise<Map<string, RuleHealthRow>> {
  const rows = await db
    .selectFrom('rule_health')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('rule_id', '=', (eb) => eb.fn.any(eb.val([...ruleIds])))
    .execute();
  return new Map(rows.map((row) => [row.rule_id, row]));
}

/** The rules of a community that one cause prevents from being decided. */
export async function selectRulesOfCause(
  db: Sql,
  communityId: string,
  cause: string,
  limit: number,
): Promise<RuleHealthRow[]> {
  return db
    .selectFrom('rule_health')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('cause', '=', cause)
    .where('state', 'in', ['degraded', 'undecidable'])
    .orderBy('rule_id')
    .limit(limit)
    .execute();
}

/** Selects what prevents rules of communities from being decided: `community_id`, `cause`, and since when. */
export const brokenRuleCauses = sql<{ community_id: string; cause: string; since: Date }>`
  select community_id, cause, min(since) as since from rule_health
  where state in ('degraded', 'undecidable') and cause is not null
  group by community_id, cause`;

/** Metrics of rules: rows of (metric, label, value), combined over all modules in one statement. */
export const ruleMetrics = sql`
  select 'rules' as metric, state as label, count(*)::float8 as value from rule_health group by state`;
