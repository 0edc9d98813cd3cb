import { defineModule, type Erasure } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { backDoorJobs, backDoorSchedules } from './jobs.ts';
import { backDoorOperations } from './operations.ts';
import { forgetInDoors } from './queries.ts';

export { titleOf } from './describe.ts';
export { checkBackDoorsSoon } from './jobs.ts';
export { newBackDoors, selectBatch } from './queries.ts';

const backDoorErasure: Erasure = {
  columns: ['back_doors.by_id', 'back_doors.by_name', 'expected_back_doors.decided_by'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => forgetInDoors(tx, userId),
};

/** Other ways to the roles of rules in Discord servers, and what admins do about them. */
export const backDoorsModule = defineModule('back-doors', {
  resources: [ownOperations(backDoorOperations)],
  jobs: backDoorJobs,
  schedules: backDoorSchedules,
  erasures: [backDoorErasure],
  tables: ['back_doors', 'expected_back_doors', 'back_door_checks'],
});
