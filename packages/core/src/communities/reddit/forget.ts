import type { Erasure } from '../../machinery/erasures/index.ts';

/** Forgets the tokens that speak for the person on Reddit. Their subreddits are served again when another moderator links. */
export const redditErasure: Erasure = {
  columns: ['reddit_tokens.linked_by_id', 'reddit_tokens.reddit_user'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('reddit_tokens').where('linked_by_id', '=', userId).execute();
  },
};
