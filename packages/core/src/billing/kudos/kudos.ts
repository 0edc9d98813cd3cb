import type { KudosRow } from './queries.ts';

/** How often a user can give kudos in one community within 24 hours. */
export const dailyKudos = 5;
export const maxWords = 200;
/** The kinds that are offered in chats; the API accepts others. */
export const offeredKinds = ['thanks', 'helpful', 'creative', 'teamwork', 'leadership'] as const;

/** A kind is one word; the two excluded ones are directions in the lookup. */
export function isKudosKind(kind: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(kind) && kind !== 'received' && kind !== 'sent';
}

/** Converts kudos to the API's record. */
export function toKudos(row: KudosRow): Record<string, unknown> {
  return {
    id: row.id,
    communityId: row.community_id,
    fromUserId: row.from_user_id,
    toUserId: row.to_user_id,
    kind: row.kind,
    words: row.words,
    givenAt: row.given_at.toISOString(),
    credential: row.jwt,
  };
}
