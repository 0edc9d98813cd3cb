import { sql } from '@latchkey/db';
import type { LedgerCheck } from '../../shared/module.ts';
import type { BreakerRow } from './applying/breaker-queries.ts';
import type { RoleAction } from './planning/change-set.ts';
import type { ApprovalRow } from './review/approvals.ts';
import type { CommentRow } from './review/comments.ts';

export type ChangeSetStatus =
  | 'previewed'
  | 'held'
  | 'approved'
  | 'applying'
  | 'done'
  | 'dropped'
  | 'failed'
  | 'undone'
  | 'rejected';

/** Why a change was not written and never will be. */
export const dropReasons = [
  'superseded',
  'already-done',
  'not-needed',
  'rule-changed',
  'role-without-rule',
  'cancelled',
  'removal-rejected',
] as const;

export type DropReason = (typeof dropReasons)[number];

export type ItemState = 'planned' | 'pending' | 'sent' | 'confirmed' | 'failed' | 'gone' | 'dropped';

export interface ChangeSetRow {
  id: string;
  community_id: string;
  cause: string;
  status: ChangeSetStatus;
  note: string | null;
  undoes: string | null;
  is_urgent: boolean;
  /** Planned totals. */
  grants: number;
  revokes: number;
  calls: number;
  unknowns: number;
  decided_by: string | null;
  decided_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
  /** Since when the check that created it was due; null if no check did. */
  queued_at: Date | null;
  /** Totals recorded in the ledger. */
  written_grants: number;
  written_revokes: number;
  written_members: number;
  /** The rule changes that led to it; for an undo, those that it made. */
  rule_change_ids: string[];
  /** The rule changes by which an admin who rejected it restored its rules. */
  restored_rule_change_ids: string[];
  large_notice: 'undecided' | 'none' | 'open' | 'final';
  /** When its members were last queued for a check because an admin opened it while it was held. */
  refreshed_at: Date | null;
}

export interface ChangeSetItemRow {
  change_set_id: string;
  community_id: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  state: ItemState;
  rank: number;
  reason: unknown;
  blocks: Record<string, string>;
  tries: number;
  due_at: Date | null;
  claimed_by: string | null;
  claimed_until: Date | null;
  last_error: string | null;
  drop_reason: DropReason | null;
  /** When a later check added it to a change set that was held already. */
  joined_at: Date | null;
}

export interface LedgerRow {
  id: number;
  community_id: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  at: Date;
  change_set_id: string;
  is_automatic: boolean;
  reason: unknown;
  blocks: Record<string, string>;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    change_sets: ChangeSetRow;
    change_set_items: ChangeSetItemRow;
    change_set_approvals: ApprovalRow;
    change_set_comments: CommentRow;
    role_circuit_breakers: BreakerRow;
    role_suppressions: { community_id: string; user_id: string; role_id: string; change_set_id: string; since: Date };
    role_ledger: LedgerRow;
  }
}

/** What a change set counts as written is in the ledger: both are stored in one transaction. */
export const roleLedgerCheck: LedgerCheck = {
  rows: 'role changes',
  countRows: 'select count(*) from role_ledger',
  exceptions: 'change sets whose role changes are not all in the ledger',
  countExceptions: `select count(*) from change_sets p where (written_grants, written_revokes) <> (
    select count(*) filter (where action = 'grant'), count(*) filter (where action = 'revoke')
    from role_ledger l where l.change_set_id = p.id)`,
};

/**
 * Metrics of change sets and blocked roles: rows of (metric, label, value), combined over all modules in one statement.
 */
export const changeSetMetrics = sql`
  select 'change-sets' as metric, status as label, count(*)::float8 as value from change_sets
    where status in ('held', 'approved', 'applying', 'failed') group by status
  union all
  select 'oldest-held-change-set', '', coalesce(extract(epoch from now() - min(created_at)), 0) from change_sets
    where status in ('held', 'approved', 'applying', 'failed') and status = 'held'
  union all
  select 'blocked-roles', fault, count(*) from role_circuit_breakers where not is_on_trial group by fault`;
