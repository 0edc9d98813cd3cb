import { feature } from '../../feature.ts';
import { gatingErasure, rolesErasure } from './forget.ts';
import { gatingJobs, gatingSchedules } from './jobs.ts';

export const rolePlansFeature = feature('role-plans', {
  jobs: gatingJobs,
  schedules: gatingSchedules,
  erasures: [rolesErasure, gatingErasure],
  tables: ['role_plans', 'role_plan_items', 'role_stops', 'role_pauses', 'role_ledger'],
});
