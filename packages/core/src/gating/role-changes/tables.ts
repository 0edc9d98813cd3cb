import type { RoleAction } from './plan.ts';
import type { StopRow } from './stop-queries.ts';

export type RolePlanStatus = 'previewed' | 'held' | 'approved' | 'applying' | 'done' | 'failed' | 'undone' | 'rejected';

export type ItemState = 'planned' | 'pending' | 'sent' | 'confirmed' | 'failed' | 'gone' | 'dropped';

export interface RolePlanRow {
  id: string;
  community_id: string;
  cause: string;
  status: RolePlanStatus;
  note: string | null;
  undoes: string | null;
  is_urgent: boolean;
  grants: number;
  revokes: number;
  calls: number;
  unknowns: number;
  decided_by: string | null;
  decided_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
  /** Since when the check that made it was due; absent where no check did. */
  touched_at: Date | null;
}

export interface RolePlanItemRow {
  plan_id: string;
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
}

export interface LedgerRow {
  id: number;
  community_id: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  at: Date;
  plan_id: string;
  is_automatic: boolean;
  reason: unknown;
  blocks: Record<string, string>;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    role_plans: RolePlanRow;
    role_plan_items: RolePlanItemRow;
    role_stops: StopRow;
    role_pauses: { community_id: string; user_id: string; role_id: string; plan_id: string; since: Date };
    role_ledger: LedgerRow;
  }
}
