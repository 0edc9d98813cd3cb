import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { stateJobs, stateSchedules } from './jobs.ts';
import { slugs, states } from './operations.ts';
import { forgetSlugs } from './queries.ts';
import { contentPlace } from './slug.ts';

export {
  createSlug,
  createState,
  findLocation,
  keepState,
  openState,
  ownRedirectTarget,
  stateTtlSeconds,
} from './operations.ts';
export { forgetSlugs } from './queries.ts';
export type { ShortLink } from './slug.ts';

/** Deletes what a user, and their applications, stored behind short links. */
const slugsErasure: Erasure = {
  columns: ['slugs.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, clientIds }) => {
    for (const ownerId of [userId, ...clientIds.map((id) => `$app/${id}`)]) await forgetSlugs(tx, ownerId);
  },
};

/** The sealed column of this feature, for a change of the master key. */
export const slugsSealed: readonly SealedColumn[] = [
  { table: 'slugs', column: 'content', idColumns: ['slug_hash'], placeOf: (slugHash = '') => contentPlace(slugHash) },
];

export const statesModule = defineModule('states', {
  resources: [slugs, states],
  jobs: stateJobs,
  schedules: stateSchedules,
  sealed: slugsSealed,
  erasures: [slugsErasure],
  tables: ['slugs'],
});
