import { touchUser } from '../../gating/following/index.ts';
import { forgetReadings } from '../../gating/role-plans/index.ts';
import type { WalletsChanged } from '../wallets/index.ts';

/** Has the roles of a user looked at, in every community, once a change of wallets is committed. */
export const lookAtRoles: WalletsChanged = async (tx, userId, gone = []) => {
  await forgetReadings(tx, userId, gone);
  await touchUser(tx, userId, 'wallet');
};
