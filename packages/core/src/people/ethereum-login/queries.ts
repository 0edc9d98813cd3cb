import type { Hashed, Sql } from '@latchkey/db';

export interface ChallengeRow {
  request_hash: Hashed;
  namespace: string;
  chain: string;
  address: string | null;
  message: string;
  /** The one application it was written for; null for the pages of this server. */
  client_id: string | null;
  /** The account that was chosen, for a wallet that signs in to several. */
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

/** Takes a challenge out, so that it works once. */
export async function takeChallenge(sql: Sql, requestHash: Hashed, now: Date): Promise<ChallengeRow | undefined> {
  const row = await sql
    .deleteFrom('wallet_challenges')
    .where('request_hash', '=', requestHash)
    .returningAll()
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now ? row : undefined;
}

export async function deleteExpired(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('wallet_challenges').where('expires_at', '<', now).execute();
}
