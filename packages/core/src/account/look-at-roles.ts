import { touchUser } from '../gating/index.ts';
import type { WalletsChanged } from '../wallets/index.ts';

/** Has the roles of a user looked at, in every community, once a change of wallets is committed. */
export const lookAtRoles: WalletsChanged = (tx, userId) => touchUser(tx, userId, 'wallet');
