import { type Sql, sql } from '@latchkey/db';

export interface JoinMessageRow {
  community_id: string;
  channel_id: string | null;
  message_id: string | null;
  posted_at: Date | null;
  claimed_until: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    join_messages: JoinMessageRow;
  }
}

export function selectJoinMessage(db: Sql, communityId: string): Promise<JoinMessageRow | undefined> {
  return db.selectFrom('join_messages').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

/** Reserves the join message for one request; undefined while another one has it. */
export async function claimJoinMessage(
  db: Sql,
  communityId: string,
  now: Date,
  until: Date,
): Promise<JoinMessageRow | undefined> {
  const { rows } = await sql<JoinMessageRow>`
    insert into join_messages as j (community_id, claimed_until) values (${communityId}, ${until})
    on conflict (community_id) do update set claimed_until = excluded.claimed_until
      where j.claimed_until is null or j.claimed_until <= ${now}
    returning *`.execute(db);
  return rows[0];
}

/** Ends the reservation, and keeps what was posted. */
export async function releaseJoinMessage(
  db: Sql,
  communityId: string,
  posted: Partial<Pick<JoinMessageRow, 'channel_id' | 'message_id' | 'posted_at'>>,
): Promise<void> {
  await db
    .updateTable('join_messages')
    .set({ ...posted, claimed_until: null })
    .where('community_id', '=', communityId)
    .execute();
}
