import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteAllOf } from './queries.ts';

/** Forgets what somebody allowed applications. */
export const userAuthorizationsErasure: Erasure = {
  columns: ['user_authorizations.user_id', 'consent_decisions.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAllOf(tx, userId),
};
