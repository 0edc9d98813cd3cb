import type { Hashed, Sql } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

export interface ChallengeRow {
  request_hash: Hashed;
  namespace: string;
  chain: string;
  address: string | null;
  message: string;
  /** The one application it was issued for; null for the pages of this server. */
  client_id: string | null;
  /** The chosen account, for a wallet that signs in to several. */
  account_id: string | null;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    wallet_challenges: ChallengeRow;
  }
}

export async function insertChallenge(sql: Sql, challenge: ChallengeRow): Promise<void> {
  await sql.insertInto('wallet_challenges').values(challenge).execute();
}

export function findChallenge(sql: Sql, requestHash: Hashed, now: Date): Promise<ChallengeRow | undefined> {
  return sql
    .selectFrom('wallet_challenges')
    .selectAll()
    .where('request_hash', '=', requestHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Consumes a challenge, so that it works once. Returns false if it was already consumed. */
export async function useChallenge(sql: Sql, requestHash: Hashed): Promise<boolean> {
  const { numDeletedRows } = await sql
    .deleteFrom('wallet_challenges')
    .where('request_hash', '=', requestHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpired(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('wallet_challenges').where('expires_at', '<', now).execute();
}

/** Deletes the sign-in messages that were issued for the user's wallets. */
export const loginErasure: Erasure = {
  columns: ['wallet_challenges.address', 'wallet_challenges.account_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, wallets }) => {
    const addresses = wallets.map(({ address }) => address);
    await tx
      .deleteFrom('wallet_challenges')
      .where((eb) => eb.or([eb('address', '=', eb.fn.any(eb.val(addresses))), eb('account_id', '=', userId)]))
      .execute();
  },
};
