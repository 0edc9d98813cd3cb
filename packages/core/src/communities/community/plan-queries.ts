import type { Sql, Tx } from '@latchkey/db';

export interface CommunityPlanRow {
  community_id: string;
  plan_id: string;
  since: Date;
  until: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_plans: CommunityPlanRow;
  }
}

/** The plans that these communities are on at a time, by community. */
export async function selectActivePlans(
  db: Sql,
  communityIds: readonly string[],
  now: Date,
): Promise<Map<string, string[]>> {
  if (communityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('community_plans')
    .select(['community_id', 'plan_id'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where('since', '<=', now)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .orderBy('since')
    .orderBy('plan_id')
    .execute();
  const byCommunity = Map.groupBy(rows, (row) => row.community_id);
  return new Map([...byCommunity].map(([id, plans]) => [id, plans.map(({ plan_id }) => plan_id)]));
}

export async function insertPlan(tx: Tx, row: CommunityPlanRow): Promise<void> {
  await tx.insertInto('community_plans').values(row).execute();
}

export async function upsertPlan(tx: Tx, row: CommunityPlanRow): Promise<void> {
  const { since, until } = row;
  await tx
    .insertInto('community_plans')
    .values(row)
    .onConflict((conflict) => conflict.columns(['community_id', 'plan_id']).doUpdateSet({ since, until }))
    .execute();
}

export async function deletePlan(tx: Tx, communityId: string, planId: string): Promise<void> {
  await tx
    .deleteFrom('community_plans')
    .where('community_id', '=', communityId)
    .where('plan_id', '=', planId)
    .execute();
}
