import type { Hashed, Sql } from '@latchkey/db';
import type { GeneratedAlways } from 'kysely';

export interface LinkChallengeRow {
  message_hash: Hashed;
  state_hash: Hashed | null;
  user_id: string;
  message: string;
  /** The account the message names; null for a message that any wallet with a key may sign. */
  namespace: string | null;
  chain: string | null;
  address: string | null;
  signer: string | null;
  /** The address as it was written, if that is not its stored spelling. */
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

/** How a challenge is named: by its text, by its state, or as the newest one that an account may sign. */
export type ChallengeRef =
  | { messageHash: Hashed }
  | { stateHash: Hashed }
  | { newestFor: { namespace: string; chain: string; address: string; signer: string | null } };

/** The challenge that is meant, if it still works and is for this user. It is not used up by that. */
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

/** Uses a challenge up, so that it works once. False when that was done before. */
export async function useLinkChallenge(sql: Sql, messageHash: Hashed): Promise<boolean> {
  const { numDeletedRows } = await sql
    .deleteFrom('wallet_link_challenges')
    .where('message_hash', '=', messageHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The challenge of a state, without using it up. */
export function findLinkChallenge(sql: Sql, stateHash: Hashed, now: Date): Promise<LinkChallengeRow | undefined> {
  return sql
    .selectFrom('wallet_link_challenges')
    .selectAll()
    .where('state_hash', '=', stateHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Forgets the messages that were written for a user: all of them, or those that name one of these accounts. */
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
