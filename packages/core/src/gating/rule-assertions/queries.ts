import { asJson, type Sql, type Tx } from '@latchkey/db';

export interface AssertionRow {
  community_id: string;
  position: number;
  name: string | null;
  role_id: string;
  /** Exactly one of these two is present. */
  unless_role_id: string | null;
  unless_holds: Record<string, unknown> | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    rule_assertions: AssertionRow;
  }
}

export function selectAssertions(db: Sql, communityId: string): Promise<AssertionRow[]> {
  return db
    .selectFrom('rule_assertions')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('position')
    .execute();
}

export async function replaceAssertions(tx: Tx, communityId: string, rows: readonly AssertionRow[]): Promise<void> {
  await tx.deleteFrom('rule_assertions').where('community_id', '=', communityId).execute();
  if (rows.length === 0) return;
  await tx
    .insertInto('rule_assertions')
    .values(
      rows.map(({ unless_holds: holds, ...row }) => ({ ...row, unless_holds: holds === null ? null : asJson(holds) })),
    )
    .execute();
}
