import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { redditJobs, redditSchedules } from './jobs.ts';
import { reddit } from './operations.ts';
import { tokenPlace } from './reads.ts';

export { addCommunityConfig, findModerated, linkSubreddit, platformError } from './operations.ts';
export { selectLinked } from './queries.ts';
export { findLinkedAccount, findRefreshToken, isCommunityConfigSet } from './reads.ts';
export { redditText } from './show-answer.ts';

/**
 * Deletes the tokens that act for the person on Reddit. Their subreddits work again once another moderator links them.
 */
const redditErasure: Erasure = {
  columns: ['reddit_tokens.linked_by_id', 'reddit_tokens.reddit_user'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('reddit_tokens').where('linked_by_id', '=', userId).execute();
  },
};

/** The sealed column of this module, for master key rotation. */
const redditSealed: readonly SealedColumn[] = [
  {
    table: 'reddit_tokens',
    column: 'refresh_token',
    idColumns: ['community_id'],
    placeOf: (communityId = '') => tokenPlace(communityId),
  },
];

export const redditModule = defineModule('reddit', {
  resources: [reddit],
  jobs: redditJobs,
  schedules: redditSchedules,
  sealed: redditSealed,
  erasures: [redditErasure],
  tables: ['reddit_tokens'],
});
