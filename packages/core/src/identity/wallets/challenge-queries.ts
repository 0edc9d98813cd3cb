import type { Hashed, Sql } from '@latchkey/db';
import type { GeneratedAlways } from 'kysely';

export interface LinkChallengeRow {
  message_hash: Hashed;
  state_hash: Hashed | null;
  user_id: string;
  message: string;
  /** The account in the message; null for a message that any wallet with a key may sign. */
  namespace: string | null;
  chain: string | null;
  address: string | null;
  signer: string | null;
  /** The address as the user wrote it, if that differs from the stored notation. */
  shown_address: string | null;
  community_id: string | null;
  wallet_type: string | null;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    wallet_link_challenges: LinkChallengeRow & { number: GeneratedAlways<number> };
  }
}

export async function insertLinkChallenge(sql: Sql, challenge: LinkChallengeRow): Promise<void> {
  await sql.insertInto('wallet_link_challenges').values(challenge).execute();
}

/** How to find a challenge: by its text, by its state, or as the newest one that an account may sign. */
export type ChallengeRef =
  | { messageHash: Hashed }
  | { stateHash: Hashed }
  | { newestFor: { namespace: string; chain: string; address: string; signer: string | null } };

/** Finds an active challenge of this user, without consuming it. */
export function findOwnChallenge(
  sql: Sql,
  ref: ChallengeRef,
  { userId, now }: { userId: string; now: Date },
): Promise<LinkChallengeRow | undefined> {
  const own = sql
    .selectFrom('wallet_link_challenges')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now);
  return named().executeTakeFirst();

  function named() {
    if ('messageHash' in ref) return own.where('message_hash', '=', ref.messageHash);
    if ('stateHash' in ref) return own.where('state_hash', '=', ref.stateHash);
    const { namespace, chain, address, signer } = ref.newestFor;
    return own
      .where((eb) =>
        eb.or([
          eb('address', 'is', null),
          eb.and([
            eb('namespace', '=', namespace),
            eb('chain', '=', chain),
            eb('address', '=', address),
            eb('signer', 'is not distinct from', signer),
          ]),
        ]),
      )
      .orderBy('number', 'desc')
      .limit(1);
  }
}

/** Consumes a challenge, so that it works once. Returns false if it was already consumed. */
export async function useLinkChallenge(sql: Sql, messageHash: Hashed): Promise<boolean> {
  const { numDeletedRows } = await sql
    .deleteFrom('wallet_link_challenges')
    .where('message_hash', '=', messageHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Finds the challenge of a state, without consuming it. */
export function findLinkChallenge(sql: Sql, stateHash: Hashed, now: Date): Promise<LinkChallengeRow | undefined> {
  return sql
    .selectFrom('wallet_link_challenges')
    .selectAll()
    .where('state_hash', '=', stateHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Deletes the messages that were issued to a user: all of them, or those for one of these accounts. */
export async function deleteLinkChallenges(sql: Sql, userId: string, addresses?: readonly string[]): Promise<void> {
  const named = [...(addresses ?? [])];
  await sql
    .deleteFrom('wallet_link_challenges')
    .where('user_id', '=', userId)
    .$if(addresses !== undefined, (query) =>
      query.where((eb) =>
        eb.or([eb('address', '=', eb.fn.any(eb.val(named))), eb('signer', '=', eb.fn.any(eb.val(named)))]),
      ),
    )
    .execute();
}

export async function deleteExpiredLinkChallenges(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('wallet_link_challenges').where('expires_at', '<', now).execute();
}
