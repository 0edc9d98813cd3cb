import type { Erasure } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { settle } from './guest-pass.ts';
import { guestPassJobs, guestPassSchedules } from './jobs.ts';

export {
  applyGrant,
  createGuestPass,
  createPassIn,
  defaultPeriodSeconds,
  type GuestOf,
  GuestPass,
  GuestPassRequest,
  guestsAmong,
  type IssueGuestPass,
  issueGuestPass,
  listGuestPasses,
  passColumns,
  refuseBadPass,
  removeGuestPass,
  removePassIn,
  settle as settleGrant,
} from './guest-pass.ts';
export { expireGuestPasses } from './jobs.ts';
export {
  addGrantedRoles,
  endGrants,
  type GrantRow,
  type GuestPassRow,
  holdsGuestPass,
  lockPass,
  selectGrant,
  selectGrantsOf,
  selectHolders,
  selectPasses,
  selectRunning,
  selectRunningOf,
  updateGrant,
  updatePass,
} from './queries.ts';

/** Ends a person's passes, so that the granted roles are removed. */
const guestPassesEnding: Erasure = {
  columns: [],
  stage: 'at-once',
  forget: async (ctx, tx, { userId }) => {
    const ended = await tx
      .updateTable('guest_pass_grants')
      .set({ ended_at: ctx.clock() })
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .returning(['id', 'community_id', 'user_id'])
      .execute();
    for (const grant of ended) await settle(tx, grant);
  },
};

/** Deletes the passes that a person held, and removes their id from passes they created or gave. */
const guestPassesErasure: Erasure = {
  columns: ['guest_passes.created_by_id', 'guest_pass_grants.user_id', 'guest_pass_grants.issued_by_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx.deleteFrom('guest_pass_grants').where('user_id', '=', userId).execute();
    await tx
      .updateTable('guest_pass_grants')
      .set({ issued_by_id: pseudonym })
      .where('issued_by_id', '=', userId)
      .execute();
    await tx
      .updateTable('guest_passes')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
  },
};

export const guestPassesModule = defineModule('guest-passes', {
  jobs: guestPassJobs,
  schedules: guestPassSchedules,
  erasures: [guestPassesEnding, guestPassesErasure],
  tables: ['guest_passes', 'guest_pass_grants'],
});
