import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { playgroundJobs, playgroundSchedules } from './jobs.ts';
import { playgroundOperations } from './operations.ts';

export { forgetPlaygrounds } from './end.ts';

/** Sample communities in which readers of the guides try things out, on the sample world of `npm start`. */
export const playgroundsModule = defineModule('playgrounds', {
  resources: [ownOperations(playgroundOperations)],
  jobs: playgroundJobs,
  schedules: playgroundSchedules,
  tables: ['playgrounds'],
});
