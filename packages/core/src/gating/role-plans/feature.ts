import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { gatingErasure, rolesErasure } from './forget.ts';
import { gatingJobs, gatingSchedules } from './jobs.ts';
import { roleOperations } from './operations.ts';

export const rolePlansFeature = feature('role-plans', {
  resources: [ownOperations(roleOperations)],
  jobs: gatingJobs,
  schedules: gatingSchedules,
  erasures: [rolesErasure, gatingErasure],
  tables: [
    'role_plans',
    'role_plan_items',
    'role_stops',
    'role_pauses',
    'role_ledger',
    'shadow_modes',
    'shadow_differences',
  ],
});
