import { type Sql, sql, type Tx } from '@latchkey/db';
import type { RuleVisibility } from './rule-queries.ts';

/** A rule as it was at one moment. */
export interface RuleState {
  roleId: string;
  definition: Record<string, unknown>;
  visibility: RuleVisibility;
}

export interface RuleChangeRow {
  id: string;
  community_id: string;
  rule_id: string;
  action: 'created' | 'changed' | 'removed';
  changed_by: string;
  changed_at: Date;
  before: RuleState | null;
  after: RuleState | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_rule_changes: RuleChangeRow;
  }
}

export async function insertRuleChange(tx: Tx, row: Omit<RuleChangeRow, 'id'>): Promise<void> {
  const asJson = (state: RuleState | null) => (state === null ? null : JSON.stringify(state));
  await sql`
    insert into community_rule_changes (community_id, rule_id, action, changed_by, changed_at, before, after)
    values (${row.community_id}, ${row.rule_id}, ${row.action}, ${row.changed_by}, ${row.changed_at},
      ${asJson(row.before)}::jsonb, ${asJson(row.after)}::jsonb)`.execute(tx);
}

/** The newest first, from the one before `before`. */
export function listRuleChanges(
  db: Sql,
  communityId: string,
  ruleId: string,
  before: string | undefined,
  limit: number,
): Promise<RuleChangeRow[]> {
  return db
    .selectFrom('community_rule_changes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('rule_id', '=', ruleId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
