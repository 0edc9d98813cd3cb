import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteAttemptsOf } from './queries.ts';

/** Forgets attempts to link an X account. A linked one goes with the wallets. */
export const xAccountErasure: Erasure = {
  columns: ['account_link_attempts.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAttemptsOf(tx, userId),
};
