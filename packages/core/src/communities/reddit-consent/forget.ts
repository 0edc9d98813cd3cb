import type { Erasure } from '../../machinery/erasures/index.ts';
import { discardGrants } from './queries.ts';

/** What the person allowed on Reddit is revoked, and no longer says whose it was. */
export const redditConsentErasure: Erasure = {
  columns: ['reddit_grants.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => discardGrants(tx, userId),
};
