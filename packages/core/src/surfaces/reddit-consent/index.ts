import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { redditConsentJobs, redditConsentSchedules } from './jobs.ts';
import { redditConsentOperations } from './operations.ts';
import { discardGrants } from './queries.ts';

export { consentPage } from './operations.ts';

/** Revokes what the person authorized on Reddit, and removes their id. */
export const redditConsentErasure: Erasure = {
  columns: ['reddit_grants.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => discardGrants(tx, userId),
};

/** The sealed column of this module, for master key rotation. */
const redditConsentSealed: readonly SealedColumn[] = [
  { table: 'reddit_grants', column: 'refresh_token', idColumns: ['place', 'id'], placeOf: (place = '') => place },
];

export const redditConsentModule = defineModule('reddit-consent', {
  resources: [ownOperations(redditConsentOperations)],
  jobs: redditConsentJobs,
  schedules: redditConsentSchedules,
  sealed: redditConsentSealed,
  erasures: [redditConsentErasure],
  tables: ['reddit_grants'],
});
