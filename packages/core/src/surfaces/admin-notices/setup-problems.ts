import { type Sql, sql } from '@latchkey/db';
import { botIsOut } from './find-queries.ts';
import './queries.ts';

/** Known setup problems of communities, each as an instruction. Communities without any are absent. */
export async function selectSetupProblems(db: Sql, communityIds: readonly string[]): Promise<Map<string, string[]>> {
  if (communityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('admin_notices')
    .select(['community_id', 'about', 'details'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .where('kind', '=', 'broken-setup')
    .where('closed_at', 'is', null)
    .orderBy('noted_at')
    .execute();
  const byCommunity = Map.groupBy(rows, (row) => row.community_id);
  return new Map(
    [...byCommunity].map(([id, notices]) => [
      id,
      notices.flatMap(({ about, details }) => (about === botIsOut ? [out] : [...(details.problems ?? [])])),
    ]),
  );
}

const out = 'The bot was removed from the community. Add it again.';

/** When the setup of a community was last checked automatically. */
export async function selectSetupCheckTime(db: Sql, communityId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ checked_at: Date }>`
    select checked_at from setup_checks where community_id = ${communityId}`.execute(db);
  return rows[0]?.checked_at;
}
