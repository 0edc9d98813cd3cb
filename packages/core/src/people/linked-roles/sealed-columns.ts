import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { tokenPlace } from './tokens.ts';

/** The sealed columns of this feature, for a change of the master key. */
export const linkedRolesSealed: readonly SealedColumn[] = (['access_token', 'refresh_token'] as const).flatMap(
  (column) => [
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
  ],
);
