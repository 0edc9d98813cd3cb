import { defineModule, type Erasure, type SealedColumn } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { codePlace } from './check.ts';
import { roleInviteJobs, roleInviteSchedules } from './jobs.ts';
import { roleInviteOperations } from './operations.ts';
import { forgetInInvites } from './queries.ts';

export { noteArrival } from './arrivals.ts';
export { findNeeds } from './needs.ts';
export { selectCreatingSince, selectOwnCodes, selectSettings } from './queries.ts';

const roleInvitesSealed: readonly SealedColumn[] = [
  { table: 'role_invites', column: 'code', idColumns: ['id'], placeOf: (id = '') => codePlace(id) },
];

const roleInvitesErasure: Erasure = {
  columns: ['role_invites.user_id', 'role_invite_settings.turned_on_by'],
  stage: 'at-once',
  forget: (ctx, tx, { userId }) => forgetInInvites(tx, userId, ctx.clock()),
};

/** Personal invites by which people arrive in a Discord server with the roles that they qualify for. */
export const roleInvitesModule = defineModule('role-invites', {
  resources: [ownOperations(roleInviteOperations)],
  jobs: roleInviteJobs,
  schedules: roleInviteSchedules,
  sealed: roleInvitesSealed,
  erasures: [roleInvitesErasure],
  tables: ['role_invites', 'role_invite_settings'],
});
