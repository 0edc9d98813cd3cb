import type { Erasure } from '../erasures/index.ts';
import { forgetSlugs } from './queries.ts';

/** Forgets what the person, and the programs of the person, kept behind short links. */
export const slugsErasure: Erasure = {
  columns: ['slugs.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, clientIds }) => {
    for (const ownerId of [userId, ...clientIds.map((id) => `$app/${id}`)]) await forgetSlugs(tx, ownerId);
  },
};
