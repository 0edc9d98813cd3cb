import type { Sql } from '@latchkey/db';
import type { PlatformName } from '../ports/index.ts';

export type CommunityStatus = 'active' | 'paused' | 'kicked';

export interface CommunityRow {
  id: string;
  platform: PlatformName;
  community_id: string;
  name: string;
  status: CommunityStatus;
  owner_id: string;
  admin_user_id: string | null;
  profile: Record<string, unknown>;
  disable_background_checks: boolean;
  check_period_seconds: number | null;
  next_check_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface CommunityRuleRow {
  id: string;
  community_id: string;
  role_id: string;
  definition: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    communities: CommunityRow;
    community_admins: { community_id: string; user_id: string; added_at: Date };
    community_rules: CommunityRuleRow;
  }
}

/** Finds a community by its qualified id, or by the platform's own one. */
export function selectCommunity(sql: Sql, id: string): Promise<CommunityRow | undefined> {
  return sql
    .selectFrom('communities')
    .selectAll()
    .where((eb) => eb.or([eb('id', '=', id), eb('community_id', '=', id)]))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export function selectAdminIds(sql: Sql, communityId: string): Promise<{ user_id: string }[]> {
  return sql
    .selectFrom('community_admins')
    .select('user_id')
    .where('community_id', '=', communityId)
    .orderBy('user_id')
    .execute();
}

export function selectRules(sql: Sql, communityId: string): Promise<CommunityRuleRow[]> {
  return sql
    .selectFrom('community_rules')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}
