import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { authenticatorOperations } from './authenticator-operations.ts';
import { secretPlace } from './enrolment.ts';
import { totpJobs, totpSchedules } from './jobs.ts';
import { totp } from './operations.ts';

export { verifyTotp, verifyTotpEnrolledBefore } from './verify.ts';

/** Deletes a user's authenticator apps. */
const totpErasure: Erasure = {
  columns: ['totp_enrolments.user_id', 'totp_guards.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('totp_enrolments').where('user_id', '=', userId).execute();
    await tx.deleteFrom('totp_guards').where('user_id', '=', userId).execute();
  },
};

/** The sealed column of this feature, for a change of the master key. */
export const totpSealed: readonly SealedColumn[] = [
  {
    table: 'totp_enrolments',
    column: 'secret',
    idColumns: ['user_id', 'request_id'],
    placeOf: (userId = '', requestId = '') => secretPlace(userId, requestId),
  },
];

export const totpModule = defineModule('totp', {
  resources: [totp, ownOperations(authenticatorOperations)],
  jobs: totpJobs,
  schedules: totpSchedules,
  sealed: totpSealed,
  erasures: [totpErasure],
  tables: ['totp_enrolments', 'totp_guards'],
});
