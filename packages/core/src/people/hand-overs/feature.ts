import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { handOversErasure } from './forget.ts';
import { handOverJobs, handOverSchedules } from './jobs.ts';
import { handOverOperations } from './operations.ts';
import { handOversSealed } from './sealed-columns.ts';

export const handOversFeature = feature('hand-overs', {
  resources: [ownOperations(handOverOperations)],
  jobs: handOverJobs,
  schedules: handOverSchedules,
  sealed: handOversSealed,
  erasures: [handOversErasure],
  tables: ['hand_overs'],
});
