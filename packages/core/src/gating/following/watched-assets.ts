import { type Sql, sql } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { indexAllRules, indexRulesOf } from './index-rules.ts';
import './tables.ts';

export interface WatchedAsset {
  chain: string;
  standard: string;
  reference: string;
}

/** Longer than any transaction lasts: a change may become visible so long after it was noted. */
const visibleWithinMs = 10 * 60 * 1000;
const keptMs = 60 * 60 * 1000;
/** Everything is looked at anew so often, in case that a change was not noted. */
const wholeEveryMs = 60 * 60 * 1000;

/** Keeps track of what the rules of all communities name. Only communities that changed are looked at again. */
export class WatchList {
  readonly #ctx: Pick<Context, 'clock' | 'db'>;
  #seen: ReadonlySet<number> = new Set();
  #wholeAtMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Pick<Context, 'clock' | 'db'>) {
    this.#ctx = ctx;
  }

  /** The assets that rules of active communities name now, or undefined if nothing changed since the last time. */
  async refresh(): Promise<WatchedAsset[] | undefined> {
    const nowMs = this.#ctx.clock().getTime();
    const isWhole = nowMs - this.#wholeAtMs >= wholeEveryMs;
    const { system } = this.#ctx.db;
    if (isWhole) await deleteOldChanges(system, new Date(nowMs - keptMs));
    const noted = await selectChanges(system);
    const fresh = noted.filter(({ id }) => !this.#seen.has(id));
    if (!isWhole && fresh.length === 0) return undefined;
    if (isWhole) await indexAllRules(this.#ctx);
    else await indexRulesOf(this.#ctx, [...new Set(fresh.map((change) => change.community_id))]);
    const assets = await selectWatched(system);
    this.#seen = new Set(noted.map(({ id }) => id));
    if (isWhole) this.#wholeAtMs = nowMs;
    return assets;
  }
}

// By the database's clock, as they were noted.
async function selectChanges(db: Sql): Promise<{ id: number; community_id: string }[]> {
  const { rows } = await sql<{ id: number; community_id: string }>`
    select id, community_id from rule_set_changes
    where at > now() - ${visibleWithinMs}::float8 * interval '1 millisecond'`.execute(db);
  return rows;
}

async function deleteOldChanges(db: Sql, before: Date): Promise<void> {
  await db.deleteFrom('rule_set_changes').where('at', '<', before).execute();
}

function selectWatched(db: Sql): Promise<WatchedAsset[]> {
  return db
    .selectFrom('rule_assets as a')
    .innerJoin('communities as c', 'c.id', 'a.community_id')
    .select(['a.chain', 'a.standard', 'a.reference'])
    .where('c.status', '=', 'active')
    .distinct()
    .orderBy('a.chain')
    .orderBy('a.reference')
    .execute();
}

/** The chains that the rules of a community read. */
export async function selectChainsInRules(db: Sql, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rule_assets')
    .select('chain')
    .where('community_id', '=', communityId)
    .distinct()
    .orderBy('chain')
    .execute();
  return rows.map(({ chain }) => chain);
}
