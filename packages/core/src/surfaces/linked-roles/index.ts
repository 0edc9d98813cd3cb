import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { endConnection } from './end-connection.ts';
import { linkedRoleJobs, linkedRoleSchedules } from './jobs.ts';
import { linkedRoleOperations } from './operations.ts';
import { forgetPerson } from './queries.ts';
import { tokenPlace } from './tokens.ts';

export { getRegistration } from './operations.ts';

/** The sealed columns of this module, for master key rotation. */
const linkedRolesSealed: readonly SealedColumn[] = (['access_token', 'refresh_token'] as const).flatMap((column) => [
  {
    table: 'role_connections',
    column,
    idColumns: ['user_id'],
    placeOf: (userId = '') => tokenPlace('role_connections', column, userId),
  },
  {
    table: 'role_connection_endings',
    column,
    idColumns: ['id'],
    placeOf: (id = '') => tokenPlace('role_connection_endings', column, id),
  },
]);

/** Ends the connection. What is left to revoke at Discord no longer names its owner. */
export const linkedRolesErasure: Erasure = {
  columns: [
    'role_connections.user_id',
    'role_connections.user_name',
    'role_connection_endings.user_id',
    'role_connection_changes.user_id',
  ],
  stage: 'at-once',
  forget: async (ctx, tx, { userId }) => {
    await endConnection(ctx, tx, userId);
    await forgetPerson(tx, userId);
  },
};

export const linkedRolesModule = defineModule('linked-roles', {
  resources: [ownOperations(linkedRoleOperations)],
  jobs: linkedRoleJobs,
  schedules: linkedRoleSchedules,
  sealed: linkedRolesSealed,
  erasures: [linkedRolesErasure],
  tables: ['role_connections', 'role_connection_endings', 'role_connection_changes'],
});
