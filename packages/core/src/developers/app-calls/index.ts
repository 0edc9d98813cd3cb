import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { appCallJobs, appCallSchedules } from './jobs.ts';
import { appCallOperations } from './operations.ts';
import { appCallsErasure } from './queries.ts';

export { type AppCall, linesPerMinute } from './call.ts';
export { type CallBatch, writeCalls } from './write-calls.ts';

export const appCallsModule = defineModule('app-calls', {
  resources: [ownOperations(appCallOperations)],
  jobs: appCallJobs,
  schedules: appCallSchedules,
  erasures: [appCallsErasure],
  tables: ['app_calls', 'app_call_days', 'app_key_uses'],
});
