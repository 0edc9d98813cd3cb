import { type RawBuilder, type Sql, sql } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { checkPeriodSeconds } from '../../communities/community-plans/index.ts';
import {
  activeCommunities,
  claimDueChecks,
  selectExisting,
  setNextCheck,
} from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { type CommunityRuleRow, digestRules, rulesDigest, selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { assetsOf, type OpenRules, openRules } from '../evaluation/index.ts';

interface WatchedAsset {
  chain: string;
  standard: string;
  reference: string;
}

/** Longer than any transaction: a change may become visible this long after it was recorded. */
const visibleWithinMs = 10 * 60 * 1000;

const keptMs = 60 * 60 * 1000;

/** How often everything is reloaded, in case a change was not recorded. */
const wholeEveryMs = 60 * 60 * 1000;

type WatchContext = Pick<Context, 'clock' | 'db'> & { follower: Pick<Context['follower'], 'announces'> };

/**
 * Tracks the contracts that the rules of all communities name and whose changes are announced. Only communities that
 * changed are reloaded. A contract that is no longer named may stay on the list until the next full reload, if its
 * community was deleted or another process updated the index first.
 */
export class WatchList {
  readonly #ctx: WatchContext;
  #seen: ReadonlySet<number> = new Set();
  #wholeAtMs = Number.NEGATIVE_INFINITY;
  #named = new Map<string, Set<string>>();

  constructor(ctx: WatchContext) {
    this.#ctx = ctx;
  }

  /** Returns the contracts of each chain whose list changed since the last call; undefined if none did. */
  async refresh(): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
    const nowMs = this.#ctx.clock().getTime();
    const isWhole = nowMs - this.#wholeAtMs >= wholeEveryMs;
    const { system } = this.#ctx.db;
    if (isWhole) await deleteOldChanges(system, new Date(nowMs - keptMs));
    const noted = await selectChanges(system);
    const fresh = noted.filter(({ id }) => !this.#seen.has(id));
    if (!isWhole && fresh.length === 0) return undefined;
    const changed = isWhole ? await this.#readAll() : await this.#readOf([...new Set(fresh.map(toCommunityId))]);
    this.#seen = new Set(noted.map(({ id }) => id));
    if (isWhole) this.#wholeAtMs = nowMs;
    if (changed.size === 0) return undefined;
    return new Map([...changed].map((chain) => [chain, [...(this.#named.get(chain) ?? [])]]));
  }

  async #readAll(): Promise<ReadonlySet<string>> {
    await indexAllRules(this.#ctx);
    const named = new Map<string, Set<string>>();
    for (const { chain, standard, references } of await selectWatched(this.#ctx.db.system))
      for (const reference of references)
        if (this.#isHeard({ chain, standard, reference })) setOf(named, chain).add(reference);
    const before = this.#named;
    this.#named = named;
    const chains = new Set([...before.keys(), ...named.keys()]);
    const isSame = (chain: string) => haveSame(before.get(chain) ?? new Set(), named.get(chain) ?? new Set());
    return new Set([...chains].filter((chain) => !isSame(chain)));
  }

  async #readOf(communityIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { system } = this.#ctx.db;
    const before = await selectNamedBy(system, communityIds);
    await indexRulesOf(this.#ctx, communityIds);
    const concerned = [...before, ...(await selectNamedBy(system, communityIds))];
    const still = await selectStillNamed(system, concerned);
    const received = new Set(still.filter((asset) => this.#isHeard(asset)).map(toKey));
    const changed = new Set<string>();
    for (const asset of concerned) {
      const { chain, reference } = asset;
      const known = setOf(this.#named, chain);
      const isNamed = received.has(toKey(asset));
      if (isNamed === known.has(reference)) continue;
      if (isNamed) known.add(reference);
      else known.delete(reference);
      changed.add(chain);
    }
    return changed;
  }

  #isHeard(asset: WatchedAsset): boolean {
    return this.#ctx.follower.announces(asset);
  }
}

const toKey = ({ chain, reference }: WatchedAsset) => `${chain} ${reference}`;

const toCommunityId = ({ community_id }: { community_id: string }) => community_id;

function setOf(sets: Map<string, Set<string>>, chain: string): Set<string> {
  const found = sets.get(chain) ?? new Set();
  sets.set(chain, found);
  return found;
}

function haveSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((reference) => other.has(reference));
}

// Uses the database's clock, which also set the timestamps.
async function selectChanges(db: Sql): Promise<{ id: number; community_id: string }[]> {
  const { rows } = await sql<{ id: number; community_id: string }>`
    select id, community_id from rule_set_changes
    where at > now() - ${visibleWithinMs}::float8 * interval '1 millisecond'`.execute(db);
  return rows;
}

async function deleteOldChanges(db: Sql, before: Date): Promise<void> {
  await db.deleteFrom('rule_set_changes').where('at', '<', before).execute();
}

/** One row per chain and standard: a hundred thousand separate rows would take ten times the memory. */
async function selectWatched(db: Sql): Promise<{ chain: string; standard: string; references: string[] }[]> {
  const { rows } = await sql<{ chain: string; standard: string; references: string }>`
    select a.chain, a.standard, json_agg(distinct a.reference)::text as references
    from rule_assets a join (${activeCommunities}) c on c.id = a.community_id
    group by a.chain, a.standard`.execute(db);
  return rows.map(({ references, ...asset }) => ({ ...asset, references: JSON.parse(references) }));
}

function selectNamedBy(db: Sql, communityIds: readonly string[]): Promise<WatchedAsset[]> {
  return db
    .selectFrom('rule_assets')
    .select(['chain', 'standard', 'reference'])
    .where('community_id', '=', (eb) => eb.fn.any(eb.val([...communityIds])))
    .execute();
}

/** Which of these assets are still named by rules of active communities. */
async function selectStillNamed(db: Sql, assets: readonly WatchedAsset[]): Promise<WatchedAsset[]> {
  if (assets.length === 0) return [];
  const { rows } = await sql<WatchedAsset>`
    select distinct a.chain, a.standard, a.reference
    from jsonb_to_recordset(${JSON.stringify(assets)}::jsonb) as n (chain text, standard text, reference text)
    join rule_assets a using (chain, reference)
    join (${activeCommunities}) c on c.id = a.community_id`.execute(db);
  return rows;
}

/** Selects the `chain` and `reference` of the assets that the rules of these communities name. */
export const assetsInRulesOf = (communities: RawBuilder<{ community_id: string }>) => sql<{
  chain: string;
  reference: string;
}>`
  select a.chain, a.reference from rule_assets a join (${communities}) c on c.community_id = a.community_id`;

/** The chains that the rules of a community read, and the standards that they read there. */
export async function selectChainsInRules(db: Sql, communityId: string): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('rule_assets')
    .select(['chain', 'standard'])
    .where('community_id', '=', communityId)
    .distinct()
    .orderBy('chain')
    .execute();
  const groups = Map.groupBy(rows, ({ chain }) => chain);
  return new Map([...groups].map(([chain, assets]) => [chain, assets.map(({ standard }) => standard)]));
}

type IndexContext = Pick<Context, 'db'>;

/** Updates the index of assets that a community's rules name, so that a transfer finds the affected communities. */
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

/** Updates the index of all communities. Compares a digest for each of them. */
export async function indexAllRules(ctx: IndexContext): Promise<void> {
  await indexRulesOf(ctx, await selectChanged(ctx.db.system));
}

/** Updates the index of these communities, skipping deleted ones. */
async function indexRulesOf(ctx: IndexContext, communityIds: readonly string[]): Promise<void> {
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

declare module '@latchkey/db/tables' {
  interface Tables {
    rule_assets: { community_id: string; chain: string; standard: string; reference: string };
    rule_indexes: { community_id: string; rules_digest: string };
    rule_set_changes: { id: number; community_id: string; at: Date };
  }
}

type DueContext = Pick<Context, 'clock' | 'db'>;

const communitiesAtOnce = 200;

/**
 * Queues every member of the communities that are due for a resync, and sets their next time. Returns how many
 * communities there were.
 */
export async function startResyncs(ctx: DueContext): Promise<number> {
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    const due = await claimDueChecks(tx, now, communitiesAtOnce);
    // In id order, so that two transactions that queue several communities cannot deadlock.
    for (const { id, check_period_seconds } of due.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const periodSeconds = check_period_seconds ?? (await checkPeriodSeconds(tx, id, now));
      const next = addSeconds(now, periodSeconds);
      await setNextCheck(tx, id, next);
      await enqueueReconcile(tx, { communityId: id, members: '*', cause: 'schedule' });
    }
    return due.length;
  });
}
