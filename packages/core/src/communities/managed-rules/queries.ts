import type { Sql, Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

export interface ManagedRulesRow {
  community_id: string;
  file: string | null;
  repository: string | null;
  commit_id: string | null;
  applied_at: Date | null;
  applied_by: string | null;
  applied_by_client: string | null;
  version: string | null;
  brakes_version: string | null;
  locked_at: Date | null;
  locked_by: string | null;
  locked_to: string | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    managed_rules: ManagedRulesRow;
  }
}

export function selectManagedRules(db: Sql, communityId: string): Promise<ManagedRulesRow | undefined> {
  return db.selectFrom('managed_rules').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

/** Stores these values, and leaves the others as they are. */
export async function putManagedRules(
  tx: Tx,
  communityId: string,
  values: Partial<Omit<ManagedRulesRow, 'community_id'>>,
): Promise<void> {
  // In a transaction that holds the community lock, so that no other inserts it meanwhile.
  const { numUpdatedRows } = await tx
    .updateTable('managed_rules')
    .set(values)
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await tx
    .insertInto('managed_rules')
    .values({ ...none, ...values, community_id: communityId })
    .execute();
}

const none: Omit<ManagedRulesRow, 'community_id'> = {
  file: null,
  repository: null,
  commit_id: null,
  applied_at: null,
  applied_by: null,
  applied_by_client: null,
  version: null,
  brakes_version: null,
  locked_at: null,
  locked_by: null,
  locked_to: null,
};

/** Keeps what was applied and locked, but not by whom. */
export const managedRulesErasure: Erasure = {
  columns: ['managed_rules.applied_by', 'managed_rules.locked_by'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    for (const column of ['applied_by', 'locked_by'] as const)
      await tx
        .updateTable('managed_rules')
        .set({ [column]: pseudonym })
        .where(column, '=', userId)
        .execute();
  },
};
