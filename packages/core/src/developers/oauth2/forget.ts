import type { Erasure } from '../../machinery/erasures/index.ts';
import { deleteAllOf } from './queries.ts';

/** Forgets that somebody logged in for applications, and everything that came of it. */
export const oauth2Erasure: Erasure = {
  columns: ['oauth_accounts.user_id', 'oauth_accounts.name', 'oauth_artifacts.user_id', 'oauth_grants.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAllOf(tx, userId),
};
