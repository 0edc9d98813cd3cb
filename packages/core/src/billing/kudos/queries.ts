import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

export interface KudosRow {
  id: string;
  community_id: string;
  from_user_id: string;
  to_user_id: string;
  kind: string;
  words: string;
  jwt: string;
  given_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    kudos: KudosRow;
  }
}

/** Makes other kudos of this user wait, so that two concurrent ones cannot both be the last one allowed. */
export async function lockGiver(tx: Tx, communityId: string, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`kudos:${communityId}:${userId}`}, 0))`.execute(tx);
}

/** Returns when this user gave kudos in this community since then, oldest first. */
export async function selectGivenSince(tx: Tx, communityId: string, userId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .selectFrom('kudos')
    .select('given_at')
    .where('community_id', '=', communityId)
    .where('from_user_id', '=', userId)
    .where('given_at', '>', since)
    .orderBy('given_at')
    .execute();
  return rows.map((row) => row.given_at);
}

export async function insertKudos(tx: Tx, row: KudosRow): Promise<void> {
  await tx.insertInto('kudos').values(row).execute();
}

/** Lists what a user received or sent, or both of one kind, as far as the tenant may see it; newest first. */
export function selectKudos(db: Sql, userId: string, type: string, limit: number): Promise<KudosRow[]> {
  return db
    .selectFrom('kudos')
    .selectAll()
    .where((eb) => {
      const received = eb('to_user_id', '=', userId);
      const sent = eb('from_user_id', '=', userId);
      if (type === 'received') return received;
      return type === 'sent' ? sent : eb.and([eb.or([received, sent]), eb('kind', '=', type)]);
    })
    .orderBy('given_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Deletes the kudos that a user gave and received: their credentials name both sides and cannot be changed. */
export const kudosErasure: Erasure = {
  columns: ['kudos.from_user_id', 'kudos.to_user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx
      .deleteFrom('kudos')
      .where((eb) => eb.or([eb('from_user_id', '=', userId), eb('to_user_id', '=', userId)]))
      .execute();
  },
};
