import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { contentPlace } from './handoff.ts';
import { handoffJobs, handoffSchedules } from './jobs.ts';
import { handoffOperations } from './operations.ts';
import { deleteHandoffsOf } from './queries.ts';

export { handoffSeconds, openHandoff } from './handoff.ts';

/** The sealed column of this feature, for a change of the master key. */
const handoffsSealed: readonly SealedColumn[] = [
  {
    table: 'handoffs',
    column: 'content',
    idColumns: ['ticket_hash'],
    placeOf: (ticketHash = '') => contentPlace(ticketHash),
  },
];

/** Deletes the handoffs that a user started. */
export const handoffsErasure: Erasure = {
  columns: ['handoffs.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteHandoffsOf(tx, userId),
};

export const handoffsModule = defineModule('device-handoffs', {
  resources: [ownOperations(handoffOperations)],
  jobs: handoffJobs,
  schedules: handoffSchedules,
  sealed: handoffsSealed,
  erasures: [handoffsErasure],
  tables: ['handoffs'],
});
