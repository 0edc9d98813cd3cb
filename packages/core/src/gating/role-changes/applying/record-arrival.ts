import type { Tx } from '@latchkey/db';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import type { Context } from '../../../shared/context.ts';
import { record } from '../ledger/record.ts';
import type { RoleChange } from '../planning/change-set.ts';
import { lockCommunity } from '../planning/change-set-queries.ts';
import { putChangeSet } from '../planning/make-change-set.ts';
import { countWritten } from './write-queries.ts';

/**
 * Records roles with which a member arrived, because an invite of ours gave them: as a finished change set and in the
 * ledger, like grants that were written.
 */
export async function recordArrival(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  community: CommunityRow,
  { userId, grants }: { userId: string; grants: readonly Pick<RoleChange, 'roleId' | 'reason' | 'blocks'>[] },
): Promise<void> {
  if (grants.length === 0) return;
  await lockCommunity(tx, community.id);
  const changes = grants.map((grant): RoleChange => ({ ...grant, userId, action: 'grant' }));
  const made = { community, cause: 'invite', changes, unknowns: 0, isUrgent: true };
  const { id } = await putChangeSet(ctx, tx, made, 'done', { finished_at: ctx.clock() });
  const entries = changes.map(({ roleId, reason, blocks }) => ({
    change_set_id: id,
    user_id: userId,
    role_id: roleId,
    action: 'grant' as const,
    is_automatic: true,
    reason,
    blocks,
  }));
  await countWritten(tx, community.id, await record(ctx, tx, community, entries));
}
