import { type Sql, sql } from '@latchkey/db';
import {
  activeCommunities,
  type CommunityRuleRow,
  digestRules,
  rulesDigest,
  selectExisting,
  selectRules,
} from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import { assetsOf, type OpenRules, openRules } from '../evaluation/index.ts';
import './tables.ts';

type IndexContext = Pick<Context, 'db'>;

/** Keeps the list of assets that a community's rules name, so that a transfer finds the communities it matters to. */
export async function indexRules(
  ctx: IndexContext,
  communityId: string,
  rows: readonly CommunityRuleRow[],
  rules: OpenRules,
): Promise<void> {
  const digest = digestRules(rows);
  const known = await ctx.db.system
    .selectFrom('rule_indexes')
    .select('rules_digest')
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  if (known?.rules_digest === digest) return;
  const assets = assetsOf(rules).map(({ chain, standard, reference }) => ({ chain, standard, reference }));
  await ctx.db.transaction('system', async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`rule-index:${communityId}`}, 0))`.execute(tx);
    await tx.deleteFrom('rule_assets').where('community_id', '=', communityId).execute();
    await sql`
      insert into rule_assets (community_id, chain, standard, reference)
      select distinct ${communityId}, chain, standard, reference
      from jsonb_to_recordset(${JSON.stringify(assets)}::jsonb) as a (chain text, standard text, reference text)`.execute(
      tx,
    );
    await tx
      .insertInto('rule_indexes')
      .values({ community_id: communityId, rules_digest: digest })
      .onConflict((conflict) => conflict.column('community_id').doUpdateSet({ rules_digest: digest }))
      .execute();
  });
}

/** Brings the lists of all communities up to date. It costs a look at each of them. */
export async function indexAllRules(ctx: IndexContext): Promise<void> {
  await indexRulesOf(ctx, await selectChanged(ctx.db.system));
}

/** Brings the lists of these communities up to date; those that are gone need none. */
export async function indexRulesOf(ctx: IndexContext, communityIds: readonly string[]): Promise<void> {
  for (const communityId of await selectExisting(ctx.db.system, communityIds)) {
    const rows = await selectRules(ctx.db.system, communityId);
    await indexRules(ctx, communityId, rows, openRules(rows));
  }
}

async function selectChanged(db: Sql): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from (${activeCommunities}) c left join rule_indexes x on x.community_id = c.id
    where x.rules_digest is distinct from (${rulesDigest(sql.ref('c.id'))})`.execute(db);
  return rows.map((row) => row.id);
}
