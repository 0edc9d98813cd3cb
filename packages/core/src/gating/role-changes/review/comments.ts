import { type Sql, sql, type Tx } from '@latchkey/db';

/** What an admin wrote about a change set, as plain text. */
export interface CommentRow {
  id: string;
  change_set_id: string;
  community_id: string;
  author: string;
  body: string;
  created_at: Date;
}

/** The oldest first, as in a conversation. */
export function selectComments(
  db: Sql,
  changeSetId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<CommentRow[]> {
  const [createdAt, id] = after ?? [];
  return db
    .selectFrom('change_set_comments')
    .selectAll()
    .where('change_set_id', '=', changeSetId)
    .$if(createdAt !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${createdAt}::timestamptz, ${id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function countComments(db: Sql, changeSetId: string): Promise<number> {
  const { count } = await db
    .selectFrom('change_set_comments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('change_set_id', '=', changeSetId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertComment(tx: Tx, comment: CommentRow): Promise<void> {
  await tx.insertInto('change_set_comments').values(comment).execute();
}

export function selectComment(db: Sql, changeSetId: string, id: string): Promise<CommentRow | undefined> {
  return db
    .selectFrom('change_set_comments')
    .selectAll()
    .where('change_set_id', '=', changeSetId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function deleteComment(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('change_set_comments').where('id', '=', id).execute();
}
