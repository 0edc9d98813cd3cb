import { type Sql, sql } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { selectByPlatformId } from '../../communities/community-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';

export type JoinOutcome = 'approved' | 'declined' | 'queued';

export interface JoinQueryRow {
  slug: string;
  community_id: string;
  user_id: string;
  query_id: string;
  reply_to: string;
  locale: string | null;
  asked_at: Date;
  page_at: Date | null;
  outcome: JoinOutcome | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    telegram_join_queries: JoinQueryRow;
  }
}

const slugLength = 24;

/** Stores a new query and returns its slug. It replaces an earlier one of the same user: Telegram has given that up. */
export async function putJoinQuery(
  db: Sql,
  { random }: Pick<Context, 'random'>,
  row: Pick<JoinQueryRow, 'community_id' | 'user_id' | 'query_id' | 'reply_to' | 'locale' | 'asked_at'>,
): Promise<string> {
  const values = { ...row, slug: random.id(slugLength), page_at: null, outcome: null };
  await db
    .insertInto('telegram_join_queries')
    .values(values)
    .onConflict((conflict) => conflict.columns(['community_id', 'user_id']).doUpdateSet(values))
    .execute();
  return values.slug;
}

/** The query of a user that has no outcome yet. Telegram may have given it up, which only an answer shows. */
function findOpenQuery(db: Sql, communityId: string, userId: string): Promise<JoinQueryRow | undefined> {
  return db
    .selectFrom('telegram_join_queries')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .where('outcome', 'is', null)
    .executeTakeFirst();
}

export function findJoinQuery(db: Sql, slug: string): Promise<JoinQueryRow | undefined> {
  return db.selectFrom('telegram_join_queries').selectAll().where('slug', '=', slug).executeTakeFirst();
}

export async function markPageShown(db: Sql, slug: string, now: Date): Promise<void> {
  await db.updateTable('telegram_join_queries').set({ page_at: now }).where('slug', '=', slug).execute();
}

/** Records how a query ended, unless that is known already. */
export async function endJoinQuery(db: Sql, slug: string, outcome: JoinOutcome): Promise<void> {
  await db
    .updateTable('telegram_join_queries')
    .set({ outcome })
    .where('slug', '=', slug)
    .where((eb) => eb.or([eb('outcome', 'is', null), eb('outcome', '=', 'queued')]))
    .execute();
}

/** Finds the query by which a request to join is answered, from the ids of Telegram. */
export async function findTelegramQuery(
  { db }: Pick<Context, 'db'>,
  chatId: string,
  userId: string,
): Promise<string | undefined> {
  const community = await selectByPlatformId(db.system, 'telegram', chatId);
  const id = community?.id ?? communityKey('telegram', chatId);
  return (await findOpenQuery(db.system, id, userKey('telegram', userId)))?.query_id;
}

const keptSeconds = 24 * 3600;

export async function deleteOldQueries(db: Sql, now: Date, limit: number): Promise<number> {
  const old = sql`select slug from telegram_join_queries where asked_at < ${addSeconds(now, -keptSeconds)} limit ${limit}`;
  const { numAffectedRows = 0n } = await sql`delete from telegram_join_queries where slug = any(array(${old}))`.execute(
    db,
  );
  return Number(numAffectedRows);
}
