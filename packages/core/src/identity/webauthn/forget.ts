import type { Erasure } from '../../shared/module.ts';

/** Deletes a user's passkeys. */
export const webauthnErasure: Erasure = {
  columns: [
    'webauthn_users.user_id',
    'webauthn_users.user_handle',
    'webauthn_credentials.user_id',
    'webauthn_credentials.user_name',
    'webauthn_credentials.user_agent',
    'webauthn_challenges.user_id',
    'webauthn_sign_ins.user_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('webauthn_sign_ins').where('user_id', '=', userId).execute();
    await tx.deleteFrom('webauthn_challenges').where('user_id', '=', userId).execute();
    await tx.deleteFrom('webauthn_credentials').where('user_id', '=', userId).execute();
    await tx.deleteFrom('webauthn_users').where('user_id', '=', userId).execute();
  },
};
