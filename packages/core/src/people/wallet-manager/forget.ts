import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteStepsOf } from './queries.ts';

/** Forgets what waits for a next step of the person. */
export const walletManagerErasure: Erasure = {
  columns: ['wallet_pending_steps.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteStepsOf(tx, userId),
};
