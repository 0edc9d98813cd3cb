import type { Erasure } from '../../machinery/erasures/index.ts';
import { endConnection } from './end-connection.ts';
import { forgetPerson } from './queries.ts';

/** Ends the connection. What is left to revoke at Discord says no more whose it was. */
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
