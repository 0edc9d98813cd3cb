import type { RoleAction } from './plan.ts';

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
    role_stops: { community_id: string; role_id: string; advice: string; since: Date };
    role_pauses: { community_id: string; user_id: string; role_id: string; plan_id: string; since: Date };
    role_ledger: LedgerRow;
    read_holdings: {
      chain: string;
      reference: string;
      account: string;
      variant: string;
      answer: unknown;
      block_number: number;
      block_hash: string | null;
      read_at: Date;
    };
    rule_assets: { community_id: string; chain: string; standard: string; reference: string };
    rule_indexes: { community_id: string; rules_digest: string };
    followed_chains: { chain: string; number: number; hash: string; followed_at: Date };
    followed_blocks: { chain: string; number: number; hash: string };
    followed_changes: { chain: string; number: number; reference: string; account: string };
    followed_contracts: { chain: string; reference: string; since_number: number };
  }
}
