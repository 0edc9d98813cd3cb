import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteAttemptsOf } from './queries.ts';

/** Forgets attempts to link accounts of other services. */
export const linkAttemptsErasure: Erasure = {
  columns: ['account_link_attempts.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAttemptsOf(tx, userId),
};
