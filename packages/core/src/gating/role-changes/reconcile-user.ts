import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { WalletsChanged } from '../../identity/wallets/index.ts';
import { enqueueUser } from '../followers/index.ts';
import { forgetReadings } from './forget.ts';

/**
 * Queues a check of a user's roles in the transaction that changes their wallets: in one community, or in all of them.
 */
export const reconcileUser: WalletsChanged = async (tx, userId, { gone = [], communityId } = {}) => {
  await forgetReadings(tx, userId, gone, communityId);
  if (communityId === undefined) await enqueueUser(tx, userId, 'wallet');
  else await enqueueReconcile(tx, { communityId, members: [userId], cause: 'wallet' });
};
