import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { linkedRolesErasure } from './forget.ts';
import { linkedRoleJobs, linkedRoleSchedules } from './jobs.ts';
import { linkedRoleOperations } from './operations.ts';
import { linkedRolesSealed } from './sealed-columns.ts';

export const linkedRolesFeature = feature('linked-roles', {
  resources: [ownOperations(linkedRoleOperations)],
  jobs: linkedRoleJobs,
  schedules: linkedRoleSchedules,
  sealed: linkedRolesSealed,
  erasures: [linkedRolesErasure],
  tables: ['role_connections', 'role_connection_endings', 'role_connection_changes'],
});
