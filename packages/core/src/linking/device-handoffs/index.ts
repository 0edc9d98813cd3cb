import type { Erasure, SealedColumn } from '../../shared/feature.ts';
import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { contentPlace } from './hand-over.ts';
import { handOverJobs, handOverSchedules } from './jobs.ts';
import { handOverOperations } from './operations.ts';
import { deleteHandOversOf } from './queries.ts';

export { handOverSeconds } from './hand-over.ts';
export { openHandOver } from './open-page.ts';

/** The sealed column of this feature, for a change of the master key. */
const handOversSealed: readonly SealedColumn[] = [
  {
    table: 'hand_overs',
    column: 'content',
    idColumns: ['ticket_hash'],
    placeOf: (ticketHash = '') => contentPlace(ticketHash),
  },
];

/** Forgets what a person had begun to carry over to another browser. */
export const handOversErasure: Erasure = {
  columns: ['hand_overs.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteHandOversOf(tx, userId),
};

export const handOversFeature = feature('device-handoffs', {
  resources: [ownOperations(handOverOperations)],
  jobs: handOverJobs,
  schedules: handOverSchedules,
  sealed: handOversSealed,
  erasures: [handOversErasure],
  tables: ['hand_overs'],
});
