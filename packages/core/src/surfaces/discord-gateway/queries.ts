import { type Sql, selectRenewals, sql } from '@latchkey/db';
import type { ShardSession } from '../../ports/index.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    discord_gateways: { bot: string; shard_count: number; read_at: Date };
    discord_shards: {
      bot: string;
      shard_count: number;
      shard_id: number;
      session_id: string;
      resume_url: string;
      sequence: number;
      saved_at: Date;
    };
  }
}

/** One shard of one bot. */
export interface Shard {
  bot: string;
  shardCount: number;
  shardId: number;
}

export interface HeldShards {
  expected: number;
  held: number;
  /** How long ago the holder that was silent longest renewed its lease. */
  renewedSecondsAgo: number;
}

/** How many shards the workers should hold and do hold; undefined if no worker has asked Discord lately. */
export async function selectHeldShards(db: Sql): Promise<HeldShards | undefined> {
  const bots = await db
    .selectFrom('discord_gateways')
    .select(['bot', 'shard_count'])
    .where('read_at', '>', sql<Date>`now() - interval '3 hours'`)
    .execute();
  if (bots.length === 0) return undefined;
  const leases = await Promise.all(
    bots.map(({ bot, shard_count }) => selectRenewals(db, `discord/${bot}/shard/${shard_count}/`)),
  );
  return {
    expected: bots.reduce((sum, { shard_count }) => sum + shard_count, 0),
    held: leases.flat().length,
    renewedSecondsAgo: Math.max(0, ...leases.flat().map(({ secondsAgo }) => secondsAgo)),
  };
}

/** The number of shards that all workers use, and whether Discord was asked recently. */
export async function selectShardCount(
  db: Sql,
  bot: string,
  freshSeconds: number,
): Promise<{ shardCount: number; isFresh: boolean } | undefined> {
  const row = await db
    .selectFrom('discord_gateways')
    .select([
      'shard_count',
      sql<boolean>`read_at > clock_timestamp() - make_interval(secs => ${freshSeconds}::float8)`.as('is_fresh'),
    ])
    .where('bot', '=', bot)
    .executeTakeFirst();
  return row && { shardCount: row.shard_count, isFresh: row.is_fresh };
}

/**
 * Stores Discord's recommendation. The number of shards only grows: fewer would restart every session for no benefit.
 */
export async function putShardCount(db: Sql, bot: string, recommended: number): Promise<number> {
  const read_at = sql<Date>`clock_timestamp()`;
  const { shard_count } = await db
    .insertInto('discord_gateways')
    .values({ bot, shard_count: recommended, read_at })
    .onConflict((conflict) =>
      conflict
        .column('bot')
        .doUpdateSet({ shard_count: sql`greatest(discord_gateways.shard_count, ${recommended})`, read_at }),
    )
    .returning('shard_count')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('discord_shards').where('bot', '=', bot).where('shard_count', '<', shard_count).execute();
  return shard_count;
}

export async function selectSession(db: Sql, shard: Shard): Promise<ShardSession | undefined> {
  const row = await db
    .selectFrom('discord_shards')
    .select(['session_id', 'resume_url', 'sequence'])
    .where('bot', '=', shard.bot)
    .where('shard_count', '=', shard.shardCount)
    .where('shard_id', '=', shard.shardId)
    .executeTakeFirst();
  return row && { sessionId: row.session_id, resumeUrl: row.resume_url, sequence: row.sequence };
}

/** Stores up to which event a shard was processed. */
export async function putSession(db: Sql, shard: Shard, session: ShardSession): Promise<void> {
  const changing = {
    session_id: session.sessionId,
    resume_url: session.resumeUrl,
    sequence: session.sequence,
    saved_at: sql<Date>`clock_timestamp()`,
  };
  await db
    .insertInto('discord_shards')
    .values({ bot: shard.bot, shard_count: shard.shardCount, shard_id: shard.shardId, ...changing })
    .onConflict((conflict) => conflict.columns(['bot', 'shard_count', 'shard_id']).doUpdateSet(changing))
    .execute();
}
