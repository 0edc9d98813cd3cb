import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { WalletsChanged } from '../../identity/wallets/index.ts';
import { enqueueUser } from '../followers/index.ts';
import { forgetReadings } from './forget.ts';

/** Has the roles of a user re-checked once a change of wallets is committed: in the community it is about, or in all. */
export const reconcileUser: WalletsChanged = async (tx, userId, { gone = [], communityId } = {}) => {
  await forgetReadings(tx, userId, gone, communityId);
  if (communityId === undefined) await enqueueUser(tx, userId, 'wallet');
  else await enqueueReconcile(tx, { communityId, members: [userId], cause: 'wallet' });
};
