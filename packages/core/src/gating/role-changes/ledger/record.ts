import { type Sql, sql, type Tx } from '@latchkey/db';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { appendEvents } from '../../../services/event-log/index.ts';
import { announce } from '../../../services/live-updates/index.ts';
import type { Context } from '../../../shared/context.ts';
import type { RoleAction } from '../planning/change-set.ts';
import type { LedgerRow } from '../tables.ts';

/** One change that is visible on the platform. */
export interface LedgerEntry {
  change_set_id: string;
  user_id: string;
  role_id: string;
  action: RoleAction;
  is_automatic: boolean;
  is_join_request?: boolean;
  reason: unknown;
  blocks: Readonly<Record<string, string>>;
}

/** A row that was added to the ledger. */
export type LedgerChange = Pick<LedgerRow, 'id' | 'user_id' | 'role_id' | 'action' | 'change_set_id'>;

/**
 * Writes changes to the ledger, in the transaction that confirms them, and reports them to programs.
 * A change that is already there, from before a crash, is neither written nor notified again. Returns the added rows.
 */
export async function record(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  community: Pick<CommunityRow, 'id' | 'owner_id'>,
  entries: readonly LedgerEntry[],
): Promise<LedgerChange[]> {
  if (entries.length === 0) return [];
  const { rows } = await sql<LedgerChange>`
    insert into role_ledger (community_id, user_id, role_id, action, at, change_set_id, is_automatic, reason, blocks)
    select ${community.id}, user_id, role_id, action, ${ctx.clock()}, change_set_id, is_automatic, reason, blocks
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as e (change_set_id text, user_id text, role_id text, action text, is_automatic boolean, reason jsonb, blocks jsonb)
    on conflict do nothing
    returning id, user_id, role_id, action, change_set_id`.execute(tx);
  if (rows.length > 0) {
    const accounts = [...new Set(rows.map((row) => row.user_id))];
    await announce(tx, { changed: 'roles', community: community.id, accounts });
  }
  // A user whose join request was declined has lost no role.
  const declined = new Set(entries.filter((entry) => entry.is_join_request).map((entry) => entry.user_id));
  for (const action of ['grant', 'revoke'] as const) {
    const type = action === 'grant' ? 'member.role-granted' : 'member.role-revoked';
    const changes = rows.filter((row) => row.action === action && (action === 'grant' || !declined.has(row.user_id)));
    const events = changes.map(({ user_id, role_id, change_set_id }) => ({
      community,
      memberId: user_id,
      data: { roleId: role_id, changeSetId: change_set_id },
    }));
    await appendEvents(ctx, tx, type, events);
  }
  return rows;
}

/** The newest entry for one role of one member at a given time. */
export function selectEntryAt(
  db: Sql,
  communityId: string,
  userId: string,
  roleId: string,
  at: Date,
): Promise<LedgerRow | undefined> {
  return db
    .selectFrom('role_ledger')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where('role_id', '=', roleId)
    .where('at', '<=', at)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Who had a role at a given time, according to the ledger: every member whose newest entry by then is a grant. */
export async function selectHoldersAt(
  db: Sql,
  communityId: string,
  roleId: string,
  at: Date,
  after: string,
  limit: number,
): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    select * from (
      select distinct on (user_id) * from role_ledger
      where community_id = ${communityId} and role_id = ${roleId} and at <= ${at} and user_id > ${after}
      order by user_id, at desc, id desc
    ) as newest
    where action = 'grant' order by user_id limit ${limit}`.execute(db);
  return rows;
}
