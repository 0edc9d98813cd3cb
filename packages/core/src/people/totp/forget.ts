import type { Erasure } from '../../machinery/erasures/index.ts';

/** Forgets the authenticator apps of a person. */
export const totpErasure: Erasure = {
  columns: ['totp_enrolments.user_id', 'totp_guards.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('totp_enrolments').where('user_id', '=', userId).execute();
    await tx.deleteFrom('totp_guards').where('user_id', '=', userId).execute();
  },
};
